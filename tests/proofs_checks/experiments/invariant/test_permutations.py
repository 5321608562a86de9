"""The permutation experiment as cells: paired over parts, and what its page may say."""

from __future__ import annotations

import numpy as np
from mehler.proofs_checks.experiments import Results
from mehler.proofs_checks.experiments.invariant import permutations
from mehler.proofs_checks.group_invariant.permutations import curves
from mehler.proofs_checks.group_invariant.permutations._task import PAPER


def test_parts_of_a_draw_share_targets_and_split() -> None:
    one = permutations.EXPERIMENT
    seeds = {
        one.cell({"part": part, "draw": 1}, 0).seed("part") for part in ("training", "templates")
    }
    assert len(seeds) == 1
    assert seeds != {one.cell({"part": "training", "draw": 0}, 0).seed("part")}


def test_a_cell_measures_what_the_statements_pieces_measure() -> None:
    cell = permutations.EXPERIMENT.cell({"part": "training", "draw": 0}, 5)
    measured = permutations.measure("quick", None, cell)
    direct = curves.over_training(PAPER, [cell.seed("part")], (10, 50), (10, 25), 12)
    assert {name: rows[0].tolist() for name, rows in direct.items()} == measured


def test_the_table_counts_draws() -> None:
    names = ("bag of words", "CDF(12,10)", "CDF(12,25)", "Haar kernel", "raw")
    rising = dict(zip(names, ([0.1, 0.2], [0.2, 0.1], [0.3, 0.3], [0.4, 0.3], [0.0, 0.0])))
    some = {"distinct": [0.5, 0.6, 0.7], "independent": [0.5, 0.6, 0.7]}
    parts = {"training": rising, "neighbours": rising, "templates": rising, "permutations": some}
    cells = [({"part": part, "draw": k}, one) for part, one in parts.items() for k in (0, 1)]
    tables = permutations.table("quick", Results(cells))
    counts = next(rows for caption, rows in tables.items() if "2 draws" in caption)
    assert [list(row.values()) for row in counts] == [
        ["bag of words, CDF(12,10)", "2", "0"],
        ["CDF(12,10), CDF(12,25)", "2", "2"],
        ["CDF(12,25), Haar kernel", "2", "0"],
    ]


def test_exact_figures_are_those_of_the_statement() -> None:
    # Second route: the share of the test in which one target occurs twice or more, alone.
    beta = 2551 / 25_838 * 23_838 / 28_768
    assert np.isclose(permutations.LEAST_SQUARES, 1 - 2 * beta, atol=5e-5)
    assert np.isclose(permutations.BEST, 1 - beta, atol=5e-5)
