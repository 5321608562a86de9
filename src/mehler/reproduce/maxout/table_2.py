"""The structure of Table 2 of the maxout paper: logistic regression on frames over m and q."""

from __future__ import annotations

import itertools
from typing import Any

from mehler import MaxoutFeatures
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table, draws
from mehler.reproduce._results import Results, curves, difference, paired_interval, spread
from mehler.reproduce.maxout._frames import DATA, STANDS_IN, Recordings, prepare, split_seed

_Errors = dict[tuple[int, int], Any]
_POOLS = (2, 4, 8, 16)
# A fiftieth of the printed numbers of units, and of the first two of them at the quick level.
_SIZES = {"quick": (25, 50), "full": (25, 50, 100, 200, 400)}
_SHRUNK = 50
# Printed mean and standard deviation of the phone error rate in percent, by m, over the pools.
PRINTED = {
    1250: ((24.7, 0.2), (24.4, 0.2), (25.6, 0.2), (26.0, 0.2)),
    2500: ((24.0, 0.2), (23.3, 0.3), (24.7, 0.3), (25.3, 0.3)),
    5000: ((23.5, 0.1), (22.9, 0.2), (24.7, 0.2), (24.7, 0.4)),
    10_000: ((23.2, 0.1), (22.5, 0.2), (24.5, 0.2), (24.7, 0.4)),
    20_000: ((23.1, 0.1), (22.3, 0.2), (24.3, 0.2), (24.5, 0.2)),
}
_PRINTED_LINEAR = (33.1, 0.1)


def cells(level: Level) -> list[Cell]:
    """Return draws with all settings each; q = 0 stands for the rows without a map."""
    settings = [(0, 0), *((q, m) for m in _SIZES[level] for q in _POOLS)]
    return draws({"q": q, "m": m} for q, m in settings)


def measure(level: Level, recordings: Recordings, cell: Cell, seed: int) -> Measured:
    """Return the errors of one draw of recordings and weights; see :mod:`._frames`."""
    q, m = cell.options["q"], cell.options["m"]
    phi: Any = lambda rows: rows  # noqa: E731  # replaced below where there is a map
    if q:
        own, X = cell.seed(seed, _NAME), recordings.X
        phi = MaxoutFeatures.draw(X.shape[2], m, q, seed=own, like=X)
    return recordings.errors(phi, split_seed(cell, seed, _NAME))


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return errors of frames beside the printed phone errors, and errors of recordings."""
    results, sizes = Results(cells), _SIZES[level]
    frames, recordings = (
        {(q, m): results.values(kind, q=q, m=m) for q, m in results.options("q", "m")}
        for kind in ("frames", "recordings")
    )
    plot = curves(
        "Error of frames over the number of units",
        "number of units m",
        sizes,
        "error of test frames, percent",
        {f"q = {q}": results.columns("frames", "m", sizes, q=q) for q in _POOLS},
        "Mean over draws of recordings and weights, with its standard error.",
    )
    tables = (
        _table(
            "Error of frames in percent, mean ± standard deviation over draws "
            f"({STANDS_IN[level]}); in brackets the printed phone error rate on TIMIT at fifty "
            "times the units, which is another task",
            frames,
            sizes,
            " ({} ± {})",
        ),
        _table(
            "Error of recordings in percent, states aligned with equal parts of the time",
            recordings,
            sizes,
        ),
    )
    return Page(verdicts=_verdicts(frames, sizes), tables=tables, plots=(plot,))


def _table(caption: str, errors: _Errors, sizes: Any, printed: str = "") -> Table:
    """Return a table over m and q; `printed` is the format of what the paper prints."""

    def entry(q: int, m: int, pair: tuple[float, float]) -> str:
        return f"{spread(errors[q, m])}{printed.format(*pair)}"

    rows = [
        [f"m = {m}", *(entry(q, m, pair) for q, pair in zip(_POOLS, PRINTED[m * _SHRUNK]))]
        for m in sizes
    ]
    rows.append(["no map", entry(0, 0, _PRINTED_LINEAR), *[""] * (len(_POOLS) - 1)])
    return Table(caption, ("", *(f"q = {q}" for q in _POOLS)), rows)


def _verdicts(errors: _Errors, sizes: Any) -> list[str]:
    least, most = sizes[0], sizes[-1]
    pairs = {f"q = {q} instead of q = 4 at m = {most}": ((q, most), (4, most)) for q in (2, 8, 16)}
    pairs[f"{most} instead of {least} units, q = 4"] = (4, most), (4, least)
    for m in (least, most):
        pairs[f"{m} units, q = 4, instead of no map"] = (4, m), (0, 0)
    verdicts = [difference(what, errors[one], errors[base]) for what, (one, base) in pairs.items()]
    maps = list(itertools.product(_POOLS, sizes))
    gains = (errors[setting] - errors[0, 0] for setting in maps)
    better = sum(paired_interval(gain, looks=len(maps)).high < 0 for gain in gains)
    verdicts.append(
        f"In the printed table every map is far ahead of none; here {better} of {len(maps)} "
        "settings make fewer mistakes than no map (99 % for all at once, Student's)."
    )
    return verdicts


_NAME = "maxout-table-2"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Logistic regression on random maxout features of frames",
    source="Mroueh, Rennie, Goel (2015), Table 2",
    printed=(
        "Phone error rates on TIMIT over m = 1,250 to 20,000 and q = 2 to 16: frames with five "
        "neighbours on each side, multinomial logistic regression of 147 states, Viterbi decoding, "
        "five seeds. No penalty and no step of the fit is printed. Here a fiftieth of the units "
        "and no decoding: only the shape can be compared."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=page,
    data=DATA,
)
