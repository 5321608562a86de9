"""States: those that users give, and pickles, which are recipes, small and equal bit for bit."""

import copy
import io
import pickle

import array_api_strict
import joblib
import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone

from mehler.sklearn import KitchenSinkSampler, LeverageSampler, MaxoutSampler, RandomFeatureRidge
from tests.sklearn._estimators import SAMPLERS, UNUSUAL, name_of

X = np.random.default_rng(5).standard_normal((12, 5))
Y = X[:, 0]


@pytest.mark.parametrize("estimator", SAMPLERS + UNUSUAL, ids=name_of)
def test_round_trip(estimator):
    fitted = clone(estimator).set_params(random_state=1).fit(X, Y)
    state = pickle.dumps(fitted)
    again = pickle.loads(state)
    for x in (X, X.astype(np.float32)):
        ours, theirs = again.transform(x), fitted.transform(x)
        assert np.array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
    assert again.n_features_in_ == 5
    assert copy.deepcopy(fitted).map_.recipe() == fitted.map_.recipe()
    # Fitting did not change what it was made with, nor does reading a pickle.
    assert str(again.get_params(deep=False)) == str(fitted.get_params(deep=False))


def test_a_pickle_holds_no_weights():
    fitted = MaxoutSampler(n_components=20_000, pool_size=8, random_state=1).fit(X)
    assert len(pickle.dumps(fitted)) < 1000
    file = io.BytesIO()
    joblib.dump(fitted, file)
    assert len(file.getvalue()) < 1000


def test_later_parameters_do_not_change_what_was_fitted():
    fitted = MaxoutSampler(n_components=6, random_state=1).fit(X)
    features = fitted.transform(X)
    fitted.set_params(n_components=9, random_state=2)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).transform(X), features)


def test_it_comes_back_where_it_was(monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    device = array_api_strict.Device("device1")
    x = array_api_strict.asarray(X, device=device)
    with config_context(array_api_dispatch=True):
        fitted = MaxoutSampler(n_components=6, random_state=1).fit(x)
        again = pickle.loads(pickle.dumps(fitted))
        assert again.transform(x).device == device
        assert bool(array_api_strict.all(again.transform(x) == fitted.transform(x)))


@pytest.mark.parametrize("estimator", [MaxoutSampler(), RandomFeatureRidge()], ids=name_of)
def test_dask_tells_fitted_estimators_apart(estimator):
    tokenize = pytest.importorskip("dask.base").tokenize
    # Equal parameters, other draws: None is NumPy's global generator.
    first, second = (clone(estimator).fit(X, Y) for _ in range(2))
    assert tokenize(first) == tokenize(first)
    assert tokenize(first) != tokenize(second)


@pytest.mark.parametrize(
    "sampler",
    [
        KitchenSinkSampler(activation=np.tanh, n_components=6),
        LeverageSampler(pool=KitchenSinkSampler(activation=np.tanh), n_components=6),
    ],
    ids=name_of,
)
def test_functions_are_pickled_by_their_names(sampler):
    fitted = sampler.fit(X)
    stored = pickle.dumps(fitted)
    assert len(stored) < 2000
    assert b"tanh" in stored
    assert np.array_equal(pickle.loads(stored).transform(X), fitted.transform(X))
    with pytest.raises(ValueError, match=r"has no recipe, .* pickle the map"):
        fitted.map_.recipe()


def test_a_function_without_a_name_is_refused_by_pickle():
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(KitchenSinkSampler(activation=lambda t: t).fit(X))


def features(estimator, state):
    return clone(estimator).set_params(random_state=state).fit(X, Y).transform(X)


@pytest.mark.parametrize("estimator", SAMPLERS, ids=name_of)
@pytest.mark.parametrize(
    "state", [lambda s: s, np.int64, np.random.RandomState, np.random.default_rng]
)
def test_equal_states_give_equal_features_and_others_others(estimator, state):
    first = features(estimator, state(3))
    assert np.array_equal(features(estimator, state(3)), first)
    # Planted: an estimator that ignores its state.
    assert not np.array_equal(features(estimator, state(4)), first)


@pytest.mark.parametrize("state", [np.random.RandomState, np.random.default_rng])
def test_generators_move_on(state):
    sampler = MaxoutSampler(n_components=4, random_state=state(0))
    assert not np.array_equal(sampler.fit_transform(X), sampler.fit_transform(X))


def test_none_is_numpys_global_state():
    sampler = MaxoutSampler(n_components=4)
    assert not np.array_equal(sampler.fit_transform(X), sampler.fit_transform(X))
    before = np.random.get_state()  # noqa: NPY002  # scikit-learn's meaning of None
    try:
        twice = []
        for _ in range(2):
            np.random.seed(1)  # noqa: NPY002  # scikit-learn's meaning of None
            twice.append(sampler.fit_transform(X))
    finally:
        np.random.set_state(before)  # noqa: NPY002  # as it was
    assert np.array_equal(*twice)


def test_seeds_use_all_their_bits():
    seeds = [
        MaxoutSampler(n_components=1, random_state=state(i)).fit(X).map_.seed
        for i in range(20)
        for state in (np.random.RandomState, np.random.default_rng)
    ]
    # Each is uniform below 2^63: all 40 below 2^55 has the chance 2^-320.
    assert max(seeds) > 2**55
    assert len(set(seeds)) == 40
