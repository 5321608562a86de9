"""Table 1 of Mroueh, Rennie, Goel (2015): errors on MNIST by m units of pool size q, with theirs.

A unit is the largest of q random projections of a row; ridge regression on units finds the digit.
A cell is a q, an m and a draw. `EXPERIMENT` has rows of length 1, `PIXELS` pixels as they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import MaxoutFeatures, learn
from mehler.statements import Plot

from .._harness import Cell, Level, declared
from .._results import Options, Record, Results, Tables, curves, draws, spread, with_range
from .._rows import Part, Split, digits, unit_rows

SIZES, POOLS = (100, 500, 1000, 5000, 10_000), (1, 2, 4, 8, 16)  # m; q
DRAWS = {"quick": 10, "full": 5}
# Printed mean and standard deviation of the error in percent, by pool size, over the sizes.
PRINTED = {
    1: ((17.68, 0.28), (14.76, 0.23), (14.64, 0.08), (15.02, 0.64), (15.12, 0.58)),
    2: ((16.95, 0.53), (7.98, 0.22), (5.62, 0.18), (2.86, 0.11), (2.35, 0.04)),
    4: ((18.24, 0.39), (7.70, 0.24), (5.50, 0.16), (2.78, 0.07), (2.23, 0.07)),
    8: ((18.9, 0.28), (7.98, 0.47), (5.59, 0.19), (2.81, 0.10), (2.32, 0.09)),
    16: ((20.57, 0.76), (8.19, 0.21), (5.66, 0.15), (2.87, 0.12), (2.58, 0.04)),
}
# Ridge penalties lambda per row, as in learn.ridge; the errors are flat over a decade.
LAMBDAS = tuple(10.0 ** np.arange(-9.0, -1.0))
BLOCK = 1000  # rows per block of predictions, by all solutions of the path


def prepare(level: Level, folder: Path | None, scaled: Callable[[Any], Any] = unit_rows) -> Split:
    """Load rows of length 1: MNIST at the full level, the 8 x 8 digits at the quick one.

    A sixth of the training part is held out.
    """
    (X, y), (X_test, y_test) = digits(folder, 1300)
    n = len(X) - len(X) // 6
    X_fit, X_choose, X_test = (scaled(images) for images in (X[:n], X[n:], X_test))
    return Split((X_fit, y[:n]), (X_choose, y[n:]), (X_test, y_test))


def pixels(X: NDArray[np.float64]) -> Any:
    """Return rows of pixels between 0 and 1, whose lengths differ."""
    return X.reshape(len(X), -1).astype(np.float32) / np.float32(X.max())  # 255, or quick 16


def cells(level: Level, columns: tuple[int, int] = (2, 5)) -> list[Options]:
    """Return the cells: pool sizes, numbers of units and draws, few units first, to fill rows.

    ``columns`` are those of the printed table, at the quick and at the full level.
    """
    sizes = SIZES[: columns[level == "full"]]
    return [o for m in sizes for o in draws(({"q": q, "m": m} for q in POOLS), DRAWS[level])]


def measure(level: Level, rows: Split, cell: Cell) -> Record:
    """Fit one draw: lambda by hold-out, then all training rows with that lambda."""
    X, q = rows.fit[0], cell["q"]
    return fitted(rows, MaxoutFeatures.draw(X.shape[1], cell["m"], q, seed=cell.seed(), like=X))


def fitted(rows: Split, phi: Any) -> Record:
    """Return the error of ridge regression on features, lambda by hold-out.

    ``error`` on test rows, ``lambda``, and ``held_out``, an error for each lambda, None where the
    sums are singular to within rounding: 5,000 linear units of 784 pixels are, at small lambdas.
    """
    X, labels = rows.fit
    codes, classes = learn.one_vs_all(labels)
    sums = learn.RidgeSums(phi).add(X, codes)
    fits, n_refused = _path(sums)  # no intercept, as in the paper's estimator
    validation = _errors(fits, classes, rows.choose)
    del fits
    best = n_refused + int(np.argmin(validation))
    more, _ = learn.one_vs_all(rows.choose[1], classes)
    (final,) = sums.add(rows.choose[0], more).solve(LAMBDAS[best], intercept=False)
    (error,) = _errors([final], classes, rows.test)
    return {"error": error, "lambda": LAMBDAS[best], "held_out": [None] * n_refused + validation}


def _path(sums: learn.RidgeSums) -> tuple[list[learn.RidgeFit], int]:
    """Return solutions for the larger lambdas, and how many of the smaller are refused."""
    for n_refused in range(len(LAMBDAS)):
        try:
            return list(sums.solve(LAMBDAS[n_refused:], intercept=False)), n_refused
        except ValueError as error:
            if "singular to within rounding" not in str(error):
                raise
    raise ValueError("the sums are singular to within rounding at all lambdas")


def _errors(fits: Sequence[learn.RidgeFit], classes: NDArray[np.int64], part: Part) -> list[float]:
    """Return each solution's misclassification rate in percent, computing features once."""
    (X, labels), wrong = part, np.zeros(len(fits))
    for start in range(0, len(X), BLOCK):
        z, truth = fits[0].phi(X[start : start + BLOCK]), labels[start : start + BLOCK]
        for k, fit in enumerate(fits):
            values = z @ fit.weights + fit.intercept
            wrong[k] += np.count_nonzero(classes[values.argmax(axis=1)] != truth)
    return [float(100 * count / len(X)) for count in wrong]


