"""Accuracy of permutation-invariant features: do two target tokens both occur in a sequence?

CDF(n,m) are the features of Mroueh, Voinea, Poggio (2015): for m random vectors t, the templates,
the law of <t, g x> over all permutations g of a one-hot sequence x, or r random ones, at n
thresholds on each side of 0, the bins. By least squares and nearest neighbours they are compared
with x itself, with counts of tokens (bag of words), and with their limit (Haar kernel).
"""

import itertools
from typing import Any

from mehler.statements import Plot

from ...group_invariant.permutations import PAPER  # sequences of 5 tokens out of 8
from ...group_invariant.permutations import curves as accuracy
from .._harness import LEVELS, Cell, Level, declared
from .._results import Record, Results, Tables, curves, draws, spread

# By level: training sequences per class, templates, bins, permutations, test rows.
SIZES = {"quick": (10, 50), "full": (10, 50, 100, 500, 2000)}
TEMPLATES = {"quick": (5, 25), "full": (1, 5, 10, 25, 50, 100)}
BINS = {"quick": (5, 12), "full": (2, 5, 12, 25, 50)}
ELEMENTS = {"quick": (2, 10, 120), "full": (2, 5, 10, 30, 60, 90, 120)}
TEST = {"quick": 500, "full": 10_000}
# Exact accuracies of least squares on counts and of the best linear rule, at 2000 per class.
LEAST_SQUARES, BEST = 0.8364, 0.9182
PARTS = {
    "training": ("Least squares: accuracy over sequences per class", SIZES),
    "neighbours": ("Nearest neighbour: accuracy over sequences per class", SIZES),
    "templates": ("Accuracy over templates m, by bins n", TEMPLATES),
    "permutations": ("Accuracy over permutations r, sampled", ELEMENTS),
}


def measure(level: Level, rows: None, cell: Cell) -> Record:
    """Return accuracies of a draw by features; parts of a draw share targets, split, templates."""
    part, sizes, bins, draw = cell["part"], SIZES[level], BINS[level], [cell.seed("part")]
    accuracies: dict[Any, Any]
    if part in ("training", "neighbours"):
        over = accuracy.over_training if part == "training" else accuracy.over_neighbours
        accuracies = over(PAPER, draw, sizes, (10, 25), bins[-1])
    elif part == "templates":
        accuracies = accuracy.over_templates(PAPER, draw, sizes[-1], TEMPLATES[level], bins)
    else:
        elements, size = ELEMENTS[level], (bins[-1], 25)
        options: Any = {"n_test": TEST[level]}
        accuracies = {
            name: accuracy.over_elements(
                PAPER, draw, sizes[-1], elements, size, replacement=again, **options
            )
            for name, again in (("distinct", False), ("independent", True))
        }
    return {str(name): values[0].tolist() for name, values in accuracies.items()}


def of_part(results: Results, part: str) -> dict[str, Any]:
    """Return the accuracies of one part by name, (draws, places)."""
    subset = results.where(part=part)
    return {name: subset.values(name) for name in subset.cells[0][1] if name != "seconds"}


def table(level: Level, results: Results) -> Tables:
    """Return accuracies by part, and in how many draws they rise; CDF(n,m) has n bins."""
    tables: Tables = {}
    for part, (title, places) in PARTS.items():
        tables[f"{title}, mean ± standard deviation over draws"] = [
            {"": name} | {str(at): spread(v, 4) for at, v in zip(places[level], values.T)}
            for name, values in of_part(results, part).items()
        ]
    rows, n = of_part(results, "training"), BINS[level][-1]
    order = ("bag of words", f"CDF({n},10)", f"CDF({n},25)", "Haar kernel")
    tables[f"In how many of {len(rows[order[0]])} draws the second is better"] = [
        {"": f"{low}, {high}"}
        | {str(at): str((rows[low][:, k] < rows[high][:, k]).sum())
           for k, at in enumerate(SIZES[level])}
        for low, high in itertools.pairwise(order)
    ]  # fmt: skip
    return tables


def figure(level: Level, results: Results) -> list[Plot]:
    return [
        curves(title, title.partition("over ")[2], places[level], "test accuracy", values)
        for part, (title, places) in PARTS.items()
        for values in (of_part(results, part),)
    ]


EXPERIMENT = declared(
    __name__,  # with the functions measure, table and figure of this module
    name="invariant-permutations",
    title="Classes of sequences up to permutations",
    source="Mroueh, Voinea, Poggio (2015), section 6.1 and Figure 1",
    cells=lambda level: draws({"part": part} for part in PARTS),
    data=dict.fromkeys(LEVELS, "all sequences of 5 tokens out of 8"),
)
