"""Exact risks of averaged predictors: by their definitions, by draws, and at their limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler.bounds import group_invariant as bounds
from mehler.features import groups

AVERAGES = ("none", "after", "before")
GROUP = groups.CyclicShifts(5)
ROWS = np.random.default_rng(3).standard_normal((7, 5))
RIDGE = 0.03


def kernel(X, Y):
    return np.exp(-((X[:, None] - Y[None]) ** 2).sum(axis=2) / 7)


def moved(X=ROWS):
    return np.stack([kernel(X, move(X)) for move in GROUP.actions])


def smoother(average):
    """Targets to values at all g x_j, by fitting each unit vector of targets."""
    orbit = np.concatenate([np.asarray(move(ROWS)) for move in GROUP.actions])
    size = len(ROWS)
    if average == "before":
        # All images, each with the target of its row.
        weights = np.linalg.inv(kernel(orbit, orbit) + len(orbit) * RIDGE * np.eye(len(orbit)))
        return kernel(orbit, orbit) @ weights @ np.tile(np.eye(size), (GROUP.order, 1))
    plain = kernel(orbit, ROWS) @ np.linalg.inv(kernel(ROWS, ROWS) + size * RIDGE * np.eye(size))
    if average == "none":
        return plain
    return np.tile(plain.reshape(GROUP.order, size, size).mean(axis=0), (GROUP.order, 1))


@pytest.mark.parametrize("average", AVERAGES)
def test_risk_by_the_definition_of_each_predictor(average):
    f = np.sin(ROWS.sum(axis=1))
    S = smoother(average)
    result = bounds.ridge_excess_risk(moved(), ridge=RIDGE, noise=0.7, target=f, average=average)
    assert result["bias"] == pytest.approx(np.mean((S @ f - np.tile(f, 5)) ** 2), rel=1e-9)
    assert result["variance"] == pytest.approx(0.49 * np.sum(S**2) / len(S), rel=1e-9)
    assert result.probability == 1
    assert not result.unmet


@pytest.mark.parametrize("average", AVERAGES)
def test_the_norm_is_for_the_worst_invariant_target(average):
    """No target of the norm has more bias, and one has as much, to which powers converge."""
    grams = moved()
    setting = {"ridge": RIDGE, "noise": 0.0, "average": average}
    worst = bounds.ridge_excess_risk(grams, norm=2.0, **setting).value
    root = np.linalg.cholesky(grams.mean(axis=0))
    away = smoother(average) - np.tile(np.eye(7), (5, 1))
    v = np.random.default_rng(0).standard_normal(7)
    for _ in range(2000):
        v = root.T @ (away.T @ (away @ (root @ v)))
        v *= 2 / np.linalg.norm(v)
        bias = bounds.ridge_excess_risk(grams, target=root @ v, **setting).value
        assert bias <= worst * (1 + 1e-9)
    assert bias == pytest.approx(worst, rel=1e-6)


def test_averaging_never_loses_and_whole_orbits_agree():
    setting = {"ridge": RIDGE, "noise": 1.0, "norm": 1.0}
    free, tied = (bounds.ridge_excess_risk(moved(), average=a, **setting) for a in AVERAGES[:2])
    assert tied["bias"] < free["bias"]
    assert tied["variance"] < free["variance"]
    whole = moved(np.concatenate([np.asarray(move(ROWS[:3])) for move in GROUP.actions]))
    setting["ridge"] = 1e-9
    risks = [bounds.ridge_excess_risk(whole, average=a, **setting)["variance"] for a in AVERAGES]
    # Without a ridge the noise of a row is divided by the number of its images.
    assert risks == pytest.approx([1.0, 0.2, 0.2], rel=1e-4)


@pytest.mark.parametrize(("n", "d", "k"), [(3, 8, 2), (12, 6, 3), (6, 14, 1)])
def test_least_squares_on_gaussian_rows(n, d, k):
    """20,000 draws of the solution of least length: means within five standard errors."""
    rng = np.random.default_rng(n)
    X = rng.standard_normal((20_000, n, d))
    inverse = np.linalg.pinv(X)
    w = np.eye(d)[0]
    signal, noise = np.einsum("aij,aj->ai", inverse, X @ w) - w, inverse
    kept = np.arange(d) < k
    sample = {
        "none": (np.sum(signal**2, axis=1), np.sum(noise**2, axis=(1, 2))),
        "after": (np.sum(signal[:, kept] ** 2, axis=1), np.sum(noise[:, kept] ** 2, axis=(1, 2))),
    }
    inner = np.linalg.pinv(X[:, :, kept])
    before = np.einsum("aij,aj->ai", inner, X @ w) - w[kept]
    sample["before"] = (np.sum(before**2, axis=1), np.sum(inner**2, axis=(1, 2)))
    setting = {"n_inputs": d, "n_fixed": k, "noise": 1.0, "norm": 1.0}
    for average, columns in sample.items():
        bound = bounds.least_squares_excess_risk(n, average=average, **setting)
        for name, draws in zip(("signal", "noise"), columns, strict=True):
            if np.isfinite(bound[name]):
                error = draws.std() / math.sqrt(len(draws))
                assert abs(draws.mean() - bound[name]) <= 5 * error + 1e-12, (average, name)


def test_any_even_law_of_rows_has_the_gain_by_two_traces():
    """The identity of the page for ridge regression, at one row of the 24-cell times a length."""
    d, length, shift = 4, 1.7, 0.6
    halves = np.array(np.meshgrid(*[(-0.5, 0.5)] * 4)).reshape(4, -1).T
    X = length * np.concatenate([np.eye(4), -np.eye(4), halves])
    S = X[:, :, None] * X[:, None, :]
    Q = S @ np.linalg.inv(S + shift * np.eye(d))
    traces = d * np.mean(np.einsum("aij,aji->a", Q, Q)) - np.mean(np.einsum("aii->a", Q) ** 2)
    assert np.mean(Q[:, 0, 1] ** 2) == pytest.approx(traces / (d * (d - 1) * (d + 2)), rel=1e-12)


@pytest.mark.parametrize(("n", "d", "k"), [(41, 20, 4), (101, 50, 5)])
def test_samples_less_one_fall_by_the_share_of_invariants(n, d, k):
    setting = {"noise": 1.0, "norm": 3.0, "n_inputs": d, "n_fixed": k}
    few = 1 + (n - 1) * k // d
    with_group = bounds.least_squares_excess_risk(few, average="before", **setting).value
    assert with_group == pytest.approx(
        bounds.least_squares_excess_risk(n, **setting).value, rel=1e-12
    )


def test_limits_of_least_squares():
    setting = {"n_inputs": 6, "n_fixed": 2, "norm": 1.0}
    assert bounds.least_squares_excess_risk(6, noise=0.1, **setting).value == math.inf
    assert bounds.least_squares_excess_risk(6, noise=0.0, **setting).value == 0
    entry = {"n_inputs": 1, "n_fixed": 1, "norm": 1.0, "noise": 1.0}
    assert bounds.least_squares_excess_risk(5, average="after", **entry).value == pytest.approx(
        1 / 3
    )
    for average in AVERAGES:
        whole = bounds.least_squares_excess_risk(
            3, n_inputs=6, n_fixed=6, noise=1.0, norm=1.0, average=average
        )
        assert (
            whole.value
            == bounds.least_squares_excess_risk(3, n_inputs=6, n_fixed=6, noise=1.0, norm=1.0).value
        )


GIVEN = {"grams": moved(), "ridge": 0.1, "noise": 0.1, "norm": 1.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"grams": np.eye(3)}, "grams has shape"),
        ({"grams": moved()[1:]}, "first of grams"),
        ({"grams": moved()[:2]}, "mean of grams is not symmetric"),
        ({"grams": -moved()}, "eigenvalue below 0"),
        ({"ridge": 0.0}, "ridge"),
        ({"ridge": 1e308}, "ridge"),
        ({"grams": np.full((1, 3, 3), 1e300)}, "ridge: .* lost to rounding"),
        ({"noise": -1.0}, "noise"),
        ({"noise": 1e300}, "noise"),
        ({"norm": None}, "target"),
        ({"target": np.ones(7)}, "norm"),
        ({"norm": None, "target": np.ones(3)}, "target has shape"),
        ({"average": "during"}, "average"),
    ],
)
def test_ridge_names_what_it_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        bounds.ridge_excess_risk(**{**GIVEN, **change})


@pytest.mark.parametrize(
    "change",
    [{"n_fixed": 0}, {"n_fixed": 7}, {"noise": -1.0}, {"norm": -1.0}, {"average": "x"}],
    ids=str,
)
def test_least_squares_names_what_it_refuses(change):
    setting = {"n_inputs": 6, "n_fixed": 2, "noise": 1.0, "norm": 1.0, **change}
    with pytest.raises(ValueError, match=next(iter(change))):
        bounds.least_squares_excess_risk(3, **setting)
