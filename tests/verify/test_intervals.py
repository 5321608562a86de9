"""Calibration: each interval misses no more often than it says. Sharpness: nor much less."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom, kstwo

from mehler.verify import detectable_effect, features_needed, intervals
from mehler.verify._sources import power_sums
from mehler.verify.intervals._known_variance import CatoniPowerSums, crossing, psi
from mehler.verify.intervals._range import SHARES, Wealth
from tests.verify.toys import most_misses

RATE = 1e-2


@pytest.mark.parametrize("p", [0.001, 0.02, 0.3, 0.5, 0.93])
@pytest.mark.parametrize("n", [40, 400])
def test_binomial_misses_no_more_often_than_it_says_exactly(p, n):
    """Bernoulli samples: the interval is a function of the count, so coverage is a finite sum."""
    ends = [intervals.binomial(k, n, RATE) for k in range(n + 1)]
    misses = [float(binom.pmf(k, n, p)) for k, (a, b) in enumerate(ends) if not a <= p <= b]
    assert sum(misses) <= RATE


@pytest.mark.parametrize("p", [0.5, 0.7, 0.95, 0.99])
@pytest.mark.parametrize(("n", "rate"), [(60, 0.1), (1836, 0.02), (20_000, 1e-9)])
def test_quantile_misses_as_often_as_it_says_and_the_next_ranks_would_more_often(n, p, rate):
    """Samples 1 to n, so that the ends are ranks; the misses are binomial tails."""
    low, high = intervals.quantile(np.random.default_rng(1).permutation(n) + 1, p, rate)
    below = binom(n, p)  # the number of samples up to the quantile
    if math.isfinite(low):
        assert below.cdf(low - 1) <= rate / 2
    assert below.cdf(max(low, 0)) > rate / 2
    if math.isfinite(high):
        assert below.sf(high - 1) <= rate / 2
    assert below.sf(min(high, n + 1) - 2) > rate / 2


def test_betting_on_a_coin_misses_no_more_often_than_it_says_exactly():
    """Eight tosses: all 256 orders, each with its probability."""
    p, rate, outside = 0.3, 0.2, 0.0
    for code in range(256):
        x = np.array([(code >> k) & 1 for k in range(8)], dtype=float)
        low, high = intervals.betting(x, 0.0, 1.0, rate)
        outside += 0.0 if low <= p <= high else p ** x.sum() * (1 - p) ** (8 - x.sum())
    assert outside <= rate


@pytest.mark.parametrize("n", [5, 100, 10_000])
def test_dkw_is_no_less_than_the_exact_quantile_and_near_it(n):
    # The one-sided tail is exp(-2 n d^2 - 2 d/3 ...): d is above it by less than 1/(6 n).
    exact = kstwo.isf(1e-2, n)
    assert exact <= intervals.dkw(n, 1e-2) <= exact + 1 / (3 * n)


@pytest.mark.parametrize("variance", [5e-324, 1e-308, 1e308])
def test_an_interval_scales_with_any_variance(variance):
    """No square overflows: samples are scaled by a power of two first."""
    unit, samples = math.sqrt(variance), np.random.default_rng(0).standard_normal(400)
    ends = [end * unit for end in intervals.known_variance(samples, 1.0, 1e-9)]
    # Roots are found to 1e-13 of 1/a, about the half width; the root of the variance rounds.
    interval = intervals.known_variance(samples * unit, variance, 1e-9)
    assert interval == pytest.approx(ends, rel=1e-12)


# -- What is promised before the data is kept by the data ------------------------------------------


rates = st.floats(-12, -1).map(lambda e: 10.0**e)


@given(st.floats(1e-6, 1e6), st.floats(1e-3, 1e3), rates, rates)
def test_features_needed_is_the_least_that_detects(variance, resolution, false_alarm, miss):
    n = features_needed(variance, resolution, false_alarm, miss)
    assert detectable_effect(n, variance, false_alarm, miss) <= resolution


def test_detectable_effect_tends_to_its_stated_standard_errors():
    # sqrt(2 L) + (L + log(1/beta))/sqrt(2 L), with corrections of relative order L/n.
    n, cost = 10**9, math.log(2e9)
    expected = math.sqrt(2 * cost) + (cost + math.log(1e6)) / math.sqrt(2 * cost)
    effect = detectable_effect(n, 1.0, 1e-9, 1e-6) * math.sqrt(n)
    assert effect == pytest.approx(expected, rel=1e-6)
    assert 11.9 < effect < 12.0


def test_the_promises_are_kept_by_heavy_tails():
    """At the planned n a right claim's interval is narrow, and a wrong claim is refuted."""
    variance, resolution, rate, miss, repeats = 3.0, 0.5, 1e-3, 1e-2, 400
    n = features_needed(variance, resolution, rate, miss)
    rng = np.random.default_rng(9)
    wide = missed = 0
    for _ in range(repeats):
        low, high = intervals.known_variance(rng.standard_t(3, n), variance, rate)
        wide += high - low > resolution
        missed += low <= resolution <= high
    assert wide <= most_misses(repeats, miss)
    assert missed <= most_misses(repeats, miss)


