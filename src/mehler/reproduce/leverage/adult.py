"""Adult at full size, with the test part that it comes with: the paper's own set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import data
from mehler.features import leverage
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table
from mehler.reproduce._results import (
    Results,
    by_row,
    capital,
    curves,
    difference,
    paired_interval,
    spread,
)
from mehler.reproduce.leverage import _floor
from mehler.reproduce.leverage._methods import METHODS, POOL, chosen, drawn, on_features
from mehler.reproduce.leverage._world import Split, gammas_of, halves, standardised
from mehler.reproduce.leverage.controls import LAM, verdict
from mehler.statements import Plot

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


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return errors, their ratios to plain sampling, and verdicts paired over draws."""
    floors = Results(cells).where(M=FLOOR)
    sampled = [(cell, measured) for cell, measured in cells if cell.options["M"] != FLOOR]
    results = Results(sampled)
    sizes = sorted(results.options("M"))
    errors = {name: 100 * results.columns(name, "M", sizes) for name in LABELS}
    rows = [
        [
            label,
            *(spread(values) for values in errors[name].T),
            *(f"{_ratio(*pair):.2f}" for pair in zip(errors[name].T, errors["plain"].T)),
        ]
        for name, label in LABELS.items()
    ]
    exact = {draw: floors.where(draw=draw) for draw in floors.options("draw")}
    if exact:
        splits = [results.options("draw").index(draw) for draw in exact]
        at = 100 * floors.values(FLOOR)
        plain = errors["plain"][splits].T
        rows.append(
            [
                f"exact kernel, no features ({_counted(len(exact), 'split')})",
                *[spread(at)] * len(sizes),
                *(f"{_ratio(at, values):.2f}" for values in plain),
            ]
        )
    what = "8 x 8 digits, 0 to 4 against 5 to 9" if level == "quick" else "Adult, its own test part"
    own = "each method's own bandwidth"
    return Page(
        verdicts=[
            *(verdict(sampled, name, "plain", own) for name in LABELS if name != "plain"),
            *(
                difference(
                    f"alignment in the Fourier domain instead of EERF, M = {m}", mine, theirs
                )
                for m, mine, theirs in zip(sizes, errors["not so random"].T, errors["EERF"].T)
            ),
            *(
                _to_the_floor(LABELS[name], sizes[-1], errors[name][splits, -1] - at)
                for name in NEAR
                if exact
            ),
        ],
        tables=(
            Table(
                f"Test error in percent, mean ± standard deviation over draws, and ratio of "
                f"geometric means to plain sampling ({what})",
                ("method", *(f"M = {m}" for m in sizes), *(f"ratio, M = {m}" for m in sizes)),
                rows,
            ),
        ),
        plots=(_plot(what, sizes, {label: errors[name] for name, label in LABELS.items()}),),
    )


def _plot(what: str, sizes: list[int], errors: dict[str, Any]) -> Plot:
    caption = "Mean over draws, with its standard error; each at its own bandwidth."
    if len(sizes) > 1:
        title = f"Test error over M: {what}"
        return curves(title, "features kept", sizes, "test error, percent", errors, caption)
    first = {label: values[:, 0] for label, values in errors.items()}
    title = f"Test error at M = {sizes[0]}: {what}"
    return by_row(title, "row of the table", "test error, percent", first, caption)


def _to_the_floor(label: str, m: int, gain: NDArray[np.float64]) -> str:
    """Say how far the features of a method are from the exact kernel on the same splits."""
    start = f"{capital(label)}, M = {m}, above the exact kernel: "
    over = f"over {_counted(len(gain), 'split')}"
    if len(gain) == 1:
        return f"{start}error {gain[0]:+.2f} percent, {over}, so that no interval can be given."
    interval = paired_interval(gain)
    return (
        f"{start}{interval.word()}; error {interval.mean:+.2f} percent ({interval.ends()}, {over})."
    )


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _ratio(values: NDArray[np.float64], base: NDArray[np.float64]) -> float:
    return float(np.exp(np.mean(np.log(values) - np.log(base))))


