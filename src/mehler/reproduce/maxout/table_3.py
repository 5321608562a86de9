"""The structure of Table 3 of the maxout paper: more units from equal or more projections.

By ridge regression on recordings, and on frames by logistic regression as printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import FourierFeatures, MaxoutFeatures, data, learn
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table
from mehler.reproduce._learners import unit_rows
from mehler.reproduce._results import Results, by_row, difference, spread
from mehler.reproduce.leverage._world import standardised
from mehler.reproduce.maxout import _frames

_POOL = 4
_DRAWS = 10
# Units m and projections P, in the proportions of the printed table: 15K of 15K, 60K of 15K, 60K of
# 60K, 400K of 15K, 300K of 300K; a thirtieth of them, and a three-hundredth at the quick level.
_SETTINGS = {
    "quick": ((50, 50), (200, 50), (200, 200), (1333, 50), (1000, 1000)),
    "full": ((500, 500), (2000, 500), (2000, 2000), (13_333, 500), (10_000, 10_000)),
}
# Of frames a hundredth: no fewer projections than a row has numbers.
_SETTINGS_OF_FRAMES = {
    "quick": ((15, 15), (60, 15), (60, 60), (400, 15), (300, 300)),
    "full": ((150, 150), (600, 150), (600, 600), (4000, 150), (3000, 3000)),
}
_LAMBDAS = tuple(10.0 ** np.arange(-8.0, 0.0))
# Bandwidths of the Fourier features of frames, for rows of mean squared length 1, chosen by frames
# held out, and the units with which they are chosen.
_GAMMAS = (0.125, 0.5, 2.0)
_FEW = {"quick": 40, "full": 100}
# Printed phone error rates on TIMIT in percent; the last row is another paper's.
PRINTED = ("23.1", "22.7", "22.8", "22.4", "22.1", "21.3")


@dataclass(frozen=True)
class _World:
    """Rows of unit length, labels, and the number of training rows."""

    X: Any
    y: Any
    n_train: int


def prepare(level: Level, folder: Path | None) -> _World:
    """Load spoken digits, or the 8 x 8 digits at the quick level.

    Raises MissingDataError if the package of the spoken digits is not installed.
    """
    digits = data.digits() if level == "quick" else data.spoken_digits()
    rows = digits.X.reshape(len(digits.X), -1).astype(np.float64)
    (rows,) = standardised(rows)
    rows = unit_rows(rows, np.float64)
    return _World(rows.astype(np.float32), digits.y, 600 if level == "quick" else 2000)


def cells(level: Level) -> list[Cell]:
    """Return settings of the table and draws; Fourier features last, as many as the most units."""
    return _cells(_SETTINGS[level])


def _cells(settings: tuple[tuple[int, int], ...]) -> list[Cell]:
    most = settings[-2][0]
    rows = [*(("maxout", m, p) for m, p in settings), ("fourier", most, most)]
    return [
        Cell({"map": kind, "m": m, "projections": p, "draw": draw})
        for draw in range(_DRAWS)
        for kind, m, p in rows
    ]


def _maxout(cell: Cell, X: NDArray[np.floating], seed: int) -> Any:
    m, p = cell.options["m"], cell.options["projections"]
    return MaxoutFeatures.draw(X.shape[-1], m, _POOL, n_projections=p, seed=seed, like=X)


def _fourier(m: int, gamma: float, X: Any, seed: int) -> Any:
    return FourierFeatures.draw(X.shape[-1], m, gamma=gamma, form="offset", seed=seed, like=X)


def measure(world: _World, cell: Cell, seed: int) -> Measured:
    """Return the error in percent of ridge regression on one split, lambda by leave-one-out."""
    # All settings of a draw share one split.
    shared = cell.seed(seed, _NAME, "map", "m", "projections")
    order = np.random.default_rng(shared).permutation(len(world.y))
    train, test = order[: world.n_train], order[world.n_train :]
    own = cell.seed(seed, _NAME)
    if cell.options["map"] == "maxout":
        phi = _maxout(cell, world.X, own)
    else:
        # For rows of length 1, exp(-1) at right angles.
        phi = _fourier(cell.options["m"], 0.5, world.X, own)
    codes, classes = learn.one_vs_all(world.y)
    fit = learn.ridge(phi, world.X[train], codes[train], lambdas=_LAMBDAS, scoring="error_rate")
    values = fit.predict(world.X[test])
    return {"error": float(100 * np.mean(classes[values.argmax(axis=1)] != world.y[test]))}


def _measure_frames(world: _frames.World, cell: Cell, seed: int) -> Measured:
    """Return the errors of one draw of recordings and weights; see :mod:`._frames`."""
    name = FRAMES.name
    own, split = cell.seed(seed, name), _frames.split_seed(cell, seed, name)
    if cell.options["map"] == "maxout":
        return _frames.measured(world, _maxout(cell, world.X, own), split)
    few = [_fourier(_FEW[world.level], gamma, world.X, own) for gamma in _GAMMAS]
    gamma = _GAMMAS[int(np.argmin([_frames.held_out(world, phi, split) for phi in few]))]
    phi = _fourier(cell.options["m"], gamma, world.X, own)
    return {**_frames.measured(world, phi, split), "gamma": gamma}


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return the table in the order of print, and the paired cost of sharing projections."""
    what = "8 x 8 digits" if level == "quick" else "Free Spoken Digit Dataset, 20 frames"
    errors = _errors(cells, "error")
    small, shared, own, many, most = (errors["maxout", *setting] for setting in _SETTINGS[level])
    (m, p), (_, q) = _SETTINGS[level][1], _SETTINGS[level][2]
    (largest, _), (n, _) = _SETTINGS[level][3:]
    verdicts = [
        difference(f"{m} units that share {p} projections instead of {q}", shared, own),
        difference(f"{m} instead of {p} units of the same {p} projections", shared, small),
        difference(f"{largest} instead of {p} units of the same {p} projections", many, small),
        difference(f"{n} units of as many projections against {m} of as many", most, own),
    ]
    return _page(
        f"Test error in percent, mean ± standard deviation over draws ({what}); the last column is "
        "the printed phone error rate on TIMIT, which is another task",
        {"error": errors},
        (
            "Errors of the settings",
            "test error, percent",
            "Mean over draws, with its standard error.",
        ),
        verdicts,
    )


