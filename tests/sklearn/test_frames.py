"""Rows as RBFSampler takes them: frames of pandas and polars, lists; names in and out."""

import importlib
import importlib.util

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import estimator_checks

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


# scikit-learn runs these on its own estimators only.
OUTPUTS = [
    estimator_checks.check_set_output_transform,
    estimator_checks.check_set_output_transform_pandas,
    estimator_checks.check_global_output_transform_pandas,
    estimator_checks.check_transformer_get_feature_names_out,
    estimator_checks.check_transformer_get_feature_names_out_pandas,
    estimator_checks.check_get_feature_names_out_error,
    estimator_checks.check_dataframe_column_names_consistency,
]


# They fit on a frame and transform an array, or the other way, to see that both give the same.
@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names")
@pytest.mark.parametrize("check", OUTPUTS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("estimator", SAMPLERS, ids=name_of)
def test_names_and_data_frames(estimator, check):
    check(type(estimator).__name__, estimator)