def near(values: NDArray[np.float64], q: int, m: int) -> bool:
    """Whether a cell is within three standard errors of the difference from the printed value."""
    mean, deviation = PRINTED[q][SIZES.index(m)]
    error = np.sqrt(deviation**2 / DRAWS["full"] + values.var(ddof=1) / len(values))
    return bool(abs(values.mean() - mean) <= 3 * error)


def table(level: Level, results: Results) -> Tables:
    """Return the errors; at the full level with the printed ones, and how many are near."""
    sizes, full = sorted(results.options("m")), level == "full"
    rows, counts = [], dict.fromkeys(sizes, 0)
    for q in POOLS:
        row = {"": f"q = {q}"}
        for m, (mean, deviation) in zip(sizes, PRINTED[q]):
            values = results.values("error", q=q, m=m)
            row[f"m = {m}"] = spread(values) + (f" ({mean:.2f} ± {deviation:.2f})" if full else "")
            counts[m] += near(values, q, m)
        rows.append(row)
    if full:
        head = {"": "within three standard errors of the published value"}
        rows.append(head | {f"m = {m}": f"{n} of {len(POOLS)}" for m, n in counts.items()})
    caption = "Test error in percent, mean ± standard deviation over draws of the weights"
    return {f"{caption}; {'printed in brackets' if full else '8 x 8 digits, not MNIST'}": rows}


def figure(level: Level, results: Results) -> list[Plot]:
    sizes = sorted(results.options("m"))
    errors = {f"q = {q}": results.columns("error", "m", sizes, q=q) for q in POOLS}
    title, x_label = "Error over the number of units", "number of units m"
    return [curves(title, x_label, sizes, "test error, percent", errors, bars=with_range)]


EXPERIMENT = declared(
    __name__,  # with the functions prepare, cells, measure, table and figure of this module
    name="maxout-table-1",
    title="Errors of random maxout features over m and q",
    source="Mroueh, Rennie, Goel (2015), Table 1",
    data={"quick": "the 8 x 8 digits, in place of MNIST", "full": "MNIST"},
    needs_data=("full",),
)
PIXELS = replace(
    EXPERIMENT,
    name="maxout-table-1-pixels",
    title=f"{EXPERIMENT.title}, rows of pixels",
    page=Path(__file__).with_name("table_1_pixels.md"),
    prepare=partial(prepare, scaled=pixels),
    cells=partial(cells, columns=(1, 3)),  # without the two columns that take hours
    seeds=EXPERIMENT.name,
)
