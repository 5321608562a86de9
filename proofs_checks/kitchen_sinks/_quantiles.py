"""Observed quantiles with their intervals, as points of a plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mehler.statements import Series

_MISS = 0.01  # of each interval; the plot decides nothing


def quantile_interval(drawn: Any, level: float) -> tuple[float, float]:
    """Return two order statistics that enclose the true quantile, by a binomial interval.

    The number of draws below the quantile is binomial (n, level).
    """
    from scipy.stats import binom

    ordered = np.sort(drawn)
    low = int(binom.ppf(_MISS / 2, ordered.size, level))
    high = int(binom.ppf(1 - _MISS / 2, ordered.size, level)) + 1
    return float(ordered[max(low, 1) - 1]), float(ordered[min(high, ordered.size) - 1])


def quantile_points(
    label: str, x: Any, drawn: Sequence[Any], level: float, scale: Callable[[Any], Any] = np.log10
) -> Series:
    """Plot one quantile per set of draws, on a scale, with its interval."""
    ends = np.array([quantile_interval(one, level) for one in drawn])
    return Series(
        label=label,
        kind="points",
        x=x,
        y=scale(np.array([np.quantile(one, level) for one in drawn])),
        y_low=scale(ends[:, 0]),
        y_high=scale(ends[:, 1]),
    )
