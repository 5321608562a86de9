"""Table 3 of Mroueh, Rennie, Goel (2015) on other data: errors of units that share projections.

A unit is the largest of 4 random projections of a row, taken from a pool of P that units share:
does sharing cost? Recordings are learnt by ridge regression, frames by logistic regression.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mehler import FourierFeatures, MaxoutFeatures
from mehler.statements import Plot

from .. import data
from .._harness import Cell, Level, declared
from .._learners import classes_by_ridge
from .._results import Options, Record, Results, Tables, by_row, differences, draws, spread
from .._rows import Part, deal, standardised, unit_rows
from . import _frames, table_2

POOL, TRAIN = 4, {"quick": 600, "full": 2000}
# Units m and projections P, in the proportions of the printed table: 15K of 15K, 60K of 15K, 60K of
# 60K, 400K of 15K, 300K of 300K; a thirtieth of them, and a three-hundredth at the quick level.
SETTINGS = {
    "quick": ((50, 50), (200, 50), (200, 200), (1333, 50), (1000, 1000)),
    "full": ((500, 500), (2000, 500), (2000, 2000), (13_333, 500), (10_000, 10_000)),
}
# Of frames a hundredth: no fewer projections than a row has numbers.
SETTINGS_OF_FRAMES = {
    "quick": ((15, 15), (60, 15), (60, 60), (400, 15), (300, 300)),
    "full": ((150, 150), (600, 150), (600, 600), (4000, 150), (3000, 3000)),
}
# Bandwidths of Fourier features of frames (mean squared length 1), and units to choose them with.
GAMMAS, FEW = (0.125, 0.5, 2.0), {"quick": 40, "full": 100}
# Printed phone error rates on TIMIT in percent; the last row is another paper's.
PRINTED = ("23.1", "22.7", "22.8", "22.4", "22.1", "21.3")
LABELS = {"maxout": "Random maxout, q = 4", "fourier": "Random Fourier"}


def prepare(level: Level, folder: Path | None) -> Part:
    """Load spoken digits, or the 8 x 8 digits at the quick level, as rows of unit length."""
    digits = data.digits() if level == "quick" else data.spoken_digits()
    (rows,) = standardised(digits.X.reshape(len(digits.X), -1).astype(np.float64))
    return unit_rows(rows, np.float64).astype(np.float32), digits.y


def cells(level: Level, settings: Any = SETTINGS) -> list[Options]:
    """Return cells, each a setting and a draw; Fourier features last, as many as most units."""
    most = settings[level][-2][0]
    rows = [*(("maxout", m, p) for m, p in settings[level]), ("fourier", most, most)]
    return draws({"map": kind, "m": m, "projections": p} for kind, m, p in rows)


def phi_of(cell: Cell, X: Any, gamma: float = 0.5, m: int | None = None) -> Any:
    """Draw the map of a cell; gamma = 0.5 is exp(-1) at right angles, for rows of length 1."""
    options: Any = {"seed": cell.seed(), "like": X}
    d, m = X.shape[-1], m or cell["m"]
    if cell["map"] == "fourier":
        return FourierFeatures.draw(d, m, gamma=gamma, form="offset", **options)
    return MaxoutFeatures.draw(d, m, POOL, n_projections=cell["projections"], **options)


def measure(level: Level, rows: Part, cell: Cell) -> Record:
    """Return the error in percent of ridge regression on one split, lambda by leave-one-out."""
    n = TRAIN[level]
    (X, y), (X_test, y_test) = deal(rows, cell.seed_of("draw"), n, len(rows[1]) - n)
    classes = classes_by_ridge(phi_of(cell, X), X, y, X_test)
    return {"error": float(100 * np.mean(classes != y_test))}


def _measure_frames(level: Level, recordings: _frames.Recordings, cell: Cell) -> Record:
    seed, X = cell.seed_of("draw"), recordings.X
    if cell["map"] == "maxout":
        return recordings.errors(phi_of(cell, X), seed)

    def held_out(gamma: float) -> float:
        phi = phi_of(cell, X, gamma, FEW[level])
        return float(recordings.errors(phi, seed, _frames.FEW_STEPS, part=1)["frames"])

    gamma = min(GAMMAS, key=held_out)
    return {**recordings.errors(phi_of(cell, X, gamma), seed), "gamma": gamma}


def pairs_of(settings: Any) -> dict[str, Any]:
    """Return the settings to compare, of maxout units m of projections P."""
    (_, p), (m, _), _, (many, _), (most, _) = settings
    return {
        f"{m} units that share {p} projections instead of {m}": ((m, p), (m, m)),
        f"{m} instead of {p} units of the same {p} projections": ((m, p), (p, p)),
        f"{many} instead of {p} units of the same {p} projections": ((many, p), (p, p)),
        f"{many} instead of {m} units of the same {p} projections": ((many, p), (m, p)),
        f"{most} units of as many projections against {m} of as many": ((most, most), (m, m)),
    }


def table(level: Level, results: Results, frames: bool = False) -> Tables:
    """Return the table in the order of print, and the paired cost of sharing projections."""
    kinds = ("frames", "recordings") if frames else ("error",)
    errors = {kind: _errors(results, kind) for kind in kinds}
    rows = [
        {"map": LABELS[setting[0]], "m": str(setting[1]), "projections": str(setting[2])}
        | {kind: spread(errors[kind][setting]) for kind in kinds}
        | {"printed": rate}
        for setting, rate in zip(errors[kinds[0]], PRINTED)
    ]
    first, settings = errors[kinds[0]], (SETTINGS_OF_FRAMES if frames else SETTINGS)[level]
    gains = {
        what: (first["maxout", *option], first["maxout", *base])
        for what, (option, base) in pairs_of(settings).items()
    }
    many, most = settings[3][0], settings[4][0]
    what = f"{many} Fourier features instead of {most} units of as many projections"
    gains[what] = first["fourier", many, many], first["maxout", most, most]
    where = "8 x 8 digits" if level == "quick" else "Free Spoken Digit Dataset, 20 frames"
    where = _frames.ROWS[level] if frames else where
    return {
        f"Test error in percent, mean ± standard deviation over draws ({where}); the last column "
        "is the printed phone error rate on TIMIT, which is another task": rows,
        f"Differences of the errors{' of frames' if frames else ''}, percent": differences(gains),
    }


def _errors(results: Results, kind: str) -> dict[Any, Any]:
    names = ("map", "m", "projections")
    settings = results.options(*names)
    return {key: results.values(kind, **dict(zip(names, key))) for key in settings}


def figure(level: Level, results: Results, frames: bool = False) -> list[Plot]:
    errors = {
        f"{name}, m = {m}, {p} projections": values
        for (name, m, p), values in _errors(results, "frames" if frames else "error").items()
    }
    if not frames:
        return [by_row("Errors of the settings", "test error, percent", errors)]
    title, percent = "Errors of frames by setting", "error of test frames, percent"
    return [by_row(title, percent, errors, caption=_frames.OVER_DRAWS)]


EXPERIMENT = declared(
    __name__,  # with the functions prepare, cells, measure, table and figure of this module
    name="maxout-table-3",
    title="Units that share projections",
    source="Mroueh, Rennie, Goel (2015), Table 3",
    data={
        "quick": "the 8 x 8 digits, in place of TIMIT frames",
        "full": "the Free Spoken Digit Dataset, in place of TIMIT frames",
    },
)
FRAMES = replace(
    table_2.EXPERIMENT,
    name="maxout-table-3-frames",
    title="Units that share projections, on frames",
    source=EXPERIMENT.source,
    page=Path(__file__).with_name("table_3_frames.md"),
    cells=partial(cells, settings=SETTINGS_OF_FRAMES),
    measure=_measure_frames,
    table=partial(table, frames=True),
    figure=partial(figure, frames=True),
)
