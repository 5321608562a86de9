"""What is refused, by a message that says what to do."""

import inspect
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.exceptions import NotFittedError

import mehler.sklearn
from mehler.sklearn import (
    FourierSampler,
    InvariantSampler,
    KitchenSinkSampler,
    LeverageSampler,
    MaxoutHasher,
    MaxoutSampler,
    RandomFeatureRidge,
    RandomFeatureRidgeClassifier,
)

X = np.random.default_rng(5).standard_normal((12, 5))
Y = np.arange(12.0) % 2
DATES = pd.date_range("2020-01-01", periods=len(X))
NORTH = np.full(len(X), "north")
ESTIMATORS = [getattr(mehler.sklearn, name) for name in mehler.sklearn.__all__]
BOTH = RandomFeatureRidge, RandomFeatureRidgeClassifier
# An estimator, what is wrong of its parameters or of its rows, targets and weights, and the words.
REFUSED = [
    (MaxoutSampler, {"n_components": 0}, ValueError, "n_components"),
    (MaxoutSampler, {"n_components": 2.5}, TypeError, "n_components"),
    (MaxoutSampler, {"pool_size": 0}, ValueError, "pool_size"),
    *(
        (MaxoutSampler, {"random_state": s}, ValueError, "random_state")
        for s in (-1, "0", 1.5, True, -(10**5000))
    ),
    (MaxoutSampler, {"random_state": 10**5000}, ValueError, "number of about 5000 digits"),
    (FourierSampler, {"kernel": "gaussian"}, ValueError, "'rbf', 'laplacian', 'matern'"),
    (FourierSampler, {"gamma": -1.0}, ValueError, "gamma=.* must be positive"),
    (FourierSampler, {"gamma": "auto"}, ValueError, "a number above 0 or 'scale'"),
    (FourierSampler, {"gamma": 1.0, "length_scale": 1.0}, ValueError, "leave one at None"),
    (FourierSampler, {"length_scale": 0.0}, ValueError, "length_scale=0.0 must be"),
    (FourierSampler, {"length_scale": 1e-200}, ValueError, "length_scale"),
    (FourierSampler, {"length_scale": 1e200}, ValueError, "length_scale"),
    (FourierSampler, {"length_scale": "scale"}, TypeError, "length_scale=.scale. must be"),
    *(
        (FourierSampler, {"kernel": kernel, "length_scale": value}, TypeError, "must be a real num")
        for kernel in ("rbf", "matern")
        for value in ([1.0, 2.0, 3.0, 4.0], np.ones(4), np.ones((1, 1)))
    ),
    (FourierSampler, {"gamma": [1.0, 2.0]}, TypeError, "gamma=.* must be a"),
    (FourierSampler, {"gamma": np.ones(4)}, TypeError, "gamma=.* must be a"),
    (FourierSampler, {"kernel": "matern", "gamma": 1.0}, ValueError, "has no gamma"),
    (FourierSampler, {"nu": 1.5}, ValueError, "has no nu"),
    (FourierSampler, {"kernel": "laplacian", "length_scale": 1.0}, ValueError, "no length_scale"),
    (FourierSampler, {"form": "both"}, ValueError, "'auto', 'pairs', 'offset'"),
    (KitchenSinkSampler, {"activation": "swish"}, ValueError, "swish"),
    (InvariantSampler, {"window": "auto"}, TypeError, "window='auto'"),
    (InvariantSampler, {"templates": X}, ValueError, "templates=.* is not one of 'sphere'"),
    (LeverageSampler, {"selection": "eerf"}, ValueError, "selection='eerf' is not one of 'lever"),
    (LeverageSampler, {"pool": "fourier"}, TypeError, "pool must be a sampler"),
    (LeverageSampler, {"pool": MaxoutSampler(n_components=5)}, ValueError, "larger pool"),
    (LeverageSampler, {"lam": 0.0}, ValueError, "lam"),
    *(
        (kind, *case)
        for kind in BOTH
        for case in (
            ({"lambdas": 0.0}, ValueError, "lambdas=0.0 must be"),
            ({"lambdas": ()}, ValueError, "lambdas is empty"),
            ({"lambdas": "auto"}, TypeError, "lambdas='auto'"),
            ({"features": "maxout"}, TypeError, "features must be a sampler of mehler.sklearn"),
            ({"features": MaxoutHasher()}, TypeError, "codes"),
            ({"random_state": "0"}, ValueError, "random_state='0'"),
            ({"fit_intercept": 1}, TypeError, "fit_intercept=1 must be True or False"),
            ({"cv": 1}, ValueError, "n_splits=1"),
            ({"cv": "half"}, ValueError, "cv"),
            ({"cv": True}, TypeError, "cv=True must be an integer"),
            ({"cv": np.float32(4)}, TypeError, "cv=.*4.0.* must be an integer"),
            ({"cv": iter(())}, ValueError, "gives no splits"),
            ({"cv": [(np.arange(12), np.array([40]))]}, IndexError, "40"),
        )
    ),
    (RandomFeatureRidgeClassifier, {"scoring": "accuracy"}, ValueError, "='accuracy' is not"),
    *(
        (RandomFeatureRidgeClassifier, {"class_weight": value}, ValueError, "class_weight=")
        for value in ({0: -1.0}, {0: "heavy"}, "even", 3)
    ),
    # Targets.
    *(
        (kind, {"y": y}, ValueError, words)
        for kind in BOTH
        for y, words in (
            (np.ma.masked_less(Y, 1), "y is a masked array"),
            (Y + 1j, "[Cc]omplex"),
            (np.where(Y == 0, np.nan, Y), "NaN"),
        )
    ),
    (RandomFeatureRidgeClassifier, {"y": NORTH}, ValueError, "only one class, 'north':"),
    (RandomFeatureRidge, {"X": X[:1], "y": Y[:1]}, ValueError, "minimum of 2 is required"),
    (RandomFeatureRidge, {"y": NORTH}, TypeError, "^y must hold real numbers"),
    # Weights.
    *(
        (kind, {"sample_weight": value}, error, words)
        for kind in BOTH
        for value, error, words in (
            ([1.0, -1.0] + [1.0] * 10, ValueError, "[Nn]egative"),
            ([1.0] * 3, ValueError, "inconsistent|shape"),
            (np.zeros(12), ValueError, "sample_weight is 0 on all rows|at least one non-zero"),
            (np.full(12, np.nan), ValueError, "NaN"),
            (np.ma.masked_less(np.arange(12.0), 3), ValueError, "sample_weight is a masked array"),
            ("2", TypeError, "sample_weight='2' must be a real number"),
            (True, TypeError, "sample_weight=True must be a real number"),
        )
    ),
    # Dates.
    *(
        (kind, {"X": rows}, TypeError, words)
        for kind in (FourierSampler, RandomFeatureRidge)
        for rows, words in (
            (
                pd.DataFrame(X).assign(when=DATES),
                r"datetime64.* in column 'when', .*timedelta64\(1, 'D'\)",
            ),
            (pd.DataFrame({"when": DATES, "how": X[:, 0]}), "datetime64"),
            (pd.DataFrame({"when": DATES.tz_localize("UTC")}), "UTC"),
            (pd.DataFrame({"for": DATES - DATES[0]}), "timedelta64"),
            (np.array(DATES)[:, None], "datetime64"),
        )
    ),
    (RandomFeatureRidge, {"y": np.array(DATES)}, TypeError, "y holds datetime64"),
]
OF_FIT = ("X", "y", "sample_weight")