_DRAWS = 10
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


@dataclass(frozen=True)
class World:
    """All rows with their parts' sizes, targets -1 and 1, and the level."""

    train: tuple[Any, Any]
    test: tuple[Any, Any]
    level: Level


def prepare(level: Level, folder: Path | None) -> World:
    """Load Adult with its own test part, or the 8 x 8 digits at the quick level.

    Raises MissingDataError if the package of Adult is not installed.
    """
    if level == "quick":
        digits = halves("digits", data.digits())
        order = np.random.default_rng(0).permutation(len(digits.y))
        X, y = digits.X[order], digits.y[order]
        return World((X[:600], y[:600]), (X[600:], y[600:]), level)
    loaded = data.adult()
    parts = ((loaded.X, loaded.y), (loaded.X_test, loaded.y_test))
    train, test = ((X, np.where(y == 1, 1.0, -1.0)) for X, y in parts)
    return World(train, test, level)


def cells(level: Level) -> list[Cell]:
    """Return sizes and draws of features and of the sixth that is held out, then the floors."""
    sampled = [Cell({"M": m, "draw": k}) for k in range(_DRAWS) for m in _SIZES[level]]
    return sampled + [Cell({"M": FLOOR, "draw": k}) for k in range(_FLOORS[level])]


def parts(world: World, seed: int) -> Split:
    """Hold out a sixth of the training part, and scale columns by the rest."""
    X, y = world.train
    order = np.random.default_rng(seed).permutation(len(y))
    held, fit = order[: len(y) // 6], order[len(y) // 6 :]
    scaled = standardised(X[fit], X[held], world.test[0])
    return Split((scaled[0], y[fit]), (scaled[1], y[held]), (scaled[2], world.test[1]), True)


def measure(world: World, cell: Cell, seed: int) -> Measured:
    """Return test errors by method, each at the bandwidth (and rho) of least error held out."""
    m = cell.options["M"]
    # One split a draw: the floor's, too.
    own = cell.seed(seed, _NAME, "M")
    split = parts(world, own)
    if m == FLOOR:
        return floor(split, _COLUMNS[world.level], own)
    some = split.fit[0][:_SELECTING], split.fit[1][:_SELECTING]
    tried: dict[str, list[tuple[float, float]]] = {name: [] for name in LABELS}
    grid = gammas_of(split.fit[0], _BANDWIDTHS)
    for gamma in grid:
        pool = drawn(split, POOL * m, gamma, own)
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
        tried["plain"].append(on_features(split, drawn(split, m, gamma, own)))
    # Those who choose see a pool ten times as large: ten plain draws, at the bandwidth of plain.
    best = grid[tried["plain"].index(chosen(tried["plain"]))]
    others = [on_features(split, drawn(split, m, best, own + k)) for k in range(1, POOL)]
    tried["best of 10 plain"] = [chosen(tried["plain"]), *others]
    return {name: chosen(errors)[1] for name, errors in tried.items()}


def floor(split: Split, n_columns: int, seed: int) -> Measured:
    """Return the test error of the exact kernel, bandwidth and lambda by the rows held out."""
    x, y = split.fit
    others = np.concatenate([split.choose[0], split.test[0]])
    tried = []
    for gamma in gammas_of(split.fit[0], _BANDWIDTHS):
        k = _floor.symmetric(x, gamma, np.float32)
        ridges = [len(y) * ridge for ridge in _FLOOR_RIDGES]
        a = _floor.solve(k, y - y.mean(), ridges, n_columns, seed)
        del k
        values = _floor.predict(x, others, a, gamma) + y.mean()
        held, test = values[: len(split.choose[1])], values[len(split.choose[1]) :]
        for ridge, off, at in zip(_FLOOR_RIDGES, held.T, test.T):
            errors = split.error(off, split.choose), split.error(at, split.test)
            tried.append({"held": errors[0], FLOOR: errors[1], "gamma": gamma, "ridge": ridge})
    return min(tried, key=lambda errors: errors["held"])


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
