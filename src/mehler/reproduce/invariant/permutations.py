"""The permutation experiment of the group-invariant paper, over m, n, r and training size.

The components are those of the statement `group-invariant.permutations`, with the exact results.
"""

from __future__ import annotations

import itertools
from typing import Any

from mehler.proofs_checks.group_invariant.permutations import PAPER
from mehler.proofs_checks.group_invariant.permutations import curves as accuracy
from mehler.reproduce._experiment import LEVELS, Cell, Experiment, Level, Measured, Page, draws
from mehler.reproduce._results import Results, curves, table

# By level: training sequences per class, templates, bins, permutations, test rows.
_SIZES = {"quick": (10, 50), "full": (10, 50, 100, 500, 2000)}
_TEMPLATES = {"quick": (5, 25), "full": (1, 5, 10, 25, 50, 100)}
_BINS = {"quick": (5, 12), "full": (2, 5, 12, 25, 50)}
_ELEMENTS = {"quick": (2, 10, 120), "full": (2, 5, 10, 30, 60, 90, 120)}
_TEST = {"quick": 500, "full": 10_000}
# Exact accuracies of least squares on counts and of the best linear rule, at 2000 per class.
LEAST_SQUARES, BEST = 0.8364, 0.9182


def measure(level: Level, rows: None, cell: Cell, seed: int) -> Measured:
    """Return the accuracies of one draw."""
    # All parts of a draw share targets, split and templates.
    draw = [cell.seed(seed, _NAME, "part")]
    part, sizes, most, bins = cell.options["part"], _SIZES[level], _SIZES[level][-1], _BINS[level]
    accuracies: dict[Any, Any]
    if part == "training":
        accuracies = accuracy.over_training(PAPER, draw, sizes, (10, 25), bins[-1])
    elif part == "neighbours":
        accuracies = accuracy.over_neighbours(PAPER, draw, sizes, (10, 25), bins[-1])
    elif part == "templates":
        accuracies = accuracy.over_templates(PAPER, draw, most, _TEMPLATES[level], bins)
    else:
        size, n_test = (bins[-1], 25), _TEST[level]
        accuracies = {
            name: accuracy.over_elements(
                PAPER, draw, most, _ELEMENTS[level], size, replacement=again, n_test=n_test
            )
            for name, again in (("distinct", False), ("independent", True))
        }
    return {str(name): values[0].tolist() for name, values in accuracies.items()}


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return tables and curves over m, n, r and the training size."""
    most = _SIZES[level][-1]
    tables, plots = [], []
    for part, axis, at, kind in (
        ("training", "sequences a class", _SIZES[level], "Least squares"),
        ("neighbours", "sequences a class", _SIZES[level], "Nearest neighbour"),
        ("templates", "templates m", _TEMPLATES[level], f"Bins n, {most} sequences a class"),
        ("permutations", "permutations r", _ELEMENTS[level], f"Sampled, {most} a class"),
    ):
        values, title = _by_name(cells, part), f"{kind}: accuracy over {axis}"
        heads = ("n" if part == "templates" else "", *map(str, at))
        caption = f"{title}, mean ± standard deviation over draws"
        columns = {name: rows.T for name, rows in values.items()}
        tables.append(table(caption, heads, columns, digits=4))
        plots.append(curves(title, axis, at, "test accuracy", values))
    return Page(verdicts=_verdicts(level, cells), tables=tables, plots=plots)


def _by_name(cells: list[tuple[Cell, Measured]], part: str) -> dict[str, Any]:
    some = Results(cells).where(part=part)
    return {name: some.values(name) for name in some.cells[0][1] if name != "seconds"}


def _verdicts(level: Level, cells: list[tuple[Cell, Measured]]) -> list[str]:
    rows = _by_name(cells, "training")
    n = _BINS[level][-1]
    order = ("bag of words", f"CDF({n},10)", f"CDF({n},25)", "Haar kernel")
    verdicts = []
    for k, size in enumerate(_SIZES[level]):
        steps = [
            f"{low} < {high} in {int((rows[low][:, k] < rows[high][:, k]).sum())}"
            for low, high in itertools.pairwise(order)
        ]
        verdicts.append(f"{size} a class, of {len(rows[order[0]])} draws: {', '.join(steps)}.")
    few = _by_name(cells, "permutations")["distinct"].mean(axis=0)
    means = ", ".join(f"{mean:.3f} at r = {r}" for mean, r in zip(few, _ELEMENTS[level]))
    verdicts.append(f"Over sampled permutations: {means}.")
    if level == "full":
        verdicts.append(
            f"With 2000 a class least squares on counts reaches {LEAST_SQUARES} exactly, the best "
            f"linear rule of counts {BEST}."
        )
    return verdicts


_NAME = "invariant-permutations"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Classes of sequences up to permutations",
    source="Mroueh, Voinea, Poggio (2015), section 6.1 and Figure 1",
    printed=(
        "All 32,768 sequences of 5 tokens out of 8; positive are those with both of two random "
        "targets. The figure, without numbers, shows raw rows, bags of words, invariant features "
        "of all 120 permutations and the Haar kernel over the number of training sequences, in "
        "that order."
    ),
    cells=lambda level: draws(
        {"part": part} for part in ("training", "neighbours", "templates", "permutations")
    ),
    measure=measure,
    data=dict.fromkeys(LEVELS, "all sequences of 5 tokens out of 8"),
    page=page,
)
