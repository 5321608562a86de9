"""Risk by margins: against sums of the laws, brute force over lengths, draws of all weights."""

import math

import numpy as np
import pytest
from scipy import special, stats

from mehler.bounds import margin
from mehler.bounds.margin import THRESHOLDS, log_moment

T = np.random.default_rng(0).uniform(-0.1, 0.6, 400)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 100, 5000])
def test_moment_is_the_sum_over_the_binomial_law(n):
    """xi = sum_k C(n, k) (k/n)^k (1 - k/n)^(n-k), which no p exceeds."""
    k = np.arange(n + 1)
    exact = stats.binom.pmf(k, n, k / n).sum()
    assert exact <= math.exp(log_moment(n)) <= exact * (1 + 0.015 / n)
    for p in (0.03, 0.5, 0.9):
        kl = special.rel_entr(k / n, p) + special.rel_entr(1 - k / n, 1 - p)
        moment = np.exp(stats.binom.logpmf(k, n, p) + n * kl).sum()
        assert moment == pytest.approx(exact, rel=1e-9)


def test_length_and_threshold_are_the_best():
    lengths = np.geomspace(0.3, 60, 60)
    for t in (T, np.full(5000, 0.4), np.r_[np.full(900, 0.5), np.full(100, -0.5)]):
        # Of six thresholds each pays for all.
        bounds = [
            margin.error_rate(t, delta=0.06 / 6, scale=mu, thresholds=(entry,)).total
            for entry in THRESHOLDS
            for mu in lengths
        ]
        result = margin.error_rate(t, delta=0.06).total
        assert result <= min(bounds) * (1 + 1e-6)
        assert result >= 0.98 * min(bounds)


def test_all_weights_at_once():
    """The worst of a net of directions in each draw: half of the draws may violate the bound."""
    rng = np.random.default_rng(3)
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    net = np.stack([np.cos(angles), np.sin(angles)])
    truth = np.abs((angles + np.pi) % (2 * np.pi) - np.pi) / np.pi
    worst = []
    for _ in range(20):
        rows = rng.standard_normal((20, 2))
        t = np.sign(rows[:, :1]) * (rows @ net) / np.linalg.norm(rows, axis=1, keepdims=True)
        bounds = [
            margin.error_rate(entry, delta=0.5, scale=4.0, thresholds=(0.0,)).total for entry in t.T
        ]
        worst.append(np.max(truth / bounds))
    assert np.median(worst) < 1
    assert max(worst) > 0.3
