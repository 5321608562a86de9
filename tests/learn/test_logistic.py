"""Multinomial logistic regression, against scikit-learn's and against its own certificate."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression

import mehler
from mehler import _arrays, learn
from tests.places import CPU


def problem(n=150, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    scores = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2], 0.3 * X[:, 1]], axis=1)[:, :classes]
    return X, (scores + 0.5 * rng.gumbel(size=scores.shape)).argmax(axis=1)


def phi(**options):
    given = options or {"dtype": "float64"}
    return mehler.MaxoutFeatures.draw(3, 25, 3, seed=0, **given)


def objective(W, b, Z, y, lam):
    values = Z @ W + b
    return np.mean(logsumexp(values, axis=1) - values[range(len(y)), y]) + lam * np.sum(W**2)


@pytest.mark.parametrize("intercept", [True, False])
def test_probabilities_are_those_of_scikit_learn(intercept) -> None:
    X, y = problem()
    lam = 1e-3
    ours = learn.logistic(phi(), X, y, lam=lam, intercept=intercept, tolerance=1e-7)
    assert ours.converged
    # Second route: scikit-learn's own solver on the features held whole.
    theirs = LogisticRegression(
        C=1 / (2 * lam * len(X)), fit_intercept=intercept, tol=1e-10, max_iter=10_000
    ).fit(phi()(X), y)
    expected = theirs.predict_log_proba(phi()(X))
    np.testing.assert_allclose(ours.predict_log_proba(X), expected, atol=1e-5)
    assert np.array_equal(ours.predict(X), theirs.predict(phi()(X)))


def test_objective_is_the_formula_and_its_minimum() -> None:
    X, y = problem()
    fit = learn.logistic(phi(), X, y, lam=1e-2, tolerance=1e-8)
    Z = phi()(X)
    assert fit.objective == pytest.approx(
        objective(fit.weights, fit.intercept, Z, y, 1e-2), rel=1e-12
    )

    def flat(v):
        parts = v.reshape(26, 3)
        return objective(parts[:25], parts[25], Z, y, 1e-2)

    found = minimize(flat, np.zeros(78), method="BFGS", options={"gtol": 1e-6, "maxiter": 2000})
    # Slopes of 1e-5, for differences round, leave 78 * 1e-10 / (4 * 1e-2) of a convex function.
    assert fit.objective <= found.fun + 1e-9
    assert found.fun <= fit.objective + 1e-6


def test_the_gap_bounds_what_a_short_run_misses() -> None:
    X, y = problem()
    best = learn.logistic(phi(), X, y, lam=1e-2, intercept=False, tolerance=1e-10)
    for steps in (1, 3, 10):
        short = learn.logistic(phi(), X, y, lam=1e-2, intercept=False, max_iterations=steps)
        assert not short.converged
        assert 0 < short.objective - best.objective <= short.gap


def test_gradient_is_that_of_differences() -> None:
    # The planted defects (penalty not doubled, mean over rows forgotten) change it by percents.
    from mehler.learn._logistic._logistic import _Objective

    X, y = problem(40)
    codes, _ = learn.one_vs_all(y)
    for intercept in (True, False):
        whole = _Objective(phi(), X, codes, 0.3, intercept)
        at = np.random.default_rng(1).standard_normal((25 + intercept) * 3)
        _, gradient = whole(at)
        step = 1e-5
        for k in range(0, len(at), 11):
            move = step * np.eye(len(at))[k]
            slope = (whole(at + move)[0] - whole(at - move)[0]) / (2 * step)
            assert gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("place", [p for p in CPU if not p.jit], ids=lambda p: p.name)
@pytest.mark.sampled(3)
def test_every_place_gives_the_same(place) -> None:
    X, y = problem()
    expected = learn.logistic(phi(), X, y, lam=1e-2)
    rows = place.asarray(X.astype(np.float32))
    labels = place.asarray(y.astype(np.int32)[:, None])[:, 0]
    fit = learn.logistic(phi(like=rows), rows, labels, lam=1e-2)
    assert fit.converged
    found = fit.predict_log_proba(rows)
    assert _arrays.array_namespace(found) is _arrays.array_namespace(rows)
    assert _arrays.dtype_name(found.dtype) == "float32"
    np.testing.assert_allclose(_arrays.to_host(found), expected.predict_log_proba(X), atol=1e-3)
    agree = _arrays.to_host(fit.predict(rows)) == expected.predict(X)
    assert agree.mean() > 0.98


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lam": 0.0}, "lam=0.0 must be positive"),
        ({"lam": 1.0, "tolerance": 0.0}, "tolerance=0.0 must be positive and finite"),
        ({"lam": 1.0, "tolerance": np.nan}, "tolerance=nan must be positive and finite"),
        ({"lam": 1.0, "tolerance": True}, "tolerance=True must be a real number"),
        ({"lam": [1.0, 2.0]}, r"lam=\[1.0, 2.0\] must be a real number"),
        ({"lam": "1"}, "lam='1' must be a real number"),
        ({"lam": 1.0, "intercept": 2}, "intercept=2 must be True or False"),
        ({"lam": 1.0, "max_iterations": 0}, "max_iterations=0 must be at least 1"),
    ],
)
def test_bad_options_are_refused(options, message) -> None:
    X, y = problem()
    with pytest.raises((TypeError, ValueError), match=message):
        learn.logistic(phi(), X, y, **options)


def test_bad_rows_and_labels_are_refused() -> None:
    X, y = problem()
    with pytest.raises(ValueError, match="labels hold one class"):
        learn.logistic(phi(), X, np.zeros(len(X), dtype=int), lam=1.0)
    with pytest.raises(ValueError, match="149 rows"):
        learn.logistic(phi(), X, y[:-1], lam=1.0)
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="inf"):
        learn.logistic(phi(), X, y, lam=1.0)


NAMES = np.array(["ash", "birch", "elm"])


@pytest.mark.parametrize("place", [p for p in CPU if not p.jit], ids=lambda p: p.name)
def test_labels_of_the_host_go_with_rows_of_any_place(place) -> None:
    """Strings too, which no other library has."""
    X, y = problem()
    rows = place.asarray(X, "float32")
    here = phi(like=rows, dtype="float32")
    fit = learn.logistic(here, rows, NAMES[y], lam=1e-2)
    beside = learn.logistic(here, rows, place.asarray(y[:, None], "int32")[:, 0], lam=1e-2)
    assert fit.classes.tolist() == NAMES.tolist()
    assert fit.objective == beside.objective
    found, expected = fit.predict(rows), NAMES[np.asarray(_arrays.to_host(beside.predict(rows)))]
    assert np.array_equal(_arrays.to_host(found), expected)


def test_codes_of_names_are_made_where_the_rows_are() -> None:
    for place in CPU:
        rows = place.asarray(np.ones((4, 2)), "float32")
        codes, classes = learn.one_vs_all(NAMES[[0, 2, 2, 0]], like=rows)
        assert _arrays.array_namespace(codes) is _arrays.array_namespace(rows)
        assert _arrays.to_host(codes).tolist() == [[1, -1], [-1, 1], [-1, 1], [1, -1]]
        assert classes.tolist() == ["ash", "elm"]


def test_labels_that_live_elsewhere_are_not_moved() -> None:
    xp = pytest.importorskip("array_api_strict")
    labels = xp.asarray([0, 1])
    with pytest.raises(
        TypeError, match=r"like=.* places NumPy labels, and labels are of array_api"
    ):
        learn.one_vs_all(labels, like=np)
