"""The exponents behind Chernoff's bounds, each by a route of its own."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler import exact
from mehler.bounds.kernel_error import _exponent, _joint

RHO = [-0.95, -0.6, 0.0, 0.5, 0.9, 0.999, 1.0]


@pytest.mark.parametrize("rho", RHO)
@pytest.mark.parametrize("q", [1, 2, 3, 8, 64])
def test_nodes_give_mass_kernel_and_variance(rho, q):
    product, weight = _joint.product_nodes(rho, q)
    kernel = exact.maxout_kernel(rho, q)
    assert abs(weight.sum() - 1) < 1e-12
    assert abs(weight @ product - kernel) < 1e-11
    assert weight @ (product - kernel) ** 2 == pytest.approx(
        exact.maxout_variance(rho, q), rel=1e-11
    )


@pytest.mark.parametrize("rho", RHO)
def test_linear_units_in_closed_form(rho):
    """q = 1: E exp(t g g') = ((1 - rho t)^2 - t^2)^(-1/2)."""
    found = _exponent.at_correlation(1, rho)
    for sign, psi in ((1, found.upper), (-1, found.lower)):
        t = sign * found.at
        with np.errstate(invalid="ignore", divide="ignore"):
            closed = -np.log((1 - rho * t) ** 2 - t * t) / 2 - rho * t
        # The closed form cancels for small t; beyond 1e-3 it has ten digits.
        large = found.at > 1e-3
        np.testing.assert_allclose(psi[large], closed[large], rtol=1e-9)


def pair_of_two(rho: float, t: float) -> float:
    """E exp(t M M') for q = 2 from max(a, b) = (u + abs(v))/sqrt 2 with u, v independent.

    Given v and v' the pair (u, u') is Gaussian and the exponent a quadratic form of it.
    """
    nodes, weights = np.polynomial.legendre.leggauss(400)
    v, w = (nodes + 1) * 7, weights * 7
    a, b = v[:, None], v[None, :]
    s2 = 1 - rho * rho
    density = sum(
        np.exp(-(a * a - 2 * r * a * b + b * b) / (2 * s2)) / (math.pi * math.sqrt(s2))
        for r in (rho, -rho)
    )
    # x'Ax with A = (t/4) [[0, 1], [1, 0]] and covariance S = [[1, rho], [rho, 1]].
    A = np.array([[0, t / 4], [t / 4, 0]])
    B = np.eye(2) - 2 * np.array([[1, rho], [rho, 1]]) @ A
    Q = A @ np.linalg.inv(B)
    form = Q[0, 0] * a * a + (Q[0, 1] + Q[1, 0]) * a * b + Q[1, 1] * b * b
    total = (density * np.exp(form) * w[:, None] * w[None, :]).sum()
    return total / math.sqrt(np.linalg.det(B))


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.5, 0.9])
def test_pairs_of_two_by_their_sum_and_difference(rho):
    found = _exponent.at_correlation(2, rho)
    kernel = exact.maxout_kernel(rho, 2)
    # Below 1e-4 the difference of two logarithms has no digits left.
    for i in range(int(np.searchsorted(found.at, 4e-4)), found.at.size, 6):
        for t, psi in ((found.at[i], found.upper[i]), (-found.at[i], found.lower[i])):
            assert psi == pytest.approx(math.log(pair_of_two(rho, t)) - t * kernel, rel=1e-6)


@pytest.mark.parametrize("q", [1, 2, 4, 64])
def test_small_arguments_give_half_the_variance(q):
    found = _exponent.at_correlation(q, 0.5)
    t = found.at[0]
    assert found.upper[0] / t**2 == pytest.approx(exact.maxout_variance(0.5, q) / 2, rel=1e-3)


@pytest.mark.parametrize("q", [1, 2, 3, 8, 64, 1024])
def test_supremum_is_above_every_correlation_and_not_far(q):
    worst = _exponent.any_correlation(q)
    size = _exponent.at_correlation(q, 0.0).at.size
    upper, lower = np.zeros(size), np.zeros(size)
    # Between the correlations that it was computed from, and at the largest one.
    for rho in [*np.linspace(-0.95, 0.99, 18), 0.997, 0.9995, 1.0]:
        one = _exponent.at_correlation(q, float(rho))
        upper = np.maximum(upper, one.upper[:size])
        lower = np.maximum(lower, one.lower[:size])
    assert np.all(worst.upper[:size] >= upper * (1 - 1e-9))
    assert np.all(worst.lower[:size] >= lower * (1 - 1e-9))
    # Where m is at least some hundreds, the minimum over the grid lies at small arguments.
    small = worst.at[:size] < 0.02
    if q > 1:
        assert np.all(worst.upper[:size][small] <= 1.01 * upper[small])
        assert np.all(worst.lower[:size][small] <= 1.01 * lower[small])


def test_supremum_is_above_the_correlations_next_to_opposite_rows():
    worst = _exponent.any_correlation(2)
    for rho in (-0.97, -0.99, -0.999):
        kernel = exact.maxout_kernel(rho, 2)
        for i in np.flatnonzero((worst.at > 2e-3) & (worst.at < _joint.LARGEST))[::3]:
            t = worst.at[i]
            assert worst.upper[i] > math.log(pair_of_two(rho, t)) - t * kernel
            assert worst.lower[i] > math.log(pair_of_two(rho, -t)) + t * kernel


def test_slope_bounds_the_derivative():
    """Finite differences in the correlation against the bound that the cells use."""
    for q in (2, 8):
        slope = _exponent._slope(_exponent._square_excess(_exponent._GRID, q), q)
        for rho in (-0.8, -0.2, 0.3, 0.8, 0.99):
            left, right = (_exponent.at_correlation(q, rho + h) for h in (-1e-3, 1e-3))
            n = left.at.size
            for name in ("upper", "lower"):
                change = np.abs(getattr(right, name) - getattr(left, name)) / 2e-3
                assert np.all(change <= slope[:n])


def test_moments_of_the_largest_absolute_value():
    for q, fourth in ((1, 3.0), (2, 3 + 8 / math.pi)):
        x, weight = _joint.largest_nodes(q)
        assert weight.sum() == pytest.approx(1, rel=1e-13)
        assert weight @ x**4 == pytest.approx(fourth, rel=1e-13)


def test_increments_of_linear_units_in_closed_form():
    """E exp(s g^2) = (1 - 2 s)^(-1/2)."""
    found = _exponent.increments(1)
    closed = (1 - 2 * found.at) ** -0.5 - 1 - found.at
    large = found.at > 1e-4
    np.testing.assert_allclose(found.upper[large], closed[large], rtol=1e-7)


def test_chernoff_of_gaussian_exponents():
    """For psi = v t^2/2 the deviation is sqrt(2 v cost), up to the grid."""
    at = _exponent._GRID
    found = _exponent.Exponents(at, 3 * at**2 / 2, at**2 / 2)
    for cost in (1e-6, 1e-3, 1e-2):
        exactly = math.sqrt(6 * cost)
        assert exactly <= found.deviation(cost) <= 1.004 * exactly
