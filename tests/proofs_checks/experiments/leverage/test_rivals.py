"""Experiments on leverage: rivals, splits, floors, ratios, and what held-out rows choose."""

import functools
import json
from pathlib import Path

import numpy as np
import pytest
from mehler.proofs_checks.experiments._results import Results
from mehler.proofs_checks.experiments._rows import Problem, gammas_of, split
from mehler.proofs_checks.experiments.leverage import _floor, adult, controls, rivals
from mehler.proofs_checks.experiments.leverage._methods import (
    METHODS,
    RIDGES,
    best_of,
    exact,
    on_features,
    overall,
)
from mehler.proofs_checks.experiments.leverage.rivals import largest_mean
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

import mehler
from mehler import FourierFeatures
from tests.features.leverage.pools import D
from tests.golden import _maps
from tests.verify.map_kinds import SCORED

# Of a pool, n_features and y.
RIVALS = {
    "top-variance": lambda pool, m, y: rivals.TopVariance(pool, m),
    "eerf": lambda pool, m, y: rivals.EERF(pool, m, y=y),
    "lkrf": lambda pool, m, y: rivals.LKRF(pool, m, y=y, rho=1.0),
    "greedy": lambda pool, m, y: rivals.Greedy(pool, m, y=y, total_weight=4.0),
}
# Features, chosen by versions before 0.4 from the same pool and rows.
GOLDEN = json.loads(Path(__file__).with_name("rivals.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", GOLDEN)
def test_the_choice_is_that_of_earlier_versions(kind) -> None:
    recipe = GOLDEN[kind]["recipe"]
    pool = mehler.FourierFeatures.draw(D, 48, gamma=0.3, form="offset", seed=26)
    psi = RIVALS[kind](pool, 12, np.sin(2 * SCORED[:, 0])).fit(SCORED)
    assert list(psi.columns) == recipe["columns"]
    np.testing.assert_allclose(psi.gains, recipe["gains"], rtol=1e-11)
    for phi in (psi, mehler.from_recipe(recipe)):
        for dtype in _maps.DTYPES:
            golden = {f"{kind}/features/float64": GOLDEN[kind]["features/float64"]}
            close = _maps.tolerance(kind, "features", dtype, golden)
            off = np.abs(phi(_maps.ROWS.astype(dtype)) - GOLDEN[kind][f"features/{dtype}"])
            assert np.all(off <= close)


@pytest.mark.parametrize("seed", range(20))
def test_conditions_of_optimality(seed):
    """On the support q = a + gamma v with one gamma >= 0, elsewhere a + gamma v <= 0."""
    rng = np.random.default_rng(seed)
    v = rng.standard_normal(25) ** 2
    q = largest_mean(v, 3.0)
    inside = q > 0
    gamma, a = np.polyfit(v[inside], q[inside], 1)
    assert gamma > 0
    assert q[inside] == pytest.approx(a + gamma * v[inside], abs=1e-12)
    assert np.all(a + gamma * v[~inside] <= 1e-12)
    assert 25 * np.sum((q - 1 / 25) ** 2) == pytest.approx(3.0, rel=1e-12)


PARTS = adult.prepare("quick", None)


def test_the_test_part_is_tested_whole_and_never_fitted() -> None:
    parts = adult.parts(*PARTS, 3)
    assert [len(part[1]) for part in (parts.fit, parts.choose, parts.test)] == [500, 100, 1197]
    assert np.array_equal(parts.test[1], PARTS[1][1])
    X = parts.fit[0]
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    varied = PARTS[0][0].std(axis=0) > 0
    assert set(np.round(X.std(axis=0), 9)) <= {0.0, 1.0}
    assert varied.sum() >= (X.std(axis=0) > 0).sum()


def test_more_choice_is_by_the_rows_held_out(monkeypatch) -> None:
    # Errors held out and on test rows are set by hand: the least held out decides, not the test.
    calls = []

    def on_features(parts, phi):
        calls.append(phi)
        error = 0.5 - 0.01 * len(calls)
        return error, 0.1 + 0.01 * len(calls)

    monkeypatch.setattr(adult, "on_features", on_features)
    result = adult.measure("quick", PARTS, adult.EXPERIMENT.cell({"M": 10, "draw": 0}, 0))
    # Three bandwidths of eleven maps each, then nine more plain draws.
    assert len(calls) == 3 * 11 + 9
    assert set(result) == set(adult.LABELS)
    # The last try of each has the least error held out, and the largest test error.
    assert result["plain"] == pytest.approx(0.1 + 0.01 * 33)
    assert result["best of 10 plain"] == pytest.approx(0.1 + 0.01 * 42)
    assert result["not so random"] == pytest.approx(0.1 + 0.01 * 32)
    assert result["LKRF (rho tuned)"] == pytest.approx(0.1 + 0.01 * 30)
    assert result["LKRF (rho = 1)"] == pytest.approx(0.1 + 0.01 * 29)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_columns", [5, 60])
def test_gradients_solve_all_ridges_to_the_stated_residual(dtype, n_columns) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((300, 4)), rng.standard_normal(300)
    exact = np.exp(-0.1 * ((x[:, None] - x[None]) ** 2).sum(axis=2))
    k = _floor.symmetric(x, 0.1, dtype)
    np.testing.assert_allclose(k, exact, atol=1e-6)
    ridges = [0.03, 0.3, 30.0]
    a = _floor.solve(k, y, ridges, n_columns, 0)
    for column, ridge in zip(a.T, ridges):
        solved = np.linalg.solve(exact + ridge * np.eye(300), y)
        # (K + mu)(a - a*) = (K - K_32)a - r, and K (K + mu)^-1 shortens.
        rounded = np.linalg.norm((exact - k) @ column)
        apart = np.linalg.norm(exact @ (column - solved))
        assert apart <= _floor.RESIDUAL * np.linalg.norm(y) + rounded + 1e-12
    np.testing.assert_allclose(_floor.predict(x, x[:7], a, 0.1), exact[:7] @ a, atol=1e-9)


RNG = np.random.default_rng(0)
INPUTS = RNG.standard_normal((260, 3)) * [1.0, 10.0, 0.0]
TOY = Problem(INPUTS, np.sin(INPUTS[:, 0]) + 0.1 * RNG.standard_normal(260), False)


def test_parts_do_not_overlap_and_are_standardised_by_the_first() -> None:
    parts = split(Problem(np.arange(260.0)[:, None], TOY.y, False), 100, 50, 3)
    rows = [part[0][:, 0] for part in (parts.fit, parts.choose, parts.test)]
    assert [len(r) for r in rows] == [100, 50, 50]
    assert len(np.unique(np.concatenate(rows))) == 200
    assert rows[0].mean() == pytest.approx(0.0, abs=1e-12)
    assert rows[0].std() == pytest.approx(1.0)
    # A column without variance is not divided by 0.
    assert np.isfinite(split(TOY, 100, 50, 3).fit[0]).all()


def test_errors_are_those_of_scikit_learns_learners() -> None:
    # No power of ten rows: N times the grid of ridges would be the grid again, shifted.
    parts = split(TOY, 130, 50, 0)
    gamma, mean = gammas_of(parts.fit[0], 3)[1], parts.fit[1].mean()
    phi = FourierFeatures.draw(3, 40, gamma=0.3, form="offset", seed=0, dtype="float64")

    def least(transform, model_of):
        errors = []
        for ridge in RIDGES:
            model = model_of(130 * ridge).fit(transform(parts.fit[0]), parts.fit[1] - mean)
            off = [model.predict(transform(X)) + mean - y for X, y in (parts.choose, parts.test)]
            errors.append(tuple(np.mean(np.square(column)) for column in off))
        return pytest.approx(min(errors), rel=1e-6)

    kernel = functools.partial(KernelRidge, kernel="rbf", gamma=gamma)
    assert exact(parts, gamma) == least(np.asarray, lambda alpha: kernel(alpha=alpha))
    assert on_features(parts, phi) == least(phi, lambda alpha: Ridge(alpha=alpha, solver="svd"))


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
    assert best_of([(0.2, 0.0), (0.1, 0.9), (0.1, 0.3)]) == (0.1, 0.9)
    # All candidates alike by validation, later ones better on the test part: the planted leak.
    errors = iter(np.linspace(0.9, 0.1, 1000).tolist())
    choices: dict[str, list[float]] = {}

    def on_pool(parts, method, m, gamma, lam, seed):
        choices.setdefault(method, []).append(next(errors))
        return 0.25, choices[method][-1]

    monkeypatch.setattr(controls, "on_pool", on_pool)
    floors = []

    def exact(parts, gamma):
        floors.append(next(errors))
        return 0.25, floors[-1]

    monkeypatch.setattr(controls, "exact", exact)
    problems = controls.EXPERIMENT.prepare("quick", None)
    cell = controls.EXPERIMENT.cell(controls.cells("quick")[0], 0)
    result = controls.measure("quick", problems, cell)
    assert result["exact"] == floors[0]
    for method in METHODS:
        assert result[f"{method}, tuned"] == result[f"{method}, fixed"] == choices[method][0]
    # Ten draws follow the one of the comparison.
    assert result["best of 10 plain, tuned"] == choices["plain"][len(floors)]
