"""Derivatives of the exact functions of arrays, at the ends too, and second ones."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import mehler
from mehler import exact
from tests.gradients.derivatives import LIBRARIES, gradient, hessian, require_gradient

RHO = np.array([-0.97, -0.6, -0.1, 0.0, 0.2, 0.75, 0.99])
POOLS = (1, 2, 3, 8, 1000)
# Central differences of step 1e-6: h^2/6 times third derivatives, which are below 10^4 here, and
# values, known to 1e-13 of themselves and below 10^2, over h.
TOLERANCE = 2e-6
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


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("q", POOLS)
@pytest.mark.parametrize("name", OF_POOLS)
@pytest.mark.sampled(14)
def test_functions_of_pools(name, q, library):
    function = OF_POOLS[name]
    size = float(1.0 + np.abs(function(np.ones(1), q))[0])
    total = lambda _, rho: (function(rho, q) + 0.0 * rho).sum()  # noqa: E731
    require_gradient(library, total, RHO, TOLERANCE * size)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("q", POOLS)
@pytest.mark.sampled(4)
def test_the_kernel_has_the_slope_kappa_at_both_ends(q, library):
    """K' = kappa, by Mehler's derivative; differences on one side can say it to their step."""
    ends = np.array([-1.0, 1.0])
    found = gradient(library, lambda _, rho: exact.maxout_kernel(rho, q).sum(), ends)
    # The stated error of either, which are one table: kappa in [0, 1] to 1e-13.
    np.testing.assert_allclose(found, exact.collision_probability(ends, q), atol=1e-13)


# kappa_q falls like the power q - 1 of the angle: of kappa_3 there is a slope, by its closed form.
AT_MINUS_ONE = {3: (2 + (2 * np.pi / 3) / 0.75**0.5) * 3 / (4 * np.pi**2), 4: 0.0, 20: 0.0}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("q", AT_MINUS_ONE)
@pytest.mark.sampled(2)
def test_collisions_have_a_slope_at_minus_one(q, library):
    found = gradient(library, lambda _, rho: exact.collision_probability(rho, q).sum(), -np.ones(1))
    # A spectral derivative, 64^2 eps, over the least sine of half an angle at its nodes, 1/4000.
    np.testing.assert_allclose(found, AT_MINUS_ONE[q], atol=1e-8)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("q", [2, 3, 4])
@pytest.mark.sampled(3)
def test_an_infinite_slope_is_given_as_zero(q, library):
    """kappa falls like a square root at rho = 1."""
    for function in (exact.collision_probability, exact.locally_linear_kernel):
        found = gradient(library, lambda _, rho, f=function: f(rho, q).sum(), np.ones(2))
        # sigma^2 rho kappa has a finite part besides, to the stated 1e-13 times sigma^2 < 10.
        finite = exact.sigma2(q) if function is exact.locally_linear_kernel else 0.0
        np.testing.assert_allclose(found, finite, atol=1e-12)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize("name", ["collision_probability", "maxout_kernel"])
@pytest.mark.sampled(4)
def test_closed_forms(name, q, library):
    function = getattr(exact, name)
    total = lambda _, rho: (function(rho, q) + 0.0 * rho).sum()  # noqa: E731
    require_gradient(library, total, RHO, TOLERANCE)


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


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("activation", ["tanh", lambda t: t**3])
def test_series_refuse(activation, library):
    with pytest.raises(TypeError, match="by Mehler's series is computed by NumPy and SciPy"):
        gradient(library, lambda _, r: exact.activation_kernel(activation, r).sum(), RHO)


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
    phi, wanted = CURVED[name]
    x = np.array([0.3, -1.1])

    def of_second(z):
        # Adding the difference keeps x a constant of the library.
        here = 0.0 * z + (z.detach() if library == "torch" else x)
        return phi.kernel(here[None, :], z[None, :])[0, 0]

    found = hessian(library, of_second, x)
    # At most 500 operations on values of at most 4, each off by an eps: 500 * 4 * 2^-52 < 1e-12.
    np.testing.assert_allclose(found, wanted(x), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    "phi",
    [
        mehler.MaxoutFeatures.draw(2, 4, 2, seed=0),
        mehler.MaxoutFeatures.draw(2, 4, 5, seed=0),
        mehler.KitchenSinks.draw(2, 4, activation="relu2", seed=0),
        mehler.KitchenSinks.draw(2, 4, activation="erf", seed=0),
    ],
    ids=["maxout-2", "maxout-5", "relu2", "erf"],
)
@pytest.mark.sampled(2)
def test_second_derivatives_elsewhere(phi, library):
    """Differences of first derivatives."""
    x, z = np.array([[0.4, 1.2]]), np.array([[-0.9, 0.5]])

    def value(at):
        other = at.new_tensor(x) if library == "torch" else x
        if library == "jax":
            import jax

            other = jax.numpy.asarray(x)
        return phi.kernel(other, at[None, :])[0, 0]

    found = hessian(library, value, z[0])
    sides = [
        gradient(library, lambda _, a: value(a), z[0] + move)
        for step in 1e-5 * np.eye(2)
        for move in (step, -step)
    ]
    wanted = np.stack([sides[0] - sides[1], sides[2] - sides[3]], axis=1) / 2e-5
    np.testing.assert_allclose(found, wanted, atol=1e-5)