def _page_of_frames(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return the same for frames, with errors of recordings beside."""
    errors, settings = _errors(cells, "frames"), _SETTINGS_OF_FRAMES[level]
    (_, p), (m, _), _, (many, _), (most, _) = settings
    small, shared, own = (errors["maxout", *setting] for setting in settings[:3])
    largest, widest = errors["maxout", many, p], errors["maxout", most, most]
    verdicts = [
        difference(f"{m} units that share {p} projections instead of {m}", shared, own),
        difference(f"{m} instead of {p} units of the same {p} projections", shared, small),
        difference(f"{many} instead of {m} units of the same {p} projections", largest, shared),
        difference(f"{most} units of as many projections against {m}", widest, own),
        difference(
            f"{many} Fourier features instead of {most} units of as many projections",
            errors["fourier", many, many],
            widest,
        ),
    ]
    return _page(
        "Error in percent, mean ± standard deviation over draws "
        f"({_frames.STANDS_IN[level]}); the last column is the printed phone error rate on TIMIT, "
        "which is another task",
        {"frames": errors, "recordings": _errors(cells, "recordings")},
        (
            "Errors of frames by setting",
            "error of test frames, percent",
            "Mean over draws of recordings and weights, with its standard error.",
        ),
        verdicts,
    )


def _errors(cells: list[tuple[Cell, Measured]], name: str) -> dict[tuple[str, int, int], Any]:
    results = Results(cells)
    return {
        (kind, m, p): results.values(name, map=kind, m=m, projections=p)
        for kind, m, p in results.options("map", "m", "projections")
    }


def _page(
    caption: str,
    errors: dict[str, dict[tuple[str, int, int], Any]],
    plot: tuple[str, str, str],
    verdicts: list[str],
) -> Page:
    """Return a page whose table has a column for each kind of error, and plots the first."""
    labels = {"maxout": "Random maxout, q = 4", "fourier": "Random Fourier"}
    first, (title, y_label, caption_of_plot) = next(iter(errors.values())), plot
    rows = [
        [
            labels[kind],
            str(m),
            str(p),
            *(spread(each[kind, m, p]) for each in errors.values()),
            rate,
        ]
        for (kind, m, p), rate in zip(first, PRINTED)
    ]
    points = {f"{kind}, m = {m}, {p} projections": values for (kind, m, p), values in first.items()}
    return Page(
        verdicts=verdicts,
        tables=(Table(caption, ("map", "m", "projections", *errors, "printed"), rows),),
        plots=(by_row(title, "row of the table", y_label, points, caption_of_plot),),
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
FRAMES = Experiment(
    name="maxout-table-3-frames",
    title="Units that share projections, on frames",
    source="Mroueh, Rennie, Goel (2015), Table 3",
    printed=(
        "Table 3 as Table 2: states of frames by multinomial logistic regression, with a hundredth "
        "of the units. Only the shape can be compared."
    ),
    prepare=_frames.prepare,
    cells=lambda level: _cells(_SETTINGS_OF_FRAMES[level]),
    measure=_measure_frames,
    page=_page_of_frames,
    data=_frames.DATA,
)
