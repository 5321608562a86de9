"""Lambda by scikit-learn's splits: the errors of its own searches on the same features."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)

from mehler.sklearn import MaxoutSampler, RandomFeatureRidge, RandomFeatureRidgeClassifier

RNG = np.random.default_rng(3)
X = RNG.standard_normal((40, 4))
X = X[np.argsort(np.sin(X[:, 0]))]
Y = np.sin(X[:, 0]) + 0.1 * RNG.standard_normal(40)
LABELS = np.array(["north", "east", "south"])[np.digitize(Y, [-0.4, 0.4])]
NEW = RNG.standard_normal((9, 4))
FEATURES = MaxoutSampler(n_components=15, pool_size=3, random_state=5)
LAMBDAS = (1e-4, 1e-3, 1e-2, 1e-1)
Z = clone(FEATURES).fit_transform(X)


@pytest.mark.parametrize("labels", [LABELS, LABELS == "south"], ids=["three", "two"])
def test_a_classifiers_folds_are_stratified(labels):
    model = RandomFeatureRidgeClassifier(features=FEATURES, lambdas=LAMBDAS, cv=4)
    by_hand = of_splits(RidgeClassifier, labels, StratifiedKFold(4).split(Z, labels))
    assert np.allclose(model.fit(X, labels).errors_, by_hand, atol=1e-12)
    # Planted: folds without a look at classes, which are sorted here.
    plain = of_splits(RidgeClassifier, labels, KFold(4).split(Z))
    assert not np.allclose(by_hand, plain, atol=1e-12)


def of_splits(kind, y, splits):
    """Mean over splits of errors, one fit each."""
    found = []
    for train, test in splits:
        models = [kind(alpha=len(train) * lam).fit(Z[train], y[train]) for lam in LAMBDAS]
        if kind is Ridge:
            found.append([np.mean((one.predict(Z[test]) - y[test]) ** 2) for one in models])
        else:
            found.append([np.mean(one.predict(Z[test]) != y[test]) for one in models])
    return np.mean(found, axis=0)


SPLITTERS = [
    4,
    ShuffleSplit(1, test_size=0.2, random_state=0),  # rows held out once
    PredefinedSplit(np.arange(40) % 4 - 1),
    LeaveOneOut(),
    [(np.arange(30), np.arange(30, 40))],
    [(np.arange(40) < 30, np.arange(40) >= 30)],  # masks
]
OTHERS = [
    ShuffleSplit(3, test_size=0.2, random_state=0),  # some rows are held out again
    ShuffleSplit(1, test_size=0.2, train_size=0.5, random_state=0),  # some rows are not used
    RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
    TimeSeriesSplit(3),
    [(np.r_[:20, :5], np.arange(20, 40))],  # drawn with repeats
    [(np.arange(20, 40), np.r_[:20, :5])],
    [(np.arange(40), np.arange(0))],
]


def audit(cv):
    ours = RandomFeatureRidge(features=FEATURES, lambdas=LAMBDAS, cv=cv).fit(X, Y)
    cv = KFold(cv) if cv == 4 else cv
    pairs = list(cv.split(X)) if hasattr(cv, "split") else cv
    pairs = [tuple(np.arange(40)[part] for part in pair) for pair in pairs]
    wanted = of_splits(Ridge, Y, pairs)
    assert np.allclose(ours.errors_, wanted, rtol=1e-8)
    assert ours.lambda_ == LAMBDAS[int(np.argmin(wanted))]
    last = Ridge(alpha=40 * ours.lambda_).fit(Z, Y)
    assert np.allclose(ours.coef_, last.coef_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("cv", SPLITTERS, ids=lambda cv: type(cv).__name__)
def test_any_splitter(cv):
    audit(cv)


@pytest.mark.parametrize("cv", OTHERS, ids=lambda cv: type(cv).__name__)
def test_splits_that_are_no_folds_are_refused(cv):
    with pytest.raises(ValueError, match=r"no row twice, and fit all others; .* GridSearchCV"):
        RandomFeatureRidge(features=FEATURES, lambdas=LAMBDAS, cv=cv).fit(X, Y)
