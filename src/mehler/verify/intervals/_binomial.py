"""Exact intervals without moments: Clopper-Pearson for shares, bands for distributions."""

from __future__ import annotations

import math

from mehler._validate import require_integer, require_probability


def binomial(successes: int, n: int, false_alarm: float) -> tuple[float, float]:
    r"""Return the Clopper-Pearson interval for the success probability of n equal trials.

    .. math:: \big[ I^{-1}_{k,\, n-k+1}(\alpha/2),\; I^{-1}_{k+1,\, n-k}(1 - \alpha/2) \big]

    with I the regularised incomplete beta function: the set of p at which both P(X >= k) and
    P(X <= k) are at least alpha/2.

    Parameters
    ----------
    successes : int
        Number of successes k, from 0 to n.
    n : int
        Number of independent trials.
    false_alarm : float
        alpha, an upper bound on the probability that the interval misses the true one.

    Returns
    -------
    low, high : float
        Ends of the interval.

    See Also
    --------
    bounded : Samples in a range that are not 0 or 1.
    dkw : A band for a whole distribution function.

    References
    ----------
    C. J. Clopper and E. S. Pearson, Biometrika 26 (1934).

    Examples
    --------
    >>> low, high = binomial(0, 1000, 1e-9)
    >>> low, round(high, 4)
    (0.0, 0.0212)
    """
    from scipy.special import betaincinv

    n = require_integer("n", n)
    k = require_integer("successes", successes, least=0)
    if k > n:
        raise ValueError(f"successes={k} exceeds n={n}: count successes among the n trials")
    tail = 0.5 * require_probability("false_alarm", false_alarm)
    # Use the mirrored function for the upper end: 1 - alpha/2 would round alpha/2 away.
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else 1.0 - float(betaincinv(n - k, k + 1, tail))
    return low, high


# Beyond this the exact tail is slow, and Massart's bound is within 0.05 per cent of it.
_EXACT_UP_TO = 10_000


def dkw(n: int, false_alarm: float) -> float:
    r"""Return d with P(sup_t abs(F_n(t) - F(t)) > d) <= alpha, for n independent samples.

    .. math:: P(D_n^+ \ge d) = \alpha/2 \;\text{(exactly)},\qquad
              d \le \sqrt{\log(2/\alpha) / (2n)}

    Up to n = 10^4 d comes from Smirnov's exact one-sided tail on either side; beyond, from
    Massart's bound, whose constant 2 is the best possible.

    Parameters
    ----------
    n : int
        Number of samples, fixed before the data.
    false_alarm : float
        alpha, the probability that the band misses the distribution function anywhere.

    Returns
    -------
    float
        Half width d of the band, valid for every law, with atoms or without.

    See Also
    --------
    binomial : The interval for one probability.
    mehler.verify.check_distribution : The check built on this band.

    References
    ----------
    P. Massart, The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality, Ann. Probab. 18
    (1990), Corollary 1. Z. W. Birnbaum and F. H. Tingey, Ann. Math. Statist. 22 (1951), eq. 3.0.

    Examples
    --------
    >>> round(dkw(1000, 1e-9), 4), round((math.log(2e9) / 2000) ** 0.5, 4)
    (0.1032, 0.1035)
    """
    n = require_integer("n", n)
    tail = 0.5 * require_probability("false_alarm", false_alarm)
    massart = min(1.0, math.sqrt(-math.log(tail) / (2.0 * n)))
    if n > _EXACT_UP_TO:
        return massart
    from scipy.special import smirnovi

    return min(massart, float(smirnovi(n, tail)))
