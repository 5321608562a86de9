"""The structure of Table 3 of the maxout paper: more units from equal or more projections."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mehler import FourierFeatures, MaxoutFeatures, data, learn
from mehler.reproduce._draws import difference, spread, with_errors
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table
from mehler.statements import Plot

_POOL = 4
_DRAWS = 10
# Units m and projections P, in the proportions of the print: 15K of 15K, 60K of 15K, 60K of 60K,
# 400K of 15K, 300K of 300K; a thirtieth of them, and a three-hundredth at the quick level.
_SETTINGS = {
    "quick": ((50, 50), (200, 50), (200, 200), (1333, 50), (1000, 1000)),
    "full": ((500, 500), (2000, 500), (2000, 2000), (13_333, 500), (10_000, 10_000)),
}
_LAMBDAS = tuple(10.0 ** np.arange(-8.0, 0.0))
# Printed phone error rates on TIMIT in percent; the last row is another paper's.
PRINTED = ("23.1", "22.7", "22.8", "22.4", "22.1", "21.3")


@dataclass(frozen=True)
class World:
    """Rows of unit length, labels, the number of training rows, and a description of the rows."""

    X: Any
    y: Any
    n_train: int
    what: str


def prepare(level: Level, folder: Path | None) -> World:
    """Load spoken digits, or the 8 x 8 digits at the quick level.

    Raises MissingDataError if the package of the spoken digits is not installed.
    """
    found = data.digits() if level == "quick" else data.spoken_digits()
    rows = found.X.reshape(len(found.X), -1).astype(np.float64)
    rows = (rows - rows.mean(axis=0)) / np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1.0)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    n_train = 600 if level == "quick" else 2000
    return World(rows.astype(np.float32), found.y, n_train, found.name)


def cells(level: Level) -> list[Cell]:
    """Return settings of the table and draws; Fourier features last, as many as the most units."""
    found = []
    for draw in range(_DRAWS):
        for m, p in _SETTINGS[level]:
            found.append(Cell({"map": "maxout", "m": m, "projections": p, "draw": draw}))
        m = _SETTINGS[level][-2][0]
        found.append(Cell({"map": "fourier", "m": m, "projections": m, "draw": draw}))
    return found


def measure(world: World, cell: Cell, seed: int) -> Measured:
    """Return the error in percent of ridge regression on one split, lambda by leave-one-out."""
    o = cell.options
    # All settings of a draw share one split.
    order = np.random.default_rng(cell.seed(seed, NAME, "map", "m", "projections")).permutation(
        len(world.y)
    )
    train, test = order[: world.n_train], order[world.n_train :]
    own, d = cell.seed(seed, NAME), world.X.shape[1]
    phi: Any
    if o["map"] == "maxout":
        phi = MaxoutFeatures.draw(
            d, o["m"], _POOL, n_projections=o["projections"], seed=own, like=world.X
        )
    else:
        # For rows of length 1, exp(-1) at right angles.
        phi = FourierFeatures.draw(d, o["m"], gamma=0.5, form="offset", seed=own, like=world.X)
    codes, classes = learn.one_vs_all(world.y)
    fit = learn.ridge(phi, world.X[train], codes[train], lambdas=_LAMBDAS, scoring="error_rate")
    values = fit.predict(world.X[test])
    return {"error": float(100 * np.mean(classes[values.argmax(axis=1)] != world.y[test]))}


def page(level: Level, found: list[tuple[Cell, Measured]]) -> Page:
    """Return the table in the order of the print, and the paired cost of sharing projections."""
    errors: dict[tuple[str, int, int], list[float]] = {}
    for cell, measured in found:
        o = cell.options
        errors.setdefault((o["map"], o["m"], o["projections"]), []).append(measured["error"])
    kept = {key: np.array(values) for key, values in errors.items()}
    rows = [
        [
            "Random maxout, q = 4" if kind == "maxout" else "Random Fourier",
            str(m),
            str(p),
            spread(values),
            printed,
        ]
        for ((kind, m, p), values), printed in zip(kept.items(), PRINTED)
    ]
    names = [f"{kind}, m = {m}, {p} projections" for kind, m, p in kept]
    series = [
        with_errors(name, [k], values[:, None])
        for k, (name, values) in enumerate(zip(names, kept.values()), start=1)
    ]
    what = "8 x 8 digits" if level == "quick" else "Free Spoken Digit Dataset, 20 frames"
    return Page(
        verdicts=_verdicts(level, kept),
        tables=(
            Table(
                f"Test error in percent, mean ± standard deviation over draws ({what}); the last "
                "column is the printed phone error rate on TIMIT, which is another task",
                ("map", "m", "projections", "error", "printed"),
                rows,
            ),
        ),
        plots=(
            Plot(
                title="Errors of the settings",
                x_label="row of the table",
                y_label="test error, percent",
                series=series,
                caption="Mean over draws, with its standard error.",
            ),
        ),
    )


def _verdicts(level: Level, kept: dict[tuple[str, int, int], Any]) -> list[str]:
    small, shared, own, many, most = (kept["maxout", *setting] for setting in _SETTINGS[level])
    (m, p), (_, q) = _SETTINGS[level][1], _SETTINGS[level][2]
    largest = _SETTINGS[level][3]
    return [
        difference(f"{m} units that share {p} projections instead of {q}", shared, own),
        difference(f"{m} instead of {p} units of the same {p} projections", shared, small),
        difference(f"{largest[0]} instead of {p} units of the same {p} projections", many, small),
        difference(
            f"{_SETTINGS[level][4][0]} units of as many projections against {m} of as many",
            most,
            own,
        ),
    ]


NAME = "maxout-table-3"
EXPERIMENT = Experiment(
    name=NAME,
    title="Units that share projections",
    source="Mroueh, Rennie, Goel (2015), Table 3",
    printed=(
        "Phone error rates on TIMIT for 15,000 to 400,000 maxout units that draw from a pool of "
        "15,000 to 300,000 projections, and for Fourier features. TIMIT is licensed and not to be "
        "had: spoken digits stand in at the full level and the 8 x 8 digits at the quick one, with "
        "a thirtieth and a three-hundredth of the units. Only the shape can be compared."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=page,
    data={
        "quick": "the 8 x 8 digits, in place of TIMIT frames",
        "full": "the Free Spoken Digit Dataset, in place of TIMIT frames",
    },
    together=("draw",),
)
