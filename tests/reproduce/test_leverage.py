"""The experiments on leverage and on weights: splits, floors and verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

from mehler import FourierFeatures, data
from mehler.features import leverage as selectors
from mehler.reproduce._experiment import Cell
from mehler.reproduce._results import Results
from mehler.reproduce._rows import Problem, Split, gammas_of, split
from mehler.reproduce.leverage import controls as leverage
from mehler.reproduce.leverage import weights
from mehler.reproduce.leverage._methods import (
    METHODS,
    RIDGES,
    chosen,
    exact,
    on_features,
    on_pool,
)


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
    phi = METHODS[method](pool, 8, 1e-3, 0).fit(*parts.fit)
    assert 1 <= phi.n_features <= 8
    assert on_pool(parts, method, 8, 0.5, 1e-3, 0)[0] > 0


def test_bottom_keeps_what_top_leaves() -> None:
    parts = split(toy(), 100, 50, 0)
    pool = FourierFeatures.draw(3, 80, gamma=0.5, form="offset", seed=0, dtype="float64")
    bottom, top = (METHODS[f"{k} leverage"](pool, 40, 1e-3, 0) for k in ("bottom", "top"))
    kept = set(bottom.fit(*parts.fit).columns), set(top.fit(*parts.fit).columns)
    assert kept[0] | kept[1] == set(range(80))
    assert selectors.TopLeverage is type(top)


def outcome(ratio, n=10, noise=0.01):
    rng = np.random.default_rng(0)
    cells = [Cell({"part": "size", "data": "d", "M": 10, "draw": k}) for k in range(n)]
    return [(c, {"a": ratio * np.exp(noise * rng.standard_normal()), "b": 1.0}) for c in cells]


@pytest.mark.parametrize(
    ("ratio", "said"),
    [(0.9, "better than"), (1.1, "worse than"), (1.0, "not told apart from")],
)
def test_verdicts_follow_the_ratio(ratio, said) -> None:
    assert f"{said} plain sampling" in leverage.verdict(
        Results(outcome(ratio)), "a", "a", "b", "what"
    )


def test_two_draws_tell_little_apart() -> None:
    said = leverage.verdict(Results(outcome(0.9, n=2, noise=0.05)), "a", "a", "b", "what")
    assert "not told apart" in said


def test_the_quick_problem_is_the_small_digits() -> None:
    problem = leverage.EXPERIMENT.prepare("quick", None)["digits"]
    assert problem.X.shape == (1797, 64)
    assert set(problem.y) == {-1.0, 1.0}
    keys = [cell.key for cell in leverage.cells("full")]
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
    problems = leverage.EXPERIMENT.prepare("full", None)
    assert list(problems) == ["adult", "magic", "diamonds", "house_sales"]
    assert [one.classes for one in problems.values()] == [True, True, False, False]
    assert np.array_equal(problems["adult"].y, 2.0 * classes - 1)
    target = problems["diamonds"].y
    assert (target.mean(), target.std()) == pytest.approx((0.0, 1.0))
    # Standardised logarithms do not see a power.
    np.testing.assert_allclose(problems["house_sales"].y, target, atol=1e-12)


def test_one_split_and_pool_for_all_settings_of_a_draw() -> None:
    one, two = leverage.cells("quick")[:2]
    assert [cell.options["M"] for cell in (one, two)] == [10, 30]
    own = [c.seed(0, leverage.EXPERIMENT.name, "part", "M", "labels", "lam") for c in (one, two)]
    assert own[0] == own[1]


def test_ties_of_validation_errors_are_not_broken_by_test_errors(monkeypatch) -> None:
    assert chosen([(0.2, 0.0), (0.1, 0.9), (0.1, 0.3)]) == (0.1, 0.9)
    # All candidates alike by validation, later ones better on the test part: the planted leak.
    errors = iter(np.linspace(0.9, 0.1, 1000).tolist())
    tried: dict[str, list[float]] = {}

    def on_pool(parts, method, m, gamma, lam, seed):
        tried.setdefault(method, []).append(next(errors))
        return 0.25, tried[method][-1]

    monkeypatch.setattr(leverage, "on_pool", on_pool)
    floors = []

    def exact(parts, gamma):
        floors.append(next(errors))
        return 0.25, floors[-1]

    monkeypatch.setattr(leverage, "exact", exact)
    problems = leverage.EXPERIMENT.prepare("quick", None)
    found = leverage.measure("quick", problems, leverage.cells("quick")[0], 0)
    assert found["exact"] == floors[0]
    for method in METHODS:
        assert found[f"{method}, tuned"] == found[f"{method}, fixed"] == tried[method][0]
    # Ten draws follow the one of the comparison.
    assert found["best of 10 plain, tuned"] == tried["plain"][len(floors)]


def test_cells_of_few_labels_have_a_table_of_their_own() -> None:
    rng = np.random.default_rng(0)
    keys = [f"{method}, {mode}" for method in METHODS for mode in ("fixed", "tuned")]
    keys += ["exact", "best of 10 plain, tuned"]
    results = [
        (cell, {key: float(error) for key, error in zip(keys, rng.uniform(0.1, 0.2, len(keys)))})
        for cell in leverage.cells("full")
    ]
    page = leverage.page("full", results)
    few = [table for table in page.tables if "few labels" in table.caption]
    assert len(few) == 2
    assert [row[0] for row in few[0].rows[:3]] == [f"adult, labels = {n}" for n in (50, 100, 300)]
    assert all(len(row) == len(table.heads) for table in page.tables for row in table.rows)
    assert "8 x 8" not in " ".join(page.verdicts)


WEIGHTS_CELL = Cell({"data": "digits", "draw": 0})


def test_weights_are_those_of_the_inverse() -> None:
    # Second route: the formula with an inverse, written out.
    problems = weights.EXPERIMENT.prepare("quick", None)
    summary = weights.measure("quick", problems, WEIGHTS_CELL, 0)
    own = WEIGHTS_CELL.seed(0, weights.EXPERIMENT.name)
    parts = split(problems["digits"], 300, 100, own)
    pool = FourierFeatures.draw(
        64, 60, gamma=gammas_of(parts.fit[0], 2)[1], form="offset", seed=own, dtype="float64"
    )
    a = pool(parts.fit[0]) / np.sqrt(300)
    gram = a.T @ a
    for k, lam in enumerate(weights.RIDGES):
        scores = np.diag(gram @ np.linalg.inv(gram + lam * np.eye(60)))
        q = scores / scores.sum()
        assert summary["size"][k] == pytest.approx(1 / (60 * np.sum(q**2)), rel=1e-6)
        assert summary["high"][k] == pytest.approx(np.quantile(60 * q, 0.99), rel=1e-6)
        assert sum(summary["histogram"][k]) == pytest.approx(1, rel=1e-12)
    # Full rank: all weights are equal without a ridge.
    assert summary["even"][0] == 1.0
    assert summary["even"][-1] < 0.5


@pytest.mark.parametrize(("even", "said"), [(1.0, "uniform without"), (0.4, "not uniform")])
def test_the_verdict_is_that_of_every_draw(even: float, said: str) -> None:
    one = {"even": [1.0, 0, 0, 0], "high": [1.0, 2, 4, 6], "low": [1.0, 1, 1, 2]}
    other = {**one, "even": [even, 0, 0, 0]}
    text = weights._verdict("toy", Results([(WEIGHTS_CELL, one), (WEIGHTS_CELL, other)]))
    assert text.startswith(f"toy: {said}")
    assert "2 at 1e-06, 4 at 0.001, 3 at 0.1 (mean of 2 draws)" in text
