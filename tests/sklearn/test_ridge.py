"""Ridge estimators beside scikit-learn's on the same features, and lambda by its splits."""

import pickle

import array_api_strict
import numpy as np
import pytest
from sklearn import config_context
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

from mehler.sklearn import (
    FourierSampler,
    LeverageSampler,
    MaxoutSampler,
    RandomFeatureRidge,
    RandomFeatureRidgeClassifier,
)
from tests.sklearn._estimators import RIDGES, name_of

RNG = np.random.default_rng(3)
X = RNG.standard_normal((40, 4))
X = X[np.argsort(np.sin(X[:, 0]))]  # classes in blocks
Y = np.sin(X[:, 0]) + 0.1 * RNG.standard_normal(40)
LABELS = np.array(["north", "east", "south"])[np.digitize(Y, [-0.4, 0.4])]
NEW = RNG.standard_normal((9, 4))
FEATURES = MaxoutSampler(n_components=15, pool_size=3, random_state=5)
LAMBDAS = (1e-4, 1e-3, 1e-2, 1e-1)
Z = clone(FEATURES).fit_transform(X)


@pytest.mark.parametrize("y", [Y, np.stack([Y, Y**2], axis=1)], ids=["one", "two"])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_fit_is_scikit_learns_on_the_same_features(y, intercept):
    """Lambda times the number of rows is their alpha."""
    ours = RandomFeatureRidge(features=FEATURES, lambdas=1e-2, fit_intercept=intercept).fit(X, y)
    theirs = Ridge(alpha=0.4, fit_intercept=intercept).fit(Z, y)
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.shape(ours.intercept_) == (np.shape(theirs.intercept_) if intercept else y.shape[1:])
    assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    there = theirs.predict(ours.features_.transform(NEW))
    assert ours.predict(NEW).shape == there.shape
    assert np.allclose(ours.predict(NEW), there, rtol=1e-8, atol=1e-10)
    assert ours.errors_ is None
    assert ours.lambda_ == 1e-2


@pytest.mark.parametrize("labels", [LABELS, LABELS == "south"], ids=["three", "two"])
def test_a_classifier_is_scikit_learns_on_the_same_features(labels):
    ours = RandomFeatureRidgeClassifier(features=FEATURES, lambdas=1e-2).fit(X, labels)
    theirs = RidgeClassifier(alpha=0.4).fit(Z, labels)
    # Of two classes it is (1, n_components), as scikit-learn's docstring says.
    assert np.allclose(ours.coef_, np.atleast_2d(theirs.coef_), rtol=1e-8, atol=1e-10)
    assert ours.coef_.ndim == 2
    assert ours.intercept_.shape == ours.coef_.shape[:1]
    z = ours.features_.transform(NEW)
    values = theirs.decision_function(z)
    assert ours.decision_function(NEW).shape == values.shape
    assert np.allclose(ours.decision_function(NEW), values, rtol=1e-8, atol=1e-10)
    assert np.array_equal(ours.predict(NEW), theirs.predict(z))
    assert ours.predict(NEW).dtype == theirs.predict(z).dtype
    assert np.array_equal(ours.classes_, theirs.classes_)


def test_squares_may_choose_instead_of_mistakes():
    by_squares = RandomFeatureRidgeClassifier(
        features=FEATURES, lambdas=LAMBDAS, scoring="mse"
    ).fit(X, LABELS == "south")
    codes = 2.0 * (LABELS == "south") - 1.0
    as_numbers = RandomFeatureRidge(features=FEATURES, lambdas=LAMBDAS).fit(X, codes)
    assert by_squares.errors_ == as_numbers.errors_
    assert np.array_equal(by_squares.coef_[0], as_numbers.coef_)


@pytest.mark.parametrize("estimator", RIDGES, ids=name_of)
def test_states(estimator):
    y = Y if isinstance(estimator, RandomFeatureRidge) else LABELS

    def seed(**parameters):
        return clone(estimator).set_params(**parameters).fit(X, y).features_.map_.seed

    assert seed(random_state=4) == 4
    assert seed(random_state=4, features__random_state=6) == 6
    assert seed(random_state=np.random.default_rng(1)) == seed(
        random_state=np.random.default_rng(1)
    )
    old = [np.random.RandomState(1) for _ in range(2)]
    assert seed(random_state=old[0]) == seed(random_state=old[1]) != seed(random_state=old[0])
    assert clone(estimator).features.random_state is None


