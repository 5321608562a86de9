"""Hypothesis strategies: every example they draw has the property that they document."""

import math

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from mehler import features, strategies
from mehler.features import FeatureMap
from mehler.strategies._maps import _KINDS as KINDS


def maps(**options):
    pairs = st.tuples(strategies.factories(n_inputs=3, **options), strategies.seeds())
    return pairs.map(lambda both: both[0](both[1]))


# Sums of d <= 8 squares of correctly rounded numbers, a root and a division.
EPS = np.finfo(float).eps


@given(strategies.seeds())
def test_seeds_are_what_every_library_takes(seed):
    assert 0 <= seed < 2**31


def test_seeds_differ():
    """A hundred uniform draws of 31 bits repeat one with chance 5000 / 2^31; half may be edges."""
    seeds = []

    @settings(max_examples=100, database=None)
    @given(strategies.seeds())
    def draw(seed):
        seeds.append(seed)

    draw()
    assert len(set(seeds)) > 50
    assert max(seeds) > 2**24


@given(strategies.pool_sizes(min_size=3, max_size=20))
def test_pool_sizes_stay_in_range(q):
    assert 3 <= q <= 20


@given(strategies.unit_vectors(n_inputs=5, min_size=2, max_size=6))
def test_unit_vectors_have_length_one(X):
    assert X.dtype == np.float64
    assert 2 <= X.shape[0] <= 6
    assert X.shape[1] == 5
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0, rtol=4 * EPS)


def test_unit_vectors_leave_the_axes():
    """Of 100 examples most have a row with no zero coordinate: zero has odds of 1 to 200."""
    off_axes = []

    @settings(max_examples=100, database=None)
    @given(strategies.unit_vectors(n_inputs=3))
    def draw(X):
        off_axes.append(bool((X != 0).all(axis=1).any()))

    draw()
    assert sum(off_axes) > 25


@given(strategies.adversarial_pairs(n_inputs=3))
def test_adversarial_pairs_are_near_where_maps_go_wrong(pair):
    assert_pair(pair)
    gap = min(abs(pair.rho - centre) for centre in (-1, 0, 1))
    assert gap == 0.0 or math.frexp(gap)[0] == 0.5  # a power of 2


def assert_pair(pair):
    assert abs(pair.rho) < 1.0 or np.array_equal(pair.y, pair.rho * pair.x)
    np.testing.assert_allclose(np.linalg.norm(pair.x), 1.0, rtol=4 * EPS)
    np.testing.assert_allclose(np.linalg.norm(pair.y), 1.0, rtol=16 * EPS)
    assert abs(pair.x @ pair.y - pair.rho) <= 16 * EPS
    # Chords resolve what inner products cannot: |x -+ y|^2 = 2 (1 -+ rho), each coordinate of the
    # difference rounded by some 4 eps, so the chord by 8 eps in all and more where it is long.
    for sign in (1, -1):
        chord = np.linalg.norm(pair.x - sign * pair.y)
        exact = math.sqrt(2 * (1 - sign * pair.rho))
        assert abs(chord - exact) <= 16 * EPS * (1 + exact)


@settings(deadline=None)
@given(maps(max_features=8))
def test_maps_are_maps(phi):
    assert isinstance(phi, FeatureMap)
    assert phi(np.eye(3)).shape == (3, phi.n_features)
    assert features.from_recipe(phi.recipe()).recipe() == phi.recipe()


@pytest.mark.full
def test_every_class_of_map_has_a_kind():
    names = {type(find(maps(kinds=[kind]), lambda phi: True)).__name__ for kind in KINDS}
    exported = {getattr(features, name) for name in features.__all__}
    classes = {c for c in exported if isinstance(c, type) and issubclass(c, FeatureMap)}
    # Selected features are fitted, not drawn.
    classes -= {features.SelectedFeatures}
    assert names == {c.__name__ for c in classes - {FeatureMap}}


@given(strategies.factories(n_inputs=3), strategies.seeds())
@settings(deadline=None)
def test_factories_replay_from_what_they_print(draw, seed):
    again = eval(repr(draw), {"Factory": strategies.Factory})
    assert again == draw
    assert again(seed).recipe() == draw(seed).recipe()


@settings(deadline=None)
@given(strategies.edge_case_arrays(n_inputs=3), maps(max_features=4, max_pool_size=4))
def test_maps_refuse_edge_case_arrays_or_take_them(hostile, phi):
    if not hostile.valid:
        with pytest.raises(ValueError):
            phi(hostile.array)
        return
    if hostile.kind == "huge" and phi._unit.angles is not None:
        with pytest.raises(ValueError, match=r"angles <w, x> .* centre the columns"):
            phi(hostile.array)
    else:
        assert np.isfinite(phi(hostile.array)).all()
    squares = np.square(hostile.array).sum(axis=1)
    if isinstance(phi, features.SoftmaxFeatures) and squares.max() > 709:  # exp overflows
        with pytest.raises(ValueError, match="whose products overflow"):
            phi.kernel(hostile.array)
    else:
        assert np.isfinite(phi.kernel(hostile.array)).all()


# The property that each kind of edge case promises.
PROMISED = {
    "nan": lambda X: np.isnan(X).sum() == 1,
    "infinity": lambda X: np.isinf(X).sum() == 1,
    "no rows": lambda X: X.shape == (0, 3),
    "no columns": lambda X: X.shape[1] == 0,
    "zero rows": lambda X: (X == 0).all(axis=1).any(),
    "denormal": lambda X: 0 < np.abs(X).max() < np.finfo(X.dtype).tiny,
    "huge": lambda X: np.abs(X).max() >= (2.0**500 if X.dtype == np.float64 else 2.0**55),
    "not contiguous": lambda X: X.shape == (1, 1) or not X.flags.c_contiguous,
    "read-only": lambda X: not X.flags.writeable,
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", PROMISED)
@pytest.mark.sampled(6)
def test_edge_case_arrays_are_hostile(kind, dtype):
    @given(strategies.edge_case_arrays(n_inputs=3, kinds=[kind], dtype=dtype))
    def check(hostile):
        assert hostile.kind == kind
        assert hostile.array.dtype == dtype
        # A single row strided by rows is contiguous to NumPy.
        assert PROMISED[kind](hostile.array) or (
            kind == "not contiguous" and len(hostile.array) < 2
        )

    check()
