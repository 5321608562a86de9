"""Make the plots of reports, with observed quantiles and their intervals as points."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from scipy.stats import binom

from mehler.statements import Plot, Series

_MISS = 0.01  # chance that an interval misses: large, since the plot decides nothing


def quantile_interval(sample: Any, probability: float) -> tuple[float, float]:
    """Return two order statistics that enclose the true quantile, by a binomial interval.

    The number of draws below the quantile is binomial (n, probability).
    """
    values = np.sort(sample)
    low = int(binom.ppf(_MISS / 2, values.size, probability))
    high = int(binom.ppf(1 - _MISS / 2, values.size, probability)) + 1
    return float(values[max(low, 1) - 1]), float(values[min(high, values.size) - 1])


def quantile_points(label: str, x: Any, samples: Sequence[Any], probability: float) -> Series:
    """Plot one quantile per set of draws, with its interval."""
    low, high = np.array([quantile_interval(errors, probability) for errors in samples]).T
    y = [np.quantile(errors, probability) for errors in samples]
    return Series(label=label, kind="points", x=x, y=y, y_low=low, y_high=high)


def plot(
    title: str,
    x_label: str,
    y_label: str,
    *series: Series,
    log: Literal["", "x", "y", "xy"] = "",
    caption: str = "",
) -> Plot:
    """Return a plot of series; `log` names the logarithmic axes."""
    return Plot(
        title=title,
        x_label=x_label,
        y_label=y_label,
        series=series,
        caption=caption,
        x_log="x" in log,
        y_log="y" in log,
    )
