"""Rows as RBFSampler takes them: frames of pandas and polars, lists; names in and out."""

from __future__ import annotations

import importlib
import importlib.util

import numpy as np
import pytest
from sklearn.base import clone

from tests.sklearn._estimators import RIDGES, SAMPLERS, name_of

X = np.random.default_rng(0).standard_normal((12, 4))
Y = (X[:, 0] > 0).astype(int)
NAMES = ["a", "b", "c", "d"]
LIBRARIES = [name for name in ("pandas", "polars") if importlib.util.find_spec(name)]


@pytest.fixture(params=LIBRARIES)
def frame(request):
    library = importlib.import_module(request.param)
    return library.DataFrame(dict(zip(NAMES, X.T)))


@pytest.mark.parametrize("estimator", SAMPLERS, ids=name_of)
def test_samplers_take_frames_and_lists(estimator, frame):
    fitted = clone(estimator).set_params(random_state=0).fit(frame, Y)
    plain = clone(estimator).set_params(random_state=0).fit(X.tolist(), Y.tolist())
    np.testing.assert_array_equal(fitted.transform(frame), plain.transform(X))
    assert fitted.n_features_in_ == 4
    assert fitted.feature_names_in_.tolist() == NAMES
    kind = type(frame).__module__.split(".")[0]
    out = fitted.set_output(transform=kind).transform(frame)
    assert type(out) is type(frame)
    assert list(out.columns) == fitted.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(frame[NAMES[::-1]])


@pytest.mark.parametrize("estimator", RIDGES, ids=name_of)
def test_ridges_take_frames_with_weights(estimator, frame):
    weights = np.arange(1.0, 13.0)
    column = type(frame)({"y": Y})["y"]
    fitted = clone(estimator).set_params(random_state=0)
    fitted.fit(frame, column, sample_weight=type(frame)({"w": weights})["w"])
    plain = clone(estimator).set_params(random_state=0).fit(X, Y, sample_weight=weights)
    np.testing.assert_array_equal(fitted.predict(frame), plain.predict(X))
    assert fitted.feature_names_in_.tolist() == NAMES
