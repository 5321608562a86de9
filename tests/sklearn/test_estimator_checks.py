"""scikit-learn's own checks of estimators, whole; for devices too, where there are any."""

from __future__ import annotations

import importlib.util

import pytest
from array_api_strict import ArrayAPIStrictFlags
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.sklearn._estimators import RIDGES, SAMPLERS, name_of

# Libraries and devices that this project does not run on.
FOREIGN = {"dpnp", "mps", "xpu"}
GPU = {"cuda", "cupy"}


def places_of(check):
    """Names of libraries and devices that a check of array API dispatch runs on."""
    named = getattr(check, "keywords", {})
    pairs = [
        (named.get("array_namespace"), named.get("device_name")),
        *(named[key] for key in ("X_ns_and_device", "other_ns_and_device") if key in named),
    ]
    return {name for pair in pairs for name in pair if name}


def collected(estimators):
    """Every check; those of GPUs with their mark, and none for what cannot be here at all."""
    kept = []
    for param in parametrize_with_checks(estimators).args[1]:
        estimator, check = getattr(param, "values", param)
        places = places_of(check)
        absent = "torch" in places and importlib.util.find_spec("torch") is None
        if places & FOREIGN or absent:
            continue
        marks = [pytest.mark.gpu] if places & GPU else []
        kept.append(pytest.param(estimator, check, marks=marks))
    return kept


def identity(value):
    return estimator_checks._get_check_estimator_ids(value)


@pytest.mark.parametrize(("estimator", "check"), collected(SAMPLERS + RIDGES), ids=identity)
@pytest.mark.sampled(10)  # `test_check_estimator` runs them all by default, in one process
def test_scikit_learn_accepts_it(estimator, check, monkeypatch):
    # scikit-learn dispatches only where SciPy was told that it may.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    # Its own scores look for distinct labels, which our maps must live without.
    with ArrayAPIStrictFlags(boolean_indexing=True, data_dependent_shapes=True):
        check(estimator)


@pytest.mark.parametrize("estimator", [SAMPLERS[0], RIDGES[0]], ids=name_of)
def test_only_places_are_left_out(estimator):
    every = [getattr(p, "values", p)[1] for p in parametrize_with_checks([estimator]).args[1]]
    here = {identity(param.values[1]) for param in collected([estimator])}
    assert len(here) > 40
    always = {"numpy", "array_api_strict", "CPU_DEVICE", "device1"}
    assert all(places_of(check) - always for check in every if identity(check) not in here)


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
