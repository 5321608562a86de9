"""Results of cells, settings such as {"q": 4, "draw": 0}: means over draws, paired differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from operator import getitem
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mehler.statements import Plot, Series

# The setting of a cell, and its measurements: numbers and lists of numbers, as in JSON.
Options: TypeAlias = Mapping[str, Any]
Record: TypeAlias = dict[str, Any]
# Rows of text by caption; the keys of a row are the heads of the table.
Tables: TypeAlias = dict[str, list[dict[str, str]]]
_Bars = Callable[[str, Any, ArrayLike], Series]  # of a label, places, values over draws
_MISS = 0.01  # two-sided error rate of the intervals, for normal differences
# Differences of fractions that are equal but for rounding are this close, relative to the largest.
_ROUNDING = 1e-9


class Results:
    """The measurements of cells, by the options of the cells."""

    def __init__(self, cells: Iterable[tuple[Options, Record]]) -> None:
        self.cells = list(cells)

    def where(self, **options: Any) -> Results:
        """Return those whose cells have some options; an option of None is any."""
        conditions = {name: value for name, value in options.items() if value is not None}
        return Results(
            (cell, record)
            for cell, record in self.cells
            if all(cell.get(name) == value for name, value in conditions.items())
        )

    def options(self, *names: str) -> list[Any]:
        """List the values of an option, or the tuples of several, as they first appear."""
        values = [tuple(cell.get(name) for name in names) for cell, _ in self.cells]
        return list(dict.fromkeys(values if len(names) > 1 else (value for (value,) in values)))

    def values(self, *path: Any, **options: Any) -> NDArray[np.float64]:
        """Return a measured number, or list of numbers, at a path of keys: shape (draws, ...)."""
        cells = self.where(**options).cells
        return np.array([reduce(getitem, path, record) for _, record in cells])

    def columns(self, name: str, option: str, at: Iterable[Any], **options: Any) -> NDArray[Any]:
        """Return the values of `name` at several values of an option: shape (draws, options)."""
        return np.stack([self.values(name, **{option: value}, **options) for value in at], axis=1)


def draws(settings: Iterable[Options] = ({},), n: int = 10) -> list[Options]:
    """Return all settings with draw = 0, ..., n - 1: a draw is a repetition with new seeds."""
    settings = list(settings)
    return [{**setting, "draw": draw} for draw in range(n) for setting in settings]


def spread(values: ArrayLike, digits: int = 2) -> str:
    """Format mean ± standard deviation of `values`, shape (draws,); a single draw as its value."""
    values = np.asarray(values)
    mean = f"{np.mean(values):.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):.{digits}f}"


def paired_interval(gain: ArrayLike, tests: int = 1) -> tuple[float, float]:
    """Return the ends of Student's 99 % interval for the mean of paired differences `gain`.

    Of so many `tests` all intervals hold at once. Differences without spread bound nothing: a few
    equal counts of mistakes are no certainty, and the ends are infinite.
    """
    from scipy.stats import t as student

    gain = np.asarray(gain, dtype=np.float64)
    mean, n = float(np.mean(gain)), len(gain)
    if np.ptp(gain) <= _ROUNDING * np.abs(gain).max():
        return -np.inf, np.inf
    wide = float(student.ppf(1 - _MISS / (2 * tests), n - 1) * np.std(gain, ddof=1)) / n**0.5
    return mean - wide, mean + wide


def differences(
    pairs: Mapping[str, Any], what: str = "difference", *, tests: int = 1, digits: int = 2
) -> list[dict[str, str]]:
    """Return a row for each pair of values, (draws,): the mean of the first less the second.

    With it are the ends of its paired 99 % interval, or "none" where all draws are equal, or there
    is one. Intervals hold for so many `tests` at once; `what` heads the column of names.
    """
    level = "99 %" if tests == 1 else f"99 % for {tests} at once"
    rows = []
    for name, (values, base) in pairs.items():
        gain = np.asarray(values) - np.asarray(base)
        low, high = paired_interval(gain, tests)
        ends = f"{low:+.{digits}f} to {high:+.{digits}f}" if np.isfinite(low) else "none"
        rows.append(
            {what: name, "mean": f"{gain.mean():+.{digits}f}", level: ends, "draws": str(len(gain))}
        )
    return rows


def with_errors(label: str, x: Any, values: ArrayLike) -> Series:
    """Return a series of means over draws with standard errors; `values` has shape (draws, n)."""
    values = np.asarray(values)
    means = values.mean(axis=0)
    errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return _with_bars(label, x, means, means - errors, means + errors)


def with_range(label: str, x: Any, values: ArrayLike) -> Series:
    """Return a series of means over draws with the least and the largest; shape (draws, n)."""
    columns = np.transpose(values)
    return _with_bars(label, x, *zip(*((c.mean(), c.min(), c.max()) for c in columns)))


def _with_bars(label: str, x: Any, means: Any, low: Any, high: Any) -> Series:
    return Series(label=label, x=x, y=means, y_low=low, y_high=high, kind="points")


_CAPTIONS: dict[_Bars, str] = {
    with_errors: "Mean over draws, with its standard error.",
    with_range: "Bars reach from the least to the largest draw.",
}


def curves(
    title: str,
    x_label: str,
    x: Any,
    y_label: str,
    values: Mapping[str, ArrayLike],
    caption: str = "",
    *,
    bars: _Bars = with_errors,
    x_log: bool = True,
    y_log: bool = False,
) -> Plot:
    """Plot means with bars over `x`, for all labels or by label; ``values`` are (draws, n)."""
    at = x if isinstance(x, Mapping) else dict.fromkeys(values, x)
    return Plot(
        title=title,
        x_label=x_label,
        x_log=x_log,
        y_label=y_label,
        y_log=y_log,
        series=[bars(label, at[label], draws) for label, draws in values.items()],
        caption=caption or _CAPTIONS[bars],
    )


def by_row(title: str, y_label: str, values: Mapping[str, ArrayLike], **options: Any) -> Plot:
    """Plot means with bars beside each other, by row of a table, ``values`` of shape (draws,)."""
    columns = {label: np.asarray(draws)[:, None] for label, draws in values.items()}
    places = {label: [place] for place, label in enumerate(values, start=1)}
    x_label = options.pop("x_label", "row of the table")
    return curves(title, x_label, places, y_label, columns, x_log=False, **options)
