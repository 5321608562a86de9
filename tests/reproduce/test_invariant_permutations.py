"""The permutation experiment as cells: paired over parts, and what its page may say."""

from __future__ import annotations

import numpy as np
from mehler.proofs_checks.group_invariant.permutations import curves
from mehler.proofs_checks.group_invariant.permutations._task import PAPER

from mehler.reproduce._experiment import Cell
from mehler.reproduce.invariant import permutations


def test_parts_of_a_draw_share_targets_and_split() -> None:
    cells = [Cell({"part": part, "draw": 1}) for part in ("training", "templates")]
    seeds = {cell.seed(0, permutations.EXPERIMENT.name, "part") for cell in cells}
    assert len(seeds) == 1
    assert seeds != {Cell({"part": "training", "draw": 0}).seed(0, "invariant-permutations")}


def test_a_cell_measures_what_the_statements_pieces_measure() -> None:
    cell = Cell({"part": "training", "draw": 0})
    measured = permutations.measure("quick", None, cell, 5)
    seed = cell.seed(5, permutations.EXPERIMENT.name, "part")
    direct = curves.over_training(PAPER, [seed], (10, 50), (10, 25), 12)
    assert {name: rows[0].tolist() for name, rows in direct.items()} == measured


def test_verdicts_count_draws_and_claim_nothing_else() -> None:
    names = ("bag of words", "CDF(12,10)", "CDF(12,25)", "Haar kernel", "raw")
    rising = dict(zip(names, ([0.1, 0.2], [0.2, 0.1], [0.3, 0.3], [0.4, 0.3], [0.0, 0.0])))
    found = [(Cell({"part": "training", "draw": k}), {**rising, "seconds": 1.0}) for k in (0, 1)]
    some = {"distinct": [0.5, 0.6, 0.7], "independent": [0.5, 0.6, 0.7], "seconds": 1.0}
    found += [(Cell({"part": "permutations", "draw": k}), some) for k in (0, 1)]
    said = permutations._verdicts("quick", found)
    assert said[0] == (
        "10 a class, of 2 draws: bag of words < CDF(12,10) in 2, CDF(12,10) < CDF(12,25) in 2, "
        "CDF(12,25) < Haar kernel in 2."
    )
    assert "bag of words < CDF(12,10) in 0" in said[1]
    assert "CDF(12,25) < Haar kernel in 0" in said[1]
    assert said[2].endswith("0.500 at r = 2, 0.600 at r = 10, 0.700 at r = 120.")


def test_exact_figures_are_those_of_the_statement() -> None:
    # Second route: the share of the test in which one target occurs twice or more, alone.
    beta = 2551 / 25_838 * 23_838 / 28_768
    assert np.isclose(permutations.LEAST_SQUARES, 1 - 2 * beta, atol=5e-5)
    assert np.isclose(permutations.BEST, 1 - beta, atol=5e-5)
