"""Intervals of differences that were measured by pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

# Chance that the interval misses the mean, both sides together, for normal differences.
_MISS = 0.01


def paired_interval(gain: Any, looks: int = 1) -> tuple[float, float, float]:
    r"""Mean of paired differences, and Student's interval of 99 %.

    .. math:: \bar g \pm t_{n-1,\,1 - 0.005/k}\, \frac{s}{\sqrt n}

    Parameters
    ----------
    gain : array, shape (n,)
        Differences, at least two.
    looks : int
        k, how many such intervals hold at once (Bonferroni).

    Returns
    -------
    (float, float, float)
        Mean, lower and upper end.
    """
    from scipy.stats import t as student

    mean = float(np.mean(gain))
    error = float(np.std(gain, ddof=1)) / len(gain) ** 0.5
    wide = float(student.ppf(1 - _MISS / (2 * looks), len(gain) - 1)) * error
    return mean, mean - wide, mean + wide


def difference(what: str, values: Any, base: Any) -> str:
    """A difference of errors by pairs, with its interval.

    Parameters
    ----------
    what : str
    values, base : array, shape (draws,)

    Returns
    -------
    str
    """
    gain = values - base
    mean, low, high = paired_interval(gain)
    word = "fewer mistakes" if high < 0 else "more mistakes" if low > 0 else "not told apart"
    return (
        f"{what[0].upper()}{what[1:]}: {word}; error {mean:+.2f} percent "
        f"({low:+.2f} to {high:+.2f}: 99 %, Student's, over {len(gain)} draws)."
    )
