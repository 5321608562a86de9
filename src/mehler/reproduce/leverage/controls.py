"""The leverage-score paper's experiments, with the controls needed to interpret its figures.

They run on sets that packages ship, or on files of UCI's sets that the user has.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler.reproduce import _rows
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table, draws
from mehler.reproduce._results import Interval, Results, capital, curves, paired_interval
from mehler.reproduce._rows import Part, Problem, Split, scaled, signs
from mehler.reproduce.leverage._methods import METHODS, chosen, exact, on_pool

LAM = 1e-3
_LAMBDAS = tuple(10.0 ** np.arange(-6.0, 2.0))
# Rows to fit on and to choose by, and bandwidths.
_SIZES = {"quick": (400, 400, 2), "full": (3000, 5000, 4)}
# Plots of a data set: part, option of its cells, title, label of the axis, and methods.
_SHOWN = ("plain", "leverage", "top leverage", "top variance", "EERF", "LKRF")
_PLOTS = (
    ("size", "M", "over M", "features kept", _SHOWN),
    ("lambda", "lam", "over the ridge of the scores", "lambda", _SHOWN[:3]),
)


def cells(level: Level, names: Sequence[str] | None = None) -> list[Cell]:
    """Return sizes M, ridges of the scores, numbers of labels; all methods in one cell, paired."""
    settings: list[tuple[str, int, Any, float]]
    settings = [("size", m, "all", LAM) for m in ((20, 50, 100) if level == "full" else (10, 30))]
    if level == "full":
        settings += [("lambda", 50, "all", lam) for lam in _LAMBDAS]
        settings += [("labels", 50, n, LAM) for n in (50, 100, 300)]
    return draws(
        {"part": part, "data": name, "M": m, "labels": n, "lam": f"{lam:g}"}
        for name in names or _rows.sets_of(level)
        for part, m, n, lam in settings
    )


def prepare(level: Level, folder: Path | None) -> dict[str, Problem]:
    """Return the problems by name, those of UCI's files if there is a folder."""
    return _rows.problems(level) if folder is None else uci(folder)


def measure(level: Level, problems: dict[str, Problem], cell: Cell, seed: int) -> Measured:
    """Return errors of all methods on one split, at a common bandwidth and at each one's own."""
    o = cell.options
    # One split and one pool for each data set and draw, independent of the other options.
    own = cell.seed(seed, _NAME, "part", "M", "labels", "lam")
    parts, grid, floor = _split(problems[o["data"]], o["labels"], level, own)
    fixed = floor.index(chosen(floor))
    errors: Measured = {"exact": floor[fixed][1], "gamma": grid[fixed]}
    methods = METHODS if o["part"] != "lambda" else ("plain", "leverage", "top leverage")
    for method in methods:
        tried = [on_pool(parts, method, o["M"], g, float(o["lam"]), own) for g in grid]
        errors[f"{method}, fixed"] = tried[fixed][1]
        errors[f"{method}, tuned"] = chosen(tried)[1]
    if o["part"] == "size":
        # Methods see a pool ten times as large, so compare with the best of ten plain draws too.
        plain = [on_pool(parts, "plain", o["M"], g, LAM, own + k) for k in range(10) for g in grid]
        errors["best of 10 plain, tuned"] = chosen(plain)[1]
    return errors


