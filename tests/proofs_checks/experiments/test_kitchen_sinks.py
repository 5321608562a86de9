"""Machines that choose: each step is the best one, and times are compared."""

import numpy as np
import pytest
from mehler.proofs_checks.experiments import kitchen_sinks as summary
from mehler.proofs_checks.experiments._learners import boosted, greedy_path, stumps
from scipy.optimize import minimize_scalar

RNG = np.random.default_rng(0)
PHI, Y = RNG.standard_normal((60, 12)), RNG.standard_normal(60)


def of_share(f, g):
    """Return the least squared error of (1 - a) f + a g, by a search."""
    how = {"bounds": (0, 1), "method": "bounded", "options": {"xatol": 1e-10}}
    return minimize_scalar(lambda a: np.mean(((1 - a) * f + a * g - Y) ** 2), **how).fun


def test_a_greedy_step_is_the_best_of_all_columns_signs_and_shares():
    paths = greedy_path(PHI, Y, (1, 2, 3))
    for step in (2, 3):
        f = PHI @ paths[step - 1]
        scale = 10 * np.sqrt(np.mean(Y**2)) / np.sqrt((PHI**2).mean(axis=0))
        best = min(of_share(f, sign * PHI[:, j] * scale[j]) for j in range(12) for sign in (1, -1))
        assert np.mean((PHI @ paths[step] - Y) ** 2) == pytest.approx(best, rel=1e-6)


def test_boosting_weights_are_those_of_adaboost():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, 1.0, -1.0, 1.0])
    cuts = np.quantile(X, (np.arange(4) + 0.5) / 4, axis=0)
    weights = boosted(stumps(X, cuts), y, (1,))[1]
    # The best stump errs once in four: half the logarithm of 3.
    assert np.abs(weights).max() == pytest.approx(0.5 * np.log(3))
    assert np.count_nonzero(weights) == 1


def test_random_features_are_compared_within_the_rivals_time():
    one = {
        "random cosines": [30.0, 20.0, 10.0],
        "random cosines, seconds": [0.1, 1.0, 10.0],
        "joint": [25.0, 15.0],
        "joint, seconds": [1.0, 2.0],
    }
    assert summary.at_the_time(one, "joint") == (20.0, 15.0)
    one["joint, seconds"] = [0.01, 0.02]
    assert summary.at_the_time(one, "joint") == (30.0, 15.0)
