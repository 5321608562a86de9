"""The exact interval for a probability, from a count of successes."""

from __future__ import annotations

from mehler._validate import integer, probability


def binomial(successes: int, n: int, false_alarm: float) -> tuple[float, float]:
    r"""Return the Clopper-Pearson interval for the success probability of n equal trials.

    .. math:: \big[ I^{-1}_{k,\, n-k+1}(\alpha/2),\; I^{-1}_{k+1,\, n-k}(1 - \alpha/2) \big]

    with I the regularised incomplete beta function: the probabilities at which k successes or
    more, or k or fewer, are not rarer than alpha/2.

    Parameters
    ----------
    successes : int
        k, from 0 to n.
    n : int
        Independent trials.
    false_alarm : float
        alpha, the chance that the interval misses the probability: never more, often less.

    Returns
    -------
    low, high : float

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

    n = integer("n", n)
    k = integer("successes", successes, least=0)
    if k > n:
        raise ValueError(f"successes={k} exceeds n={n}: count successes among the n trials")
    tail = 0.5 * probability("false_alarm", false_alarm)
    # The upper end by the mirrored function: 1 - alpha/2 would round alpha/2 away.
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else 1.0 - float(betaincinv(n - k, k + 1, tail))
    return low, high
