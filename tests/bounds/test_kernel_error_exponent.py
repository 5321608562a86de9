"""The exponents behind Chernoff's bounds, each by a route of its own."""

import math

import numpy as np
import pytest
from scipy.special import erfc

from mehler import exact
from mehler.bounds.kernel_error import _exponent
from tests.bounds import quadrature

RHO = [-0.95, -0.6, 0.0, 0.5, 0.9, 0.999, 1.0]


@pytest.mark.parametrize("q", [1, 2, 3, 8, 64, 1024])
def test_nodes_give_mass_kernel_and_variance(q):
    for rho in RHO:
        product, weight = _exponent.product_nodes(rho, q, _exponent.SHARE / (1 + abs(rho)))
        kernel, variance = exact.maxout_kernel(rho, q), exact.maxout_variance(rho, q)
        assert abs(weight.sum() - 1) < 1e-12
        assert abs(weight @ product - kernel) < 1e-11
        assert weight @ (product - kernel) ** 2 == pytest.approx(variance, rel=1e-11)


@pytest.mark.parametrize("rho", RHO)
def test_linear_units_in_closed_form(rho):
    """q = 1: E exp(t g g') = ((1 - rho t)^2 - t^2)^(-1/2); no correlation has more."""
    result, worst = _exponent.at_correlation(1, rho), _exponent.any_correlation(1)
    for sign, psi in ((1, result.upper), (-1, result.lower)):
        # The closed form cancels for small t, else it has nine digits.
        t = sign * result.at[result.at > 1e-3]
        closed = -np.log((1 - rho * t) ** 2 - t * t) / 2 - rho * t
        np.testing.assert_allclose(psi[result.at > 1e-3], closed, rtol=3e-7)
        assert np.all(psi[result.at > 1e-3] >= closed * (1 - 1e-9))
        assert np.all(closed <= np.interp(abs(t), worst.at, worst.upper, right=np.inf) * (1 + 1e-9))


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


def test_increments_of_linear_units_in_closed_form():
    """E exp(s g^2) = (1 - 2 s)^(-1/2)."""
    result = _exponent.increments(1)
    closed = (1 - 2 * result.at) ** -0.5 - 1 - result.at
    large = result.at > 1e-4
    np.testing.assert_allclose(result.upper[large], closed[large], rtol=1e-7)


def on_a_line(z):
    """Phi at complex arguments."""
    return erfc(-np.asarray(z) / math.sqrt(2)) / 2


def in_the_plane(x: complex, y: complex, rho: float) -> complex:
    """Phi_2 at complex arguments: given g = t + i Im x, g' is normal about rho g."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    half = (x.real + 9) / 2
    g = -9 + half * (nodes + 1) + 1j * x.imag
    density = np.exp(-g * g / 2) / math.sqrt(2 * math.pi)
    return half * (weights * density * on_a_line((y - rho * g) / math.sqrt(1 - rho * rho))).sum()


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.8])
def test_growth_in_the_plane(rho):
    c, d = math.sqrt((1 + rho) / 2), math.sqrt((1 - rho) / 2)
    for u in (0.4, 0.8):
        at = int(np.argmin(np.abs(quadrature.SHIFTS - u)))
        u = float(quadrature.SHIFTS[at])
        for along, across in ((u, 0.0), (0.0, u), (u / math.sqrt(2), u / math.sqrt(2))):
            shift = complex(0, c * along + d * across), complex(0, c * along - d * across)
            for x, y in ((0.5, 0.2), (2.0, 2.0), (3.0, 2.5), (3.5, 1.0), (4.0, 4.0)):
                log = math.log(abs(in_the_plane(x + shift[0], y + shift[1], rho)))
                for q in (16, 1024):
                    assert (q - 1) * log <= quadrature.growth(q)[at] + 1e-7


@pytest.mark.parametrize("q", [2, 4, 16, 64, 1024])
@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.8])
def test_coarse_rules_miss_no_more_than_is_proved(q, rho):
    """The error of steps that are too long, seen, is below the bound; of those used, below 1e-7."""
    pole = 1 / (1 + abs(rho))
    used = _exponent.step_for(q)
    last = _exponent.SHARE * pole
    assert quadrature.missed(rho, q, last, used) < _exponent.MISSED * last**2
    at = _exponent._grid(rho)[-24:-8]
    kernel = exact.maxout_kernel(rho, q)

    def excess(step: float):
        product, weight = _exponent.product_nodes(rho, q, float(at[-1]), step)
        return [weight @ (np.expm1(t * (product - kernel)) - t * (product - kernel)) for t in at]

    true = np.array(excess(used))
    sample = 0.0
    for step in (0.4, 0.8, 1.2):
        error = np.abs(excess(step) - true)
        assert np.all(error <= quadrature.missed(rho, q, at, step))
        sample = max(sample, float(error.max()))
    assert sample > 1e-6


@pytest.mark.parametrize("k", range(21))
def test_the_tabled_steps_miss_no_more_than_they_say(k):
    """All grow with the pool and with lambda, so that the largest of both decide."""
    q, rhos = min(2**k, 10**6), np.linspace(_exponent.LOWEST, 1.0, 9 if k % 4 else 40)
    assert _exponent.step_for(q) == _exponent.STEPS[k]
    for rho in rhos.tolist():
        at = _exponent.SHARE / (1 + abs(rho))
        most = quadrature.missed(rho, q, at, _exponent.STEPS[k])
        assert most <= _exponent.MISSED * at**2
    at = _exponent._GRID
    assert np.all(quadrature.missed_of_largest(q, at) <= _exponent.MISSED * at**2)