@lru_cache(maxsize=1)  # cells of one split are consecutive
def _split(
    problem: Problem, labels: Any, level: Level, seed: int
) -> tuple[Split, list[float], list[tuple[float, float]]]:
    """Return a split, its bandwidths, and the errors of the exact kernel at each."""
    n_fit, n_other, n_gammas = _SIZES[level]
    parts = _rows.split(problem, n_fit if labels == "all" else labels, n_other, seed)
    if labels != "all":
        # With few labels to fit on there are few to choose by.
        parts = replace(parts, choose=(parts.choose[0][:labels], parts.choose[1][:labels]))
    grid = _rows.gammas_of(parts.fit[0], n_gammas)
    return parts, grid, [exact(parts, gamma) for gamma in grid]


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return the page of paired test-error ratios to plain sampling."""
    results = Results(cells)
    sizes, few = (results.where(part=part) for part in ("size", "labels"))
    others = [method for method in METHODS if method != "plain"]
    modes = {
        "fixed": "one bandwidth for all, that of the exact kernel",
        "tuned": "each method's own bandwidth",
    }
    tables, verdicts = [], []
    for mode, bandwidth in modes.items():
        columns = {method: f"{method}, {mode}" for method in others}
        exact = {"exact": "exact"}
        best = {"best of 10 plain": "best of 10 plain, tuned"} if mode == "tuned" else {}
        plain = f"plain, {mode}"
        tables.append(_compared(sizes, "M", columns | best | exact, plain, bandwidth))
        if few.cells:
            what = f"few labels to fit on, and as many to choose by; {bandwidth}"
            tables.append(_compared(few, "labels", columns | exact, plain, what))
        verdicts += [verdict(sizes, *column, plain, bandwidth) for column in columns.items()]
    plots = []
    for name in results.options("data"):
        for part, option, over, x_label, methods in _PLOTS:
            some = results.where(part=part, data=name)
            at = sorted(some.options(option), key=float)
            if some.cells:
                plots.append(
                    curves(
                        f"{name}: test error {over}",
                        x_label,
                        [float(value) for value in at],
                        "test error",
                        {key: some.columns(f"{key}, tuned", option, at) for key in methods},
                        "Mean over draws, with its standard error; each method at its own "
                        "bandwidth.",
                    )
                )
    return Page(verdicts=verdicts, tables=tables, plots=plots)


def _compared(
    results: Results, option: str, columns: dict[str, str], plain: str, what: str
) -> Table:
    """Return a table of ratios to plain sampling, a row per data set and value of an option.

    ``columns`` are keys of measurements by their heads.
    """
    rows = []
    for name, value in results.options("data", option):
        some = results.where(**{"data": name, option: value})
        base = some.values(plain)
        ratios = (_ratio(some.values(column), base) for column in columns.values())
        rows.append([f"{name}, {option} = {value}", f"{base.mean():.4f}", *ratios])
    return Table(
        f"Test error of plain sampling, and ratios to it: {what} (geometric means; a star where a "
        "paired Wilcoxon test has p < 0.05, which one cell in twenty has by chance)",
        ("data", "plain sampling", *columns),
        rows,
    )


def verdict(results: Results, label: str, method: str, plain: str, what: str) -> str:
    """Describe one method against plain sampling over all settings, with its spread over draws.

    `method` and `plain` are keys of measurements; `what` names the bandwidth.
    """
    by_draw = [results.where(draw=draw) for draw in sorted(results.options("draw"))]
    logs = [np.mean(log_ratio(some.values(method), some.values(plain))) for some in by_draw]
    ratio = Interval(*np.exp(paired_interval(logs)))
    word = ratio.word("better than", "worse than", "not told apart from", equal=1.0)
    return (
        f"{capital(label)}, {what}: {word} plain sampling; test errors are "
        f"{ratio.mean:.3f} times as large, geometric mean over all settings "
        f"({ratio.ends('.3g')}, over {len(by_draw)} draws)."
    )


def log_ratio(errors: NDArray[np.float64], plain: NDArray[np.float64]) -> Any:
    """Return logarithms of ratios of shares or mean squares."""
    # A test part without mistakes counts as half a mistake in ten thousand rows.
    first, second = (np.log(np.maximum(values, 5e-5)) for values in (errors, plain))
    return first - second


def _ratio(errors: NDArray[np.float64], plain: NDArray[np.float64]) -> str:
    from scipy.stats import wilcoxon

    logs = log_ratio(errors, plain)
    different = np.any(logs != 0) and wilcoxon(logs).pvalue < 0.05
    return f"{np.exp(logs.mean()):.2f}{'*' if different else ''}"


def _table(path: Path, *, header: int, first: int) -> Any:
    """Return the numbers of a table from some line and column on."""
    with path.open(encoding="utf-8") as file:
        n_columns = len(file.readline().split(","))
    columns = range(first, n_columns)
    return np.loadtxt(path, delimiter=",", skiprows=header, usecols=columns, ndmin=2)


def _year(path: Path) -> Part:
    """Read year, then 90 numbers, in each line."""
    table = _table(path, header=0, first=0)
    return table[:, 1:], table[:, 0]


def _news(path: Path) -> Part:
    """Read a header, address and age, 58 numbers, and shares, whose logarithm is the target."""
    table = _table(path, header=1, first=2)
    return table[:, :-1], np.log(table[:, -1])


def _seizure(path: Path) -> Part:
    """Read a header, a name, 178 numbers, and a class, of which 1 is a seizure."""
    table = _table(path, header=1, first=1)
    return table[:, :-1], table[:, -1] == 1


def _adult(*paths: Path) -> Part:
    """Read 14 entries and the class, with and without a full stop, of both parts."""
    rows = []
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            lines = [[entry.strip() for entry in row] for row in csv.reader(file) if row]
        # The test part begins with a comment.
        rows += [row for row in lines if not row[0].startswith("|")]
    columns = []
    for column in zip(*(row[:-1] for row in rows), strict=True):
        try:
            columns.append(np.array(column, dtype=np.float64)[:, None])
        except ValueError:
            levels = sorted(set(column))
            columns.append(np.equal(np.array(column)[:, None], levels).astype(np.float64))
    return np.concatenate(columns, axis=1), np.array([row[-1].startswith(">50K") for row in rows])


# Files of each set, all of which must be there, and how rows and targets, or which rows are of the
# second class, are read.
_UCI: dict[str, tuple[tuple[str, ...], Callable[..., Part]]] = {
    "year": (("YearPredictionMSD.txt",), _year),
    "news": (("OnlineNewsPopularity.csv",), _news),
    "adult-uci": (("adult.data", "adult.test"), _adult),
    "seizure": (("Epileptic Seizure Recognition.csv",), _seizure),
}


def uci_names(folder: Path) -> list[str]:
    """Return the sets whose files are in a folder; ValueError if there are none."""
    files = {name: [folder / file for file in files] for name, (files, _) in _UCI.items()}
    names = [name for name, paths in files.items() if all(path.is_file() for path in paths)]
    if not names:
        wanted = "; ".join(" and ".join(files) for files, _ in _UCI.values())
        raise ValueError(f"{folder} has none of the UCI sets: {wanted}")
    return names


def uci(folder: Path) -> dict[str, Problem]:
    """Read the sets of a folder; ValueError, with the file's name, if one cannot be read."""
    problems = {}
    for name in uci_names(folder):
        files, read = _UCI[name]
        try:
            X, y = read(*(folder / file for file in files))
            classes = y.dtype == bool
            y = signs(y) if classes else scaled(y)
            if not np.all(np.isfinite(X)) or not np.all(np.isfinite(y)):
                raise ValueError("NaN or infinity")
        except (ValueError, IndexError) as error:
            raise ValueError(f"{folder / files[0]} is not as UCI has it: {error}") from error
        problems[name] = Problem(X, y, classes)
    return problems


_NAME = "leverage"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Leverage scores, with controls",
    source="Shahrampour, Kolouri (2019), section V",
    printed=(
        "Test error over the number of features on four sets: sampling by leverage is said to beat "
        "plain sampling, keeping the largest scores to beat that, the bandwidth chosen for each "
        "method by itself. The features are cosines with offset."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=page,
    data={
        "quick": "the 8 x 8 digits (0 to 4 against 5 to 9), in place of four sets",
        "full": "Adult, magic, diamonds and house sales",
    },
    own_cells=lambda level, folder: cells(level, uci_names(folder)),
)
