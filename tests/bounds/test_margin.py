"""Risk by margins: against sums of the laws, brute force over lengths, draws of all weights."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from mehler.bounds import margin
from mehler.bounds.margin import THRESHOLDS, largest_gap, log_moment

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


@pytest.mark.parametrize("share", [0.0, 1e-9, 0.1, 0.5, 0.999])
@pytest.mark.parametrize("level", [1e-12, 1e-3, 0.4, 3.0])
def test_inverse_by_fifty_digits(share, level):
    gap = largest_gap(share, level)
    if gap == 1 - share:
        # -h(q) - (1 - q) log(1 - p) is below kl: where it is still small at the last float below 1.
        assert (1 - share) * -math.log(2**-53) < level + math.log(2)
        return
    with mpmath.workdps(50):
        q, p = mpmath.mpf(share), mpmath.mpf(share) + mpmath.mpf(gap)
        kl = (q * mpmath.log(q / p) if q else 0) + (1 - q) * mpmath.log((1 - q) / (1 - p))
        # A step of the floats at p = 1 moves kl by up to about the same part of 1 - p.
        assert float(kl) == pytest.approx(level, rel=1e-9 + 1e-15 / (1 - float(p)))
    # Both known bounds of the inverse, by Pinsker and for small shares.
    assert gap <= min(math.sqrt(level / 2), 2 * level + math.sqrt(2 * share * level)) * (1 + 1e-9)


def test_terms_add_up_to_the_formula():
    mu, threshold, delta = 7.0, 0.5, 0.02
    bound = margin.error_rate(T, delta=delta, scale=mu, thresholds=(threshold,))
    share = stats.norm.cdf(threshold - mu * T).mean()
    level = (mu**2 / 2 + log_moment(400) + math.log(1 / delta)) / 400
    p = bound.total * stats.norm.cdf(threshold)
    assert special.rel_entr(share, p) + special.rel_entr(1 - share, 1 - p) == pytest.approx(level)
    assert bound["margin"] == pytest.approx(share)
    assert min(term.value for term in bound.terms) > 0
    assert bound.probability == pytest.approx(0.98)


def test_length_and_threshold_are_the_best():
    lengths = np.geomspace(0.3, 60, 60)
    for t in (T, np.full(5000, 0.4), np.r_[np.full(900, 0.5), np.full(100, -0.5)]):
        # Of six thresholds each pays for all.
        each = [
            margin.error_rate(t, delta=0.06 / 6, scale=mu, thresholds=(entry,)).total
            for entry in THRESHOLDS
            for mu in lengths
        ]
        result = margin.error_rate(t, delta=0.06).total
        assert result <= min(each) * (1 + 1e-6)
        assert result >= 0.98 * min(each)


def test_separated_is_the_bound_of_such_margins():
    t = np.r_[np.full(950, 0.3), np.full(50, -1.0)]
    for scale in (None, 5.0):
        loose = margin.error_rate_separated(1000, margin=0.3, below=0.05, delta=0.01, scale=scale)
        exact = margin.error_rate(t, delta=0.01, scale=scale)
        assert loose.total == pytest.approx(exact.total, rel=1e-3)
        assert loose.value >= margin.error_rate(np.r_[t[:950], T[:50]], delta=0.01).value


@pytest.mark.parametrize("seed", range(6))
def test_it_falls_with_the_rows_whatever_length_is_found(seed):
    """At each length it falls; the search is to 1e-5 of the length, where the bound is flat."""
    rng = np.random.default_rng(seed)
    setting = {"margin": rng.uniform(0.02, 1), "below": rng.uniform(0, 0.4) * (seed % 2)}
    delta = 10 ** -rng.uniform(0.1, 9)
    n = np.unique(np.round(10 ** rng.uniform(0, 9, 12)).astype(int))
    n = np.unique(np.concatenate([n, n + 1, n + 2]))
    values = margin.error_rate_separated(n, delta=delta, **setting).value
    assert np.all(values[1:] <= values[:-1] * (1 + 1e-9))


def test_rate_is_that_of_the_logarithm_over_n():
    """Where all rows keep a margin; the other rate would be 10 for a hundredfold."""
    values = [
        margin.error_rate_separated(n, margin=0.2, delta=0.01).value for n in (10**5, 10**7, 10**9)
    ]
    assert 65 < values[0] / values[1] < 100
    assert 70 < values[1] / values[2] < 100
    for n, value in zip((10**5, 10**7, 10**9), values, strict=True):
        assert value < 1.5 * math.log(n) / (0.2**2 * n)


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


def test_features_of_any_size_give_the_same():
    t = T.astype(np.float32)
    assert margin.error_rate(t, delta=0.1).value == pytest.approx(
        margin.error_rate(T, delta=0.1).value, 1e-4
    )
    result = margin.error_rate(list(T), delta=[0.1, 1e-9]).value
    assert result[1] > result[0] == margin.error_rate(T, delta=0.1).value


@pytest.mark.parametrize(
    ("margins", "options", "error", "message"),
    [
        ([], {}, ValueError, "margins has shape"),
        ([[0.1]], {}, ValueError, "margins has shape"),
        ([0.1, 1.2], {}, ValueError, r"margins are up to 1\.2"),
        ([0.1, math.nan], {}, ValueError, "NaN"),
        ("abc", {}, TypeError, "margins"),
        ([0.1], {"thresholds": ()}, ValueError, "thresholds"),
        ([0.1], {"thresholds": (math.inf,)}, ValueError, "thresholds"),
        ([0.1], {"thresholds": (0.5, -0.1)}, ValueError, "thresholds"),
        ([0.1], {"thresholds": 0.5}, TypeError, "thresholds"),
        ([0.1], {"thresholds": np.array(0.5)}, TypeError, "thresholds"),
    ],
)
def test_refusals(margins, options, error, message):
    with pytest.raises(error, match=message):
        margin.error_rate(margins, **{"delta": 0.1, **options})


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"margin": 1.1}, "margin"),
        ({"margin": 0.0}, "margin"),
        ({"below": 1.0}, "below"),
        ({"below": -0.1}, "below"),
    ],
)
def test_refusals_of_numbers(inputs, message):
    with pytest.raises(ValueError, match=message):
        margin.error_rate_separated(10, **{"margin": 0.3, "delta": 0.1, **inputs})


def test_extremes():
    assert margin.error_rate_separated(1, margin=1.0, delta=0.5).vacuous
    assert margin.error_rate([-1.0, -1.0], delta=0.1).value == 1
    tiny = margin.error_rate_separated(10**15, margin=1.0, delta=1e-300)
    assert 0 < tiny.value < 1e-11
    far = margin.error_rate(T, delta=0.1, thresholds=(1.0, 40.0))
    assert far.value == pytest.approx(margin.error_rate(T, delta=0.1 / 2, thresholds=(1.0,)).value)
