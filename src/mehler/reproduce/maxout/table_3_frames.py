"""Table 3 of the maxout paper once more, on frames, by logistic regression as printed."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import FourierFeatures, MaxoutFeatures
from mehler.reproduce._draws import difference, spread, with_errors
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table
from mehler.reproduce.maxout import _frames
from mehler.reproduce.maxout.table_3 import PRINTED
from mehler.statements import Plot

_POOL = 4
_DRAWS = 10
# Units m and projections P in the proportions of the print, a hundredth of them: no fewer
# projections than a row has numbers.
_SETTINGS = {
    "quick": ((15, 15), (60, 15), (60, 60), (400, 15), (300, 300)),
    "full": ((150, 150), (600, 150), (600, 600), (4000, 150), (3000, 3000)),
}
# Bandwidths of the Fourier features, for rows of mean squared length 1, chosen by frames held out.
GAMMAS = (0.125, 0.5, 2.0)
# Units with which the bandwidth is chosen.
_FEW = {"quick": 40, "full": 100}


def cells(level: Level) -> list[Cell]:
    """Return settings of the table and draws; Fourier features last, as many as the most units."""
    found = []
    for draw in range(_DRAWS):
        for m, p in _SETTINGS[level]:
            found.append(Cell({"map": "maxout", "m": m, "projections": p, "draw": draw}))
        m = _SETTINGS[level][-2][0]
        found.append(Cell({"map": "fourier", "m": m, "projections": m, "draw": draw}))
    return found


def measure(world: _frames.World, cell: Cell, seed: int) -> Measured:
    """Return the errors of one draw of recordings and weights; see :mod:`._frames`."""
    o = cell.options
    own, split = cell.seed(seed, NAME), _frames.split_seed(cell, seed, NAME)
    d = world.X.shape[2]
    if o["map"] == "maxout":
        shared = MaxoutFeatures.draw(
            d, o["m"], _POOL, n_projections=o["projections"], seed=own, like=world.X
        )
        return _frames.measured(world, shared, split)

    def fourier(m: int, gamma: float) -> Any:
        return FourierFeatures.draw(d, m, gamma=gamma, form="offset", seed=own, like=world.X)

    few = _FEW[world.level]
    held = [_frames.held_out(world, fourier(few, gamma), split) for gamma in GAMMAS]
    gamma = GAMMAS[int(np.argmin(held))]
    return {**_frames.measured(world, fourier(o["m"], gamma), split), "gamma": gamma}


def page(level: Level, found: list[tuple[Cell, Measured]]) -> Page:
    """Return the table in the order of the print, and the paired cost of sharing projections."""
    frames: dict[tuple[str, int, int], Any] = {}
    recordings: dict[tuple[str, int, int], Any] = {}
    for cell, measured in found:
        o = cell.options
        key = (o["map"], o["m"], o["projections"])
        frames.setdefault(key, []).append(measured["frames"])
        recordings.setdefault(key, []).append(measured["recordings"])
    kept = {key: np.array(values) for key, values in frames.items()}
    named = {"maxout": "Random maxout, q = 4", "fourier": "Random Fourier"}
    rows = [
        [named[kind], str(m), str(p), spread(values), spread(recordings[kind, m, p]), printed]
        for ((kind, m, p), values), printed in zip(kept.items(), PRINTED)
    ]
    series = [
        with_errors(f"{kind}, m = {m}, {p} projections", [k], values[:, None])
        for k, ((kind, m, p), values) in enumerate(kept.items(), start=1)
    ]
    return Page(
        verdicts=_verdicts(level, kept),
        tables=(
            Table(
                "Error in percent, mean ± standard deviation over draws "
                f"({_frames.STANDS_IN[level]}); the last column is the printed phone error rate "
                "on TIMIT, which is another task",
                ("map", "m", "projections", "frames", "recordings", "printed"),
                rows,
            ),
        ),
        plots=(
            Plot(
                title="Errors of frames by setting",
                x_label="row of the table",
                y_label="error of test frames, percent",
                series=series,
                caption="Mean over draws of recordings and weights, with its standard error.",
            ),
        ),
    )


def _verdicts(level: Level, kept: dict[tuple[str, int, int], Any]) -> list[str]:
    (_, p), (m, _), _, (many, _), (most, _) = _SETTINGS[level]
    small, shared, own = (kept["maxout", *setting] for setting in _SETTINGS[level][:3])
    return [
        difference(f"{m} units that share {p} projections instead of {m}", shared, own),
        difference(f"{m} instead of {p} units of the same {p} projections", shared, small),
        difference(
            f"{many} instead of {m} units of the same {p} projections",
            kept["maxout", many, p],
            shared,
        ),
        difference(
            f"{most} units of as many projections against {m}", kept["maxout", most, most], own
        ),
        difference(
            f"{many} Fourier features instead of {most} units of as many projections",
            kept["fourier", many, many],
            kept["maxout", most, most],
        ),
    ]


NAME = "maxout-table-3-frames"
EXPERIMENT = Experiment(
    name=NAME,
    title="Units that share projections, on frames",
    source="Mroueh, Rennie, Goel (2015), Table 3",
    printed=(
        "Table 3 as Table 2: states of frames by multinomial logistic regression. TIMIT is "
        "licensed and not to be had: frames of spoken digits stand in at the full level and rows "
        "of the 8 x 8 digits at the quick one, with a hundredth of the units. Only the shape "
        "can be compared."
    ),
    prepare=_frames.prepare,
    cells=cells,
    measure=measure,
    page=page,
    data=_frames.DATA,
    together=("draw",),
)
