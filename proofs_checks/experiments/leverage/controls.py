"""Test errors with M random features chosen by leverage scores, and with controls.

A score says how much a feature of a pool adds to the others on some rows. Shahrampour, Kolouri
(2019) compare it with plain sampling and with choices by targets, EERF and LKRF. Controls are the
smallest scores, the largest variance, the best of ten draws, and the exact kernel, the floor.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from mehler.statements import Plot

from .._harness import Cell, Level, declared
from .._results import Options, Record, Results, Tables, curves, draws
from .._rows import Problem, Split, cosines, gammas_of, problems, sets_of
from .._rows import split as split_of
from ._methods import LAM, METHODS, POOL, Errors, best_of, exact, on_features, overall, ratios

SIZES = {"quick": (10, 30), "full": (20, 50, 100)}  # M, the features that are chosen
# Ridges lambda of the leverage scores, and numbers of labels, both with 50 features.
LAMBDAS = {"quick": (), "full": tuple(10.0 ** np.arange(-6.0, 2.0))}
LABELS = {"quick": (), "full": (50, 100, 300)}
ROWS = {"quick": (400, 400, 2), "full": (3000, 5000, 4)}  # to fit, to choose by; bandwidths
MODES = {
    "fixed": "one bandwidth for all, that of the exact kernel",
    "tuned": "each method's own bandwidth",
}
FEW = "few labels to fit on, and as many to choose by"
# Plots of a data set: part, option of its cells, title, label of the axis, and methods.
SHOWN = ("plain", "leverage", "top leverage", "top variance", "EERF", "LKRF")  # two rivals last
PLOTS = (
    ("size", "M", "over M", "features kept", SHOWN),
    ("lambda", "lam", "over the ridge of the scores", "lambda", SHOWN[:3]),
)


def cells(level: Level) -> list[Options]:
    """Return cells, each a measurement of all methods: sizes M, ridges, or numbers of labels."""
    settings: list[tuple[str, int, Any, float]]
    settings = [("size", m, "all", LAM) for m in SIZES[level]]
    settings += [("lambda", 50, "all", lam) for lam in LAMBDAS[level]]
    settings += [("labels", 50, n, LAM) for n in LABELS[level]]
    return draws(
        {"part": part, "data": name, "M": m, "labels": n, "lam": f"{lam:g}"}
        for name in sets_of(level)
        for part, m, n, lam in settings
    )


def measure(level: Level, sets: dict[str, Problem], cell: Cell) -> Record:
    """Return errors of all methods on one split, at a common bandwidth and at each one's own."""
    # One split and one pool for each data set and draw, independent of the other options.
    seed, m, lam = cell.seed_of("data", "draw"), cell["M"], float(cell["lam"])
    parts, grid, floor = _split(sets[cell["data"]], cell["labels"], level, seed)
    fixed = floor.index(best_of(floor))
    errors: Record = {"exact": floor[fixed][1], "gamma": grid[fixed]}
    for method in METHODS if cell["part"] != "lambda" else SHOWN[:3]:
        candidates = [on_pool(parts, method, m, gamma, lam, seed) for gamma in grid]
        errors[f"{method}, fixed"] = candidates[fixed][1]
        errors[f"{method}, tuned"] = best_of(candidates)[1]
    if cell["part"] == "size":
        # Methods see a pool ten times as large, so compare with the best of ten plain draws too.
        plain = [on_pool(parts, "plain", m, g, LAM, seed + k) for k in range(10) for g in grid]
        errors["best of 10 plain, tuned"] = best_of(plain)[1]
    return errors


@lru_cache(maxsize=1)  # cells of one split are consecutive
def _split(
    problem: Problem, labels: Any, level: Level, seed: int
) -> tuple[Split, list[float], list[Errors]]:
    """Return a split, its bandwidths, and the errors of the exact kernel at each."""
    n_fit, n_other, n_gammas = ROWS[level]
    parts = split_of(problem, n_fit if labels == "all" else labels, n_other, seed)
    if labels != "all":  # with few labels to fit on there are few to choose by
        parts = replace(parts, choose=(parts.choose[0][:labels], parts.choose[1][:labels]))
    grid = gammas_of(parts.fit[0], n_gammas)
    return parts, grid, [exact(parts, gamma) for gamma in grid]


def on_pool(split: Split, method: str, m: int, gamma: float, lam: float, seed: int) -> Errors:
    """Return the errors with m features of a pool; plain sampling draws no more than it keeps."""
    X, y = split.fit
    pool = cosines(X, m if method == "plain" else POOL * m, gamma, seed)
    return on_features(split, METHODS[method](pool, m, lam, seed, y).fit(X))


def table(level: Level, results: Results) -> Tables:
    """Return ratios of test errors to those of plain sampling, paired."""
    sizes, few = (results.where(part=part) for part in ("size", "labels"))
    tables: Tables = {}
    for mode, bandwidth in MODES.items():
        keys = {method: f"{method}, {mode}" for method in METHODS if method != "plain"}
        best = {"best of 10 plain": "best of 10 plain, tuned"} if mode == "tuned" else {}
        plain, floor = f"plain, {mode}", {"exact": "exact"}
        tables[f"Ratio of test errors to plain sampling over all settings: {bandwidth}"] = overall(
            sizes, keys, plain
        )
        for subset, option, columns, what in (
            (sizes, "M", keys | best | floor, bandwidth),
            (few, "labels", keys | floor, f"{FEW}; {bandwidth}"),
        ):
            if subset.cells:
                caption = (
                    f"Test error of plain sampling, and ratios to it: {what} (geometric means; a "
                    "star where a paired Wilcoxon test has p < 0.05, which one cell in twenty has "
                    "by chance)"
                )
                tables[caption] = ratios(subset, option, columns, plain)
    return tables


def figure(level: Level, results: Results) -> list[Plot]:
    plots = []
    for name in results.options("data"):
        for part, option, over, x_label, methods in PLOTS:
            subset = results.where(part=part, data=name)
            at = sorted(subset.options(option), key=float)
            if subset.cells:
                errors = {key: subset.columns(f"{key}, tuned", option, at) for key in methods}
                title, places = f"{name}: test error {over}", [float(value) for value in at]
                caption = (
                    "Mean over draws, with its standard error; each method at its own bandwidth."
                )
                plots.append(curves(title, x_label, places, "test error", errors, caption))
    return plots


EXPERIMENT = declared(
    __name__,  # with the functions cells, measure, table and figure of this module
    name="leverage",
    title="Leverage scores, with controls",
    source="Shahrampour, Kolouri (2019), section V",
    prepare=lambda level, folder: problems(level),
    data={
        "quick": "the 8 x 8 digits (0 to 4 against 5 to 9), in place of four sets",
        "full": "Adult, magic, diamonds and house sales",
    },
)
