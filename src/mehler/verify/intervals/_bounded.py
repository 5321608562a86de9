"""Hoeffding's and the empirical Bernstein interval for bounded samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._validate import probability
from mehler.verify._arguments import bounds_pair, sample_vector


def hoeffding_half_width(n: int, span: float, false_alarm: float) -> float:
    """Return span sqrt(log(2/alpha) / (2 n))."""
    return span * math.sqrt(math.log(2.0 / false_alarm) / (2.0 * n))


def bernstein_half_width(n: int, variance: Any, span: float, false_alarm: float) -> Any:
    """Return sqrt(2 s^2 L/n) + 7 span L / (3 (n - 1)), L = log(3/alpha), s^2 unbiased.

    Two Bernstein tails at the true variance and one event that bounds the true deviation by
    s + span sqrt(2 L/(n - 1)), a third of alpha each (Maurer & Pontil 2009, Theorems 4 and 10).
    """
    cost = math.log(3.0 / false_alarm)
    return np.sqrt(2.0 * variance * cost / n) + 7.0 * span * cost / (3.0 * (n - 1))


def bounded_half_width(n: int, variance: Any, span: float, false_alarm: float) -> Any:
    """Return the smaller half width, each at alpha/2, which pays for choosing after the data."""
    half = 0.5 * false_alarm
    return np.minimum(
        hoeffding_half_width(n, span, half), bernstein_half_width(n, variance, span, half)
    )


def bounded(samples: Array, low: float, high: float, false_alarm: float) -> tuple[float, float]:
    r"""Return an interval for the mean of independent samples in [low, high].

    The smaller of Hoeffding's and the empirical Bernstein interval, at half the error rate each:

    .. math:: \bar X \pm \min\Big((b-a) \sqrt{\tfrac{\log(4/\alpha)}{2n}},\;
              \sqrt{\tfrac{2 s^2 \log(6/\alpha)}{n}} + \tfrac{7 (b-a) \log(6/\alpha)}{3(n-1)}\Big)

    Parameters
    ----------
    samples : array, shape (n,)
        At least two independent samples in [low, high].
    low, high : float
        Range of the samples, known in advance.
    false_alarm : float
        alpha, the probability that the interval misses the mean.

    Returns
    -------
    low, high : float
        Ends of the interval, clipped to the range.

    Raises
    ------
    TypeError, ValueError
        If a sample lies outside the range.

    See Also
    --------
    betting : Shorter, and valid at any stopping time.
    binomial : Samples that are 0 or 1.

    References
    ----------
    A. Maurer and M. Pontil, Empirical Bernstein bounds and sample-variance penalization,
    COLT 2009, Theorems 4 and 10. W. Hoeffding, JASA 58 (1963), Theorem 2.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).beta(2, 5, size=20_000)  # mean 2/7
    >>> low, high = bounded(x, 0, 1, 1e-9)
    >>> bool(low < 2 / 7 < high), bool(high - low < 0.03)
    (True, True)
    """
    x = sample_vector(samples)
    low, high = bounds_pair((low, high))
    false_alarm = probability("false_alarm", false_alarm)
    if x.size < 2:
        raise ValueError("samples holds 1 value: the empirical variance needs at least 2")
    if x.min() < low or x.max() > high:
        raise ValueError(
            f"samples reach from {x.min():.6g} to {x.max():.6g}, outside the declared range "
            f"[{low:.6g}, {high:.6g}]: declare the range that they really have"
        )
    centre = float(x.mean())
    half = float(bounded_half_width(x.size, x.var(ddof=1), high - low, false_alarm))
    return max(low, centre - half), min(high, centre + half)