def test_maxout_is_the_default():
    fitted = RandomFeatureRidge(random_state=2).fit(X, Y)
    assert fitted.features_.map_.recipe() == MaxoutSampler(random_state=2).fit(X).map_.recipe()


@pytest.mark.parametrize("estimator", RIDGES, ids=name_of)
def test_pickles_hold_weights_of_the_function_only(estimator):
    estimator = clone(estimator).set_params(features__n_components=200, random_state=1)
    y = Y if isinstance(estimator, RandomFeatureRidge) else LABELS
    fitted = estimator.fit(X, y)
    state = pickle.dumps(fitted)
    assert len(state) < 8 * fitted.coef_.size + 3000
    assert np.array_equal(pickle.loads(state).predict(NEW), fitted.predict(NEW))


def test_features_that_look_at_rows():
    pool = FourierSampler(n_components=60, form="offset", gamma=0.3)
    features = LeverageSampler(pool=pool, n_components=10)
    model = RandomFeatureRidge(features=features, random_state=1).fit(X, Y)
    alone = clone(features).set_params(random_state=1).fit(X, Y)
    assert model.features_.map_.columns == alone.map_.columns
    classifier = RandomFeatureRidgeClassifier(features=features, random_state=1)
    assert classifier.fit(X, LABELS).predict(NEW).shape == (9,)


def test_dtypes():
    narrow = RandomFeatureRidge(features=FEATURES).fit(X.astype(np.float32), Y.astype(np.float32))
    assert narrow.predict(NEW.astype(np.float32)).dtype == np.float32
    assert narrow.coef_.dtype == np.float32
    wide = RandomFeatureRidge(features=FEATURES).fit(X, Y)
    assert np.allclose(narrow.predict(NEW.astype(np.float32)), wide.predict(NEW), atol=1e-3)


@pytest.mark.parametrize("labels", [np.arange(40) % 3, LABELS], ids=["numbers", "words"])
def test_rows_of_another_library(labels, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    expected = RandomFeatureRidgeClassifier(features=FEATURES).fit(X, labels)
    x, new = array_api_strict.asarray(X), array_api_strict.asarray(NEW)
    with config_context(array_api_dispatch=True):
        model = RandomFeatureRidgeClassifier(features=FEATURES).fit(x, labels)
        answer = model.predict(new)
        with pytest.raises(ValueError, match="must use the same namespace"):
            model.predict(NEW)
    assert type(model.coef_) is type(x)
    kind = np.ndarray if labels.dtype.kind == "U" else type(x)
    assert type(answer) is type(model.classes_) is kind
    assert np.array_equal(np.asarray(answer), expected.predict(NEW))


@pytest.mark.parametrize("weight", [np.int8(2), np.float32(2.0), np.array(2), 2, 2.0])
def test_one_weight_is_that_of_all_rows(weight):
    model = RandomFeatureRidge(features=FEATURES).fit(X, Y, sample_weight=weight)
    every = RandomFeatureRidge(features=FEATURES).fit(X, Y, sample_weight=np.full(len(X), 2.0))
    assert np.array_equal(model.predict(NEW), every.predict(NEW))


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
    errors = []
    for train, test in splits:
        models = [kind(alpha=len(train) * lam).fit(Z[train], y[train]) for lam in LAMBDAS]
        if kind is Ridge:
            errors.append([np.mean((model.predict(Z[test]) - y[test]) ** 2) for model in models])
        else:
            errors.append([np.mean(model.predict(Z[test]) != y[test]) for model in models])
    return np.mean(errors, axis=0)


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
    expected = of_splits(Ridge, Y, pairs)
    assert np.allclose(ours.errors_, expected, rtol=1e-8)
    assert ours.lambda_ == LAMBDAS[int(np.argmin(expected))]
    last = Ridge(alpha=40 * ours.lambda_).fit(Z, Y)
    assert np.allclose(ours.coef_, last.coef_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("cv", SPLITTERS, ids=lambda cv: type(cv).__name__)
def test_any_splitter(cv):
    audit(cv)


@pytest.mark.parametrize("cv", OTHERS, ids=lambda cv: type(cv).__name__)
def test_splits_that_are_no_folds_are_refused(cv):
    with pytest.raises(ValueError, match=r"no row twice, and fit all others; .* GridSearchCV"):
        RandomFeatureRidge(features=FEATURES, lambdas=LAMBDAS, cv=cv).fit(X, Y)
