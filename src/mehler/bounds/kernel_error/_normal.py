"""The normal approximation of the error, from the exact variance: no bound at any finite m."""

from __future__ import annotations

import math

from mehler import exact
from mehler.bounds._bound import require_count, require_positive, require_probability
from mehler.bounds._elementwise import elementwise
from mehler.bounds._inverse import least_features
from mehler.bounds.kernel_error._variance import largest_variance
from mehler.exact import require_pool, require_rho


@elementwise
def central_limit(
    n_features: int,
    *,
    delta: float,
    pool_size: int | None = None,
    rho: float | None = None,
    variance: float | None = None,
    n_pairs: int = 1,
) -> float:
    r"""Compute the normal approximation to the (1 - delta)-quantile of the kernel error.

    .. math:: \varepsilon = z\sqrt{V/m}, \qquad 1 - \Phi(z) = \frac{\delta}{2\,n}

    A number and not a :class:`mehler.bounds.Bound`: it is the limit of the quantile for one pair
    (n = 1) and an upper bound of the limit for n pairs, and promises nothing at a given m.

    Parameters
    ----------
    n_features : int or array
        Number m of independent units.
    delta : float or array
        Failure probability.
    pool_size : int or array
        q of maxout units and rows of norm 1; V is then exact at `rho`, or the largest over all
        correlations.
    rho : float, optional
        Correlation of the rows.
    variance : float
        V of one feature product, of any map, instead of `pool_size`.
    n_pairs : int
        Number n of pairs that must all be close; N (N + 1)/2 for a Gram matrix of N rows.

    Returns
    -------
    float
        The error epsilon.

    Raises
    ------
    TypeError, ValueError
        If not exactly one of `pool_size` and `variance` is given, or an argument is out of range.

    See Also
    --------
    central_limit_features : Its inverse.
    one_pair : A proved bound for one pair.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> round(kernel_error.central_limit(1000, delta=0.01, pool_size=8, rho=0.5), 4)
    0.1213
    """
    found = _variance(pool_size, rho, variance)
    n_features, n_pairs = require_count(n_features=n_features, n_pairs=n_pairs)
    require_probability(delta=delta)
    return _quantile(delta, n_pairs) * math.sqrt(found / n_features)


@elementwise
def central_limit_features(
    eps: float,
    *,
    delta: float,
    pool_size: int | None = None,
    rho: float | None = None,
    variance: float | None = None,
    n_pairs: int = 1,
) -> int:
    """Return the least number of features at which :func:`central_limit` is at most `eps`.

    Parameters
    ----------
    eps : float or array
        Target error.
    delta, pool_size, rho, variance, n_pairs
        As in :func:`central_limit`.

    Returns
    -------
    int
        The least m.

    Raises
    ------
    TypeError, ValueError
        As :func:`central_limit`; or if 10^18 features are not enough.

    See Also
    --------
    central_limit : The error at a given m.
    one_pair_features : The same by a proved bound.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> kernel_error.central_limit_features(0.1, delta=0.01, pool_size=4)
    1981
    """
    found = _variance(pool_size, rho, variance)
    require_positive(eps=eps)
    (n_pairs,) = require_count(n_pairs=n_pairs)
    require_probability(delta=delta)
    z = _quantile(delta, n_pairs)
    return least_features(lambda m: z * math.sqrt(found / m), eps)


def _quantile(delta: float, n_pairs: int) -> float:
    from scipy.special import ndtri

    return float(-ndtri(float(delta) / (2 * n_pairs)))


def _variance(pool_size: int | None, rho: float | None, variance: float | None) -> float:
    if (pool_size is None) == (variance is None):
        raise ValueError("give exactly one of pool_size and variance")
    if variance is not None:
        if rho is not None:
            raise ValueError("rho goes with pool_size: the variance is known already")
        require_positive(variance=variance)
        return float(variance)
    q = require_pool(pool_size)
    if rho is None:
        return largest_variance(q)
    return float(exact.maxout_variance(float(require_rho(rho)), q))
