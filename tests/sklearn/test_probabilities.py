"""Probabilities of the classes: the nearest point of the simplex to (1 + value)/2."""

from __future__ import annotations

import array_api_strict
import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn import config_context
from sklearn.datasets import load_digits

from mehler.sklearn import FourierSampler, RandomFeatureRidgeClassifier

X, LABELS = load_digits(return_X_y=True)
X = X / 16


def nearest(point):
    """Solve by least squares without a sign: the row of ones, weighted by 1e6, is the sum."""
    k, weight = len(point), 1e6
    design = np.vstack([np.eye(k), weight * np.ones((1, k))])
    return nnls(design, np.append(point, weight))[0]


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_probabilities(n_classes):
    some = n_classes > LABELS
    model = RandomFeatureRidgeClassifier(features=FourierSampler(), random_state=0)
    model.fit(X[some][:300], LABELS[some][:300])
    rows = X[some][300:340]
    found, values = model.predict_proba(rows), model.decision_function(rows)
    values = np.stack([-values, values], axis=1) if n_classes == 2 else values
    # The weight of the sum leaves errors of 1/weight^2 of the multiplier; nnls stops near 1e-9.
    expected = np.array([nearest(row) for row in (1 + values) / 2])
    np.testing.assert_allclose(found, expected, atol=1e-8)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-14)
    assert np.array_equal(model.classes_[found.argmax(axis=1)], model.predict(rows))
    assert found.min() >= 0.0


def test_probabilities_where_the_rows_are(monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    model = RandomFeatureRidgeClassifier(features=FourierSampler(), random_state=0)
    with config_context(array_api_dispatch=True):
        x, y = array_api_strict.asarray(X[:200]), array_api_strict.asarray(LABELS[:200])
        found = model.fit(x, y).predict_proba(x[:5, :])
        assert array_api_strict.all(found >= 0.0)
