"""Pipelines and searches, as scikit-learn's users write them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mehler.sklearn import FourierSampler, LeverageSampler, MaxoutHasher
from tests.sklearn._estimators import SAMPLERS, name_of

DIGITS, LABELS = load_digits(return_X_y=True)
DIGITS, LABELS = DIGITS[:300], LABELS[:300]
X = np.random.default_rng(5).standard_normal((12, 5))


@pytest.mark.parametrize("estimator", SAMPLERS, ids=name_of)
def test_dtypes(estimator):
    codes = isinstance(estimator, MaxoutHasher)
    for dtype, expected in [("float32", "float32"), ("float64", "float64"), ("int32", "float64")]:
        x = (4 * X).astype(dtype)
        features = clone(estimator).fit(x, X[:, 0]).transform(x)
        assert features.dtype == ("uint8" if codes else expected)


def test_search_inside_a_pool():
    model = make_pipeline(
        StandardScaler(),
        LeverageSampler(pool=FourierSampler(n_components=200), n_components=50, random_state=0),
        RidgeClassifier(),
    )
    grid = {"leveragesampler__pool__gamma": [0.001, 10.0]}
    search = GridSearchCV(model, grid, cv=2).fit(DIGITS, LABELS)
    # At 10 no two digits are near each other.
    assert search.best_params_ == {"leveragesampler__pool__gamma": 0.001}


def test_hamming_distance_is_one_less_the_similarity():
    hasher = MaxoutHasher(n_components=64, random_state=0)
    codes = hasher.fit_transform(X)
    distance, index = NearestNeighbors(metric="hamming").fit(codes).kneighbors(codes)
    similarity = hasher.map_.similarity(codes)
    assert np.allclose(distance, 1 - np.take_along_axis(similarity, index, axis=1), atol=1e-12)
