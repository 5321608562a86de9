"""The Clopper-Pearson interval for a success probability."""

from __future__ import annotations

from mehler._validate import integer, probability


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

    n = integer("n", n)
    k = integer("successes", successes, least=0)
    if k > n:
        raise ValueError(f"successes={k} exceeds n={n}: count successes among the n trials")
    tail = 0.5 * probability("false_alarm", false_alarm)
    # Use the mirrored function for the upper end: 1 - alpha/2 would round alpha/2 away.
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else 1.0 - float(betaincinv(n - k, k + 1, tail))
    return low, high
