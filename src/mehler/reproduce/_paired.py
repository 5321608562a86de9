"""Confidence intervals of paired differences."""

from __future__ import annotations

from typing import Any

import numpy as np

# Two-sided error rate of the interval, for normal differences.
_MISS = 0.01


def paired_interval(gain: Any, looks: int = 1) -> tuple[float, float, float]:
    r"""Return mean, lower and upper end of Student's 99 % interval for paired differences.

    .. math:: \bar g \pm t_{n-1,\,1 - 0.005/k}\, \frac{s}{\sqrt n}

    with k = `looks` intervals holding at once (Bonferroni). Differences other than 0 that are all
    equal are counts of a few draws, of whose spread nothing is known: the ends are infinite.
    """
    from scipy.stats import t as student

    mean = float(np.mean(gain))
    error = float(np.std(gain, ddof=1)) / len(gain) ** 0.5
    if error <= 1e-12 * abs(mean) and mean != 0.0:
        return mean, -np.inf, np.inf
    wide = float(student.ppf(1 - _MISS / (2 * looks), len(gain) - 1)) * error
    return mean, mean - wide, mean + wide


def difference(what: str, values: Any, base: Any) -> str:
    """Format the paired difference of errors, `values` - `base`, with its interval."""
    gain = values - base
    mean, low, high = paired_interval(gain)
    word = "fewer mistakes" if high < 0 else "more mistakes" if low > 0 else "not told apart"
    return (
        f"{what[0].upper()}{what[1:]}: {word}; error {mean:+.2f} percent "
        f"({low:+.2f} to {high:+.2f}: 99 %, Student's, over {len(gain)} draws)."
    )
