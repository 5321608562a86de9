"""The structure of Table 3 of the maxout paper: more units from equal or more projections.

By ridge regression on recordings, and on frames by logistic regression as printed.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import FourierFeatures, MaxoutFeatures, data
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table, draws
from mehler.reproduce._learners import classes_by_ridge
from mehler.reproduce._results import Results, by_row, difference, spread
from mehler.reproduce._rows import Part, deal, standardised, unit_rows
from mehler.reproduce.maxout import table_2
from mehler.reproduce.maxout.table_2 import STANDS_IN, Recordings, split_seed

_Settings = dict[Level, tuple[tuple[int, int], ...]]
_POOL = 4
_TRAIN = {"quick": 600, "full": 2000}
_SPREAD = "mean ± standard deviation over draws"
# Units m and projections P, in the proportions of the printed table: 15K of 15K, 60K of 15K, 60K of
# 60K, 400K of 15K, 300K of 300K; a thirtieth of them, and a three-hundredth at the quick level.
_SETTINGS: _Settings = {
    "quick": ((50, 50), (200, 50), (200, 200), (1333, 50), (1000, 1000)),
    "full": ((500, 500), (2000, 500), (2000, 2000), (13_333, 500), (10_000, 10_000)),
}
# Of frames a hundredth: no fewer projections than a row has numbers.
_SETTINGS_OF_FRAMES: _Settings = {
    "quick": ((15, 15), (60, 15), (60, 60), (400, 15), (300, 300)),
    "full": ((150, 150), (600, 150), (600, 600), (4000, 150), (3000, 3000)),
}
# Bandwidths of the Fourier features of frames, for rows of mean squared length 1, chosen by frames
# held out, and the units with which they are chosen.
_GAMMAS = (0.125, 0.5, 2.0)
_FEW = {"quick": 40, "full": 100}
# Printed phone error rates on TIMIT in percent; the last row is another paper's.
PRINTED = ("23.1", "22.7", "22.8", "22.4", "22.1", "21.3")


def prepare(level: Level, folder: Path | None) -> Part:
    """Load spoken digits, or the 8 x 8 digits at the quick level, as rows of unit length."""
    digits = data.digits() if level == "quick" else data.spoken_digits()
    (rows,) = standardised(digits.X.reshape(len(digits.X), -1).astype(np.float64))
    return unit_rows(rows, np.float64).astype(np.float32), digits.y


def cells(level: Level, settings: _Settings = _SETTINGS) -> list[Cell]:
    """Return settings of the table and draws; Fourier features last, as many as the most units."""
    most = settings[level][-2][0]
    rows = [*(("maxout", m, p) for m, p in settings[level]), ("fourier", most, most)]
    return draws({"map": kind, "m": m, "projections": p} for kind, m, p in rows)


def _maxout(cell: Cell, X: NDArray[np.floating], seed: int) -> Any:
    m, p = cell.options["m"], cell.options["projections"]
    return MaxoutFeatures.draw(X.shape[-1], m, _POOL, n_projections=p, seed=seed, like=X)


def _fourier(m: int, gamma: float, X: Any, seed: int) -> Any:
    return FourierFeatures.draw(X.shape[-1], m, gamma=gamma, form="offset", seed=seed, like=X)


def measure(level: Level, rows: Part, cell: Cell, seed: int) -> Measured:
    """Return the error in percent of ridge regression on one split, lambda by leave-one-out."""
    n, own = _TRAIN[level], cell.seed(seed, _NAME)
    split = split_seed(cell, seed, _NAME)
    (X, y), (X_test, y_test) = deal(rows, split, n, len(rows[1]) - n)
    # For rows of length 1, exp(-1) at right angles.
    maxout = cell.options["map"] == "maxout"
    phi = _maxout(cell, X, own) if maxout else _fourier(cell.options["m"], 0.5, X, own)
    classes = classes_by_ridge(phi, X, y, X_test)
    return {"error": float(100 * np.mean(classes != y_test))}


def _measure_frames(level: Level, recordings: Recordings, cell: Cell, seed: int) -> Measured:
    """Return the errors of one draw of recordings and weights."""
    own, split = cell.seed(seed, FRAMES.name), split_seed(cell, seed, FRAMES.name)
    X = recordings.X
    if cell.options["map"] == "maxout":
        return recordings.errors(_maxout(cell, X, own), split)
    few = {gamma: _fourier(_FEW[level], gamma, X, own) for gamma in _GAMMAS}
    gamma = min(_GAMMAS, key=lambda gamma: recordings.held_out(few[gamma], split))
    return {**recordings.errors(_fourier(cell.options["m"], gamma, X, own), split), "gamma": gamma}


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return the table in the order of print, and the paired cost of sharing projections."""
    what = "8 x 8 digits" if level == "quick" else "Free Spoken Digit Dataset, 20 frames"
    (_, p), (m, _), _, (many, _), (most, _) = _SETTINGS[level]
    pairs = {
        f"{m} units that share {p} projections instead of {m}": ((m, p), (m, m)),
        f"{m} instead of {p} units of the same {p} projections": ((m, p), (p, p)),
        f"{many} instead of {p} units of the same {p} projections": ((many, p), (p, p)),
        f"{most} units of as many projections against {m} of as many": ((most, most), (m, m)),
    }
    plot = {"title": "Errors of the settings", "y_label": "test error, percent"}
    return _page(cells, f"Test error in percent, {_SPREAD} ({what})", ("error",), pairs, plot)


