"""Table 1 of the maxout paper: errors on MNIST over m and q, beside the printed ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import MaxoutFeatures, learn
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table, draws
from mehler.reproduce._results import Results, curves, spread, with_range
from mehler.reproduce._rows import Part, Split, digits, unit_rows

_SIZES = (100, 500, 1000, 5000, 10_000)
_POOLS = (1, 2, 4, 8, 16)
_DRAWS = 5
# Printed mean and standard deviation of the error in percent, by pool size, over the sizes.
PRINTED = {
    1: ((17.68, 0.28), (14.76, 0.23), (14.64, 0.08), (15.02, 0.64), (15.12, 0.58)),
    2: ((16.95, 0.53), (7.98, 0.22), (5.62, 0.18), (2.86, 0.11), (2.35, 0.04)),
    4: ((18.24, 0.39), (7.70, 0.24), (5.50, 0.16), (2.78, 0.07), (2.23, 0.07)),
    8: ((18.9, 0.28), (7.98, 0.47), (5.59, 0.19), (2.81, 0.10), (2.32, 0.09)),
    16: ((20.57, 0.76), (8.19, 0.21), (5.66, 0.15), (2.87, 0.12), (2.58, 0.04)),
}
# Lambda per row, as in learn.ridge; the errors are flat over a decade.
LAMBDAS = tuple(10.0 ** np.arange(-9.0, -1.0))
# Rows per block of predictions, by all solutions of the path.
_ROWS = 1000


def prepare(level: Level, folder: Path | None, scaled: Callable[[Any], Any] = unit_rows) -> Split:
    """Load rows of length 1: MNIST at the full level, the 8 x 8 digits at the quick one.

    A sixth of the training part is held out; `folder`, of MNIST, is for the full level only.
    """
    (X, y), (X_test, y_test) = digits(folder, 1300)
    n = len(X) - len(X) // 6
    X_fit, X_choose, X_test = (scaled(images) for images in (X[:n], X[n:], X_test))
    return Split((X_fit, y[:n]), (X_choose, y[n:]), (X_test, y_test))


def pixels(X: NDArray[np.float64]) -> Any:
    """Return rows of pixels between 0 and 1, whose lengths differ."""
    # 255 for MNIST, 16 for the small digits.
    return X.reshape(len(X), -1).astype(np.float32) / np.float32(X.max())


def cells(level: Level, columns: tuple[int, int] = (2, 5)) -> list[Cell]:
    """Return pool sizes, numbers of units and draws, small units first, so that rows fill early.

    ``columns`` are those of the printed table, at the quick and at the full level.
    """
    quick = level == "quick"
    return [
        cell
        for m in _SIZES[: columns[not quick]]
        for cell in draws(({"q": q, "m": m} for q in _POOLS), 10 if quick else _DRAWS)
    ]


def measure(level: Level, rows: Split, cell: Cell, seed: int) -> Measured:
    """Fit one draw: lambda by hold-out, then all training rows with that lambda."""
    X, _ = rows.fit
    q, m = cell.options["q"], cell.options["m"]
    phi = MaxoutFeatures.draw(X.shape[1], m, q, seed=cell.seed(seed, _NAME), like=X)
    return fitted(rows, phi)


def fitted(rows: Split, phi: Any) -> Measured:
    """Return the error of ridge regression on features, lambda by hold-out.

    ``error`` on test rows, ``lambda``, and ``held_out``, an error for each lambda, None where the
    sums are singular to within rounding: 5,000 linear units of 784 pixels are, at small lambdas.
    """
    X, labels = rows.fit
    codes, classes = learn.one_vs_all(labels)
    sums = learn.RidgeSums(phi).add(X, codes)
    # No intercept, as in the paper's estimator.
    fits, refused = _path(sums)
    held = _errors(fits, classes, rows.choose)
    del fits
    best = refused + int(np.argmin(held))
    more, _ = learn.one_vs_all(rows.choose[1], classes)
    (final,) = sums.add(rows.choose[0], more).solve(LAMBDAS[best], intercept=False)
    return {
        "error": _errors([final], classes, rows.test)[0],
        "lambda": LAMBDAS[best],
        "held_out": [None] * refused + held,
    }


def _path(sums: learn.RidgeSums) -> tuple[list[learn.RidgeFit], int]:
    """Return solutions for the larger lambdas, and how many of the smaller are refused."""
    refused = 0
    while True:
        try:
            return list(sums.solve(LAMBDAS[refused:], intercept=False)), refused
        except ValueError as singular:
            if "singular to within rounding" not in str(singular):
                raise
            refused += 1


def _errors(fits: Sequence[learn.RidgeFit], classes: NDArray[np.int64], part: Part) -> list[float]:
    """Return each solution's misclassification rate in percent, computing features once."""
    (X, labels), wrong = part, np.zeros(len(fits))
    for start in range(0, len(X), _ROWS):
        z = fits[0].phi(X[start : start + _ROWS])
        truth = labels[start : start + _ROWS]
        for k, fit in enumerate(fits):
            values = z @ fit.weights + fit.intercept
            wrong[k] += np.count_nonzero(classes[values.argmax(axis=1)] != truth)
    return [float(100 * count / len(X)) for count in wrong]


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return the page of errors beside the printed ones."""
    results = Results(cells)
    sizes, full = sorted(results.options("m")), level == "full"
    errors = {q: results.columns("error", "m", sizes, q=q) for q in _POOLS}
    rows = []
    for q in _POOLS:
        entries = [spread(values) for values in errors[q].T]
        if full:
            pairs = zip(entries, PRINTED[q])
            entries = [
                f"{ours} ({mean:.2f} ± {deviation:.2f})" for ours, (mean, deviation) in pairs
            ]
        rows.append([f"q = {q}", *entries])
    caption = "Test error in percent, mean ± standard deviation over draws of the weights"
    caption += "; printed in brackets" if full else "; 8 x 8 digits, not MNIST"
    order = sorted(_POOLS, key=lambda q: errors[q][:, -1].mean())
    verdicts = [
        f"At m = {sizes[-1]} the pools in the order of their mean error, the least first: "
        f"{', '.join(f'q = {q}' for q in order)}."
    ]
    if full:
        cases = [(q, m, values) for q in _POOLS for m, values in zip(sizes, errors[q].T)]
        far = [f"q = {q}, m = {m}" for q, m, values in cases if not near(values, q, m)]
        verdicts.append(
            f"{len(cases) - len(far)} of {len(cases)} cells lie within three standard errors of "
            "the difference to the printed value."
            + (f" Farther off: {'; '.join(far)}." if far else "")
        )
    plot = curves(
        "Error over the number of units",
        "number of units m",
        sizes,
        "test error, percent",
        {f"q = {q}": errors[q] for q in _POOLS},
        bars=with_range,
    )
    heads = ("", *(f"m = {m}" for m in sizes))
    return Page(verdicts=verdicts, tables=(Table(caption, heads, rows),), plots=(plot,))


def near(values: NDArray[np.float64], q: int, m: int) -> bool:
    """Whether a cell is within three standard errors of the difference from the printed value."""
    mean, deviation = PRINTED[q][_SIZES.index(m)]
    error = np.sqrt(deviation**2 / _DRAWS + values.var(ddof=1) / len(values))
    return bool(abs(values.mean() - mean) <= 3 * error)


_NAME = "maxout-table-1"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Errors of random maxout features over m and q",
    source="Mroueh, Rennie, Goel (2015), Table 1",
    printed=(
        "60,000 training and 10,000 test digits, regularised least squares on codes of one class "
        "against all, lambda by rows held out, mean and standard deviation over five draws. How "
        "rows are scaled is not said: here they have length 1."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=page,
    data={"quick": "the 8 x 8 digits, in place of MNIST", "full": "MNIST"},
    needs_data=("full",),
)
PIXELS = replace(
    EXPERIMENT,
    name="maxout-table-1-pixels",
    title=f"{EXPERIMENT.title}, rows of pixels",
    printed=(
        "The first three columns of Table 1 once more: the paper does not say how rows are scaled."
    ),
    prepare=partial(prepare, scaled=pixels),
    # Without the two columns that take hours.
    cells=partial(cells, columns=(1, 3)),
)
