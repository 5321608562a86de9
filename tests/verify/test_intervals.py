"""Calibration: each interval misses no more often than it says. Sharpness: nor much less."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, kstwo

from mehler.verify import intervals

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
    """No square leaves the floats: samples are scaled by a power of two first."""
    unit, samples = math.sqrt(variance), np.random.default_rng(0).standard_normal(400)
    ends = [end * unit for end in intervals.known_variance(samples, 1.0, 1e-9)]
    # Roots are found to 1e-13 of 1/a, about the half width; the root of the variance rounds.
    scaled = intervals.known_variance(samples * unit, variance, 1e-9)
    assert scaled == pytest.approx(ends, rel=1e-12)
