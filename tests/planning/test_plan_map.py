"""Plans of any map that declares its variance: the variance looked at, and all pairs paid for."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import mehler
from mehler.planning import plan

X = np.random.default_rng(3).standard_normal((12, 2))
EPS, DELTA = 0.2, 0.05


def fourier(n_features=4):
    return mehler.FourierFeatures.draw(2, n_features, gamma=0.5, seed=0)


def variance_of_pairs(rows):
    """Of sqrt(2)^2 (cos u cos v + sin u sin v)/2 = cos(u - v): (1 + k(2z))/2 - k(z)^2, per pair."""
    squares = ((rows[:, None, :] - rows[None, :, :]) ** 2).sum(axis=2)
    k, k_of_twice = np.exp(-0.5 * squares), np.exp(-2.0 * squares)
    # n_features counts cosines and sines, two columns per frequency.
    return 2.0 * float(((1.0 + k_of_twice) / 2.0 - k**2).max())


@pytest.mark.parametrize("n_samples", [None, 500])
def test_the_limit_is_that_of_all_pairs(n_samples):
    n = len(X) if n_samples is None else n_samples
    pairs = n * (n + 1) // 2
    quantile = norm.isf(DELTA / (2 * pairs))
    expected = math.ceil(variance_of_pairs(X) * (quantile / EPS) ** 2)
    limit, proved = plan(X, map=fourier(), eps=EPS, delta=DELTA, n_samples=n_samples).rows
    # Rounding of the variance may change the last feature.
    assert abs(limit.features - expected) <= 1
    # A known-variance interval is never narrower than sqrt(2 V log(2/alpha)/m) on either side
    # (the tail of a normal, to first order), with alpha the share of one pair.
    least = 2.0 * variance_of_pairs(X) * math.log(2.0 * pairs / DELTA) / EPS**2
    assert proved.features >= least
    assert limit.probability == proved.probability == 1 - DELTA


def test_the_number_of_features_drawn_does_not_matter():
    few, many = (plan(X, map=fourier(m)).rows[0].features for m in (4, 400))
    assert few == many


def test_errors_are_relative_to_the_lengths():
    phi = mehler.MaxoutFeatures.draw(2, 8, 3, seed=0)
    rows, longer = plan(X, map=phi).rows, plan(5.0 * X, map=phi).rows
    for row, longer_row in zip(rows, longer):
        assert abs(row.features - longer_row.features) <= 1


def test_planned_features_keep_the_error():
    """At the planned size the error exceeds eps in at most a share delta of draws."""
    m = plan(X, map=fourier(), eps=EPS, delta=DELTA).rows[0].features
    m += m % 2
    exact = fourier().kernel(X)
    draws = [mehler.FourierFeatures.draw(2, m, gamma=0.5, seed=seed) for seed in range(400)]
    misses = sum(np.abs(phi.gram(X) - exact).max() > EPS for phi in draws)
    # A binomial of 400 and 0.05 exceeds 46 with probability 7e-8.
    assert misses <= 46


def test_narrow_floats_are_numbers():
    planned = plan(X, map=fourier(), eps=np.float16(0.25))
    assert planned == plan(X, map=fourier(), eps=0.25)
