"""The sorted solution of LKRF's problem is feasible and optimal: by its conditions and a search."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments.leverage.rivals import largest_mean


def bisected(v, rho):
    """q = [a + gamma v]_+ by two nested bisections: the route of the published script."""
    n = v.size

    def at(gamma):
        low, high = -gamma * v.max() - 1, 1.0
        for _ in range(200):
            a = (low + high) / 2
            low, high = (low, a) if np.maximum(a + gamma * v, 0).sum() > 1 else (a, high)
        q = np.maximum(a + gamma * v, 0)
        return q / q.sum()

    low, high = 0.0, 1e8 / np.ptp(v)
    for _ in range(200):
        gamma = (low + high) / 2
        if n * np.sum((at(gamma) - 1 / n) ** 2) > rho:
            high = gamma
        else:
            low = gamma
    return at(low)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.sampled(6)
def test_random_problems(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    v = rng.standard_normal(n) ** 2
    rho = float(rng.uniform(0.01, 1.2) * n) if seed % 2 else float(rng.uniform(0.01, 1.0))
    q = largest_mean(v, rho)
    assert np.all(q >= 0)
    assert q.sum() == pytest.approx(1, rel=1e-14)
    assert n * np.sum((q - 1 / n) ** 2) <= rho + 1e-10
    # Rounding of 200 halvings each, on values of at most 20.
    assert q @ v >= bisected(v, rho) @ v - 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_conditions_of_optimality(seed):
    """On the support q = a + gamma v with one gamma >= 0, elsewhere a + gamma v <= 0."""
    rng = np.random.default_rng(seed)
    v = rng.standard_normal(25) ** 2
    q = largest_mean(v, 3.0)
    inside = q > 0
    gamma, a = np.polyfit(v[inside], q[inside], 1)
    assert gamma > 0
    assert q[inside] == pytest.approx(a + gamma * v[inside], abs=1e-12)
    assert np.all(a + gamma * v[~inside] <= 1e-12)
    assert 25 * np.sum((q - 1 / 25) ** 2) == pytest.approx(3.0, rel=1e-12)


def test_a_large_radius_takes_the_largest():
    assert largest_mean(np.array([1.0, 3.0, 2.0]), 2.0).tolist() == [0.0, 1.0, 0.0]
    assert largest_mean(np.array([3.0, 1.0, 3.0]), 1.0).tolist() == [0.5, 0.0, 0.5]


def test_no_preference_is_uniform():
    assert largest_mean(np.ones(4), 0.5).tolist() == [0.25] * 4


def test_scale_and_shift_change_nothing():
    v = np.random.default_rng(0).random(9)
    assert largest_mean(1e6 * v + 3e6, 1.0) == pytest.approx(largest_mean(v, 1.0), abs=1e-9)
