"""Sampling keeps the pool's kernel exactly: over every outcome of small pools."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mehler.features import leverage
from mehler.features.leverage import _sampling
from tests.features.leverage.pools import POOLS, ROWS

N = 2


def independent(kind, mix=0.1):
    """Outcomes of two independent draws: probability, counts, expected counts; and the pool."""
    draw, size = POOLS[kind]
    pool = draw()

    def make():
        return leverage.LeverageSampling(pool, N * size, lam=0.01, draws="iid", mix=mix, seed=0)

    q = make().law(make().scores(ROWS))
    outcomes = []
    for drawn in itertools.product(range(q.size), repeat=N):
        counts = np.bincount(drawn, minlength=q.size)
        outcomes.append((np.prod(q[list(drawn)]), counts, N * q))
    return make, outcomes, pool


def mean_gram(make, outcomes, monkeypatch):
    """Expectation of the Gram over outcomes."""
    total = 0.0
    for probability, counts, expected in outcomes:
        monkeypatch.setattr(_sampling, "draw_counts", lambda *_, c=counts, e=expected: (c, e))
        total = total + probability * make().fit(ROWS).gram(ROWS[:4])
    return total


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pairs", "offset", "orthogonal"])
@pytest.mark.parametrize("mix", [0.1, 1.0])
@pytest.mark.sampled(3)
def test_independent_draws_are_unbiased(kind, mix, monkeypatch):
    make, outcomes, pool = independent(kind, mix)
    assert sum(one[0] for one in outcomes) == pytest.approx(1, rel=1e-13)
    mean = mean_gram(make, outcomes, monkeypatch)
    assert mean == pytest.approx(pool.gram(ROWS[:4]), abs=1e-13)


@pytest.mark.parametrize("draws", ["systematic", "without replacement"])
@pytest.mark.parametrize("kind", ["pairs", "offset"])
def test_systematic_draws_are_unbiased(kind, draws, monkeypatch):
    """By integrating over the one number that they draw: piecewise constant."""
    draw, size = POOLS[kind]
    pool, n = draw(), 5

    def make():
        return leverage.LeverageSampling(pool, n * size, lam=0.01, draws=draws, seed=0)

    q = make().law(make().scores(ROWS))
    expected = n * q if draws == "systematic" else _sampling.inclusion(q, n)
    ends = np.unique(np.concatenate([[0.0, 1.0], np.cumsum(expected) % 1.0]))
    outcomes = [
        (high - low, _sampling.points_in(expected, n, (low + high) / 2), expected)
        for low, high in itertools.pairwise(ends)
    ]
    mean = mean_gram(make, outcomes, monkeypatch)
    assert mean == pytest.approx(pool.gram(ROWS[:4]), abs=1e-13)
