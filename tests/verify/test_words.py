"""Wording of verdicts: plurals, intervals of no width; and their tables of pairs."""

import math

import numpy as np
import pytest

from mehler import verify
from mehler._plural import be, counted
from mehler.verify._verdict import interval_text


@pytest.mark.parametrize(
    ("n", "text"),
    [(0, "0 pairs are"), (1, "1 pair is"), (2, "2 pairs are"), (1000, "1000 pairs are")],
)
def test_numbers_have_their_form(n, text):
    assert f"{counted(n, 'pair')} {be(n)}" == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.25, 0.5, "[0.25, 0.5]"),
        (1.0, 1.0, "[1, 1] of width 0 (no sample varied)"),
        (1.0, 1.0 + 2.0**-30, "[1, 1], 9.3e-10 wide"),
        (-math.inf, math.inf, "[-inf, inf]"),
        (math.inf, math.inf, "[inf, inf]"),
        (math.nan, math.nan, "[nan, nan]"),
    ],
)
def test_an_interval_without_width_is_explained(low, high, text):
    assert interval_text(low, high) == text


@pytest.mark.slow
@pytest.mark.parametrize("status", ["holds", "refuted"])
def test_the_table_counts_every_pair_once(status):
    def draw(seed):
        w = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 200))
        return lambda X: X @ w / np.sqrt(200)

    X = np.random.default_rng(0).standard_normal((4, 3))
    factor = 1.0 if status == "holds" else 1.5
    verdict = verify.check_kernel(draw, lambda A, B: factor * A @ B.T, X, resolution=0.2)
    assert verdict.status == status
    table = verdict.table
    assert table.n == sum(table.counts.values()) == 10
    assert len(table.rows) == 6
    assert table.pairs[0] == (verdict.where["i"], verdict.where["j"])
    assert table.rows[0][-1].startswith(status)
    for (i, j), (pair, exact, estimate, interval, off, _) in zip(table.pairs, table.rows):
        low, high = map(float, interval.strip("[]").split(","))
        claim, value = float(exact), float(estimate)
        assert pair == f"{i}, {j}"
        assert claim == pytest.approx(factor * X[i] @ X[j], rel=1e-5)
        assert low <= value <= high
        scale = factor * np.linalg.norm(X[i]) * np.linalg.norm(X[j])
        assert float(off) * scale == pytest.approx(value - claim, rel=1e-2, abs=1e-5)
    assert "table" not in verdict.to_dict()
