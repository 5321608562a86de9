"""Weights of features: uniform without a ridge, and what the page says where they are not."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import FourierFeatures
from mehler.reproduce._experiment import Cell
from mehler.reproduce._results import Results
from mehler.reproduce._rows import gammas_of, split
from mehler.reproduce.leverage import weights

PROBLEMS = weights.EXPERIMENT.prepare("quick", None)
CELL = Cell({"data": "digits", "draw": 0})


def test_weights_are_those_of_the_inverse() -> None:
    # Second route: the formula with an inverse, written out.
    summary = weights.measure("quick", PROBLEMS, CELL, 0)
    own = CELL.seed(0, weights.EXPERIMENT.name)
    parts = split(PROBLEMS["digits"], 300, 100, own)
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
    text = weights._verdict("toy", Results([(CELL, one), (CELL, other)]))
    assert text.startswith(f"toy: {said}")
    assert "2 at 1e-06, 4 at 0.001, 3 at 0.1 (mean of 2 draws)" in text
