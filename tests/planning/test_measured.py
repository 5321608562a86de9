"""Measured rows against a law that is known: q = 1, where a sum of squares is chi-square."""

import numpy as np
from scipy import stats

from mehler import MaxoutFeatures, exact
from mehler.planning import FEATURES, measured_row

FACTS = {"pool_size": 1, "eps": 0.1, "delta": 0.1, "seed": 0}


def truth() -> float:
    """512 (Q/eps)^2 with Q the 0.9 quantile of abs(chi2/512 - 1)."""
    n = FEATURES
    law = stats.chi2(n)
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        inside = law.cdf(n * (1 + middle)) - law.cdf(n * (1 - middle))
        low, high = (middle, high) if inside < 0.9 else (low, middle)
    return n * (high / FACTS["eps"]) ** 2


def test_the_interval_contains_the_truth_as_often_as_it_says():
    """At equal rows, whose features are those of one."""
    rows, missed = np.array([[0.6, 0.8]] * 2), 0
    for seed in range(20):
        row = measured_row(rows, "error", {**FACTS, "seed": seed})
        low, high = row.interval
        # Both ends are rounded up.
        missed += not low - 1 <= truth() <= high
        assert row.features == high
    # Each of 20 misses with at most 2 %: more than 3 with probability 6e-4.
    assert missed <= 3


def test_rare_events_are_not_measured():
    row = measured_row(np.eye(2), "error", {**FACTS, "delta": 1e-8})
    assert row.features is None
    assert "give a larger delta" in row.note


def test_largest_errors_are_those_of_the_gram_matrix():
    """Of rows in their span, against the map's own Gram matrix."""
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((5, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    wide = rows @ np.linalg.qr(rng.standard_normal((9, 3)))[0].T
    facts = {"eps": 0.1, "pool_size": 4, "seed": 3, "delta": 0.3}
    low, high = measured_row(wide, "error", facts).interval
    kernel = exact.maxout_kernel(np.clip(rows @ rows.T, -1, 1), 4)
    errors = [
        np.abs(MaxoutFeatures.draw(3, 512, 4, seed=s).gram(rows) - kernel).max()
        for s in range(1000)
    ]
    inside = [np.quantile(errors, share) for share in (0.65, 0.75)]
    assert 512 * (inside[0] / 0.1) ** 2 < high
    assert 512 * (inside[1] / 0.1) ** 2 > low
