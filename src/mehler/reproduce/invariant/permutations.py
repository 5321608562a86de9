"""The permutation experiment of the group-invariant paper, over m, n, r and training size.

The components are those of the statement `group-invariant.permutations`, with the exact results.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mehler.proofs_checks.group_invariant.permutations import PAPER, curves
from mehler.reproduce._draws import spread, with_errors
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table
from mehler.statements import Plot

# By level: draws, training sequences per class, templates, bins, permutations, test rows.
_DRAWS = 10
_SIZES = {"quick": (10, 50), "full": (10, 50, 100, 500, 2000)}
_TEMPLATES = {"quick": (5, 25), "full": (1, 5, 10, 25, 50, 100)}
_BINS = {"quick": (5, 12), "full": (2, 5, 12, 25, 50)}
_ELEMENTS = {"quick": (2, 10, 120), "full": (2, 5, 10, 30, 60, 90, 120)}
_TEST = {"quick": 500, "full": 10_000}
# Exact accuracies of least squares on counts and of the best linear rule, at 2000 per class.
LEAST_SQUARES, BEST = 0.8364, 0.9182


def prepare(level: Level, folder: Path | None) -> Level:
    """Return the level, since the protocol generates the data."""
    return level


def cells(level: Level) -> list[Cell]:
    """Return a cell for each part and each draw of targets, split and templates."""
    parts = ("training", "neighbours", "templates", "permutations")
    return [Cell({"part": p, "draw": k}) for k in range(_DRAWS) for p in parts]


def measure(world: Level, cell: Cell, seed: int) -> Measured:
    """Return the accuracies of one draw."""
    # All parts of a draw share targets, split and templates.
    draw = [cell.seed(seed, NAME, "part")]
    part, sizes, most = cell.options["part"], _SIZES[world], _SIZES[world][-1]
    found: dict[Any, Any]
    if part in ("training", "neighbours"):
        over = curves.over_training if part == "training" else curves.over_neighbours
        found = over(PAPER, draw, sizes, (10, 25), _BINS[world][-1])
    elif part == "templates":
        found = curves.over_templates(PAPER, draw, most, _TEMPLATES[world], _BINS[world])
    else:
        size, elements = (_BINS[world][-1], 25), _ELEMENTS[world]
        found = {
            name: curves.over_elements(
                PAPER, draw, most, elements, size, replacement=again, n_test=_TEST[world]
            )
            for name, again in (("distinct", False), ("independent", True))
        }
    return {str(name): rows[0].tolist() for name, rows in found.items()}


def page(level: Level, found: list[tuple[Cell, Measured]]) -> Page:
    """Return tables and curves over m, n, r and the training size."""
    most = _SIZES[level][-1]
    kinds = (
        ("training", "sequences a class", _SIZES[level], "Least squares"),
        ("neighbours", "sequences a class", _SIZES[level], "Nearest neighbour"),
        ("templates", "templates m", _TEMPLATES[level], f"Bins n, {most} sequences a class"),
        ("permutations", "permutations r", _ELEMENTS[level], f"Sampled, {most} a class"),
    )
    tables, plots = [], []
    for part, axis, at, title in kinds:
        rows = _gathered(found, part)
        tables.append(_table(f"{title}: accuracy over {axis}", part, rows, at))
        plots.append(_plot(f"{title}: accuracy over {axis}", axis, rows, at))
    return Page(verdicts=_verdicts(level, found), tables=tables, plots=plots)


def _gathered(found: list[tuple[Cell, Measured]], part: str) -> dict[str, Any]:
    some = [measured for cell, measured in found if cell.options["part"] == part]
    names = [name for name in some[0] if name != "seconds"]
    return {name: np.array([measured[name] for measured in some]) for name in names}


def _table(caption: str, part: str, rows: dict[str, Any], at: Sequence[int]) -> Table:
    first = "n" if part == "templates" else ""
    body = [[name, *(spread(column, 4) for column in values.T)] for name, values in rows.items()]
    return Table(f"{caption}, mean ± standard deviation over draws", (first, *map(str, at)), body)


def _plot(title: str, x_label: str, rows: dict[str, Any], at: Sequence[int]) -> Plot:
    series = [with_errors(name, at, values) for name, values in rows.items()]
    return Plot(
        title=title,
        x_label=x_label,
        x_log=True,
        y_label="test accuracy",
        series=series,
        caption="Mean over draws, with its standard error.",
    )


def _verdicts(level: Level, found: list[tuple[Cell, Measured]]) -> list[str]:
    rows = _gathered(found, "training")
    n = _BINS[level][-1]
    order = ("bag of words", f"CDF({n},10)", f"CDF({n},25)", "Haar kernel")
    said = []
    for k, size in enumerate(_SIZES[level]):
        steps = [
            f"{low} < {high} in {int((rows[low][:, k] < rows[high][:, k]).sum())}"
            for low, high in itertools.pairwise(order)
        ]
        said.append(f"{size} a class, of {len(rows[order[0]])} draws: {', '.join(steps)}.")
    few = _gathered(found, "permutations")["distinct"]
    r = _ELEMENTS[level]
    said.append(
        "Over sampled permutations: "
        + ", ".join(f"{few[:, k].mean():.3f} at r = {n}" for k, n in enumerate(r))
        + "."
    )
    if level == "full":
        said.append(
            f"With 2000 a class least squares on counts reaches {LEAST_SQUARES} exactly, the best "
            f"linear rule of counts {BEST}."
        )
    return said


NAME = "invariant-permutations"
EXPERIMENT = Experiment(
    name=NAME,
    title="Sequences that are told apart up to permutations",
    source="Mroueh, Voinea, Poggio (2015), section 6.1 and Figure 1",
    printed=(
        "All 32,768 sequences of 5 tokens out of 8; positive are those with both of two random "
        "targets. Least squares on raw rows, on bags of words, on invariant features of all 120 "
        "permutations, and with the Haar kernel; the figure, without numbers, shows accuracy over "
        "the number of training sequences in that order."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=page,
    together=("draw",),
)
