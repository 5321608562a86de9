"""Adult at full size, with the test part that it comes with: the paper's own set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mehler import data
from mehler.features import leverage
from mehler.reproduce import _rows
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table, draws
from mehler.reproduce._results import Results, by_row, curves, difference, spread
from mehler.reproduce._rows import Part, Split
from mehler.reproduce.leverage import _methods
from mehler.reproduce.leverage._methods import METHODS, POOL, chosen, on_features
from mehler.reproduce.leverage.controls import LAM, log_ratio, verdict

# The number of features of the cells that have none, and the key of their error.
FLOOR = "exact"
LABELS = {
    "plain": "plain sampling",
    "leverage": "Algorithm 1, leverage",
    "top leverage": "Algorithm 2, top leverage",
    "bottom leverage": "bottom leverage",
    "top variance": "top variance",
    "EERF": "EERF",
    "LKRF (rho = 1)": "LKRF, rho = 1",
    "LKRF (rho tuned)": "LKRF, rho tuned",
    "not so random": "alignment in the Fourier domain",
    "best of 10 plain": "best of 10 plain",
}
# Methods whose distance from that floor is stated.
NEAR = ("plain", "top leverage", "EERF", "not so random")
_SIZES = {"quick": (20,), "full": (20, 50, 100)}
_BANDWIDTHS = 3
# Splits on which the exact kernel is fitted: three minutes of one core each at the full level.
_FLOORS = {"quick": 10, "full": 1}
_FLOOR_RIDGES = tuple(float(f"1e{k}") for k in range(-5, 0))
# Columns of the preconditioner: they change the time, not the solution.
_COLUMNS = {"quick": 100, "full": 1000}
# Rows that select features; all of them fit the model.
_SELECTING = 3000
# Sizes of LKRF's ball of weights, chosen by the rows held out as the bandwidths are.
_RHOS = (0.1, 1.0, 10.0)
# The cost of NotSoRandom, chosen likewise.
_COSTS = (10.0, 1000.0)
_KINDS = ("leverage", "top leverage", "bottom leverage", "top variance", "EERF")


def prepare(level: Level, folder: Path | None) -> tuple[Part, Part]:
    """Load Adult with its own test part, or the 8 x 8 digits at the quick level."""
    if level == "quick":
        (X, y), (X_test, y_test) = _rows.digits(None, 600)
        return _rows.halves(X, y), _rows.halves(X_test, y_test)
    adult = data.adult()
    return (adult.X, _rows.signs(adult.y == 1)), (adult.X_test, _rows.signs(adult.y_test == 1))


def cells(level: Level) -> list[Cell]:
    """Return sizes and draws of features and of the sixth that is held out, then the floors."""
    return draws({"M": m} for m in _SIZES[level]) + draws([{"M": FLOOR}], _FLOORS[level])


def parts(train: Part, test: Part, seed: int) -> Split:
    """Hold out a sixth of the training part, and scale columns by the rest."""
    n = len(train[1])
    (X_held, y_held), (X_fit, y_fit) = _rows.deal(train, seed, n // 6, n - n // 6)
    X_fit, X_held, X_test = _rows.standardised(X_fit, X_held, test[0])
    return Split((X_fit, y_fit), (X_held, y_held), (X_test, test[1]))


def measure(level: Level, rows: tuple[Part, Part], cell: Cell, seed: int) -> Measured:
    """Return test errors by method, each at the bandwidth (and rho) of least error held out."""
    m = cell.options["M"]
    # One split a draw: the floor's, too.
    own = cell.seed(seed, _NAME, "M")
    split = parts(*rows, own)
    if m == FLOOR:
        return floor(split, _COLUMNS[level], own)
    X, y = split.fit
    some = X[:_SELECTING], y[:_SELECTING]
    tried: dict[str, list[tuple[float, float]]] = {name: [] for name in LABELS}
    grid = _rows.gammas_of(X, _BANDWIDTHS)
    for gamma in grid:
        pool = _rows.cosines(X, POOL * m, gamma, own)
        for name in _KINDS:
            tried[name].append(on_features(split, METHODS[name](pool, m, LAM, own).fit(*some)))
        for rho in _RHOS:
            errors = on_features(split, leverage.LKRF(pool, m, rho=rho).fit(*some))
            tried["LKRF (rho tuned)"].append(errors)
            if rho == 1.0:
                tried["LKRF (rho = 1)"].append(errors)
        for cost in _COSTS:
            selector = leverage.NotSoRandom(pool, m, cost=cost)
            tried["not so random"].append(on_features(split, selector.fit(*some)))
        tried["plain"].append(on_features(split, _rows.cosines(X, m, gamma, own)))
    # Those who choose see a pool ten times as large: ten plain draws, at the bandwidth of plain.
    best = grid[tried["plain"].index(chosen(tried["plain"]))]
    others = [on_features(split, _rows.cosines(X, m, best, own + k)) for k in range(1, POOL)]
    tried["best of 10 plain"] = [chosen(tried["plain"]), *others]
    return {name: chosen(errors)[1] for name, errors in tried.items()}


def floor(split: Split, n_columns: int, seed: int) -> Measured:
    """Return the test error of the exact kernel, bandwidth and lambda by the rows held out."""
    x, y = split.fit
    others = np.concatenate([split.choose[0], split.test[0]])
    ridges = [len(y) * ridge for ridge in _FLOOR_RIDGES]
    tried = []
    for gamma in _rows.gammas_of(x, _BANDWIDTHS):
        k = _methods.symmetric(x, gamma, np.float32)
        a = _methods.solve(k, y - y.mean(), ridges, n_columns, seed)
        del k
        values = (_methods.predict(x, others, a, gamma) + y.mean()).T
        for ridge, row in zip(_FLOOR_RIDGES, values):
            held, test = np.split(row, [len(split.choose[1])])
            errors = {"held": split.error(held, split.choose), FLOOR: split.error(test, split.test)}
            tried.append({**errors, "gamma": gamma, "ridge": ridge})
    return min(tried, key=lambda errors: errors["held"])


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return errors, their ratios to plain sampling, and verdicts paired over draws."""
    floors = Results(cells).where(M=FLOOR)
    results = Results(one for one in cells if one[0].options["M"] != FLOOR)
    sizes = sorted(results.options("M"))
    errors = {name: 100 * results.columns(name, "M", sizes) for name in LABELS}
    rows = [_row(label, errors[name], errors["plain"]) for name, label in LABELS.items()]
    own = "each method's own bandwidth"
    verdicts = [
        verdict(results, label, name, "plain", own)
        for name, label in LABELS.items()
        if name != "plain"
    ]
    aligned = LABELS["not so random"]
    verdicts += [
        difference(f"{aligned} instead of EERF, M = {m}", mine, theirs)
        for m, mine, theirs in zip(sizes, errors["not so random"].T, errors["EERF"].T)
    ]
    if floors.cells:
        splits = [results.options("draw").index(draw) for draw in floors.options("draw")]
        at = np.repeat(100 * floors.values(FLOOR)[:, None], len(sizes), axis=1)
        counted = f"{len(splits)} split{'s' * (len(splits) > 1)}"
        rows.append(_row(f"exact kernel, no features ({counted})", at, errors["plain"][splits]))
        verdicts += [
            difference(
                f"{LABELS[name]}, M = {sizes[-1]}, above the exact kernel",
                errors[name][splits, -1],
                at[:, -1],
                draw="split",
            )
            for name in NEAR
        ]
    what = "8 x 8 digits, 0 to 4 against 5 to 9" if level == "quick" else "Adult, its own test part"
    percent = "test error, percent"
    caption = "Mean over draws, with its standard error; each at its own bandwidth."
    if len(sizes) > 1:
        shown = {label: errors[name] for name, label in LABELS.items()}
        title = f"Test error over M: {what}"
        plot = curves(title, "features kept", sizes, percent, shown, caption)
    else:
        shown = {label: errors[name][:, 0] for name, label in LABELS.items()}
        title = f"Test error at M = {sizes[0]}: {what}"
        plot = by_row(title, percent, shown, caption=caption)
    heads = ("method", *(f"M = {m}" for m in sizes), *(f"ratio, M = {m}" for m in sizes))
    caption = (
        "Test error in percent, mean ± standard deviation over draws, and ratio of geometric means "
        f"to plain sampling ({what})"
    )
    return Page(verdicts=verdicts, tables=(Table(caption, heads, rows),), plots=(plot,))


def _row(label: str, errors: NDArray[np.float64], plain: NDArray[np.float64]) -> list[str]:
    """Return errors in percent, and their ratios to plain sampling, over the sizes."""
    ratios = np.exp(log_ratio(errors, plain).mean(axis=0))
    return [label, *(spread(values) for values in errors.T), *(f"{ratio:.2f}" for ratio in ratios)]


_NAME = "leverage-adult"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Leverage scores at full size",
    source="Shahrampour, Kolouri (2019), section V, Table I and Figure 2",
    printed=(
        "Adult with its 32,561 training and 16,281 test rows: sampling by leverage is said to beat "
        "plain sampling, keeping the largest scores to beat that and to come near the methods that "
        "use targets. The source text lacks the numbers."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=page,
    data={
        "quick": "the 8 x 8 digits (0 to 4 against 5 to 9), in place of Adult",
        "full": "Adult, its own test part",
    },
)
