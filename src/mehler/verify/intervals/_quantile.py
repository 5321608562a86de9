"""Exact intervals for quantiles, by order statistics."""

from __future__ import annotations

import math

import numpy as np

from mehler._arrays import Array
from mehler._validate import require_probability
from mehler.verify._arguments import sample_vector


def quantile(samples: Array, probability: float, false_alarm: float) -> tuple[float, float]:
    r"""Return an interval for the quantile of independent samples, by two of them.

    .. math:: \big[X_{(n-b+1)}, X_{(n-a)}\big], \qquad
              P(\mathrm{Bin}(n, 1-p) \ge b) \le \tfrac\alpha2, \quad
              P(\mathrm{Bin}(n, 1-p) \le a) \le \tfrac\alpha2

    with the least b and the largest a. A number is above the interval exactly if the
    Clopper-Pearson interval for the share of samples beyond it is below 1 - p.

    Parameters
    ----------
    samples : array, shape (n,)
        Independent samples of any law, in any order.
    probability : float
        p: the quantile is the least t with P(X <= t) >= p.
    false_alarm : float
        alpha, an upper bound on the probability that the interval misses the quantile.

    Returns
    -------
    low, high : float
        Ends of the interval, in units of the samples; infinite where n is too small for an end.

    Raises
    ------
    TypeError, ValueError
        If samples are not a vector of finite numbers, or a probability is not in (0, 1).

    See Also
    --------
    binomial : The interval for the share of samples beyond a number.
    dkw : A band for all quantiles at once.

    Notes
    -----
    Exact at a fixed n for laws without atoms, to the next order statistic; conservative for
    others. Cost: one sort, and n binomial tails.

    References
    ----------
    H. A. David and H. N. Nagaraja, Order Statistics (2003), Section 7.1.

    Examples
    --------
    >>> import numpy as np
    >>> samples = np.arange(1, 1001)
    >>> quantile(samples, 0.95, 1e-3)
    (926.0, 972.0)
    >>> quantile(samples, 0.9999, 1e-3)
    (998.0, inf)
    """
    from scipy.special import bdtr, bdtrc

    p = require_probability("probability", probability)
    tail = 0.5 * require_probability("false_alarm", false_alarm)
    ordered = np.sort(sample_vector(samples))
    n = ordered.size
    beyond = np.arange(n + 1)
    few = np.flatnonzero(bdtr(beyond, n, 1 - p) <= tail)
    many = np.flatnonzero(bdtrc(beyond - 1, n, 1 - p) <= tail)
    return (
        float(ordered[n - many[0]]) if many.size else -math.inf,
        float(ordered[n - few[-1] - 1]) if few.size else math.inf,
    )
