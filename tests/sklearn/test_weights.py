"""Weights count rows: a row of weight 2 is that row twice."""

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV, PredefinedSplit

from mehler.sklearn import (
    FourierSampler,
    MaxoutSampler,
    RandomFeatureRidge,
    RandomFeatureRidgeClassifier,
)

RNG = np.random.default_rng(0)
N = 120
X = RNG.standard_normal((N, 3)) * [1.0, 2.0, 0.5] + 0.5
Y = np.sin(X[:, 0]) + 0.3 * RNG.standard_normal(N)
LABELS = np.array(list("uvw"))[(X[:, 0] > 0).astype(int) + (X[:, 1] > 1)]
COUNTS = RNG.integers(0, 4, N)
COPIES = np.repeat(np.arange(N), COUNTS)
FEATURES = {
    "maxout": MaxoutSampler(n_components=30, random_state=0),
    "scale": FourierSampler(n_components=30, random_state=0),  # gamma of the weighted rows
}
LAMBDAS = (1e-4, 1e-2, 1.0)


def models(features, **options):
    return [
        (RandomFeatureRidge(features=features, **options), Y),
        (RandomFeatureRidge(features=features, **options), np.column_stack([Y, X[:, 1]])),
        (RandomFeatureRidgeClassifier(features=features, **options), LABELS),
        (RandomFeatureRidgeClassifier(features=features, scoring="mse", **options), LABELS),
    ]


def same(weighted, repeated, rtol=1e-7):
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=rtol, atol=1e-9)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=rtol, atol=1e-9)
    assert weighted.lambda_ == repeated.lambda_
    if weighted.errors_ is not None:
        np.testing.assert_allclose(weighted.errors_, repeated.errors_, rtol=rtol)


@pytest.mark.parametrize("features", FEATURES.values(), ids=FEATURES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("lambdas", [1e-2, LAMBDAS])
def test_a_row_of_weight_two_is_that_row_twice(features, intercept, lambdas):
    for model, y in models(features, lambdas=lambdas, fit_intercept=intercept):
        weighted = model.fit(X, y, sample_weight=COUNTS)
        twice = sklearn.clone(model).fit(X[COPIES], y[COPIES])
        same(weighted, twice)


def test_so_it_is_in_folds():
    folds = np.arange(N) % 4
    for model, y in models(FEATURES["maxout"], lambdas=LAMBDAS, cv=PredefinedSplit(folds)):
        twice = sklearn.clone(model).set_params(cv=PredefinedSplit(folds[COPIES]))
        weighted = model.fit(X, y, sample_weight=COUNTS)
        # Folds of equal weight would have the same mean; these are nearly so.
        np.testing.assert_allclose(
            weighted.errors_, twice.fit(X[COPIES], y[COPIES]).errors_, rtol=0.05
        )


@pytest.mark.parametrize("given", ["balanced", {"u": 3.0, "v": 0.5}])
def test_class_weights_are_scikit_learns(given):
    model = RandomFeatureRidgeClassifier(
        features=FEATURES["maxout"], lambdas=1e-2, class_weight=given
    ).fit(X, LABELS)
    total = sklearn.utils.class_weight.compute_sample_weight(given, LABELS).sum()
    z = model.features_.transform(X)
    theirs = RidgeClassifier(alpha=1e-2 * total, class_weight=given).fit(z, LABELS)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    own = sklearn.utils.class_weight.compute_sample_weight(given, LABELS)
    plain = sklearn.clone(model).set_params(class_weight=None).fit(X, LABELS, sample_weight=own)
    np.testing.assert_array_equal(model.coef_, plain.coef_)


def test_leaving_out_rows_of_small_weight_is_leaving_them_out_whole():
    """Weights below 1: the same fit as without the row, and never a leverage above 1."""
    weights = np.random.default_rng(1).uniform(0.001, 0.01, N)
    model = RandomFeatureRidge(features=FEATURES["maxout"], lambdas=LAMBDAS)
    errors = model.fit(X, Y, sample_weight=weights).errors_
    z = model.features_.transform(X)
    for lam, error in zip(LAMBDAS, errors):
        squares = 0.0
        for i in range(N):
            rest = np.arange(N) != i
            weighted = Ridge(alpha=lam * weights.sum()).fit(z[rest], Y[rest], weights[rest])
            squares += weights[i] * (weighted.predict(z[i : i + 1])[0] - Y[i]) ** 2
        assert error == pytest.approx(squares / weights.sum(), rel=1e-6)


def test_weights_are_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        model = RandomFeatureRidge(features=FEATURES["maxout"]).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"lambdas": [1e-2, 1.0]}, cv=3)
        search.fit(X, Y, sample_weight=COUNTS + 1.0)
        best = sklearn.clone(search.best_estimator_).fit(X, Y, sample_weight=COUNTS + 1.0)
    np.testing.assert_array_equal(search.best_estimator_.coef_, best.coef_)


def test_sparse_rows_have_weights_too():
    rows = np.where(np.abs(X) > 0.7, X, 0.0)
    for model, y in models(FEATURES["scale"], lambdas=LAMBDAS):
        weighted = sklearn.clone(model).fit(sparse.csr_array(rows), y, sample_weight=COUNTS)
        repeated = sklearn.clone(model).fit(rows, y, sample_weight=COUNTS)
        same(weighted, repeated)
