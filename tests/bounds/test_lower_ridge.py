"""The lower bound at the rows, squared loss: Pinsker's box, and the mean of one normal variable."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from mehler.bounds.lower import _normal_mean


def risk_of_prior(points, weights):
    """The Bayes risk of a discrete prior for a normal mean, by the trapezoid rule."""
    y = np.linspace(-points[-1] - 8, points[-1] + 8, 161)
    law = np.exp(-((y[:, None] - points) ** 2) / 2) * weights * (y[1] - y[0])
    law /= math.sqrt(2 * math.pi)
    return float(weights @ points**2 - np.sum((law @ points) ** 2 / law.sum(axis=1)))


def least_favourable(tau):
    """A prior of a few equally spaced points; each of them is less than the minimax risk."""
    n = 2 if tau < 1.1 else 3 if tau < 2.2 else 4 if tau < 3.3 else 6
    points = np.linspace(-tau, tau, n)

    def risk(k):
        weights = np.exp(k * (1 - (points / tau) ** 2))
        return -risk_of_prior(points, weights / weights.sum())

    result = optimize.minimize_scalar(
        risk, bounds=(-4, 3), method="bounded", options={"xatol": 0.01}
    )
    return -result.fun


@pytest.mark.full
def test_four_fifths_of_the_linear_risk_at_every_reach():
    """Between grid points the minimax risk increases; beyond them other terms are larger."""
    taus = 0.4 * 1.002 ** np.arange(1350)
    least = np.array([least_favourable(tau) for tau in taus])
    above = taus[1:] ** 2 / (1 + taus[1:] ** 2)
    assert np.all(least[:-1] >= 0.8 * above)
    for t in np.concatenate([np.linspace(1e-3, 0.4, 50), np.linspace(taus[-1], 100, 50)]):
        others = max(t**2 * (1 - t**2 - t**4), t**2 / (t**2 + math.pi**2))
        assert others >= 0.8 * t**2 / (1 + t**2)


@pytest.mark.parametrize("tau", [0.05, 0.3, 0.7, 1.0, 1.7, 2.5, 5.0])
def test_a_normal_mean_is_below_the_risk_of_a_prior(tau):
    assert _normal_mean(np.array([tau**2]))[0] <= least_favourable(tau) * (1 + 1e-9)
