"""Every projection: vectors that are each N(0, I), prefixes, places, refusals."""

import numpy as np
import pytest
from scipy.special import ndtr

import mehler
from mehler import _arrays, verify
from mehler.features import projections
from mehler.features.projections import Projection, SharedPool, named
from tests.places import Place

ALL = [named(name) for name in projections.NAMES] + [SharedPool(9)]
every_projection = pytest.mark.parametrize("projection", ALL, ids=lambda part: part.name)


def vectors(projection: Projection, seed, q, d, m, stream=0):
    """The weights as one matrix (q, d, m), by products with the coordinate vectors."""
    weights = projection.draw(seed, q, d, m, "float64", stream)
    return np.stack([piece.copy() for piece in projection.pieces(np, np.eye(d), *weights)])


@pytest.mark.slow
@every_projection
@pytest.mark.sampled(2)
def test_vectors_are_normal_in_any_direction(projection, small_cells):
    """Each unit, one of 11, in blocks of 5 and of 8, has the law N(0, |x|^2); so has a piece."""
    x = np.array([[0.3, -1.2, 0.5, 0.9, -0.2], [0.0, 0.0, 2.0, 0.0, 0.0]])

    def draw(seed):
        w = vectors(projection, seed, 2, 5, 11)
        return lambda X: X @ w[seed % 2]

    verdict = verify.check_distribution(
        draw,
        lambda X, t: ndtr(t / np.linalg.norm(X, axis=1, keepdims=True)),
        x,
        scale=1.0,
        independent_features=False,
        resolution=0.15,
    )
    assert verdict.status == "holds", str(verdict)


@every_projection
@pytest.mark.parametrize("d", [1, 5, 40])
def test_more_units_keep_the_first_ones(projection, d):
    few, many = (vectors(projection, 3, 2, d, m) for m in (7, 150))
    # A product's rounding may depend on the shape: some d eps times entries below 10.
    assert np.abs(many[:, :, :7] - few).max() < 10 * d * 2.0**-52


@every_projection
def test_streams_and_seeds_differ(projection):
    part = vectors(projection, 3, 1, 5, 11)
    assert not np.isclose(part, vectors(projection, 4, 1, 5, 11)).any()
    assert not np.isclose(part, vectors(projection, 3, 1, 5, 11, stream=1)).any()


@every_projection
def test_float32_weights_are_float64_ones_rounded(projection):
    wide = projection.draw(3, 2, 5, 11, "float64")
    narrow = projection.draw(3, 2, 5, 11, "float32")
    for a, b in zip(wide, narrow, strict=True):
        assert b.dtype == (np.float32 if a.dtype.kind == "f" else a.dtype)
        assert np.array_equal(a.astype(b.dtype), b)


@every_projection
def test_projections_say_how_large_they_are(projection):
    entries = sum(part.nbytes for part in projection.draw(0, 2, 40, 300, "float64")) / 8
    assert projection.n_weights(2, 40, 300) == pytest.approx(entries, rel=0.25)


def test_sobol_units_are_even():
    """Of 64 points one in each interval of 1/64, in every coordinate."""
    for u in ndtr(vectors(named("sobol"), 5, 1, 3, 64)[0]):
        assert np.all(np.bincount((u * 64).astype(int), minlength=64) == 1)


D, M, Q = 100, 200, 2
ROWS = np.random.default_rng(3).standard_normal((150, D)) / 10


@pytest.fixture(scope="module")
def projected():
    """By the matrix of the products with coordinate vectors: D = 128, 4 cells, 2 blocks."""
    return np.stack([ROWS @ w for w in vectors(named("hadamard"), 5, Q, D, M)])


@pytest.mark.parametrize("family", [mehler.MaxoutFeatures, mehler.FourierFeatures])
def test_fast_transforms_are_the_matrix(place: Place, projected, family):
    dtype = "float64" if place.has_float64 else "float32"
    x = place.asarray(ROWS, dtype)
    if family is mehler.MaxoutFeatures:
        options, by_hand = {"n_features": M, "pool_size": Q}, projected.max(axis=0)
    else:
        # gamma = 1/2: frequencies are the vectors themselves. Theirs are the first piece of another
        # draw, as its pieces are drawn block by block.
        [w] = vectors(named("hadamard"), 5, 1, D, M)
        options = {"n_features": 2 * M, "gamma": 0.5}
        by_hand = np.hstack([np.cos(ROWS @ w), np.sin(ROWS @ w)])
    phi = family.draw(D, seed=5, projections="hadamard", like=x, **options)
    z = _arrays.to_host(place.apply(phi, x))
    assert _arrays.dtype_name(z.dtype) == dtype
    # Three transforms, each a sum of at most 16 numbers; all are below 10, and below 1 in the end.
    assert np.abs(z * np.sqrt(M) - by_hand).max() < 100 * np.finfo(dtype).eps
