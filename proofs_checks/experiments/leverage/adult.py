"""Test errors of ten ways to choose M random features from a pool, on the census data Adult.

Shahrampour, Kolouri (2019) choose by leverage scores, which say how much a feature adds to the
others. All are compared with plain sampling, and with the exact kernel, whose error is the floor.
"""

from pathlib import Path

import numpy as np

from mehler.statements import Plot

from .. import data
from .._harness import Cell, Level, declared
from .._results import Options, Record, Results, Tables, curves, differences, draws, spread
from .._rows import Part, Split, cosines, deal, digits, gammas_of, low_or_high, signs, standardised
from ._floor import floor
from ._methods import LAM, METHODS, POOL, Errors, best_of, log_ratio, on_features, overall
from .rivals import LKRF, NotSoRandom

# In place of M: cells (settings to run) that fit the exact kernel; and the key of their error.
FLOOR = "exact"
LABELS = {
    "plain": "plain sampling",
    "leverage": "Algorithm 1, leverage",
    "top leverage": "Algorithm 2, top leverage",
    "bottom leverage": "bottom leverage",
    "top variance": "top variance",
    "EERF": "EERF",  # energy-based exploration of random features
    "LKRF (rho = 1)": "LKRF, rho = 1",  # learning kernels with random features
    "LKRF (rho tuned)": "LKRF, rho tuned",
    "not so random": "alignment in the Fourier domain",
    "best of 10 plain": "best of 10 plain",
}
# Methods whose distance from the floor, the error of the exact kernel, is stated.
NEAR = ("plain", "top leverage", "EERF", "not so random")
SIZES, BANDWIDTHS = {"quick": (20,), "full": (20, 50, 100)}, 3
# Splits on which the exact kernel is fitted: three minutes of one core each at the full level.
FLOORS = {"quick": 10, "full": 1}
COLUMNS = {"quick": 100, "full": 1000}  # of the preconditioner, which changes the time alone
SELECTING = 3000  # rows that select features; all rows fit the model
# Sizes of LKRF's ball of weights, and costs of NotSoRandom, chosen by the rows held out.
RHOS, COSTS = (0.1, 1.0, 10.0), (10.0, 1000.0)
KINDS = ("leverage", "top leverage", "bottom leverage", "top variance", "EERF")
WHAT = {"quick": "8 x 8 digits, 0 to 4 against 5 to 9", "full": "Adult, its own test part"}


def prepare(level: Level, folder: Path | None) -> tuple[Part, Part]:
    """Load Adult with its own test part, or the 8 x 8 digits at the quick level."""
    if level == "quick":
        (X, y), (X_test, y_test) = digits(None, 600)
        return low_or_high(X, y), low_or_high(X_test, y_test)
    adult = data.adult()
    return (adult.X, signs(adult.y == 1)), (adult.X_test, signs(adult.y_test == 1))


def cells(level: Level) -> list[Options]:
    """Return sizes and draws of features and of the sixth that is held out, then the floors."""
    return draws({"M": m} for m in SIZES[level]) + draws([{"M": FLOOR}], FLOORS[level])