@pytest.mark.parametrize(("kind", "arguments", "error", "words"), REFUSED)
def test_what_is_wrong_is_refused_and_nothing_is_fitted(kind, arguments, error, words):
    data = {"X": X, "y": Y} | {name: arguments[name] for name in OF_FIT if name in arguments}
    estimator = kind(**{name: x for name, x in arguments.items() if name not in OF_FIT})
    with pytest.raises(error, match=words):
        estimator.fit(**data)
    assert not hasattr(estimator, "map_")
    assert not hasattr(estimator, "coef_")
    with pytest.raises(NotFittedError):
        (estimator.predict if hasattr(estimator, "predict") else estimator.transform)(X)


def test_what_is_assumed_finite_is_not_looked_at():
    sampler = MaxoutSampler(n_components=10, random_state=0).fit(X)
    bad = np.where(np.arange(12)[:, None] == 2, np.nan, X)
    with pytest.raises(ValueError, match="NaN"):
        sampler.transform(bad)
    with sklearn.config_context(assume_finite=True):
        z = sampler.transform(bad)
    good = np.arange(12) != 2
    assert np.array_equal(z[good], sampler.transform(X)[good])


MISSING = "import sys; sys.modules[{!r}] = None; import mehler.sklearn"


@pytest.mark.parametrize("module", ["sklearn", "sklearn.utils.validation"])
def test_scikit_learn_that_is_missing(module):
    done = subprocess.run(
        [sys.executable, "-c", MISSING.format(module)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert 'pip install ".[sklearn]"' in done.stderr


def test_parameters_without_a_name_are_refused():
    with pytest.raises(TypeError, match="takes 1 positional argument but 2"):
        FourierSampler(100)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_a_wrong_keyword_is_answered_by_the_right_ones(kind):
    names = list(inspect.signature(kind).parameters)
    for name in names:
        wrong = name + "_"
        listed = f"{kind.__name__} has no argument {wrong}: it takes {', '.join(names)}"
        with pytest.raises(TypeError, match=f"^{listed}; {name} is the nearest$"):
            kind(**{wrong: 1})
    assert set(kind._get_param_names()) == set(names)
