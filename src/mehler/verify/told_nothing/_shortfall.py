r"""Upper ends for means of samples that are not negative: how far below a mean they may add up.

Among laws on [0, inf) of mean mu with E s^2 <= kappa mu^2 the one on {0, kappa mu} has the
largest E exp(-r s), so

    P(sum s_i <= (1 - t) n mu) <= exp(-n h(t)/kappa),   h(t) = (1 - t) log(1 - t) + t,

and mu <= mean/(1 - t) but for that chance. For variances of groups kappa is 1 and the relative
variance of one; it needs two moments of them, four of what they are variances of.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler.verify.intervals._self_normalised import MARGIN

_HALVINGS = 50


def upper_ends(n: int, mean: Any, squares: Any, rate: float) -> Any:
    """Return means that are exceeded with chance `rate` if kappa is MARGIN times the samples' own.

    Parameters
    ----------
    n : int
    mean, squares : array
        Of n samples and of their squares.
    rate : float

    Returns
    -------
    array
        Infinite where n is too small.
    """
    mean, squares = np.asarray(mean, dtype=float), np.asarray(squares, dtype=float)
    kappa = np.divide(squares, mean**2, out=np.full(mean.shape, np.inf), where=mean > 0.0)
    level = MARGIN * kappa * -math.log(rate) / n
    low, high = np.zeros(mean.shape), np.ones(mean.shape)
    for _ in range(_HALVINGS):
        t = 0.5 * (low + high)
        short = (1.0 - t) * np.log1p(-t) + t < level
        low, high = np.where(short, t, low), np.where(short, high, t)
    out = np.full(mean.shape, np.inf)
    return np.divide(mean, 1.0 - high, out=out, where=(level < 1.0) & (high < 1.0))
