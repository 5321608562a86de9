"""The exponents behind Chernoff's bounds, each by a route of its own."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler import exact
from mehler.bounds.kernel_error import _exponent

RHO = [-0.95, -0.6, 0.0, 0.5, 0.9, 0.999, 1.0]


@pytest.mark.parametrize("rho", RHO)
@pytest.mark.parametrize("q", [1, 2, 3, 8, 64, 1024])
def test_nodes_give_mass_kernel_and_variance(rho, q):
    product, weight = _exponent.product_nodes(rho, q, _exponent.SHARE / (1 + abs(rho)))
    kernel = exact.maxout_kernel(rho, q)
    assert abs(weight.sum() - 1) < 1e-12
    assert abs(weight @ product - kernel) < 1e-11
    assert weight @ (product - kernel) ** 2 == pytest.approx(
        exact.maxout_variance(rho, q), rel=1e-11
    )


def test_nodes_of_the_largest_pool():
    """Ten digits, as its rounding is: the power of Phi_2 takes q times that of SciPy's."""
    q = 10**6
    product, weight = _exponent.product_nodes(0.3, q, _exponent.SHARE / 1.3)
    assert abs(weight.sum() - 1) < 1e-10
    assert weight @ product == pytest.approx(exact.maxout_kernel(0.3, q), rel=1e-10)


@pytest.mark.parametrize("rho", [-1.0, *RHO])
def test_linear_units_in_closed_form(rho):
    """q = 1: E exp(t g g') = ((1 - rho t)^2 - t^2)^(-1/2), infinite from the pole on."""
    result = _exponent.at_correlation(1, rho)
    for sign, psi in ((1, result.upper), (-1, result.lower)):
        inside = result.at * (1 + sign * rho) < 1
        t = sign * result.at[inside]
        closed = -np.log((1 - rho * t) ** 2 - t * t) / 2 - rho * t
        # The closed form cancels for small t, and next to the pole; else it has nine digits.
        large = (result.at[inside] > 1e-3) & (np.abs(t) * (1 + sign * rho) < 0.999)
        np.testing.assert_allclose(psi[inside][large], closed[large], rtol=1e-9)
        assert np.all(np.isinf(psi[~inside]))


@pytest.mark.parametrize("rho", [-0.9, 0.0, 0.5, 1.0])
@pytest.mark.parametrize("cost", [1e-6, 0.1, 1.0, 15.0])
def test_linear_units_to_their_pole(rho, cost):
    """The minimum over all lambda by search: few units and a small delta take it to the pole."""
    from scipy.optimize import minimize_scalar

    def tail(side: float, other: float) -> float:
        def value(logit: float) -> float:
            t = 1 / (1 + math.exp(-logit)) * (1 / side if side else 1e3)
            y, z = t * side, t * other
            psi = -(math.log1p(-y) + y) / 2 - (math.log1p(z) - z) / 2
            return (cost + psi) / t

        return minimize_scalar(value, bounds=(-16, 16), method="bounded").fun

    least = max(tail(1 + rho, 1 - rho), tail(1 - rho, 1 + rho))
    result = float(_exponent.at_correlation(1, rho).deviation(cost))
    # The search stops within 1e-5 of its place, and cancels where lambda is 1e-3.
    assert least * (1 - 1e-4) <= result <= 1.004 * least


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
@pytest.mark.sampled(2)
def test_pairs_of_two_by_their_sum_and_difference(rho):
    result = _exponent.at_correlation(2, rho)
    kernel = exact.maxout_kernel(rho, 2)
    # Below 1e-4 the difference of two logarithms has no digits left.
    for i in range(int(np.searchsorted(result.at, 4e-4)), result.at.size, 6):
        for t, psi in ((result.at[i], result.upper[i]), (-result.at[i], result.lower[i])):
            assert psi == pytest.approx(math.log(pair_of_two(rho, t)) - t * kernel, rel=1e-6)


@pytest.mark.parametrize("q", [1, 2, 4, 64])
def test_small_arguments_give_half_the_variance(q):
    result = _exponent.at_correlation(q, 0.5)
    t = result.at[0]
    assert result.upper[0] / t**2 == pytest.approx(exact.maxout_variance(0.5, q) / 2, rel=1e-3)


@pytest.mark.parametrize("q", [2, 3, 8, 64, 1024])
@pytest.mark.sampled(2)
def test_supremum_is_above_every_correlation_and_not_far(q):
    worst = _exponent.any_correlation(q)
    upper, lower = np.zeros(worst.at.size), np.zeros(worst.at.size)
    # Between the correlations that it was computed from, and at the largest one.
    for rho in [*np.linspace(-0.95, 0.99, 18), 0.997, 0.9995, 1.0]:
        entry = _exponent.at_correlation(q, float(rho), shared=True)
        upper = np.maximum(upper, entry.upper)
        lower = np.maximum(lower, entry.lower)
    assert np.all(worst.upper >= upper * (1 - 1e-9))
    assert np.all(worst.lower >= lower * (1 - 1e-9))
    # Between two correlations little is lost, at small and at large arguments.
    assert np.all(worst.upper <= 1.02 * upper)
    # Of the tails the upper one decides; the lower bound may be far where it stays below that.
    assert np.all(worst.lower <= np.maximum(1.02 * lower, upper))


def test_supremum_of_linear_units_is_above_every_correlation():
    worst = _exponent.any_correlation(1)
    for rho in np.linspace(-0.99, 0.99, 12):
        for sign, bound in ((1, worst.upper), (-1, worst.lower)):
            t = sign * worst.at[worst.at > 1e-3]
            closed = -np.log((1 - rho * t) ** 2 - t * t) / 2 - rho * t
            assert np.all(bound[worst.at > 1e-3] >= closed * (1 - 1e-9))


def test_supremum_is_above_the_correlations_next_to_opposite_rows():
    worst = _exponent.any_correlation(2)
    for rho in (-0.97, -0.99, -0.999):
        kernel = exact.maxout_kernel(rho, 2)
        for i in np.flatnonzero((worst.at > 2e-3) & (worst.at < 0.3))[::3]:
            t = worst.at[i]
            assert worst.upper[i] > math.log(pair_of_two(rho, t)) - t * kernel
            assert worst.lower[i] > math.log(pair_of_two(rho, -t)) + t * kernel


def test_moments_of_the_largest_absolute_value():
    for q, fourth in ((1, 3.0), (2, 3 + 8 / math.pi)):
        x, weight = _exponent.largest_nodes(q)
        assert weight.sum() == pytest.approx(1, rel=1e-13)
        assert weight @ x**4 == pytest.approx(fourth, rel=1e-13)


def test_increments_of_linear_units_in_closed_form():
    """E exp(s g^2) = (1 - 2 s)^(-1/2)."""
    result = _exponent.increments(1)
    closed = (1 - 2 * result.at) ** -0.5 - 1 - result.at
    large = result.at > 1e-4
    np.testing.assert_allclose(result.upper[large], closed[large], rtol=1e-7)


def test_chernoff_of_gaussian_exponents():
    """For psi = v t^2/2 the deviation is sqrt(2 v cost), up to the grid."""
    at = _exponent._GRID
    result = _exponent.Exponents(at, 3 * at**2 / 2, at**2 / 2)
    for cost in (1e-6, 1e-3, 1e-2):
        exactly = math.sqrt(6 * cost)
        assert exactly <= result.deviation(cost) <= 1.004 * exactly
