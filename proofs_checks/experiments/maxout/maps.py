"""Errors of other maps on the task of Table 1 of Mroueh, Rennie, Goel (2015), digits of MNIST."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import DecoupledMaxoutFeatures, FourierFeatures, MaxoutFeatures
from mehler.statements import Plot

from .._harness import Cell, Level, declared
from .._learners import nearest_rows
from .._results import Options, Record, Results, Tables, by_row, differences, spread, with_range
from .._rows import Part, Split
from . import table_1

POOL = 4  # projections, the largest of which is a unit
UNITS = {"quick": 100, "full": 1000}
# Bandwidth candidates for rows of length 1, chosen on few rows by hold-out.
GAMMAS, FEW = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), 10_000
NEIGHBOURS = (1, 3, 5, 7)
# Maps by name: label in the table, and number of projections for m units. Centred units have mean
# 0. Decoupled ones project on other weights, at the place of the largest projection.
MAPS: dict[str, tuple[str, Callable[[int], int]]] = {
    "maxout": ("random maxout, q = 4", lambda m: m * POOL),
    "centred": ("centred maxout", lambda m: m * POOL),
    "decoupled": ("decoupled maxout", lambda m: (m + 1) * POOL),
    "shared": ("maxout of as many shared projections as units", lambda m: m),
    "fourier-m": ("Fourier, as many features", lambda m: m // 2),
    "fourier-p": ("Fourier, as many projections", lambda m: m * POOL),
}
OTHERS = {
    "linear": "pixels, no map",
    "neighbours": "nearest neighbours by pixels",
    "neighbours-maxout": "nearest neighbours by maxout features",
}
LABELS = {name: label for name, (label, _) in MAPS.items()} | OTHERS
# The paper's error in percent of nearest neighbours on pixels, whose number it does not give.
PRINTED = 3.09


def cells(level: Level) -> list[Options]:
    """Return cells, one a map and draw; no map and neighbours, which are slow, have one each."""
    pairs = [(name, draw) for draw in range(table_1.DRAWS[level]) for name in MAPS]
    names = [(name, 0) for name in OTHERS] + pairs
    return [{"map": name, "m": UNITS[level], "draw": draw} for name, draw in names]


def measure(level: Level, rows: Split, cell: Cell) -> Record:
    """Return the error in percent of one map or of neighbours, with free parameters by hold-out."""
    name, (X, labels) = cell["map"], rows.fit

    def phi_of(gamma: float = 1.0) -> Any:
        # One seed for all maps of a draw, so that plain and centred units share weights.
        return map_of(name, X, cell["m"], gamma, cell.seed("map"))

    def least(gamma: float) -> float:
        few = Split((X[:FEW], labels[:FEW]), rows.choose, rows.choose)
        errors = table_1.fitted(few, phi_of(gamma))["held_out"]
        return float(min(error for error in errors if error is not None))

    if name.startswith("neighbours"):
        return _by_neighbours(rows, phi_of())
    if not name.startswith("fourier"):
        return table_1.fitted(rows, phi_of())
    gamma = min(GAMMAS, key=least)
    return {**table_1.fitted(rows, phi_of(gamma)), "gamma": gamma}


def map_of(name: str, X: Any, m: int, gamma: float, seed: int) -> Any:
    """Return a map by its name; "fourier-m" has m cosines and sines, "fourier-p" 4 m cosines."""
    options: Any = {"seed": seed, "like": X}
    d = X.shape[1]
    if name in ("linear", "neighbours"):
        return lambda rows: rows
    if name == "fourier-m":
        return FourierFeatures.draw(d, m, gamma=gamma, form="pairs", **options)
    if name == "fourier-p":
        return FourierFeatures.draw(d, m * POOL, gamma=gamma, form="offset", **options)
    if name == "decoupled":
        return DecoupledMaxoutFeatures.draw(d, m, POOL, **options)
    pool, centred = m if name == "shared" else None, name == "centred"
    return MaxoutFeatures.draw(d, m, POOL, centred=centred, n_projections=pool, **options)


def _by_neighbours(rows: Split, phi: Callable[..., Any]) -> Record:
    """Return ``error`` in percent of a nearest-neighbour vote, and ``neighbours`` by hold-out."""
    best = int(np.argmin(votes(phi, rows.fit, rows.choose)))
    X, labels = (np.concatenate(parts) for parts in zip(rows.fit, rows.choose))
    return {"error": votes(phi, (X, labels), rows.test)[best], "neighbours": NEIGHBOURS[best]}


def votes(phi: Callable[..., Any], train: Part, new: Part) -> list[float]:
    """Return the errors, in percent, of votes among 1, 3, 5 and 7 rows; ties go to the nearest."""
    (X, labels), (Q, truth) = train, new
    ballots, classes = labels[nearest_rows(phi(X), phi(Q), max(NEIGHBOURS))], np.unique(labels)
    errors = []
    for k in NEIGHBOURS:
        # Nearer rows weigh more, but too little to outvote another row.
        weights = 1.0 - 1e-3 * np.arange(k)
        counts = (ballots[:, :k, None] == classes[None, None, :]).astype(float)
        most = (counts * weights[None, :, None]).sum(axis=1).argmax(axis=1)
        errors.append(float(100 * np.mean(classes[most] != truth)))
    return errors


def table(level: Level, results: Results) -> Tables:
    """Return the errors of all maps, and their differences from random maxout."""
    m, full = UNITS[level], level == "full"
    errors = {name: results.values("error", map=name) for name in LABELS}
    rows = [
        {
            "map": label,
            "projections": f"{MAPS[name][1](m):,}" if name in MAPS else "",
            "error": spread(errors[name])
            + (f" ({PRINTED:.2f})" if full and name == "neighbours" else ""),
        }
        for name, label in LABELS.items()
    ]
    pairs = {LABELS[name]: (errors[name], errors["maxout"]) for name in MAPS if name != "maxout"}
    where = "MNIST; printed in brackets" if full else "8 x 8 digits"
    return {
        f"Test error in percent, {m} units, {where}; mean ± standard deviation over draws": rows,
        "Error less that of random maxout of the same draw, percent": differences(pairs, "map"),
    }


def figure(level: Level, results: Results) -> list[Plot]:
    errors = {label: results.values("error", map=name) for name, label in LABELS.items()}
    return [by_row("Test error by map", "test error, percent", errors, bars=with_range)]


EXPERIMENT = declared(
    __name__,  # with the functions cells, measure, table and figure of this module
    name="maxout-maps",
    title="Other maps compared with Table 1",
    source="Mroueh, Rennie, Goel (2015), with Table 1",
    prepare=table_1.prepare,
    data=table_1.EXPERIMENT.data,
    needs_data=("full",),
)
