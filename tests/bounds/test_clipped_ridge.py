"""Clipped ridge regression: against rows that are left out one by one, the learner, and coins."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.features.clipped_ridge import left_out
from scipy import stats

from mehler import MaxoutFeatures, learn
from mehler.bounds import ridge


def test_the_inequality_for_each_set_of_rows():
    """Fits without each row by solving anew, leverages by the inverse; any weights beside them."""
    rng = np.random.default_rng(0)
    nearest = 0.0
    for _ in range(300):
        n, m = int(rng.integers(2, 9)), int(rng.integers(1, 5))
        penalty, clip = 10 ** rng.uniform(-4, 2), rng.uniform(0.5, 2)
        z = rng.standard_normal((n, m)) * 10 ** rng.uniform(-1, 1, (n, 1))
        y = clip * (
            np.sign(rng.standard_normal(n)) if rng.random() < 0.5 else rng.uniform(-1, 1, n)
        )
        own = np.linalg.solve(z.T @ z + penalty * np.eye(m), z.T @ y)
        d = float(np.trace(z @ np.linalg.inv(z.T @ z + penalty * np.eye(m)) @ z.T))
        risk = left_out(z, y, penalty, clip).mean()
        for w in (own, 2 * own, np.zeros(m), rng.standard_normal(m)):
            bound = ridge.excess_risk_clipped(
                n - 1,
                ridge=penalty / (n - 1),
                norm=float(np.linalg.norm(w)),
                clip=clip,
                degrees_of_freedom=d,
            )
            excess = risk - np.mean((z @ w - y) ** 2)
            assert excess <= bound.total * (1 + 1e-9)
            nearest = max(nearest, excess / bound.total)
    assert nearest > 0.6


def test_terms():
    bound = ridge.excess_risk_clipped(99, ridge=0.02, norm=3.0, clip=0.5, degrees_of_freedom=20)
    assert bound["bias"] == pytest.approx(0.02 * 99 * 9 / 200)
    assert bound["variance"] == pytest.approx(4 * 0.25 / 100 * (40 - 4))
    assert bound.probability == 1
    assert bound.trivial == 1
    # More degrees than rows are as many as rows.
    full = ridge.excess_risk_clipped(9, ridge=1.0, norm=0.0, clip=1.0, degrees_of_freedom=10)
    more = ridge.excess_risk_clipped(9, ridge=1.0, norm=0.0, clip=1.0, degrees_of_freedom=99)
    assert full.value == more.value == 4
    assert full.vacuous


def test_the_learner_keeps_it():
    """learn.ridge leaves a row out with lambda n/(n - 1)."""
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((30, 3))
    y = np.sign(rng.standard_normal(30))
    phi = MaxoutFeatures.draw(3, 8, 2, seed=0)
    z, penalty = phi(rows), 0.3
    errors = left_out(z, y, penalty, 1.0)
    for i in (0, 7):
        kept = np.arange(30) != i
        fit = learn.ridge(phi, rows[kept], y[kept], lambdas=penalty / 29, intercept=False)
        value = np.clip(fit.predict(rows[i : i + 1]).reshape(-1)[0], -1, 1)
        assert (value - y[i]) ** 2 == pytest.approx(errors[i], rel=1e-6)


@pytest.mark.parametrize("m", [1, 5])
def test_coins_in_cells_are_an_eighth(m):
    """The excess is sum_j p_j E mean_j^2 where cell j has rows, and 0 where it has none."""
    n = 400 * m
    count = np.arange(1, n + 1)
    excess = m * (1 / m) * float(np.sum(stats.binom(n, 1 / m).pmf(count) / count))
    bound = ridge.excess_risk_clipped(n, ridge=1e-12, norm=0.0, clip=1.0, degrees_of_freedom=m)
    assert excess / bound.total == pytest.approx(1 / 8, rel=0.02)


def test_rate():
    values = [
        ridge.excess_risk_clipped(n, ridge=1 / n, norm=2.0, clip=1.0, degrees_of_freedom=10).value
        for n in (10**3, 10**5, 10**7)
    ]
    assert values[0] / values[1] == pytest.approx(100, rel=0.02)
    assert values[1] / values[2] == pytest.approx(100, rel=0.001)
