"""Rows of other libraries, under scikit-learn's array API dispatch."""

import array_api_strict
import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone

from tests.sklearn._estimators import SAMPLERS, UNUSUAL, name_of

X = np.random.default_rng(5).standard_normal((12, 5))
Y = X[:, 0]


@pytest.fixture(autouse=True)
def _scipy_dispatches(monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@pytest.mark.parametrize("estimator", SAMPLERS + UNUSUAL, ids=name_of)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_features_are_those_of_the_host(estimator, dtype):
    host = X.astype(dtype)
    on_host = clone(estimator).set_params(random_state=1).fit(host, Y)
    x = array_api_strict.asarray(host, device=array_api_strict.Device("device1"))
    with config_context(array_api_dispatch=True):
        there = clone(estimator).set_params(random_state=1).fit(x, Y)
        features = there.transform(x)
        kernel = there.expected_kernel(x[:2, :], x[:1, :])
    assert features.device == x.device
    back = np.asarray(features.to_device(array_api_strict.Device("CPU_DEVICE")))
    assert back.dtype == on_host.transform(host).dtype
    # Five products in another order, at values below 20; a code or a count may differ there.
    close = np.abs(back - on_host.transform(host)) < 1e3 * np.finfo(dtype).eps
    assert np.mean(close) > 0.99
    assert kernel.shape == (2, 1)


@pytest.mark.parametrize("estimator", SAMPLERS, ids=name_of)
def test_without_dispatch_everything_is_numpy(estimator):
    x = array_api_strict.asarray(X)
    fitted = clone(estimator).set_params(random_state=1).fit(x, Y)
    assert isinstance(fitted.transform(x), np.ndarray)


def test_rows_elsewhere_are_refused():
    sampler = clone(SAMPLERS[0]).set_params(random_state=1).fit(X)
    x = array_api_strict.asarray(X)
    with config_context(array_api_dispatch=True):
        for method in (sampler.transform, sampler.expected_kernel):
            with pytest.raises(ValueError, match=r"must use the same namespace.*Fit where the"):
                method(x)
