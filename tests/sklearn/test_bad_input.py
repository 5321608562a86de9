"""What is refused, by a message that says what to do."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from mehler.sklearn import (
    FourierSampler,
    InvariantSampler,
    KitchenSinkSampler,
    LeverageSampler,
    MaxoutSampler,
    RandomFeatureRidge,
    RandomFeatureRidgeClassifier,
)
from tests.sklearn._estimators import RIDGES, SAMPLERS, name_of

X = np.random.default_rng(5).standard_normal((12, 5))


@pytest.mark.parametrize(
    ("sampler", "error", "words"),
    [
        (MaxoutSampler(n_components=0), ValueError, "n_components"),
        (MaxoutSampler(n_components=2.5), TypeError, "n_components"),
        (MaxoutSampler(pool_size=0), ValueError, "pool_size"),
        (FourierSampler(kernel="gaussian"), ValueError, "'rbf', 'laplacian', 'matern'"),
        (FourierSampler(gamma=-1.0), ValueError, "gamma=.* must be positive"),
        (FourierSampler(gamma="auto"), ValueError, "a number above 0 or 'scale'"),
        (FourierSampler(gamma=1.0, length_scale=1.0), ValueError, "leave one at None"),
        (FourierSampler(length_scale=0.0), ValueError, "length_scale=0.0 must be"),
        (FourierSampler(length_scale="scale"), TypeError, "length_scale=.scale. must be"),
        (FourierSampler(kernel="matern", gamma=1.0), ValueError, "has no gamma"),
        (FourierSampler(nu=1.5), ValueError, "has no nu"),
        (FourierSampler(kernel="laplacian", length_scale=1.0), ValueError, "no length_scale"),
        (FourierSampler(form="both"), ValueError, "'auto', 'pairs', 'offset'"),
        (KitchenSinkSampler(activation="swish"), ValueError, "swish"),
        (InvariantSampler(window="auto"), TypeError, "window='auto'"),
        (LeverageSampler(selection="best"), ValueError, "selection='best' is not one of"),
        (LeverageSampler(pool="fourier"), TypeError, "pool must be a sampler"),
        (LeverageSampler(pool=MaxoutSampler(n_components=5)), ValueError, "larger pool"),
        (LeverageSampler(lam=0.0), ValueError, "lam"),
    ],
    ids=lambda one: name_of(one) if hasattr(one, "fit") else None,
)
def test_parameters(sampler, error, words):
    with pytest.raises(error, match=words):
        sampler.fit(X)
    assert not hasattr(sampler, "map_")


@pytest.mark.parametrize("estimator", RIDGES, ids=name_of)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y: np.ma.masked_less(y, 1), "y is a masked array"),
        (lambda y: y + 1j, "[Cc]omplex"),
        (lambda y: np.where(y == y[0], np.nan, y), "NaN"),
    ],
)
def test_targets_that_are_no_real_numbers(estimator, change, message):
    y = (X[:, 0] > 0).astype(float) + 0.0
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, change(y))


@pytest.mark.parametrize("estimator", SAMPLERS, ids=name_of)
def test_rows_that_are_no_real_numbers(estimator):
    for rows, message in [
        (np.ma.masked_less(X, 0), "X is a masked array"),
        (np.ma.masked_array(X), "X is a masked array"),
        (X + 1j, "Complex data not supported"),
        (np.where(X == X[0, 0], np.nan, X), "NaN"),
        (scipy.sparse.csr_array(np.where(X == X[0, 0], np.nan, X)), "NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            clone(estimator).fit(rows, X[:, 0])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1.0, -1.0] + [1.0] * 8, "[Nn]egative"),
        ([1.0] * 3, "inconsistent|shape"),
        (np.zeros(10), "sample_weight is 0 on all rows|at least one non-zero"),
        (np.full(10, np.nan), "NaN"),
        (np.ma.masked_less(np.arange(10.0), 3), "sample_weight is a masked array"),
    ],
)
def test_weights_that_are_none(value, message):
    x = np.random.default_rng(0).standard_normal((10, 3))
    for model in (RandomFeatureRidge(), RandomFeatureRidgeClassifier()):
        with pytest.raises(ValueError, match=message):
            model.fit(x, np.arange(10) % 2, sample_weight=value)


@pytest.mark.parametrize("value", [{0: -1.0}, {0: "heavy"}, "even", 3])
def test_class_weights_that_are_none(value):
    x = np.random.default_rng(0).standard_normal((10, 3))
    with pytest.raises(ValueError, match="class_weight="):
        RandomFeatureRidgeClassifier(class_weight=value).fit(x, np.arange(10) % 2)


def test_a_failed_fit_leaves_nothing_fitted():
    sampler = MaxoutSampler(pool_size=0)
    with pytest.raises(ValueError, match="pool_size"):
        sampler.fit(X)
    with pytest.raises(NotFittedError):
        sampler.transform(X)


def test_selections_by_labels_are_not_here():
    with pytest.raises(ValueError, match="selection='eerf' is not one of 'leverage', 'plain'"):
        LeverageSampler(n_components=4, selection="eerf").fit(X)


MISSING = "import sys; sys.modules[{!r}] = None; import mehler.sklearn"


@pytest.mark.parametrize("module", ["sklearn", "sklearn.utils.validation"])
def test_scikit_learn_that_is_missing(module):
    done = subprocess.run(
        [sys.executable, "-c", MISSING.format(module)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert 'pip install ".[sklearn]"' in done.stderr


DATES = pd.date_range("2020-01-01", periods=len(X))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            pd.DataFrame(X).assign(when=DATES),
            r"datetime64.* in column 'when', .*timedelta64\(1, 'D'\)",
        ),
        (pd.DataFrame({"when": DATES, "how": X[:, 0]}), "datetime64"),
        (pd.DataFrame({"when": DATES.tz_localize("UTC")}), "UTC"),
        (pd.DataFrame({"for": DATES - DATES[0]}), "timedelta64"),
        (np.array(DATES)[:, None], "datetime64"),
    ],
)
@pytest.mark.parametrize("estimator", [FourierSampler(), RandomFeatureRidge()], ids=name_of)
def test_dates_are_refused(estimator, rows, words):
    with pytest.raises(TypeError, match=words):
        estimator.fit(rows, X[:, 0])


def test_dates_as_targets_are_refused():
    with pytest.raises(TypeError, match="y holds datetime64"):
        RandomFeatureRidge().fit(X, np.array(DATES))


def test_parameters_without_a_name_are_refused():
    with pytest.raises(TypeError, match="takes 1 positional argument but 2"):
        FourierSampler(100)
