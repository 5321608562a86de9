"""Spectral bounds against other routes to the same number, and known ones."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from mehler.bounds import _spectra, spectral

DECAY = 50 * 0.6 ** np.arange(30)


def psi(x):
    return math.expm1(x) - x


def bennett(t, m, most, sign):
    """The bound at one row of kernel 1, by a search over theta instead of a grid."""

    def log_chance(log_x):
        x = math.exp(log_x)
        top = math.log(math.expm1(m * psi(sign * x) / most))
        return top - math.log(psi(x * m / most * t))

    return optimize.minimize_scalar(log_chance, bounds=(-8, 4), method="bounded").fun


@pytest.mark.parametrize(("m", "most", "delta"), [(50, 3.0, 0.1), (400, 20.0, 1e-6)])
def test_one_row_by_a_search(m, most, delta):
    value = spectral.gram_error(m, delta=delta, eigenvalues=[1.0], sup=most**0.5)
    t = value.value
    chance = math.exp(bennett(t, m, most, 1))
    if t < 1:
        chance += math.exp(bennett(t, m, most, -1))
    # The grid of theta is that fine: 1e-3 of the exponent.
    assert math.log(chance) == pytest.approx(math.log(delta), rel=1e-3, abs=1e-3)
    assert chance <= delta * (1 + 1e-9)


def tropp(m, ridge, delta, most):
    """4 tr V/|V| exp(-t^2/2/(|V| + L t/3)) on each side, Theorem 7.7.1, by a search over t."""
    beta = DECAY / (DECAY + ridge)
    v, rank, step = most * beta[0] / m, beta.sum() / beta[0], most / m
    return optimize.brentq(
        lambda t: 8 * rank * math.exp(-(t**2) / 2 / (v + step * t / 3)) - delta, 1e-6, 1e6
    )


@pytest.mark.parametrize("m", [10, 1000, 10**6])
@pytest.mark.parametrize("ridge", [0.1, 5.0])
@pytest.mark.parametrize("delta", [0.2, 1e-8])
def test_never_above_tropp(m, ridge, delta):
    most = 30 * 2.0 / ridge
    arguments = {"ridge": ridge, "delta": delta, "eigenvalues": DECAY}
    assert spectral.gram_error(m, sup=2**0.5, **arguments).value < tropp(m, ridge, delta, most)


@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_beyond_a_cut_by_another_quadrature(sign):
    c, result = _spectra._beyond(2.0, 0.5, sign)
    for near in (1e-6, 0.03, 0.5):
        i = int(np.argmin(abs(c - near)))
        entry = float(c[i])
        for j, cut in enumerate(_spectra._CUTS[:6]):

            def density(u, entry=entry):
                r = math.sqrt(2.0) + 0.5 * u
                grown = sign * math.expm1(sign * entry * r * r)
                return 2 * entry * 0.5 * r * grown * math.exp(-u * u / 2)

            start = psi(sign * entry * (math.sqrt(2.0) + 0.5 * cut) ** 2) * math.exp(-cut * cut / 2)
            rest = integrate.quad(density, cut, 40, epsabs=0, epsrel=1e-10, limit=200)[0]
            # psi at 1e-6 is expm1(x) - x here, which cancels to 1e-10.
            assert result[i, j] == pytest.approx(start + rest, rel=1e-4 if near < 1e-5 else 1e-8)


def test_holds_for_squares_at_every_size():
    for m in (1, 10, 1000):
        value = spectral.gram_error(m, delta=0.05, eigenvalues=[1.0], lipschitz=1.0).value
        chance = stats.chi2.sf(m * (1 + value), m) + stats.chi2.cdf(m * (1 - value), m)
        assert chance <= 0.05


MU = np.array([8.0, 3.0, 1.0, 0.2, 0.01, 0.0])


@pytest.mark.parametrize("m", [200, 2000])
def test_bound_by_another_quadrature(m):
    """The best theta by a search, the integral by nodes; steps are 12 per cent wide."""
    ridge, kurtosis = 0.05, 3.0
    shift = 6 * ridge
    beta = MU / (MU + shift)
    spread = kurtosis * beta.sum()

    def chance(t):
        def value(log_theta):
            theta = math.exp(log_theta)
            rise = theta**2 * spread / (2 * m)
            tilt = theta * t
            top = np.logaddexp.reduce(
                rise * beta[beta > 0] + np.log(-np.expm1(-rise * beta[beta > 0]))
            )
            return top - (tilt + math.log(-math.expm1(-tilt) - tilt * math.exp(-tilt)))

        ends = (math.log(1e-2), math.log(1e3 * m))
        best = min(
            optimize.minimize_scalar(value, bounds=part, method="bounded").fun
            for part in ((ends[0], 3.0), (3.0, 7.0), (7.0, ends[1]))
        )
        return math.exp(min(0.0, best))

    most = MU[0] / 6 / ridge
    end = most / (1 + most)
    result = integrate.quad(
        lambda t: chance(t) / (1 - t) ** 2, 1e-9, min(end, beta[0]), limit=300, epsrel=1e-5
    )[0]
    setting = {"norm": 2.0, "eigenvalues": MU, "kurtosis": kurtosis}
    value = spectral.approximation(m, ridge=ridge, **setting).total
    assert 4 * ridge * result * (1 - 1e-3) <= value <= 4 * ridge * result * 1.12
    assert spectral.approximation(m, **setting).total <= value * 1.05
