"""Plots as data, so that a statement needs no plotting library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from mehler._validate import require_choice, require_flag, require_iterable, require_reals

Kind = Literal["line", "points", "band"]
_KINDS = ("line", "points", "band")
# Any sequence or array of numbers, stored as a tuple of floats.
Numbers: TypeAlias = Any


def _floats(name: str, values: Iterable[Any] | None) -> tuple[float, ...] | None:
    if values is None:
        return None
    found = require_reals(name, values, finite=False)
    if found.ndim != 1:
        raise ValueError(f"{name} must be a sequence of numbers, not of shape {found.shape}")
    return tuple(float(v) for v in found)


@dataclass(frozen=True, kw_only=True)
class Series:
    """One curve, cloud of points, or band of a plot.

    Parameters
    ----------
    label : str
        The name in the legend.
    x : sequence of float, length n
        Abscissae.
    y : sequence of float, length n
        Ordinates; may be omitted for a band, which has only its two edges.
    kind : {"line", "points", "band"}
        Points with ``y_low`` and ``y_high`` are drawn with error bars.
    y_low, y_high : sequence of float, length n, optional
        Ends of the intervals, in the units of ``y``.

    Raises
    ------
    ValueError
        If the kind is unknown, or lengths differ.

    Examples
    --------
    >>> Series(label="kernel", x=[0, 1], y=[1, 2]).y
    (1.0, 2.0)
    """

    label: str
    x: Numbers
    y: Numbers | None = None
    kind: Kind = "line"
    y_low: Numbers | None = None
    y_high: Numbers | None = None

    def __post_init__(self) -> None:
        require_choice("kind", self.kind, _KINDS)
        if (self.y_low is None) != (self.y_high is None):
            raise ValueError(f"series {self.label!r} has only one of y_low and y_high: give both")
        if self.kind == "band" and self.y_low is None:
            raise ValueError(f"series {self.label!r} is a band: give y_low and y_high")
        if self.kind != "band" and self.y is None:
            raise ValueError(f"series {self.label!r} is of kind {self.kind!r}: give y")
        for name in ("x", "y", "y_low", "y_high"):
            values = _floats(name, getattr(self, name))
            object.__setattr__(self, name, values)
            if values is not None and len(values) != len(self.x):
                raise ValueError(
                    f"series {self.label!r}: {name} has {len(values)} values and x has "
                    f"{len(self.x)}; give as many of each"
                )


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A plot as data: axes, series and a caption.

    Parameters
    ----------
    title, x_label, y_label : str
        Plain text. After "log10 of" in a label the ticks are drawn as the numbers themselves.
    series : sequence of Series
        The series, in drawing order.
    x_log, y_log : bool
        Whether an axis is logarithmic; the series hold the values themselves.
    caption : str
        Plain text, also for screen readers.

    Examples
    --------
    >>> curve = Series(label="K", x=[-1, 1], y=[0, 1])
    >>> Plot(title="Kernel", x_label="rho", y_label="K", series=[curve]).series[0].label
    'K'
    """

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    caption: str = ""
    x_log: bool = False
    y_log: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "series", require_iterable("series", self.series))
        require_flag("x_log", self.x_log)
        require_flag("y_log", self.y_log)
        if not self.series:
            raise ValueError(f"plot {self.title!r} has no series: give at least one")
