"""Other maps in place of Table 1's: equal features, equal projections, and no map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import DecoupledMaxoutFeatures, FourierFeatures, MaxoutFeatures
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table
from mehler.reproduce._learners import nearest_rows
from mehler.reproduce._results import Results, by_row, difference, spread, with_range
from mehler.reproduce._rows import Part, Split
from mehler.reproduce.maxout import table_1

_POOL = 4
_UNITS = {"quick": 100, "full": 1000}
_DRAWS = {"quick": 10, "full": 5}
# Bandwidth candidates for rows of length 1, chosen on few rows by hold-out.
_GAMMAS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_FEW = 10_000
_NEIGHBOURS = (1, 3, 5, 7)
# Maps by name: label in the table, and number of projections for m units.
MAPS: dict[str, tuple[str, Callable[[int], int]]] = {
    "maxout": ("random maxout, q = 4", lambda m: m * _POOL),
    "centred": ("centred maxout", lambda m: m * _POOL),
    "decoupled": ("decoupled maxout", lambda m: (m + 1) * _POOL),
    "shared": ("maxout of as many shared projections as units", lambda m: m),
    "fourier-m": ("Fourier, as many features", lambda m: m // 2),
    "fourier-p": ("Fourier, as many projections", lambda m: m * _POOL),
}
# Error in percent of nearest neighbours on pixels; the paper does not give their number.
_PRINTED = 3.09
_OTHERS = {
    "linear": "pixels, no map",
    "neighbours": "nearest neighbours by pixels",
    "neighbours-maxout": "nearest neighbours by maxout features",
}


def cells(level: Level) -> list[Cell]:
    """Return maps and draws; no map and neighbours, which are slow, have one cell each."""
    m = _UNITS[level]
    once = [(name, 0) for name in _OTHERS]
    drawn = [(name, draw) for draw in range(_DRAWS[level]) for name in MAPS]
    return [Cell({"map": name, "m": m, "draw": draw}) for name, draw in once + drawn]


def measure(level: Level, rows: Split, cell: Cell, seed: int) -> Measured:
    """Return the error in percent of one map or of neighbours, with free parameters by hold-out."""
    name, m = cell.options["map"], cell.options["m"]
    # One seed for all maps of a draw, so that plain and centred units share weights.
    own = cell.seed(seed, _NAME, "map")
    X, labels = rows.fit
    if name == "linear":
        return table_1.fitted(rows, lambda X: X)
    if name == "neighbours":
        return _by_neighbours(rows, lambda X: X)
    if name == "neighbours-maxout":
        return _by_neighbours(rows, MaxoutFeatures.draw(X.shape[1], m, _POOL, seed=own, like=X))
    if not name.startswith("fourier"):
        return table_1.fitted(rows, maxout(name, X, m, own))
    few = Split((X[:_FEW], labels[:_FEW]), rows.choose, rows.choose)
    maps = {gamma: fourier(name, X, m, gamma, own) for gamma in _GAMMAS}
    gamma = min(_GAMMAS, key=lambda gamma: _least(table_1.fitted(few, maps[gamma])["held_out"]))
    return {**table_1.fitted(rows, maps[gamma]), "gamma": gamma}


def _least(errors: list[float | None]) -> float:
    """Return the least error, over the lambdas that were not refused."""
    return min(error for error in errors if error is not None)


def maxout(name: str, X: Any, m: int, seed: int) -> Any:
    """Return a maxout map: "maxout", "centred", "decoupled" or "shared"."""
    d = X.shape[1]
    if name == "decoupled":
        return DecoupledMaxoutFeatures.draw(d, m, _POOL, seed=seed, like=X)
    pool = m if name == "shared" else None
    return MaxoutFeatures.draw(
        d, m, _POOL, centred=name == "centred", n_projections=pool, seed=seed, like=X
    )


def fourier(name: str, X: NDArray[np.floating], m: int, gamma: float, seed: int) -> Any:
    """Return Fourier features: "fourier-m", m cosines and sines; "fourier-p", 4 m cosines."""
    d = X.shape[1]
    if name == "fourier-m":
        return FourierFeatures.draw(d, m, gamma=gamma, form="pairs", seed=seed, like=X)
    return FourierFeatures.draw(d, m * _POOL, gamma=gamma, form="offset", seed=seed, like=X)


def _by_neighbours(rows: Split, phi: Callable[..., Any]) -> Measured:
    """Return ``error`` in percent of a nearest-neighbour vote, and ``neighbours`` by hold-out."""
    best = int(np.argmin(votes(phi, rows.fit, rows.choose)))
    X, labels = (np.concatenate(parts) for parts in zip(rows.fit, rows.choose))
    error = votes(phi, (X, labels), rows.test)[best]
    return {"error": error, "neighbours": _NEIGHBOURS[best]}


def votes(phi: Callable[..., Any], known: Part, new: Part) -> list[float]:
    """Return the errors, in percent, of votes among 1, 3, 5 and 7 rows; ties go to the nearest."""
    (X, labels), (Q, truth) = known, new
    ballots, classes = labels[nearest_rows(phi(X), phi(Q), max(_NEIGHBOURS))], np.unique(labels)
    errors = []
    for k in _NEIGHBOURS:
        # Nearer rows weigh more, but too little to outvote another row.
        weights = 1.0 - 1e-3 * np.arange(k)
        counts = (ballots[:, :k, None] == classes[None, None, :]).astype(float)
        most = (counts * weights[None, :, None]).sum(axis=1).argmax(axis=1)
        errors.append(float(100 * np.mean(classes[most] != truth)))
    return errors


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return errors of all maps, and their differences from random maxout."""
    m, full = _UNITS[level], level == "full"
    labels = {**{name: label for name, (label, _) in MAPS.items()}, **_OTHERS}
    errors = {name: Results(cells).values("error", map=name) for name in labels}
    rows = []
    for name, label in labels.items():
        projections = f"{MAPS[name][1](m):,}" if name in MAPS else ""
        printed = f" ({_PRINTED:.2f})" if full and name == "neighbours" else ""
        rows.append([label, projections, f"{spread(errors[name])}{printed}"])
    where = "MNIST; printed in brackets" if full else "8 x 8 digits"
    table = Table(
        f"Test error in percent, {m} units, {where}; mean ± standard deviation over draws",
        ("map", "projections", "error"),
        rows,
    )
    shown = {label: errors[name] for name, label in labels.items()}
    plot = by_row("Test error by map", "test error, percent", shown, bars=with_range)
    verdicts = [
        difference(f"{labels[name]} instead of random maxout", errors[name], errors["maxout"])
        for name in MAPS
        if name != "maxout"
    ]
    return Page(verdicts=verdicts, tables=(table,), plots=(plot,))


_NAME = "maxout-maps"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Other maps beside Table 1",
    source="Mroueh, Rennie, Goel (2015), beside Table 1",
    printed=(
        "Table 1 has random maxout features alone, and the text 3.09 percent for nearest "
        "neighbours. Here the task at m = 1000 is given to other maps, to pixels without a map, "
        "and to neighbours."
    ),
    prepare=table_1.prepare,
    cells=cells,
    measure=measure,
    page=page,
    data={"quick": "the 8 x 8 digits, in place of MNIST", "full": "MNIST"},
    needs_data=("full",),
)
