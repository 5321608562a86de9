"""The structure of Table 2 of the maxout paper: logistic regression on frames over m and q."""

from __future__ import annotations

from typing import Any

from mehler import MaxoutFeatures
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table
from mehler.reproduce._results import Results, curves, difference, paired_interval, spread
from mehler.reproduce.maxout import _frames

_POOLS = (2, 4, 8, 16)
# A fiftieth of the printed numbers of units, and of the first two of them at the quick level.
_SIZES = {"quick": (25, 50), "full": (25, 50, 100, 200, 400)}
_SHRUNK = 50
_DRAWS = 10
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
    return [Cell({"q": q, "m": m, "draw": draw}) for draw in range(_DRAWS) for q, m in settings]


def measure(world: _frames.World, cell: Cell, seed: int) -> Measured:
    """Return the errors of one draw of recordings and weights; see :mod:`._frames`."""
    q, m = cell.options["q"], cell.options["m"]
    phi: Any = lambda rows: rows  # noqa: E731  # replaced below where there is a map
    if q:
        own, d = cell.seed(seed, _NAME), world.X.shape[2]
        phi = MaxoutFeatures.draw(d, m, q, seed=own, like=world.X)
    return _frames.measured(world, phi, _frames.split_seed(cell, seed, _NAME))


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return errors of frames beside the printed phone errors, and errors of recordings."""
    results, sizes = Results(cells), _SIZES[level]
    frames, recordings = (
        {(q, m): results.values(kind, q=q, m=m) for q, m in results.options("q", "m")}
        for kind in ("frames", "recordings")
    )
    return Page(
        verdicts=_verdicts(frames, sizes),
        tables=(
            _table(
                "Error of frames in percent, mean ± standard deviation over draws "
                f"({_frames.STANDS_IN[level]}); in brackets the printed phone error rate on TIMIT "
                "at fifty times the units, which is another task",
                frames,
                sizes,
                printed=True,
            ),
            _table(
                "Error of recordings in percent, states aligned with equal parts of the time",
                recordings,
                sizes,
                printed=False,
            ),
        ),
        plots=(
            curves(
                "Error of frames over the number of units",
                "number of units m",
                sizes,
                "error of test frames, percent",
                {f"q = {q}": results.columns("frames", "m", sizes, q=q) for q in _POOLS},
                "Mean over draws of recordings and weights, with its standard error.",
            ),
        ),
    )


def _table(caption: str, errors: dict[tuple[int, int], Any], sizes: Any, *, printed: bool) -> Table:
    def beside(values: Any, mean: float, deviation: float) -> str:
        return f"{spread(values)} ({mean} ± {deviation})" if printed else spread(values)

    rows = [
        [f"m = {m}", *(beside(errors[q, m], *pair) for q, pair in zip(_POOLS, pairs))]
        for m, pairs in ((m, PRINTED[m * _SHRUNK]) for m in sizes)
    ]
    rows.append(["no map", beside(errors[0, 0], *_PRINTED_LINEAR), *[""] * (len(_POOLS) - 1)])
    return Table(caption, ("", *(f"q = {q}" for q in _POOLS)), rows)


def _verdicts(errors: dict[tuple[int, int], Any], sizes: Any) -> list[str]:
    least, most = sizes[0], sizes[-1]
    verdicts = [
        difference(f"q = {q} instead of q = 4 at m = {most}", errors[q, most], errors[4, most])
        for q in _POOLS
        if q != 4
    ]
    verdicts.append(
        difference(f"{most} instead of {least} units, q = 4", errors[4, most], errors[4, least])
    )
    verdicts += [
        difference(f"{m} units, q = 4, instead of no map", errors[4, m], errors[0, 0])
        for m in (least, most)
    ]
    better = [
        f"q = {q}, m = {m}"
        for m in sizes
        for q in _POOLS
        if paired_interval(errors[q, m] - errors[0, 0], looks=len(sizes) * len(_POOLS)).high < 0
    ]
    verdicts.append(
        f"In the printed table every map is far ahead of none; here {len(better)} of "
        f"{len(sizes) * len(_POOLS)} settings make fewer mistakes than no map (99 % for all at "
        "once, Student's)."
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
    prepare=_frames.prepare,
    cells=cells,
    measure=measure,
    page=page,
    data=_frames.DATA,
)
