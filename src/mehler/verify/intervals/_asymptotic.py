"""Student's interval, whose error rate holds in the limit of large n only."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._validate import require_probability
from mehler.verify._arguments import sample_vector


def asymptotic_half_width(n: int, variance: Any, false_alarm: float) -> Any:
    """Return t_{n-1}(1 - alpha/2) s / sqrt(n)."""
    from scipy.special import stdtrit

    return -stdtrit(n - 1, 0.5 * false_alarm) * np.sqrt(variance / n)


def asymptotic(samples: Array, false_alarm: float) -> tuple[float, float]:
    r"""Return Student's interval for a mean: right for normal samples, else as n grows.

    .. math:: \bar X \pm t_{n-1, 1-\alpha/2} \, s / \sqrt n

    Parameters
    ----------
    samples : array, shape (n,)
        Independent samples, at least two.
    false_alarm : float
        alpha, met only in the limit of large n.

    Returns
    -------
    low, high : float
        Ends of the interval.

    See Also
    --------
    known_variance : Exact for any tails, given a bound on the variance.
    self_normalised : Unknown variance, bounded kurtosis.

    Notes
    -----
    No error rate is guaranteed at a finite n: at alpha = 1e-9 the relevant tails are beyond six
    standard deviations, where a skewness g multiplies the error rate by about
    exp(36 g / sqrt n). Prefer `known_variance` or `bounded` wherever their assumption is met.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).exponential(size=20_000)
    >>> low, high = asymptotic(x, 1e-3)
    >>> bool(low < 1 < high)
    True
    """
    x = sample_vector(samples)
    false_alarm = require_probability("false_alarm", false_alarm)
    if x.size < 2:
        raise ValueError("samples holds 1 value: the empirical variance needs at least 2")
    centre = float(x.mean())
    half = float(asymptotic_half_width(x.size, x.var(ddof=1), false_alarm))
    return centre - half, centre + half
