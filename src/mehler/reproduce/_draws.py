"""Means over draws, and confidence intervals of paired differences, as text and series."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.statements import Series

# Two-sided error rate of the interval, for normal differences.
_MISS = 0.01
# Differences of shares that are equal but for rounding are this close, relative to the largest.
_ROUNDING = 1e-9


def spread(values: Any, digits: int = 2) -> str:
    """Format mean ± standard deviation of `values`, shape (draws,); a single draw as its value."""
    mean = f"{np.mean(values):.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):.{digits}f}"


def with_errors(label: str, x: Any, values: Any) -> Series:
    """Return a series of means over draws with standard errors; `values` has shape (draws, n)."""
    values = np.asarray(values)
    means = values.mean(axis=0)
    errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return Series(
        label=label, x=x, y=means, y_low=means - errors, y_high=means + errors, kind="points"
    )


def with_range(label: str, x: Any, values: Any) -> Series:
    """Return a series of means over draws with minimum and maximum; `values` is one array per x."""
    means, least, most = ([float(of(each)) for each in values] for of in (np.mean, np.min, np.max))
    return Series(label=label, x=x, y=means, y_low=least, y_high=most, kind="points")


def paired_interval(gain: Any, looks: int = 1) -> tuple[float, float, float]:
    r"""Return mean, lower and upper end of Student's 99 % interval for paired differences.

    .. math:: \bar g \pm t_{n-1,\,1 - 0.005/k}\, \frac{s}{\sqrt n}

    with k = `looks` intervals holding at once (Bonferroni). Differences without spread bound
    nothing: a few equal counts of mistakes are no certainty, and the ends are infinite.
    """
    from scipy.stats import t as student

    gain = np.asarray(gain, dtype=np.float64)
    mean = float(np.mean(gain))
    if np.ptp(gain) <= _ROUNDING * np.abs(gain).max():
        return mean, -np.inf, np.inf
    error = float(np.std(gain, ddof=1)) / len(gain) ** 0.5
    wide = float(student.ppf(1 - _MISS / (2 * looks), len(gain) - 1)) * error
    return mean, mean - wide, mean + wide


def between(low: float, high: float, form: str = "+.2f", *, told: str = "99 %") -> str:
    """Format the ends of an interval, of differences or of ratios, or say that there is none."""
    if np.isinf(high):
        return "equal in all draws, so that no interval can be given"
    return f"{low:{form}} to {high:{form}}: {told}, Student's"


def difference(what: str, values: Any, base: Any) -> str:
    """Format the paired difference of errors, `values` - `base`, with its interval."""
    gain = values - base
    mean, low, high = paired_interval(gain)
    word = "fewer mistakes" if high < 0 else "more mistakes" if low > 0 else "not told apart"
    return (
        f"{what[0].upper()}{what[1:]}: {word}; error {mean:+.2f} percent "
        f"({between(low, high)}, over {len(gain)} draws)."
    )
