"""Dvoretzky-Kiefer-Wolfowitz bands for distribution functions."""

from __future__ import annotations

import math

from mehler._validate import integer, probability

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
    n = integer("n", n)
    tail = 0.5 * probability("false_alarm", false_alarm)
    massart = min(1.0, math.sqrt(-math.log(tail) / (2.0 * n)))
    if n > _EXACT_UP_TO:
        return massart
    from scipy.special import smirnovi

    return min(massart, float(smirnovi(n, tail)))
