"""Adult at full size: its own test part stays apart, and each method chooses by rows held out."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import data
from mehler.reproduce import Cell
from mehler.reproduce.leverage import _methods, adult

WORLD = adult.prepare("quick", None)


def test_the_test_part_is_tested_whole_and_never_fitted() -> None:
    split = adult.parts(WORLD, 3)
    assert [len(part[1]) for part in (split.fit, split.choose, split.test)] == [1000, 200, 597]
    assert np.array_equal(split.test[1], WORLD.test[1])
    X = split.fit[0]
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    varied = WORLD.train[0].std(axis=0) > 0
    assert set(np.round(X.std(axis=0), 9)) <= {0.0, 1.0}
    assert varied.sum() >= (X.std(axis=0) > 0).sum()


def test_the_full_level_has_the_official_parts(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    made = data.Dataset(
        "adult", rng.normal(size=(12, 3)), np.arange(12) % 2, rng.normal(size=(5, 3)), np.ones(5)
    )
    monkeypatch.setattr(data, "adult", lambda: made)
    world = adult.prepare("full", None)
    assert world.train[1].tolist() == [-1.0, 1.0] * 6
    assert world.test[1].tolist() == [1.0] * 5
    assert np.array_equal(world.test[0], made.X_test)


def test_features_held_give_the_errors_of_features_recomputed() -> None:
    split = adult.parts(WORLD, 3)
    phi = adult.drawn(split, 20, 0.01, 0)
    assert adult.on_features(split, phi) == _methods.on_features(split, phi)


def test_more_choice_is_by_the_rows_held_out(monkeypatch) -> None:
    # Errors held out and on test rows are set by hand: the least held out decides, not the test.
    calls = []

    def on_features(split, phi):
        calls.append(phi)
        held = 0.5 - 0.01 * len(calls)
        return held, 0.1 + 0.01 * len(calls)

    monkeypatch.setattr(adult, "on_features", on_features)
    found = adult.measure(WORLD, Cell({"M": 10, "draw": 0}), 0)
    # Three bandwidths of nine maps each, then nine more plain draws.
    assert len(calls) == 3 * 9 + 9
    assert set(found) == set(adult.LABELS)
    # The last try of each has the least error held out, and the largest test error.
    assert found["plain"] == pytest.approx(0.1 + 0.01 * 27)
    assert found["best of 10 plain"] == pytest.approx(0.1 + 0.01 * 36)
    assert found["LKRF (rho tuned)"] == pytest.approx(0.1 + 0.01 * 26)
    assert found["LKRF (rho = 1)"] == pytest.approx(0.1 + 0.01 * 25)


def test_verdicts_name_each_method_once() -> None:
    rng = np.random.default_rng(0)
    found = [
        (Cell({"M": m, "draw": k}), {name: 0.2 + 0.01 * rng.random() for name in adult.LABELS})
        for k in range(2)
        for m in (10, 20)
    ]
    said = [one.split(", each")[0] for one in adult.page("quick", found).verdicts]
    assert len(set(said)) == len(adult.LABELS) - 1
    assert "LKRF (rho tuned)" in said