def parts(train: Part, test: Part, seed: int) -> Split:
    """Hold out a sixth of the training part, and scale columns by the rest."""
    n = len(train[1])
    (X_held, y_held), (X_fit, y_fit) = deal(train, seed, n // 6, n - n // 6)
    X_fit, X_held, X_test = standardised(X_fit, X_held, test[0])
    return Split((X_fit, y_fit), (X_held, y_held), (X_test, test[1]))


def measure(level: Level, rows: tuple[Part, Part], cell: Cell) -> Record:
    """Return test errors by method, each at the bandwidth (and rho) of least error held out."""
    m, seed = cell["M"], cell.seed_of("draw")  # one split a draw: the floor's, too
    split = parts(*rows, seed)
    if m == FLOOR:
        return floor(split, gammas_of(split.fit[0], BANDWIDTHS), COLUMNS[level], seed)
    X, (rows_of_selector, y) = split.fit[0], (part[:SELECTING] for part in split.fit)
    candidates: dict[str, list[Errors]] = {name: [] for name in LABELS}
    grid = gammas_of(X, BANDWIDTHS)
    for gamma in grid:
        pool = cosines(X, POOL * m, gamma, seed)
        for name in KINDS:
            selector = METHODS[name](pool, m, LAM, seed, y)
            candidates[name].append(on_features(split, selector.fit(rows_of_selector)))
        for rho in RHOS:
            errors = on_features(split, LKRF(pool, m, y=y, rho=rho).fit(rows_of_selector))
            candidates["LKRF (rho tuned)"].append(errors)
            if rho == 1.0:
                candidates["LKRF (rho = 1)"].append(errors)
        for cost in COSTS:
            phi = NotSoRandom(pool, m, y=y, cost=cost).fit(rows_of_selector)
            candidates["not so random"].append(on_features(split, phi))
        candidates["plain"].append(on_features(split, cosines(X, m, gamma, seed)))
    # Those who choose see a pool ten times as large: ten plain draws, at the bandwidth of plain.
    best = grid[candidates["plain"].index(best_of(candidates["plain"]))]
    others = [on_features(split, cosines(X, m, best, seed + k)) for k in range(1, POOL)]
    candidates["best of 10 plain"] = [best_of(candidates["plain"]), *others]
    return {name: best_of(errors)[1] for name, errors in candidates.items()}


def table(level: Level, results: Results) -> Tables:
    """Return errors, their ratios to plain sampling, and differences paired over draws."""
    floors = results.where(M=FLOOR)
    features = Results(pair for pair in results.cells if pair[0]["M"] != FLOOR)
    sizes = sorted(features.options("M"))
    errors = {name: 100 * features.columns(name, "M", sizes) for name in LABELS}
    splits = [features.options("draw").index(draw) for draw in floors.options("draw")]
    pairs = {LABELS[name]: (values, errors["plain"]) for name, values in errors.items()}
    at = np.repeat(100 * floors.values(FLOOR)[:, None], len(sizes), axis=1)
    what = f"exact kernel, no features ({len(splits)} split{'s' * (len(splits) > 1)})"
    pairs[what] = at, errors["plain"][splits]
    rows = []
    for label, (values, plain) in pairs.items():
        ratios = np.exp(log_ratio(values, plain).mean(axis=0))
        row = {"method": label}
        row |= {f"M = {m}": spread(column) for m, column in zip(sizes, values.T)}
        rows.append(row | {f"ratio, M = {m}": f"{ratio:.2f}" for m, ratio in zip(sizes, ratios)})
    aligned = errors["not so random"]
    pairs = {
        f"{LABELS['not so random']} less EERF, M = {m}": (aligned[:, k], errors["EERF"][:, k])
        for k, m in enumerate(sizes)
    }
    for name in NEAR:
        what = f"{LABELS[name]} less the exact kernel, M = {sizes[-1]}"
        pairs[what] = errors[name][splits, -1], at[:, -1]
    names = {label: name for name, label in LABELS.items() if name != "plain"}
    return {
        "Test error in percent, mean ± standard deviation over draws, and ratio of geometric means "
        f"to plain sampling ({WHAT[level]})": rows,
        "Ratio of test errors to plain sampling over all settings: each method's own "
        "bandwidth": overall(features, names, "plain"),
        "Differences of test errors, percent": differences(pairs, "errors"),
    }


def figure(level: Level, results: Results) -> list[Plot]:
    sizes = SIZES[level]
    errors = {label: 100 * results.columns(name, "M", sizes) for name, label in LABELS.items()}
    title = f"Test error over M: {WHAT[level]}"
    caption = "Mean over draws, with its standard error; each at its own bandwidth."
    return [curves(title, "features kept", sizes, "test error, percent", errors, caption)]


EXPERIMENT = declared(
    __name__,  # with the functions prepare, cells, measure, table and figure of this module
    name="leverage-adult",
    title="Leverage scores at full size",
    source="Shahrampour, Kolouri (2019), section V, Table I and Figure 2",
    data={
        "quick": "the 8 x 8 digits (0 to 4 against 5 to 9), in place of Adult",
        "full": "Adult, its own test part",
    },
)
