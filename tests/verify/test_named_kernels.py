"""Kernels by name, against scikit-learn's, closed forms, and the exact kernels of the library."""

import math

import mpmath
import numpy as np
import pytest
from sklearn.metrics import pairwise

from mehler import exact, kernels

X = np.random.default_rng(2).standard_normal((6, 3))
# A few roundings of values of size 1 to 30: sums of 3 terms, an exponential or a power.
CLOSE = {"rtol": 1e-12, "atol": 1e-13}


@pytest.mark.parametrize(
    ("kernel", "reference"),
    [
        (kernels.make("rbf", gamma=0.3), lambda X: pairwise.rbf_kernel(X, gamma=0.3)),
        (kernels.make("laplacian", gamma=0.3), lambda X: pairwise.laplacian_kernel(X, gamma=0.3)),
        (kernels.make("linear"), pairwise.linear_kernel),
        (kernels.make("exp", gamma=0.3), lambda X: np.exp(0.3 * pairwise.linear_kernel(X))),
        (
            kernels.make("polynomial", degree=3, gamma=0.5, coef0=1),
            lambda X: pairwise.polynomial_kernel(X, degree=3, gamma=0.5, coef0=1),
        ),
    ],
)
def test_as_scikit_learn_has_them(kernel, reference):
    np.testing.assert_allclose(kernel(X, X), reference(X), **CLOSE)


def test_defaults_are_those_of_the_documentation():
    for name in kernels.NAMES:
        (line,) = [x for x in kernels.make.__doc__.splitlines() if f"``{name}``" in x]
        for key, value in kernels.make(name).parameters.items():
            assert f"{key} = {value:g}" in line, name


@pytest.mark.parametrize("nu", [0.01, 0.3, 1.0, 2.5, 33.3, 50.0])
def test_matern_at_all_distances(nu):
    """Against mpmath; near 0 its Bessel function overflows, and beyond 2000 it vanishes."""
    k = kernels.make("matern", nu=nu)
    for distance in (1e-150, 1e-12, 1e-6, 0.1, 3.0, 30.0, 700.0, 1e10, 1e300):
        s = mpmath.sqrt(2 * nu) * mpmath.mpf(distance)
        exact = 2 ** (1 - mpmath.mpf(nu)) / mpmath.gamma(nu) * s**nu * mpmath.besselk(nu, s)
        value = k(np.zeros((1, 2)), np.array([[0.0, distance]]))[0, 0]
        assert value == pytest.approx(float(exact), rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("name", kernels.NAMES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_kernel_is_nan_at_any_rows(name):
    k = kernels.make(name)
    for size in (0.0, 1e-320, 1e-200, 1e-155, 1.0, 1e10, 1e155, 1e300):
        rows = np.array([[0.0, 0.0], [size, 0.0], [size / 2, size / 3], [1.0, 1.0]])
        value = k(rows, rows)
        assert not np.isnan(value).any(), size
        np.testing.assert_array_equal(value, value.T)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("theta", [0.0, 1e-9, 0.3, 1.5, 3.0])
def test_arc_cosine_is_its_integral(order, theta):
    # 2 E[relu(s)^n relu(t)^n] over the plane: radius 2^n n!, angle by quadrature.
    radial = 2.0**order * math.factorial(order)
    angular = mpmath.quad(
        lambda a: (mpmath.cos(a) * mpmath.cos(a - theta)) ** order,
        [theta - mpmath.pi / 2, mpmath.pi / 2],
    )
    x = np.array([[2.0, 0.0]])
    y = 3.0 * np.array([[math.cos(theta), math.sin(theta)]])
    value = kernels.make("arc-cosine", order=order)(x, y)[0, 0]
    assert value == pytest.approx(6.0**order * float(angular) * radial / math.pi, rel=1e-12)


def test_maxout_and_collision_are_the_exact_ones():
    unit = X / np.linalg.norm(X, axis=1)[:, None]
    rho = np.clip(unit @ unit.T, -1, 1)
    off = ~np.eye(6, dtype=bool)
    maxout = kernels.make("maxout", q=3)(unit, unit)
    collision = kernels.make("collision", q=3)(unit, unit)
    np.testing.assert_allclose(maxout[off], exact.maxout_kernel(rho, 3)[off], **CLOSE)
    np.testing.assert_allclose(collision[off], exact.collision_probability(rho, 3)[off], **CLOSE)
    assert (collision.diagonal() == 1.0).all()  # no root of a rounded 1 - rho
