"""Kernels by name, against scikit-learn's, closed forms, and the exact kernels of the library."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    ("nu", "closed"),
    [
        (0.5, lambda s: np.exp(-s)),
        (1.5, lambda s: (1 + s) * np.exp(-s)),
        (2.5, lambda s: (1 + s + s * s / 3) * np.exp(-s)),
    ],
)
def test_matern_closed_forms(nu, closed):
    r = np.linalg.norm(X[:, None] - X[None], axis=2) / 1.7
    np.testing.assert_allclose(
        kernels.make("matern", nu=nu, length_scale=1.7)(X, X),
        closed(math.sqrt(2 * nu) * r),
        **CLOSE,
    )


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


@pytest.mark.parametrize("name", ["maxout", "arc-cosine", "collision"])
def test_angles_do_not_depend_on_the_size_of_rows(name):
    k, rows = kernels.make(name, **({"order": 0} if name == "arc-cosine" else {})), abs(X)
    for size in (2.0**-700, 2.0**500):
        length = size if name == "maxout" else 1.0
        np.testing.assert_allclose(k(size * rows, rows), length * k(rows, rows), rtol=1e-12)


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


def test_chi2_kernels_by_their_definitions():
    a = np.abs(X)
    u, v = (a + 0.5)[:, None], (a + 0.5)[None]
    skewed = np.prod(2 * np.sqrt(u) * np.sqrt(v) / (u + v), axis=2)
    np.testing.assert_allclose(kernels.make("skewed-chi2", skew=0.5)(a, a), skewed, **CLOSE)
    additive = np.sum(2 * a[:, None] * a[None] / (a[:, None] + a[None]), axis=2)
    np.testing.assert_allclose(kernels.make("additive-chi2")(a, a), additive, **CLOSE)
    zero = kernels.make("additive-chi2")(0 * a, a)
    assert (zero == 0.0).all()


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("rbf", {"gamma": 0.0}, "gamma=0.0 must be positive"),
        ("rbf", {"sigma": 1.0}, "has no parameter 'sigma': it takes gamma"),
        ("matern", {"nu": 60.0}, "name that"),
        ("polynomial", {"degree": 1.5}, "whole number"),
        ("polynomial", {"coef0": -1.0}, "must be at least 0"),
        ("arc-cosine", {"order": 3}, "not one of 0, 1, 2"),
        ("maxout", {"q": 0}, "whole number"),
        ("exp", {"gamma": -1.0}, "gamma=-1.0 must be positive"),
        ("laplacian", {"gamma": math.nan}, "must be a number"),
    ],
)
def test_bad_parameters_are_refused(name, parameters, message):
    with pytest.raises(ValueError, match=message):
        kernels.make(name, **parameters)


def test_negative_entries_are_refused_where_they_mean_nothing():
    with pytest.raises(ValueError, match="must not be negative"):
        kernels.make("skewed-chi2")(X, X)
