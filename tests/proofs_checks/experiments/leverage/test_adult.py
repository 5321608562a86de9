"""Adult at full size: its own test part stays apart, and each method chooses by rows held out."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments.leverage import _floor, adult

PARTS = adult.prepare("quick", None)


def test_the_test_part_is_tested_whole_and_never_fitted() -> None:
    split = adult.parts(*PARTS, 3)
    assert [len(part[1]) for part in (split.fit, split.choose, split.test)] == [500, 100, 1197]
    assert np.array_equal(split.test[1], PARTS[1][1])
    X = split.fit[0]
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    varied = PARTS[0][0].std(axis=0) > 0
    assert set(np.round(X.std(axis=0), 9)) <= {0.0, 1.0}
    assert varied.sum() >= (X.std(axis=0) > 0).sum()


def test_more_choice_is_by_the_rows_held_out(monkeypatch) -> None:
    # Errors held out and on test rows are set by hand: the least held out decides, not the test.
    calls = []

    def on_features(split, phi):
        calls.append(phi)
        held = 0.5 - 0.01 * len(calls)
        return held, 0.1 + 0.01 * len(calls)

    monkeypatch.setattr(adult, "on_features", on_features)
    measured = adult.measure("quick", PARTS, adult.EXPERIMENT.cell({"M": 10, "draw": 0}, 0))
    # Three bandwidths of eleven maps each, then nine more plain draws.
    assert len(calls) == 3 * 11 + 9
    assert set(measured) == set(adult.LABELS)
    # The last try of each has the least error held out, and the largest test error.
    assert measured["plain"] == pytest.approx(0.1 + 0.01 * 33)
    assert measured["best of 10 plain"] == pytest.approx(0.1 + 0.01 * 42)
    assert measured["not so random"] == pytest.approx(0.1 + 0.01 * 32)
    assert measured["LKRF (rho tuned)"] == pytest.approx(0.1 + 0.01 * 30)
    assert measured["LKRF (rho = 1)"] == pytest.approx(0.1 + 0.01 * 29)


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
    for one, ridge in zip(a.T, ridges):
        solved = np.linalg.solve(exact + ridge * np.eye(300), y)
        # (K + mu)(a - a*) = (K - K_32)a - r, and K (K + mu)^-1 shortens.
        rounded = np.linalg.norm((exact - k) @ one)
        apart = np.linalg.norm(exact @ (one - solved))
        assert apart <= _floor.RESIDUAL * np.linalg.norm(y) + rounded + 1e-12
    np.testing.assert_allclose(_floor.predict(x, x[:7], a, 0.1), exact[:7] @ a, atol=1e-9)
