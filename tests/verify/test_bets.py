"""Bets by power sums: never more than the capital itself, and hardly less."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler.verify._sources import power_sums
from mehler.verify.intervals._range import SHARES, Wealth

LEVEL = math.log(2000.0)
STAGES = (20, 40, 60)


def placed(samples, low, high):
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
    bets = placed(x, 0.0, 1.0)
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
