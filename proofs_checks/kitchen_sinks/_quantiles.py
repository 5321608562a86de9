"""Observed quantiles with their intervals, as points of a plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mehler.statements import Series

# Chance that an interval misses: large, since the plot decides nothing.
_MISS = 0.01


def quantile_interval(drawn: Any, level: float) -> tuple[float, float]:
    """Return two order statistics that enclose the true quantile, by a binomial interval.

    The number of draws below the quantile is binomial (n, level).
    """
    from scipy.stats import binom

    ordered = np.sort(drawn)
    low = int(binom.ppf(_MISS / 2, ordered.size, level))
    high = int(binom.ppf(1 - _MISS / 2, ordered.size, level)) + 1
    return float(ordered[max(low, 1) - 1]), float(ordered[min(high, ordered.size) - 1])


def quantile_points(label: str, x: Any, drawn: Sequence[Any], level: float) -> Series:
    """Plot one quantile per set of draws, with its interval."""
    intervals = np.array([quantile_interval(errors, level) for errors in drawn])
    return Series(
        label=label,
        kind="points",
        x=x,
        y=[np.quantile(errors, level) for errors in drawn],
        y_low=intervals[:, 0],
        y_high=intervals[:, 1],
    )