# -- The influence function's two inequalities, the root finder, and the power-sum enclosure -------


EPS = float(np.finfo(float).eps)

reals = st.floats(-1e6, 1e6, allow_nan=False)
clouds = arrays(np.float64, st.integers(5, 60), elements=st.floats(-100, 100, width=32))


@given(reals)
def test_influence_lies_between_the_logarithms_of_catoni(u):
    value = float(psi(np.float64(u)))
    slack = 4 * EPS * (1 + abs(value))
    # On the other side the argument is 1 - |u| + u^2/2 >= 1/2: no cancellation worth a bound.
    assert -math.log(1 - u + u * u / 2) - slack - EPS * u * u <= value
    assert value <= math.log(1 + u + u * u / 2) + slack + EPS * u * u


@given(clouds, st.floats(1e-3, 10), st.floats(-30, 30))
def test_crossing_finds_the_level(x, a, level):
    theta = crossing(x, a, level)
    total = float(psi(a * (x - theta)).sum())
    # |psi'| <= 1, so S moves by at most a n times the root's error, 1e-13/a + 4 eps |theta|;
    # S itself is summed with an error of n eps times its largest terms.
    reach = a * (np.abs(x).max() + abs(theta))
    assert abs(total - level) <= x.size * (2e-13 + 16 * EPS * (1 + reach))


@given(clouds, st.floats(1e-3, 0.3), st.floats(0.5, 30), st.floats(-50, 50))
def test_enclosure_contains_score_and_interval(x, a, level, theta):
    enclosure = CatoniPowerSums(x.size, power_sums(x[:, None]), np.array([a]))
    least, most = enclosure.score_range(np.array([theta]))
    total = float(psi(a * (x - theta)).sum())
    # Terms up to (a (|x| + |theta|))^3 cancel; the sum rounds each by a few eps.
    slack = 64 * EPS * x.size * (1 + a * (np.abs(x).max() + abs(theta))) ** 3
    assert least[0] - slack <= total <= most[0] + slack
    low, high = enclosure.interval(level)
    rounding = 1e-9 * (1 + np.abs(x).max())
    assert low[0] <= crossing(x, a, level) + rounding
    assert high[0] >= crossing(x, a, -level) - rounding


# -- Bets by power sums: never more than the capital itself, and hardly less -----------------------


LEVEL = math.log(2000.0)
STAGES = (20, 40, 60)


def on_grid(samples, low, high):
    """Bets on samples of shape (n, pairs), added in STAGES."""
    pairs = samples.shape[1]
    bets = Wealth(np.full(pairs, low), np.full(pairs, high), 0.0)
    for part in np.split(samples, np.cumsum(STAGES)[:-1]):
        bets.add(len(part), power_sums(part))
    return bets


def capital(samples, low, high, m, sign):
    """The mean of the capitals of all stakes itself, from its definition."""
    stakes = SHARES[:, None, None] / (high - low)
    accounts = np.log1p(sign * stakes * (samples - m)).sum(axis=1)
    return np.logaddexp.reduce(accounts, axis=0) - math.log(SHARES.size)


LAWS = {
    "coin": lambda rng, shape: 1.0 * (rng.random(shape) < 0.3),
    "rare": lambda rng, shape: 1.0 * (rng.random(shape) < 0.03),
    "skewed": lambda rng, shape: rng.beta(0.2, 3.0, shape),
    "narrow": lambda rng, shape: 0.7 + 0.02 * rng.random(shape),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_no_more_than_the_capital(law, sign):
    """At stakes from small to the largest, and at every mean in the range."""
    x = LAWS[law](np.random.default_rng(3), (sum(STAGES), 50))
    bets = on_grid(x, 0.0, 1.0)
    for m in np.linspace(0.0, 1.0, 41):
        certain = bets.log_wealth(m, sign)
        assert (certain <= capital(x, 0.0, 1.0, m, sign) + 1e-9).all()


def test_some_stake_is_near_the_best():
    """Level log(2/alpha) + log 13, an eighth more for the best stake not tried."""
    rng, n = np.random.default_rng(5), 40_000
    x = rng.beta(2.0, 5.0, (n, 20))
    bets = Wealth(np.zeros(20), np.ones(20), 0.0)
    bets.add(n, power_sums(x))
    low, high = bets.ends(LEVEL)
    for end, sign in ((low, 1.0), (high, -1.0)):
        # At small stakes the bound is hardly less than the capital.
        assert np.allclose(capital(x, 0.0, 1.0, end, sign), LEVEL, rtol=1e-3)
    least = math.sqrt(2.0 * LEVEL * x.var() / n)
    most = math.sqrt(2.0 * 1.125 * (LEVEL + math.log(SHARES.size)) * x.var() / n)
    halves = 0.5 * (high - low)
    assert (halves > least).all()
    # Third moments and sample variances are known to some per cent only.
    assert (halves < 1.05 * most).all()
