"""The experiments on leverage and on weights: splits, floors and ratios."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments._results import Results
from mehler.proofs_checks.experiments._rows import Problem, gammas_of, split
from mehler.proofs_checks.experiments.leverage import controls
from mehler.proofs_checks.experiments.leverage._methods import (
    METHODS,
    RIDGES,
    chosen,
    exact,
    on_features,
    overall,
)
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

from mehler import FourierFeatures


def toy(n=260, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)) * [1.0, 10.0, 0.0]
    return Problem(X, np.sin(X[:, 0]) + 0.1 * rng.standard_normal(n), False)


def test_parts_do_not_overlap_and_are_standardised_by_the_first() -> None:
    problem = toy()
    marked = Problem(np.arange(260.0)[:, None], problem.y, False)
    parts = split(marked, 100, 50, 3)
    mean, deviation = 0.0, 1.0
    rows = [part[0][:, 0] for part in (parts.fit, parts.choose, parts.test)]
    assert [len(r) for r in rows] == [100, 50, 50]
    assert len(np.unique(np.concatenate(rows))) == 200
    assert rows[0].mean() == pytest.approx(mean, abs=1e-12)
    assert rows[0].std() == pytest.approx(deviation)
    # A column without variance is not divided by 0.
    assert np.isfinite(split(problem, 100, 50, 3).fit[0]).all()


def test_exact_floor_is_scikit_learns_kernel_ridge() -> None:
    # No power of ten rows: N times the grid of ridges would be the grid again, shifted.
    parts = split(toy(), 130, 50, 0)
    gamma = gammas_of(parts.fit[0], 3)[1]
    y = parts.fit[1]
    errors = []
    for ridge in RIDGES:
        model = KernelRidge(kernel="rbf", gamma=gamma, alpha=len(y) * ridge)
        model.fit(parts.fit[0], y - y.mean())
        errors.append(
            tuple(
                np.mean((model.predict(p[0]) + y.mean() - p[1]) ** 2)
                for p in (parts.choose, parts.test)
            )
        )
    assert exact(parts, gamma) == pytest.approx(min(errors), rel=1e-6)


def test_errors_on_features_are_those_of_scikit_learns_ridge() -> None:
    # No power of ten rows: N times the grid of ridges would be the grid again, shifted.
    parts = split(toy(), 130, 50, 0)
    phi = FourierFeatures.draw(3, 40, gamma=0.3, form="offset", seed=0, dtype="float64")
    errors = []
    for ridge in RIDGES:
        model = Ridge(alpha=130 * ridge, solver="svd").fit(phi(parts.fit[0]), parts.fit[1])
        errors.append(
            tuple(
                np.mean((model.predict(phi(p[0])) - p[1]) ** 2) for p in (parts.choose, parts.test)
            )
        )
    assert on_features(parts, phi) == pytest.approx(min(errors), rel=1e-6)


@pytest.mark.parametrize("ratio", [0.9, 1.0, 1.1])
def test_the_ratio_to_plain_sampling_is_geometric_with_an_interval_over_draws(ratio) -> None:
    rng = np.random.default_rng(0)
    noise = np.exp(0.01 * rng.standard_normal(10))
    cells = [({"M": 10, "draw": k}, {"a": ratio * noise[k], "b": 1.0}) for k in range(10)]
    # Another setting of each draw, with the inverse ratio, takes it back.
    back = [({"M": 20, "draw": k}, {"a": 1.0, "b": ratio}) for k in range(10)]
    (row,) = overall(Results(cells), {"A": "a"}, "b")
    assert row["ratio"] == f"{ratio * np.exp(np.mean(np.log(noise))):.3f}"
    low, high = map(float, row["99 %"].split(" to "))
    assert low < ratio < high < low + 0.05
    (row,) = overall(Results([*cells, *back]), {"A": "a"}, "b")
    assert float(row["ratio"]) == pytest.approx(1.0, abs=0.01)
    (row,) = overall(Results(cells[:1]), {"A": "a"}, "b")
    assert row["99 %"] == "0 to inf"


def test_ties_of_validation_errors_are_not_broken_by_test_errors(monkeypatch) -> None:
    assert chosen([(0.2, 0.0), (0.1, 0.9), (0.1, 0.3)]) == (0.1, 0.9)
    # All candidates alike by validation, later ones better on the test part: the planted leak.
    errors = iter(np.linspace(0.9, 0.1, 1000).tolist())
    tried: dict[str, list[float]] = {}

    def on_pool(parts, method, m, gamma, lam, seed):
        tried.setdefault(method, []).append(next(errors))
        return 0.25, tried[method][-1]

    monkeypatch.setattr(controls, "on_pool", on_pool)
    floors = []

    def exact(parts, gamma):
        floors.append(next(errors))
        return 0.25, floors[-1]

    monkeypatch.setattr(controls, "exact", exact)
    problems = controls.EXPERIMENT.prepare("quick", None)
    cell = controls.EXPERIMENT.cell(controls.cells("quick")[0], 0)
    measured = controls.measure("quick", problems, cell)
    assert measured["exact"] == floors[0]
    for method in METHODS:
        assert measured[f"{method}, tuned"] == measured[f"{method}, fixed"] == tried[method][0]
    # Ten draws follow the one of the comparison.
    assert measured["best of 10 plain, tuned"] == tried["plain"][len(floors)]
