"""What is promised before the data is kept by the data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mehler.verify import detectable_effect, features_needed, intervals
from tests.verify.toys import most_misses

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
