"""The experiments on leverage and on weights: splits, floors and ratios."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments import data
from mehler.proofs_checks.experiments._results import Results
from mehler.proofs_checks.experiments._rows import Problem, Split, gammas_of, split
from mehler.proofs_checks.experiments.leverage import controls, weights
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
from mehler.features import leverage as selectors


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


def test_small_problems_share_the_rows_that_are_left() -> None:
    parts = split(toy(120), 60, 5000, 0)
    assert [len(p[1]) for p in (parts.fit, parts.choose, parts.test)] == [60, 30, 30]


def test_errors_are_shares_of_wrong_signs_or_mean_squares() -> None:
    part = (None, np.array([1.0, -1.0, 1.0, -1.0]))
    values = np.array([0.2, 0.3, -1.0, -5.0])
    assert Split(part, part, part, True).error(values, part) == 0.5
    assert Split(part, part, part, False).error(values, part) == np.mean((values - part[1]) ** 2)


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


@pytest.mark.parametrize("method", sorted(METHODS))
def test_methods_keep_at_most_m_features(method) -> None:
    parts = split(toy(), 100, 50, 0)
    pool = FourierFeatures.draw(3, 80, gamma=0.5, form="offset", seed=0, dtype="float64")
    phi = METHODS[method](pool, 8, 1e-3, 0, parts.fit[1]).fit(parts.fit[0])
    assert 1 <= phi.n_features <= 8
    assert controls.on_pool(parts, method, 8, 0.5, 1e-3, 0)[0] > 0


def test_bottom_keeps_what_top_leaves() -> None:
    parts = split(toy(), 100, 50, 0)
    pool = FourierFeatures.draw(3, 80, gamma=0.5, form="offset", seed=0, dtype="float64")
    bottom, top = (METHODS[f"{k} leverage"](pool, 40, 1e-3, 0, None) for k in ("bottom", "top"))
    kept = set(bottom.fit(parts.fit[0]).columns), set(top.fit(parts.fit[0]).columns)
    assert kept[0] | kept[1] == set(range(80))
    assert selectors.TopLeverage is type(top)


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


def test_the_quick_problem_is_the_small_digits() -> None:
    problem = controls.EXPERIMENT.prepare("quick", None)["digits"]
    assert problem.X.shape == (1797, 64)
    assert set(problem.y) == {-1.0, 1.0}
    keys = [tuple(cell.values()) for cell in controls.cells("full")]
    assert len(set(keys)) == len(keys) == 10 * 4 * (3 + 8 + 3)


def test_real_targets_are_signs_or_standardised_logarithms(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    X, classes, prices = rng.standard_normal((40, 2)), rng.integers(0, 2, 40), rng.uniform(1, 9, 40)
    sets = (
        ("adult", classes, ("a", "b")),
        ("magic", classes, ("g", "h")),
        ("diamonds", prices, ()),
    )
    for name, y, labels in sets:
        made = data.Dataset(name, X, y, classes=labels)
        monkeypatch.setattr(data, name, lambda made=made: made)
    monkeypatch.setattr(data, "house_sales", lambda: data.Dataset("house_sales", X, prices**2))
    problems = controls.EXPERIMENT.prepare("full", None)
    assert list(problems) == ["adult", "magic", "diamonds", "house_sales"]
    assert [one.classes for one in problems.values()] == [True, True, False, False]
    assert np.array_equal(problems["adult"].y, 2.0 * classes - 1)
    target = problems["diamonds"].y
    assert (target.mean(), target.std()) == pytest.approx((0.0, 1.0))
    # Standardised logarithms do not see a power.
    np.testing.assert_allclose(problems["house_sales"].y, target, atol=1e-12)


def test_one_split_and_pool_for_all_settings_of_a_draw() -> None:
    one, two = (controls.EXPERIMENT.cell(c, 0) for c in controls.cells("quick")[:2])
    assert (one["M"], two["M"]) == (10, 30)
    assert one.seed_of("data", "draw") == two.seed_of("data", "draw") != one.seed()


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


def test_cells_of_few_labels_have_a_table_of_their_own() -> None:
    rng = np.random.default_rng(0)
    keys = [f"{method}, {mode}" for method in METHODS for mode in ("fixed", "tuned")]
    keys += ["exact", "best of 10 plain, tuned"]
    results = [
        (cell, {key: float(error) for key, error in zip(keys, rng.uniform(0.1, 0.2, len(keys)))})
        for cell in controls.cells("full")
    ]
    tables = controls.table("full", Results(results))
    few = [rows for caption, rows in tables.items() if "few labels" in caption]
    assert len(few) == 2
    settings = [row["data"] for row in few[0][:3]]
    assert settings == [f"adult, labels = {n}" for n in (50, 100, 300)]
    assert all(row.keys() == rows[0].keys() for rows in tables.values() for row in rows)


def test_weights_are_those_of_the_inverse() -> None:
    # Second route: the formula with an inverse, written out.
    problems = weights.EXPERIMENT.prepare("quick", None)
    cell = weights.EXPERIMENT.cell({"data": "digits", "draw": 0}, 0)
    summary, own = weights.measure("quick", problems, cell), cell.seed()
    parts = split(problems["digits"], 300, 100, own)
    pool = FourierFeatures.draw(
        64, 60, gamma=gammas_of(parts.fit[0], 2)[1], form="offset", seed=own, dtype="float64"
    )
    a = pool(parts.fit[0]) / np.sqrt(300)
    gram = a.T @ a
    for k, lam in enumerate(weights.RIDGES.values()):
        scores = np.diag(gram @ np.linalg.inv(gram + lam * np.eye(60)))
        q = scores / scores.sum()
        assert summary["size"][k] == pytest.approx(1 / (60 * np.sum(q**2)), rel=1e-6)
        assert summary["high"][k] == pytest.approx(np.quantile(60 * q, 0.99), rel=1e-6)
        assert sum(summary["histogram"][k]) == pytest.approx(1, rel=1e-12)
    # Full rank: all weights are equal without a ridge.
    assert summary["even"][0] == 1.0
    assert summary["even"][-1] < 0.5


def test_the_ratio_of_weights_is_the_mean_over_draws() -> None:
    one = {"even": [1.0, 0, 0, 0], "size": [1.0] * 4, "high": [1.0, 2, 4, 6], "low": [1, 1, 1, 2]}
    other = {**one, "high": [1.0, 3, 4, 8]}
    cells = [({"data": "toy", "draw": k}, measured) for k, measured in enumerate((one, other))]
    (rows,) = weights.table("full", Results(cells)).values()
    assert [row["above over below"] for row in rows] == ["1", "2.5", "4", "3.5"]
    assert rows[0]["within 1 percent of uniform"] == "1.000 ± 0.000"
