"""Table 2 of Mroueh, Rennie, Goel (2015) on other data: errors of m units of pool size q.

A unit is the largest of q random projections of a row. Rows are frames of recordings with their
neighbours in time, or at the quick level rows of pixels of 8 x 8 digits, a digit a recording.
Logistic regression on units finds the state, a digit and a part of its time.
"""

from typing import Any

from mehler import MaxoutFeatures
from mehler.statements import Plot

from .._harness import Cell, Level, declared
from .._results import Options, Record, Results, Tables, curves, differences, draws, spread
from .._results import paired_interval as interval
from ._frames import OVER_DRAWS, ROWS, Recordings, prepare

POOLS = (2, 4, 8, 16)
# Numbers of units m: a fiftieth of the printed ones, of the first two at the quick level.
SIZES = {"quick": (25, 50), "full": (25, 50, 100, 200, 400)}
SHRUNK = 50
# Printed mean and standard deviation of the phone error rate in percent, by m, over the pools.
PRINTED = {
    1250: ("24.7 ± 0.2", "24.4 ± 0.2", "25.6 ± 0.2", "26.0 ± 0.2"),
    2500: ("24.0 ± 0.2", "23.3 ± 0.3", "24.7 ± 0.3", "25.3 ± 0.3"),
    5000: ("23.5 ± 0.1", "22.9 ± 0.2", "24.7 ± 0.2", "24.7 ± 0.4"),
    10_000: ("23.2 ± 0.1", "22.5 ± 0.2", "24.5 ± 0.2", "24.7 ± 0.4"),
    20_000: ("23.1 ± 0.1", "22.3 ± 0.2", "24.3 ± 0.2", "24.5 ± 0.2"),
}
PRINTED_LINEAR = "33.1 ± 0.1"


def cells(level: Level) -> list[Options]:
    """Return draws with all settings each; q = 0 stands for the rows without a map."""
    settings = [(0, 0), *((q, m) for m in SIZES[level] for q in POOLS)]
    return draws({"q": q, "m": m} for q, m in settings)


def measure(level: Level, recordings: Recordings, cell: Cell) -> Record:
    """Return percent wrong: ``frames`` by their states, ``recordings`` by their digits."""
    q, m, X = cell["q"], cell["m"], recordings.X
    if not q:
        return recordings.errors(lambda rows: rows, cell.seed_of("draw"))
    phi = MaxoutFeatures.draw(X.shape[2], m, q, seed=cell.seed(), like=X)
    return recordings.errors(phi, cell.seed_of("draw"))


def table(level: Level, results: Results) -> Tables:
    """Return errors of frames with the printed phone errors, and errors of recordings."""
    sizes, settings = SIZES[level], results.options("q", "m")
    frames, recordings = (
        {(q, m): results.values(kind, q=q, m=m) for q, m in settings}
        for kind in ("frames", "recordings")
    )
    least, most = sizes[0], sizes[-1]
    pairs = {f"q = {q} instead of q = 4 at m = {most}": ((q, most), (4, most)) for q in (2, 8, 16)}
    pairs[f"{most} instead of {least} units, q = 4"] = (4, most), (4, least)
    for m in (least, most):
        pairs[f"{m} units, q = 4, instead of no map"] = (4, m), (0, 0)
    gains = {what: (frames[option], frames[base]) for what, (option, base) in pairs.items()}
    maps = [setting for setting in settings if setting != (0, 0)]
    better = sum(interval(frames[o] - frames[0, 0], tests=len(maps))[1] < 0 for o in maps)
    return {
        f"Error of frames in percent, mean ± standard deviation over draws ({ROWS[level]}); in "
        "brackets the printed phone error rate on TIMIT at fifty times the units, which is another "
        "task": _rows(frames, sizes, " ({})"),
        "Error of recordings in percent, states aligned with equal parts of the time": _rows(
            recordings, sizes
        ),
        "Differences of the errors of frames, percent": differences(gains),
        "Settings that make fewer mistakes than no map, at 99 % for all at once, Student's": [
            {"": "here, frames", "settings": f"{better} of {len(maps)}"},
            {"": "in the printed table", "settings": "20 of 20, far ahead"},
        ],
    }


def _rows(errors: dict[Any, Any], sizes: Any, printed: str = "") -> list[dict[str, str]]:
    """Return a table over m and q; `printed` is the format of what the paper prints."""
    rows = []
    for m in sizes:
        texts = zip(POOLS, PRINTED[m * SHRUNK])
        entries = {f"q = {q}": spread(errors[q, m]) + printed.format(text) for q, text in texts}
        rows.append({"": f"m = {m}"} | entries)
    linear = {"": "no map", "q = 2": spread(errors[0, 0]) + printed.format(PRINTED_LINEAR)}
    return [*rows, dict.fromkeys(rows[0], "") | linear]


def figure(level: Level, results: Results) -> list[Plot]:
    sizes = SIZES[level]
    title, percent = "Error of frames over the number of units", "error of test frames, percent"
    errors = {f"q = {q}": results.columns("frames", "m", sizes, q=q) for q in POOLS}
    return [curves(title, "number of units m", sizes, percent, errors, OVER_DRAWS)]


EXPERIMENT = declared(
    __name__,  # with the functions prepare, cells, measure, table and figure of this module
    name="maxout-table-2",
    prepare=prepare,
    title="Logistic regression on random maxout features of frames",
    source="Mroueh, Rennie, Goel (2015), Table 2",
    data={
        "quick": "rows of the 8 x 8 digits, in place of TIMIT frames",
        "full": "frames of the Free Spoken Digit Dataset, in place of TIMIT frames",
    },
)
