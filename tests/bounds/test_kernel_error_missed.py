"""What the trapezoid rule misses: the growth off the real plane, and errors of steps too long."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy.special import erfc

from mehler import exact
from mehler.bounds.kernel_error import _exponent
from tests.bounds import quadrature

POOLS = [2, 8, 64, 1024, 10**6]


def on_a_line(z):
    """Phi at complex arguments."""
    return erfc(-np.asarray(z) / math.sqrt(2)) / 2


@pytest.mark.parametrize("q", POOLS)
def test_growth_on_a_line(q):
    """Phi^(q-1) off the real line, at every place: below the bound, which is not far where used."""
    x = np.linspace(-3, 12, 4001)
    allowed = quadrature.growth(q)
    for u, most in zip(quadrature.SHIFTS, allowed, strict=True):
        sample = (q - 1) * np.log(np.abs(on_a_line(x + 1j * u))).max()
        assert sample <= most + 1e-9
    usual = int(np.searchsorted(quadrature.SHIFTS, 1.5 / math.sqrt(2 * math.log(q))))
    assert allowed[min(usual, len(allowed) - 1)] < 1.0


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


@pytest.mark.parametrize("q", POOLS)
def test_growth_in_the_strip(q):
    """erf^(q-1) off the real line, inside the strip too."""
    x = np.linspace(0, 12, 4001)
    allowed = quadrature.growth(q, strip=True)
    for u, most in zip(quadrature.SHIFTS, allowed, strict=True):
        for y in (u, u / 2, 0.0):
            value = 2 * on_a_line(x + 1j * y) - 1
            assert (q - 1) * np.log(np.abs(value) + 1e-300).max() <= most + 1e-9


@pytest.mark.parametrize("panels", [0.055, 0.08, 0.11])
@pytest.mark.parametrize("q", [1, 4, 64])
def test_wide_panels_miss_no_more_than_is_proved(q, panels):
    """The error of panels that are too wide is below the bound; of those used, below 1e-11."""
    x, weight = _exponent.largest_nodes(q)
    at = _exponent._GRID[-30:]
    true = _exponent._excess(at, x * x, weight)
    assert np.all(quadrature.missed_of_largest(q, at) < 1e-11 * true)
    x, weight = _exponent.largest_nodes(q, panels)
    error = _exponent._excess(at, x * x, weight) - true
    assert np.all(np.abs(error) <= quadrature.missed_of_largest(q, at, panels))
    assert np.abs(error).max() > 1e-7


@pytest.mark.parametrize("q", [2, 64])
@pytest.mark.sampled(1)
def test_the_exponent_of_increments_by_another_route(q):
    """E [exp(s N^2) - 1 - s N^2] by mpmath, N the largest of q absolute normals."""
    result = _exponent.increments(q)
    for i in (0, 40, -12, -1):
        s = mpmath.mpf(result.at[i])

        def integrand(x, s=s):
            density = 2 * q * mpmath.npdf(x) * mpmath.erf(x / mpmath.sqrt(2)) ** (q - 1)
            return density * (mpmath.expm1(s * x * x) - s * x * x)

        with mpmath.workdps(40):
            true = float(mpmath.quad(integrand, [0, 1, 2, 4, 8, 16, 32, 64]))
        assert true <= result.upper[i] <= true * (1 + 1e-8)


def test_an_exponent_of_many_in_the_pool_by_another_route():
    """q = 64, rows alike: E exp(t M^2) by mpmath, in one dimension."""
    q = 64
    result = _exponent.at_correlation(q, 1.0)
    for i in (-40, -12, -1):
        t = result.at[i]

        def integrand(x, t=t):
            below = mpmath.ncdf(x) ** (q - 1)
            return q * below * mpmath.npdf(x) * mpmath.exp(t * x * x)

        total = mpmath.quad(integrand, [-10, -3, 0, 2, 4, 8, 16, 32, 80])
        psi = float(mpmath.log(total) - t * exact.sigma2(q))
        # An upper bound, and a near one.
        assert psi * (1 - 1e-9) <= result.upper[i] <= psi * (1 + 1e-6)


def test_the_rule_of_one_maximum_is_no_coarser_than_its_bound():
    for q in (2, 10**6):
        x, _ = _exponent.maximum_nodes(q)
        assert np.diff(x).max() <= _exponent.step_for(q) * (1 + 1e-9)


# -- planted defects: each must be seen by a test above -------------------------------------------


@pytest.mark.parametrize("factor", [0.0, 0.5])
def test_growth_that_is_too_small_is_caught(factor, monkeypatch):
    true = quadrature.growth
    monkeypatch.setattr(quadrature, "growth", lambda q: factor * true(q))
    with pytest.raises(AssertionError):
        test_growth_on_a_line(64)


def test_an_error_bound_that_is_too_small_is_caught(monkeypatch):
    true = quadrature.missed
    monkeypatch.setattr(
        quadrature, "missed", lambda rho, q, at, step: true(rho, q, at, step) * 1e-16
    )
    with pytest.raises(AssertionError):
        test_coarse_rules_miss_no_more_than_is_proved(4, 0.0)
