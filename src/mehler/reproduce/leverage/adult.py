"""Adult at full size, with the test part that it comes with: the paper's own set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mehler import data
from mehler.features import leverage
from mehler.reproduce._draws import between, difference, paired_interval, spread, with_errors
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table
from mehler.reproduce.leverage import _floor
from mehler.reproduce.leverage._methods import METHODS, POOL, chosen, drawn, on_features
from mehler.reproduce.leverage._world import Split, gammas_of, small
from mehler.reproduce.leverage.experiments import LAM, verdict
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


def page(level: Level, found: list[tuple[Cell, Measured]]) -> Page:
    """Return errors, their ratios to plain sampling, and verdicts paired over draws."""
    exact = {c.options["draw"]: one for c, one in found if c.options["M"] == FLOOR}
    sampled = [(cell, one) for cell, one in found if cell.options["M"] != FLOOR]
    sizes = sorted({cell.options["M"] for cell, _ in sampled})
    errors = {
        (name, m): np.array([one[name] for cell, one in sampled if cell.options["M"] == m])
        for name in LABELS
        for m in sizes
    }
    rows = [
        [
            label,
            *(spread(100 * errors[name, m]) for m in sizes),
            *(f"{_ratio(errors[name, m], errors['plain', m]):.2f}" for m in sizes),
        ]
        for name, label in LABELS.items()
    ]
    if exact:
        plain = {
            (c.options["draw"], c.options["M"]): one["plain"]
            for c, one in sampled
            if c.options["draw"] in exact
        }
        at = spread(100 * np.array([one[FLOOR] for one in exact.values()]))
        rows.append(
            [
                f"exact kernel, no features ({_counted(len(exact), 'split')})",
                *[at] * len(sizes),
                *(
                    f"{_ratio([exact[k][FLOOR] for k in exact], [plain[k, m] for k in exact]):.2f}"
                    for m in sizes
                ),
            ]
        )
    what = "8 x 8 digits, 0 to 4 against 5 to 9" if level == "quick" else "Adult, its own test part"
    own = "each method's own bandwidth"
    return Page(
        verdicts=[
            *(verdict(sampled, name, "plain", own) for name in LABELS if name != "plain"),
            *(
                difference(
                    f"alignment in the Fourier domain instead of EERF, M = {m}",
                    100 * errors["not so random", m],
                    100 * errors["EERF", m],
                )
                for m in sizes
            ),
            *(_to_the_floor(sampled, exact, name, sizes[-1]) for name in NEAR if exact),
        ],
        tables=(
            Table(
                f"Test error in percent, mean ± standard deviation over draws, and ratio of "
                f"geometric means to plain sampling ({what})",
                ("method", *(f"M = {m}" for m in sizes), *(f"ratio, M = {m}" for m in sizes)),
                rows,
            ),
        ),
        plots=(
            Plot(
                title=f"Test error over M: {what}",
                x_label="features kept",
                x_log=True,
                y_label="test error, percent",
                series=[
                    with_errors(
                        label,
                        sizes,
                        100 * np.stack([errors[name, m] for m in sizes], axis=1),
                    )
                    for name, label in LABELS.items()
                ],
                caption="Mean over draws, with its standard error; each at its own bandwidth.",
            ),
        ),
    )


def _to_the_floor(
    sampled: list[tuple[Cell, Measured]], exact: dict[int, Measured], name: str, m: int
) -> str:
    """Say how far the features of a method are from the exact kernel on the same splits."""
    gain = [
        100 * (one[name] - exact[cell.options["draw"]][FLOOR])
        for cell, one in sampled
        if cell.options["M"] == m and cell.options["draw"] in exact
    ]
    said = f"{LABELS[name]}, M = {m}, above the exact kernel: "
    said = f"{said[0].upper()}{said[1:]}"
    over = f"over {_counted(len(gain), 'split')}"
    if len(gain) == 1:
        return f"{said}error {gain[0]:+.2f} percent, {over}, so that no interval can be given."
    mean, low, high = paired_interval(gain)
    word = "more mistakes" if low > 0 else "fewer mistakes" if high < 0 else "not told apart"
    return f"{said}{word}; error {mean:+.2f} percent ({between(low, high)}, {over})."


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _ratio(values: Any, base: Any) -> float:
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
KINDS = ("leverage", "top leverage", "bottom leverage", "top variance", "EERF")


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
        (found,) = small()
        order = np.random.default_rng(0).permutation(len(found.y))
        X, y = found.X[order], found.y[order]
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
    mean, deviation = X[fit].mean(axis=0), X[fit].std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)

    def scaled(rows: Any) -> Any:
        return (rows - mean) / deviation

    tested = scaled(world.test[0]), world.test[1]
    return Split((scaled(X[fit]), y[fit]), (scaled(X[held]), y[held]), tested, True)


def measure(world: World, cell: Cell, seed: int) -> Measured:
    """Return test errors by method, each at the bandwidth (and rho) of least error held out."""
    m = cell.options["M"]
    # One split a draw: the floor's, too.
    own = cell.seed(seed, NAME, "M")
    split = parts(world, own)
    if m == FLOOR:
        return floor(split, _COLUMNS[world.level], own)
    some = split.fit[0][:_SELECTING], split.fit[1][:_SELECTING]
    tried: dict[str, list[tuple[float, float]]] = {name: [] for name in LABELS}
    grid = gammas_of(split.fit[0], _BANDWIDTHS)
    for gamma in grid:
        pool = drawn(split, POOL * m, gamma, own)
        for name in KINDS:
            tried[name].append(on_features(split, METHODS[name](pool, m, LAM, own).fit(*some)))
        for rho in _RHOS:
            found = on_features(split, leverage.LKRF(pool, m, rho=rho).fit(*some))
            tried["LKRF (rho tuned)"].append(found)
            if rho == 1.0:
                tried["LKRF (rho = 1)"].append(found)
        for cost in _COSTS:
            selector = leverage.NotSoRandom(pool, m, cost=cost)
            tried["not so random"].append(on_features(split, selector.fit(*some)))
        tried["plain"].append(on_features(split, drawn(split, m, gamma, own)))
    # Those who choose see a pool ten times as large: ten plain draws, at the bandwidth of plain.
    best = grid[tried["plain"].index(chosen(tried["plain"]))]
    others = [on_features(split, drawn(split, m, best, own + k)) for k in range(1, POOL)]
    tried["best of 10 plain"] = [chosen(tried["plain"]), *others]
    return {name: chosen(found)[1] for name, found in tried.items()}


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
    return min(tried, key=lambda one: one["held"])


NAME = "leverage-adult"
EXPERIMENT = Experiment(
    name=NAME,
    title="Leverage scores at full size",
    source="Shahrampour, Kolouri (2019), section V, Table I and Figure 2",
    printed=(
        "Adult with its 32,561 training and 16,281 test rows: sampling by leverage is said to beat "
        "plain sampling, keeping the largest scores to beat that and to come near the methods that "
        "use targets. The print's numbers are lost in our copy. Here a sixth of the training part "
        "is held out to choose by, and 3000 rows select features; the exact kernel is fitted on as "
        "many rows as the features."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=page,
    data={
        "quick": "the 8 x 8 digits (0 to 4 against 5 to 9), in place of Adult",
        "full": "Adult, its own test part",
    },
    together=("draw",),
)
