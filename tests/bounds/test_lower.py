"""Lower bounds against exact laws, against the upper ones; Pinsker's box."""

import itertools
import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from mehler.proofs_checks.features.lower import normal_mean
from scipy import optimize, stats

from mehler.bounds import kernel_error, lower
from tests.bounds.formulas.lower import of_squares


@pytest.mark.parametrize("q", [1, 4, 64])
@pytest.mark.parametrize("rho", [-0.5, 0.5, 1.0])
@pytest.mark.parametrize("delta", [0.3, 1e-4, 1e-12])
def test_below_the_upper_bound_and_within_a_factor(q, rho, delta):
    setting = {"delta": delta, "pool_size": q, "rho": rho}
    below = lower.one_pair(10**5, **setting).value
    above = kernel_error.one_pair(10**5, **setting).value
    assert 0 < below < above < 2.2 * below


@pytest.mark.parametrize("m", [60, 100, 300, 1000])
@pytest.mark.parametrize("delta", [1e-3, 1e-4, 1e-6])
def test_large_deviations_of_squares_in_closed_form(m, delta):
    """Both ends of an interval have an error of the normal limit: with one it would be larger."""
    expected = of_squares(m, delta)
    assert lower.one_pair(m, delta=delta, pool_size=1).value == pytest.approx(expected, rel=1e-9)
    assert of_squares(m, delta, errors=1.0) > 1.04 * expected


def test_moments_by_another_quadrature():
    """E|M - med M| at q = 2 is by the density of the larger of two."""
    t = np.linspace(-10, 10, 400_001)
    density = 2 * stats.norm.pdf(t) * stats.norm.cdf(t)
    middle = stats.norm.ppf(0.5**0.5)
    expected = np.trapezoid(np.abs(t - middle) * density, t)
    result = lower.approximation(1, pool_size=2, scale=2.0).value
    assert result == pytest.approx(expected, rel=1e-8)
    assert lower.approximation(1, pool_size=1, scale=2.0).value == pytest.approx(
        math.sqrt(2 / math.pi)
    )


def quantile(m: int, kappa: float, delta: float) -> Fraction:
    """The largest |k/m - kappa| that is reached with probability at least delta, in fractions."""
    p = Fraction(kappa)
    chances = [comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(m + 1)]
    distances = [abs(Fraction(k, m) - p) for k in range(m + 1)]
    reached = [
        d
        for d in set(distances)
        if sum(c for c, e in zip(chances, distances, strict=True) if e >= d) >= Fraction(delta)
    ]
    return max(reached, default=Fraction(0))


@pytest.mark.parametrize(
    ("m", "kappa", "delta", "value"),
    [(3, 0.5, 0.2, 0.5), (7, 0.5, 0.2, 1.5 / 7), (40, 0.02, 0.05, 0.03)],
)
def test_codes_have_the_atom_itself(m, kappa, delta, value):
    bound = lower.one_pair(m, collision=kappa, delta=delta).value
    assert bound <= value
    assert bound == pytest.approx(value, rel=1e-15)


@pytest.mark.slow
def test_codes_are_never_above_the_exact_quantile():
    rng = np.random.default_rng(1)
    for _ in range(100):
        m, kappa = int(rng.integers(1, 40)), float(rng.uniform(0.01, 0.99))
        delta = float(np.exp(rng.uniform(np.log(1e-4), np.log(0.9))))
        true = quantile(m, kappa, delta)
        below = lower.one_pair(m, collision=kappa, delta=delta).value
        above = kernel_error.one_pair(m, collision=kappa, delta=delta).value
        assert Fraction(below) <= true
        assert below == pytest.approx(float(true), rel=1e-14, abs=1e-300)
        # Strictly larger errors than the upper bound have probability at most delta.
        assert true <= Fraction(above) * (1 + Fraction(1, 10**12)) or delta > 0.5


SIZES = {"scale": 1.0, "lipschitz": 1.0}


@pytest.mark.parametrize(("k", "q"), [(3, 2), (5, 16)])
def test_all_signs_are_reached_at_once(k, q):
    """Values of C sgn(sum v_i Z_i) at the rows, by draws of the units."""
    from scipy.special import log_ndtr, ndtri_exp

    units = np.random.default_rng(0).standard_normal((100_000, k, q)).max(axis=2)
    scores = ndtri_exp(q * log_ndtr(units))
    value = lower._amplitude(k, q)
    for signs in itertools.product((-1, 1), repeat=k):
        signed_units = np.sign(scores @ signs)[:, None] * units
        error = signed_units.std(axis=0) / math.sqrt(len(signed_units))
        assert np.all(abs(signed_units.mean(axis=0) - value * np.array(signs)) < 6 * error)


def test_half_of_twice_the_samples_is_never_seen():
    """Targets without noise at 2 N rows: 2 a (1 - 1/(2 N))^N / 2 for a zero at rows not seen."""
    n = 10**6
    value = lower.excess_risk(n, pool_size=1, **SIZES).value
    expected = math.sqrt(2 / (math.pi * 2 * n)) * (1 - 1 / (2 * n)) ** n
    assert value == pytest.approx(expected, rel=1e-9)
    assert value / lower.excess_risk(n, pool_size=1, dimension=1, **SIZES).value > 1.25


def test_squared_lengths_of_linear_units_are_between_their_bounds():
    """One unit in a pool, equal rows: m times the mean is chi squared with m degrees of freedom."""
    for m, delta in itertools.product([10, 100, 1000, 10**5], [0.5, 0.1, 1e-2, 1e-4]):
        law = stats.chi2(m)
        below = lower.one_pair(m, pool_size=1, delta=delta).value
        above = kernel_error.one_pair(m, pool_size=1, rho=1.0, delta=delta).value
        chance = lambda t, law=law, m=m: law.sf(m * (1 + t)) + law.cdf(m * (1 - t))  # noqa: E731
        assert chance(below) >= delta
        assert chance(above) <= delta


def risk_of_prior(points, weights):
    """The Bayes risk of a discrete prior for a normal mean, by the trapezoid rule."""
    y = np.linspace(-points[-1] - 8, points[-1] + 8, 161)
    law = np.exp(-((y[:, None] - points) ** 2) / 2) * weights * (y[1] - y[0])
    law /= math.sqrt(2 * math.pi)
    return float(weights @ points**2 - np.sum((law @ points) ** 2 / law.sum(axis=1)))


def least_favourable(tau):
    """A prior of a few equally spaced points; each of them is less than the minimax risk."""
    n = 2 if tau < 1.1 else 3 if tau < 2.2 else 4 if tau < 3.3 else 6
    points = np.linspace(-tau, tau, n)

    def risk(k):
        weights = np.exp(k * (1 - (points / tau) ** 2))
        return -risk_of_prior(points, weights / weights.sum())

    result = optimize.minimize_scalar(
        risk, bounds=(-4, 3), method="bounded", options={"xatol": 0.01}
    )
    return -result.fun


@pytest.mark.parametrize("tau", [0.05, 0.3, 0.7, 1.0, 1.7, 2.5, 5.0])
def test_a_normal_mean_is_below_the_risk_of_a_prior(tau):
    assert normal_mean(np.array([tau**2]))[0] <= least_favourable(tau) * (1 + 1e-9)
