"""``random_state`` as scikit-learn's users give it."""

import numpy as np
import pytest
from sklearn.base import clone

from mehler.sklearn import MaxoutSampler
from tests.sklearn._estimators import SAMPLERS, name_of

X = np.random.default_rng(5).standard_normal((12, 5))
Y = X[:, 0]


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
