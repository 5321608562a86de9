"""Derivatives of the exact functions of arrays, at the ends too, and second ones."""

import functools

import numpy as np
import pytest

import mehler
from mehler import exact
from tests.derivatives import LIBRARIES, gradient, hessian, require_gradient

RHO = np.array([-0.97, -0.6, -0.1, 0.0, 0.2, 0.75, 0.99])
POOLS = (1, 2, 3, 8, 1000)
# Central differences of step 1e-6: h^2/6 times third derivatives, which are below 10^4 here, and
# values, known to 1e-13 of themselves and below 10^2, over h.
TOLERANCE = 2e-6
# JAX compiles each table of a pool for seconds.
COMPILED = [
    pytest.param(name, marks=[pytest.mark.slow] if name == "jax" else []) for name in LIBRARIES
]
OF_POOLS = {
    "collision": exact.collision_probability,
    "kernel": exact.maxout_kernel,
    "centred": exact.centred_kernel,
    "locally-linear": exact.locally_linear_kernel,
    "second": exact.product_second_moment,
    "variance": exact.maxout_variance,
    "centred-variance": exact.centred_variance,
    "decoupled-variance": functools.partial(exact.decoupled_variance, next_fraction=0.9),
}


@pytest.mark.parametrize("library", COMPILED)
@pytest.mark.parametrize("q", POOLS)
@pytest.mark.parametrize("name", OF_POOLS)
@pytest.mark.sampled(14)
def test_functions_of_pools(name, q, library):
    function = OF_POOLS[name]
    size = float(1.0 + np.abs(function(np.ones(1), q))[0])
    total = lambda _, rho: (function(rho, q) + 0.0 * rho).sum()  # noqa: E731
    require_gradient(library, total, RHO, TOLERANCE * size)


@pytest.mark.parametrize("library", COMPILED)
@pytest.mark.parametrize("q", POOLS)
@pytest.mark.sampled(4)
def test_the_kernel_has_the_slope_kappa_at_both_ends(q, library):
    """K' = kappa, by Mehler's derivative; differences on one side can say it to their step."""
    ends = np.array([-1.0, 1.0])
    slopes = gradient(library, lambda _, rho: exact.maxout_kernel(rho, q).sum(), ends)
    # The stated error of either, which are one table: kappa in [0, 1] to 1e-13.
    np.testing.assert_allclose(slopes, exact.collision_probability(ends, q), atol=1e-13)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("q", [2, 3, 4])
@pytest.mark.sampled(3)
def test_an_infinite_slope_is_given_as_zero(q, library):
    """kappa falls like a square root at rho = 1."""
    for function in (exact.collision_probability, exact.locally_linear_kernel):
        slopes = gradient(library, lambda _, rho, f=function: f(rho, q).sum(), np.ones(2))
        # sigma^2 rho kappa has a finite part besides, to the stated 1e-13 times sigma^2 < 10.
        finite = exact.sigma2(q) if function is exact.locally_linear_kernel else 0.0
        np.testing.assert_allclose(slopes, finite, atol=1e-12)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("activation", ["step", "relu", "relu2", "erf", "cos", "sin"])
@pytest.mark.sampled(8)
def test_activations(activation, which, library):
    """In the correlation and in both scales."""
    rng = np.random.default_rng(2)
    arguments = [RHO, rng.uniform(0.3, 2.0, 7), rng.uniform(0.3, 2.0, 7)]

    def at(x, *others):
        placed = [*others[:which], x, *others[which:]]
        return exact.activation_kernel(activation, *placed)

    others = [a for i, a in enumerate(arguments) if i != which]
    # A step does not depend on scales, and PyTorch says that by no graph at all.
    total = lambda asarray, x: (at(x, *map(asarray, others)) + 0.0 * x).sum()  # noqa: E731
    require_gradient(library, total, arguments[which], TOLERANCE)


# Second derivatives where rows are equal, by hand: k(x, z) as a function of z at z = x.
CURVED = {
    # exp(-g |z|^2): -2 g I
    "rbf": (mehler.FourierFeatures.draw(2, 4, gamma=0.7, seed=0), lambda x: -1.4 * np.eye(2)),
    # 1 - nu/(2 (nu - 1)) |z|^2 + ...: -nu/(nu - 1) I
    "matern": (
        mehler.FourierFeatures.draw(2, 4, kernel="matern", nu=1.5, seed=0),
        lambda x: -3.0 * np.eye(2),
    ),
    "own-smoothness": (
        mehler.FourierFeatures.draw(2, 4, kernel="matern", nu=2.2, seed=0),
        lambda x: -2.2 / 1.2 * np.eye(2),
    ),
    # exp(-|x - z|^2/2)/2 with a uniform phase: -I/2
    "cos": (
        mehler.KitchenSinks.draw(2, 4, activation="cos", bias="uniform", seed=0),
        lambda x: -0.5 * np.eye(2),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", CURVED)
@pytest.mark.sampled(2)
def test_second_derivatives_at_equal_rows(name, library):
    phi, expected = CURVED[name]
    x = np.array([0.3, -1.1])

    def of_second(z):
        # Adding the difference keeps x a constant of the library.
        here = 0.0 * z + (z.detach() if library == "torch" else x)
        return phi.kernel(here[None, :], z[None, :])[0, 0]

    second = hessian(library, of_second, x)
    # At most 500 operations on values of at most 4, each off by an eps: 500 * 4 * 2^-52 < 1e-12.
    np.testing.assert_allclose(second, expected(x), atol=1e-12)
