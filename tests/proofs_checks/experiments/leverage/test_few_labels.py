"""Few labels: the parts are disjoint, machines find what can be found, and cells are paired."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments import _learners
from mehler.proofs_checks.experiments._rows import Problem
from mehler.proofs_checks.experiments.leverage import _logistic, few_labels

RNG = np.random.default_rng(0)
X = RNG.standard_normal((400, 3))
CIRCLE = np.where((X**2).sum(axis=1) > 2.4, 1.0, -1.0)


def test_parts_are_disjoint_and_balanced():
    problem = Problem(np.arange(400.0)[:, None], CIRCLE, True)
    parts, folds = few_labels.split(problem, 6, 200, 100, 0)
    assert sorted(parts.fit[1].tolist()) == [-1.0] * 6 + [1.0] * 6
    assert np.bincount(folds.astype(int)).tolist() == [4, 4, 4]
    together = np.concatenate([part[0] for part in (parts.choose, parts.fit, parts.test)])
    assert len(np.unique(together)) == 312
    # Standardised by the unlabelled rows.
    assert np.allclose([parts.choose[0].mean(), parts.choose[0].std()], [0, 1])


def test_the_linear_machine_is_logistic_regression():
    """Second route: the gradient of the mean loss with its ridge vanishes."""
    z, y = X[:60], np.sign(X[:60, 0] + 0.5 * np.random.default_rng(1).standard_normal(60))
    values = _logistic.logistic(0.01)(z, y)
    weights = values(np.eye(3)) - values(np.zeros((1, 3)))
    slope = -y / (1 + np.exp(y * values(z))) / len(y)
    # Of curvature below 1, a step that lowers the loss by 64 eps at most, where L-BFGS stops, has a
    # gradient below sqrt(128 eps) = 1.7e-7.
    np.testing.assert_allclose(z.T @ slope + 2 * 0.01 * weights, 0, atol=1e-6)
    assert slope.sum() == pytest.approx(0, abs=1e-6)


def test_the_gradient_of_the_perceptron_is_that_of_its_loss(monkeypatch):
    """Held to finite differences, by looking at what the optimiser is given."""
    import scipy.optimize

    seen = {}

    def look(objective, start, **options):
        seen["gap"] = scipy.optimize.check_grad(
            lambda w: objective(w)[0], lambda w: objective(w)[1], start
        )
        return type("R", (), {"x": start})()

    monkeypatch.setattr(scipy.optimize, "minimize", look)
    _learners.perceptron(X[:20], CIRCLE[:20], 3, 0.1, seed=1)
    assert seen["gap"] < 1e-5
