"""Gradients of features and kernels of every kind of map: as central differences, or refused."""

import functools

import numpy as np
import pytest

import mehler
from tests.derivatives import LIBRARIES, by_differences, gradient, require_gradient
from tests.verify.map_kinds import DRAWS, D

RNG = np.random.default_rng(11)
# In random directions, of lengths around 1.5: no feature has a kink within a step of them.
X, Y = RNG.standard_normal((4, D)), RNG.standard_normal((3, D))
WEIGHTS = RNG.standard_normal((4, 72))
# Central differences of step h = 1e-6 are off by h^2/6 times third derivatives, below 10^3, and by
# 1e-16/h of rounding times values, below 10^2: kernels of maxout maps are known to 1e-13/h.
TOLERANCE = 2e-7
# Kernels by NumPy and SciPy alone.
ON_HOST = {name for name in DRAWS if name.startswith(("invariant", "not-inv", "leverage-inv"))}
ON_HOST |= {"sinks-tanh-bias", "sinks-orthogonal"}
# Features that jump, and are flat between jumps.
FLAT = {n for n in ON_HOST if not n.startswith("sinks")} | {"sinks-step"}


def map_of(name, like=None):
    # A multiple of the columns of a template of each of the invariant maps.
    return DRAWS[name](72, seed=1, like=like)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", sorted(set(DRAWS) - {"codes", "codes-orthogonal"}))
@pytest.mark.sampled(5)
def test_features(name, library):
    phi = map_of(name)

    def total(asarray, x):
        z = phi.to(x)(x)
        return (z * asarray(WEIGHTS[:, : z.shape[1]])).sum()

    if name not in FLAT:
        require_gradient(library, total, X, TOLERANCE)
    assert np.any(gradient(library, total, X)) == (name not in FLAT)


ROWS = {
    "two": (X, Y),
    "one": (X, None),
    # Cosines, and kernels that have a derivative where rows are equal or opposite.
    "equal": (X, np.concatenate([X[:1], -X[1:2], 2.0 * X[2:3]])),
}
# Their kernels have a kink where rows are equal.
KINKED = {"codes", "codes-orthogonal", "next", "fresh", "fresh-orthogonal", "sinks-step"}


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", sorted(set(DRAWS) - ON_HOST))
@pytest.mark.sampled(6)
def test_kernels(name, rows, library):
    phi = map_of(name)
    x, y = ROWS[rows]
    y = y if y is None else y.copy()

    def total(asarray, x, *others):
        k = phi.kernel(x, *others)
        return (k * asarray(WEIGHTS[: k.shape[0], : k.shape[1]])).sum()

    others = () if y is None else (y,)
    if rows == "equal" and name in KINKED:
        # At a kink central differences are those of the rounding; the other pairs are compared.
        assert np.all(np.isfinite(gradient(library, total, x, *others)))
        return
    require_gradient(
        library, lambda asarray, x: total(asarray, x, *map(asarray, others)), x, TOLERANCE
    )


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", sorted(ON_HOST))
@pytest.mark.sampled(4)
def test_kernels_without_derivatives_refuse(name, library):
    phi = map_of(name)
    with pytest.raises(TypeError, match="is computed by NumPy and SciPy"):
        gradient(library, lambda _, x: phi.kernel(x).sum(), X)


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["laplacian", "codes", "next", "sinks-step"])
@pytest.mark.sampled(4)
def test_a_kink_has_the_mean_of_both_sides(name, library):
    """Along any line through equal rows, the slopes on both sides cancel but for the lengths'."""
    phi = map_of(name)
    x = X[:1]
    slopes = gradient(library, lambda _, a, b: phi.kernel(a, b).sum(), x, x)
    towards = np.random.default_rng(1).standard_normal((5, D))
    h = 1e-4  # far enough for the square root of rounding at rho = 1
    ahead, behind = (phi.kernel(x + sign * h * towards, x)[:, 0] for sign in (1.0, -1.0))
    np.testing.assert_allclose(towards @ slopes[0], (ahead - behind) / (2 * h), atol=1e-2)


# Larger pools have no linear odd part.
SMOOTH_AT_ZERO = {
    name: map_of(name)
    for name in ("pairs", "matern", "sinks-relu", "sinks-relu2", "sinks-erf", "sinks-sin")
} | {"maxout": mehler.MaxoutFeatures.draw(D, 8, 2, seed=0)}


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", SMOOTH_AT_ZERO)
@pytest.mark.sampled(2)
def test_rows_of_zeros(name, library):
    """Their odd part is linear, and so the mean of the slopes on both sides is one gradient."""
    phi = SMOOTH_AT_ZERO[name]
    x = np.concatenate([np.zeros((1, D)), X[:2]])
    for others in ((), (Y,), (x,)):
        slopes = gradient(library, lambda _, a, *b: phi.kernel(a, *b)[0].sum(), x, *others)
        expected = by_differences(lambda a, b=others: np.sum(phi.kernel(a, *b)[0]), x)
        # relu2 has a second derivative that jumps: its kernel is homogeneous of degree 2, so that
        # differences of step h = 1e-6 are off by h/2 times it at unit vectors, which sum below 6.
        np.testing.assert_allclose(
            slopes, expected, atol=3e-6 if name == "sinks-relu2" else TOLERANCE
        )


NUMBERS = {
    "gamma": functools.partial(mehler.FourierFeatures.draw, D, 8, seed=0),
    "length_scale": functools.partial(mehler.FourierFeatures.draw, D, 8, kernel="matern", seed=0),
    "weight_scale": functools.partial(mehler.KitchenSinks.draw, D, 8, activation="relu", seed=0),
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_want_a_gradient_are_refused(name, library):
    def total(_, value, x):
        return NUMBERS[name](**{name: value}).kernel(x).sum()

    with pytest.raises(TypeError, match=rf"(?s){name}=.* takes no array.*scale the rows"):
        gradient(library, total, np.asarray(0.5), X)