def _page_of_frames(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return the same for frames, with errors of recordings beside."""
    (_, p), (m, _), _, (many, _), (most, _) = _SETTINGS_OF_FRAMES[level]
    pairs = {
        f"{m} units that share {p} projections instead of {m}": ((m, p), (m, m)),
        f"{m} instead of {p} units of the same {p} projections": ((m, p), (p, p)),
        f"{many} instead of {m} units of the same {p} projections": ((many, p), (m, p)),
        f"{most} units of as many projections against {m}": ((most, most), (m, m)),
        f"{many} Fourier features instead of {most} units of as many projections": (
            ("fourier", many, many),
            (most, most),
        ),
    }
    plot = {
        "title": "Errors of frames by setting",
        "y_label": "error of test frames, percent",
        "caption": "Mean over draws of recordings and weights, with its standard error.",
    }
    caption = f"Error in percent, {_SPREAD} ({STANDS_IN[level]})"
    return _page(cells, caption, ("frames", "recordings"), pairs, plot)


def _page(
    cells: list[tuple[Cell, Measured]],
    caption: str,
    kinds: tuple[str, ...],
    pairs: dict[str, Any],
    plot: dict[str, str],
) -> Page:
    """Return a page whose table has a column for each kind of error.

    The first kind is plotted and compared by pairs of settings, of maxout unless stated.
    """
    results, names = Results(cells), ("map", "m", "projections")
    errors = {
        setting: [results.values(kind, **dict(zip(names, setting))) for kind in kinds]
        for setting in results.options(*names)
    }
    labels = {"maxout": "Random maxout, q = 4", "fourier": "Random Fourier"}
    rows = [
        [labels[name], str(m), str(p), *map(spread, values), rate]
        for ((name, m, p), values), rate in zip(errors.items(), PRINTED)
    ]

    def first(setting: tuple[Any, ...]) -> Any:
        return errors[setting if len(setting) == 3 else ("maxout", *setting)][0]

    shown = {f"{name}, m = {m}, {p} projections": first((name, m, p)) for name, m, p in errors}
    caption += "; the last column is the printed phone error rate on TIMIT, which is another task"
    return Page(
        verdicts=[difference(what, first(one), first(base)) for what, (one, base) in pairs.items()],
        tables=(Table(caption, (*names, *kinds, "printed"), rows),),
        plots=(by_row(values=shown, **plot),),
    )


_NAME = "maxout-table-3"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Units that share projections",
    source="Mroueh, Rennie, Goel (2015), Table 3",
    printed=(
        "Phone error rates on TIMIT for 15,000 to 400,000 maxout units that draw from a pool of "
        "15,000 to 300,000 projections, and for Fourier features. Here a thirtieth of the units, a "
        "three-hundredth at the quick level: only the shape can be compared."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=page,
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
    printed=(
        "Table 3 as Table 2: states of frames by multinomial logistic regression, with a hundredth "
        "of the units. Only the shape can be compared."
    ),
    cells=partial(cells, settings=_SETTINGS_OF_FRAMES),
    measure=_measure_frames,
    page=_page_of_frames,
)
