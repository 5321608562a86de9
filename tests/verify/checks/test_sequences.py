"""The intervals for any stopping time and the band: they miss no more often than they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, kstwo

from mehler.verify import intervals
from tests.verify.toys import most_misses


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.1, 2.0), (30.0, 1.0)])
def test_betting_holds_at_a_stopping_time(a, b):
    """Stop wherever the running mean is most extreme in units of its deviation."""
    rng, n, first, repeats, rate = np.random.default_rng(3), 60, 10, 1000, 0.05
    truth, misses = a / (a + b), 0
    for row in rng.beta(a, b, (repeats, n)):
        gaps = np.abs(np.cumsum(row - truth) / np.sqrt(np.arange(1, n + 1)))[first:]
        stop = first + 1 + int(np.argmax(gaps))
        low, high = intervals.betting(row[:stop], 0.0, 1.0, rate, planned=30)
        misses += not low <= truth <= high
    assert misses <= most_misses(repeats, rate)


def test_betting_on_a_coin_misses_no_more_often_than_it_says_exactly():
    """Eight tosses: all 256 orders, each with its probability."""
    p, rate, outside = 0.3, 0.2, 0.0
    for code in range(256):
        x = np.array([(code >> k) & 1 for k in range(8)], dtype=float)
        low, high = intervals.betting(x, 0.0, 1.0, rate)
        outside += 0.0 if low <= p <= high else p ** x.sum() * (1 - p) ** (8 - x.sum())
    assert outside <= rate


def test_betting_is_sharper_than_the_fixed_interval_where_the_variance_is_small():
    # sqrt(2 log(2/a) v/n) against that plus 7 log(6/a)/(3 n): 0.0011 + 0.0026 at n = 2e4, a = 1e-9.
    x = np.clip(np.random.default_rng(4).normal(0.5, 0.025, 20_000), 0, 1)
    widths = [np.ptp(f(x, 0.0, 1.0, 1e-9)) for f in (intervals.betting, intervals.bounded)]
    assert widths[0] <= 0.5 * widths[1]


def test_betting_moves_and_scales_with_the_samples():
    x = np.random.default_rng(1).random(50)
    low, high = intervals.betting(x, 0.0, 1.0, 0.05)
    moved = intervals.betting(3.0 - 2.0 * x, 1.0, 3.0, 0.05)
    # Found to 2^-48 of a range of 2.
    assert np.allclose(moved, [3.0 - 2.0 * high, 3.0 - 2.0 * low], rtol=0, atol=1e-14)


@pytest.mark.parametrize("n", [1, 5, 100, 10_000])
def test_dkw_is_the_exact_two_sided_quantile(n):
    # Both one-sided deviations at once have probability below 2 (alpha/2)^4 by Massart's route;
    # SciPy's two-sided tail is good to about 1e-6 there.
    d = intervals.dkw(n, 1e-2)
    assert kstwo.sf(d, n) == pytest.approx(1e-2, rel=1e-5)


def test_dkw_misses_as_often_as_it_says():
    repeats, n, rate = 20_000, 25, 0.02
    u = np.sort(np.random.default_rng(6).random((repeats, n)), axis=1)
    rank = np.arange(1, n + 1) / n
    distance = np.maximum(rank - u, u - rank + 1 / n).max(axis=1)
    misses = int((distance > intervals.dkw(n, rate)).sum())
    assert binom.isf(1 - 1e-9, repeats, rate) <= misses <= most_misses(repeats, rate)


def test_dkw_is_continuous_where_the_bound_takes_over():
    # Massart's bound is wider by 1/(6 n d) relative to d: 0.05 per cent there, and never narrower.
    before, after = intervals.dkw(10_000, 1e-9), intervals.dkw(10_001, 1e-9)
    assert 1.0 <= after * math.sqrt(10_001 / 10_000) / before <= 1.001


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: intervals.betting([2.0], 0, 1, 0.1), "outside the declared range"),
        (lambda: intervals.betting([], 0, 1, 0.1), "empty"),
        (lambda: intervals.dkw(0, 0.1), "n=0"),
        (lambda: intervals.dkw(10, 2.0), "false_alarm=2.0"),
    ],
)
def test_bad_input_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
