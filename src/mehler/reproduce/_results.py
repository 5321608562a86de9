"""Tables, plots and sentences of an experiment: means over draws, and paired differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import getitem
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mehler.reproduce._experiment import Cell, Measured, Table
from mehler.statements import Plot, Series

# From a label, places and values over draws to a series.
_Bars = Callable[[str, Any, ArrayLike], Series]
# Two-sided error rate of the interval, for normal differences.
_MISS = 0.01
# Differences of fractions that are equal but for rounding are this close, relative to the largest.
_ROUNDING = 1e-9


class Results:
    """The measurements of cells, by the options of the cells."""

    def __init__(self, cells: Iterable[tuple[Cell, Measured]]) -> None:
        self.cells = list(cells)

    def where(self, **options: Any) -> Results:
        """Return those whose cells have some options; an option of None is any."""
        conditions = {name: value for name, value in options.items() if value is not None}
        return Results(
            (cell, measured)
            for cell, measured in self.cells
            if all(cell.options.get(name) == value for name, value in conditions.items())
        )

    def options(self, *names: str) -> list[Any]:
        """List the values of an option, or the tuples of several, as they first appear."""
        kept = [tuple(cell.options.get(name) for name in names) for cell, _ in self.cells]
        return list(dict.fromkeys(one if len(names) > 1 else one[0] for one in kept))

    def values(self, *path: Any, **options: Any) -> NDArray[np.float64]:
        """Return a measured number, or list of numbers, at a path of keys: shape (draws, ...)."""
        some = self.where(**options).cells
        return np.array([reduce(getitem, path, measured) for _, measured in some])

    def columns(self, name: str, option: str, at: Iterable[Any], **options: Any) -> NDArray[Any]:
        """Return the values of `name` at several values of an option: shape (draws, options)."""
        return np.stack([self.values(name, **{option: each}, **options) for each in at], axis=1)


def spread(values: ArrayLike, digits: int = 2) -> str:
    """Format mean ± standard deviation of `values`, shape (draws,); a single draw as its value."""
    values = np.asarray(values)
    mean = f"{np.mean(values):.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):.{digits}f}"


def capital(text: str) -> str:
    """Return `text` with a capital at its beginning."""
    return text[0].upper() + text[1:]


def table(
    caption: str,
    heads: Sequence[str],
    rows: Mapping[Any, Iterable[ArrayLike]],
    digits: int = 2,
) -> Table:
    """Return a table of means ± standard deviations; names of rows are a text, or texts.

    ``rows`` has one array of shape (draws,) a column.
    """
    body = [
        [*([name] if isinstance(name, str) else name), *(spread(draws, digits) for draws in values)]
        for name, values in rows.items()
    ]
    return Table(caption, heads, body)


def with_errors(label: str, x: Any, values: ArrayLike) -> Series:
    """Return a series of means over draws with standard errors; `values` has shape (draws, n)."""
    values = np.asarray(values)
    means = values.mean(axis=0)
    errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return _with_bars(label, x, means, means - errors, means + errors)


def with_range(label: str, x: Any, values: ArrayLike) -> Series:
    """Return a series of means over draws with the least and the largest; shape (draws, n)."""
    columns = np.transpose(values)
    return _with_bars(label, x, *zip(*((one.mean(), one.min(), one.max()) for one in columns)))


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


class Interval(NamedTuple):
    """Mean and ends of the interval of a paired difference, or of a ratio."""

    mean: float
    low: float
    high: float

    def word(
        self,
        less: str = "fewer mistakes",
        more: str = "more mistakes",
        neither: str = "not told apart",
        *,
        equal: float = 0.0,
    ) -> str:
        """Choose the word for an interval below `equal`, above it, or around it."""
        return more if self.low > equal else less if self.high < equal else neither

    def ends(self, form: str = "+.2f", *, level: str = "99 %") -> str:
        """Format the ends, or say that there are none."""
        if np.isinf(self.high):
            return "equal in all draws, so that no interval can be given"
        return f"{self.low:{form}} to {self.high:{form}}: {level}, Student's"


def paired_interval(gain: ArrayLike, looks: int = 1) -> Interval:
    r"""Return mean, lower and upper end of Student's 99 % interval for paired differences.

    .. math:: \bar g \pm t_{n-1,\,1 - 0.005/k}\, \frac{s}{\sqrt n}

    with k = `looks` intervals holding at once (Bonferroni). Differences without spread bound
    nothing: a few equal counts of mistakes are no certainty, and the ends are infinite.
    """
    from scipy.stats import t as student

    gain = np.asarray(gain, dtype=np.float64)
    mean = float(np.mean(gain))
    if np.ptp(gain) <= _ROUNDING * np.abs(gain).max():
        return Interval(mean, -np.inf, np.inf)
    error = float(np.std(gain, ddof=1)) / len(gain) ** 0.5
    wide = float(student.ppf(1 - _MISS / (2 * looks), len(gain) - 1)) * error
    return Interval(mean, mean - wide, mean + wide)


def difference(
    what: str,
    values: NDArray[np.float64],
    base: NDArray[np.float64],
    *,
    less: str = "fewer mistakes",
    more: str = "more mistakes",
    unit: str = "error ",
    looks: int = 1,
    draw: str = "draw",
) -> str:
    """Format the paired difference of percentages, `values` - `base`, with its interval.

    `draw` names what is paired; of a single one no interval can be given.
    """
    if len(values) == 1:
        gain = f"{unit}{values[0] - base[0]:+.2f} percent"
        return f"{capital(what)}: {gain}, over 1 {draw}, so that no interval can be given."
    interval = paired_interval(values - base, looks)
    level = "99 %" if looks == 1 else f"99 % for all {looks} differences at once"
    return (
        f"{capital(what)}: {interval.word(less, more)}; {unit}{interval.mean:+.2f} percent "
        f"({interval.ends(level=level)}, over {len(values)} {draw}s)."
    )
