"""Error of leverage scores and sampling probabilities estimated from N_0 rows."""

from __future__ import annotations

import math

from mehler.bounds._bound import Bound, Term, require_count, require_positive, require_probability
from mehler.bounds._elementwise import elementwise


@elementwise
def score_error(
    n_samples: int,
    *,
    ridge: float,
    degrees_of_freedom: float,
    delta: float,
    feature_bound: float = 1.0,
) -> Bound:
    r"""Bound the errors of all leverage scores estimated from N_0 rows.

    .. math:: \max_i\frac{|\hat\tau_i - \tau_i|}{1 - \tau_i} \le \frac\Delta{1 - \Delta},
        \qquad \Delta^2 = \frac{8\kappa^2}{3\lambda N_0}\log\frac{16d}\delta

    Parameters
    ----------
    n_samples : int or array
        N_0, independent rows.
    ridge : float
        :math:`\lambda`, at most the largest eigenvalue of the features' Gram.
    degrees_of_freedom : float
        Degrees of freedom d of the pool on the distribution of the rows.
    delta : float or array
        The bound holds with probability :math:`1 - \delta`.
    feature_bound : float
        :math:`\kappa \ge |\phi|`; the root of 2 for cosines with an offset.

    Returns
    -------
    Bound
        The single term "estimation": infinite for :math:`\Delta \ge 1`. `trivial` is
        :math:`\max(1, \kappa^2/\lambda)`, from
        :math:`1 - \tau_i \ge \lambda/(\|G\| + \lambda)`.

    See Also
    --------
    score_error_samples : The sufficient N_0.
    probability_error : The error of the probabilities.

    References
    ----------
    After Avron et al. (2017), Theorem 2, and Shahrampour, Kolouri (2019), Lemmas 3 and 4. Proof:
    :doc:`/theorems/leverage-theorem-1`.

    Examples
    --------
    >>> score_error(100_000, ridge=0.01, degrees_of_freedom=10.0, delta=0.1).value < 0.2
    True
    """
    value = _spread(n_samples, ridge, degrees_of_freedom, delta, feature_bound)
    return Bound(
        statement="leverage.theorem-1",
        form="proved",
        quantity="largest error of a score over 1 minus the score",
        terms=(Term("estimation", value, r"\Delta/(1-\Delta)"),),
        probability=1 - delta,
        trivial=max(1.0, feature_bound**2 / ridge),
    )


@elementwise
def probability_error(
    n_samples: int,
    *,
    pool_size: int,
    ridge: float,
    degrees_of_freedom: float,
    delta: float,
    feature_bound: float = 1.0,
) -> Bound:
    r"""Bound the error of all sampling probabilities together.

    .. math:: \sum_i|\hat q_i - q_i| \le \frac{2\Delta}{1 - \Delta}\,\frac{M_0 - d}d

    Parameters
    ----------
    pool_size : int or array
        Number of pool members M_0.
    n_samples, ridge, degrees_of_freedom, delta, feature_bound
        As in :func:`score_error`.

    Returns
    -------
    Bound
        The single term "estimation". Trivial is 2.

    See Also
    --------
    score_error : The error of the scores.
    mixed_ratio : Probabilities mixed with uniform ones.

    Examples
    --------
    >>> probability_error(10**6, pool_size=100, ridge=0.01, degrees_of_freedom=20.0,
    ...                   delta=0.1).vacuous
    False
    """
    (pool_size,) = require_count(pool_size=pool_size)
    value = _spread(n_samples, ridge, degrees_of_freedom, delta, feature_bound)
    if degrees_of_freedom > pool_size:
        raise ValueError(
            f"degrees_of_freedom={degrees_of_freedom!r} exceed pool_size={pool_size}: they are a "
            "sum of that many scores below 1"
        )
    rest = pool_size / degrees_of_freedom - 1
    return Bound(
        statement="leverage.theorem-1",
        form="proved",
        quantity="sum of errors of the probabilities",
        terms=(Term("estimation", 2 * value * rest if rest else 0.0, r"2\Delta'(M_0-d)/d"),),
        probability=1 - delta,
        trivial=2.0,
    )


@elementwise
def score_error_samples(
    eps: float, *, ridge: float, degrees_of_freedom: float, delta: float, feature_bound: float = 1.0
) -> int:
    r"""Return an N_0 that brings :func:`score_error` to `eps`.

    .. math:: N_0 \ge \frac{8\kappa^2}{3\Delta^2\lambda}\log\frac{16d}\delta, \qquad
        \Delta = \frac\varepsilon{1 + \varepsilon}

    Parameters
    ----------
    eps : float or array
        Target error.
    ridge, degrees_of_freedom, delta, feature_bound
        As in :func:`score_error`.

    Returns
    -------
    int
        Sufficient; in measurements 10 to 20 times d were enough.

    See Also
    --------
    score_error : The bound at a given N_0.
    approximation_features : The sufficient number of features.

    Examples
    --------
    >>> score_error_samples(1.0, ridge=1e-3, degrees_of_freedom=25.0, delta=0.1)
    88470
    """
    require_positive(eps=eps)
    delta_squared = (eps / (1 + eps)) ** 2
    least = _need(ridge, degrees_of_freedom, delta, feature_bound) / delta_squared
    n = max(1, math.ceil(least))
    # The root rounds: step to the least number that satisfies the bound itself.
    while _spread(n, ridge, degrees_of_freedom, delta, feature_bound) > eps:
        n += 1
    return n


def _need(ridge: float, degrees_of_freedom: float, delta: float, feature_bound: float) -> float:
    """Compute N_0 Delta^2."""
    require_positive(
        ridge=ridge, degrees_of_freedom=degrees_of_freedom, feature_bound=feature_bound
    )
    require_probability(delta=delta)
    return 8 * feature_bound**2 / (3 * ridge) * math.log(16 * degrees_of_freedom / delta)


def _spread(
    n_samples: int, ridge: float, degrees_of_freedom: float, delta: float, feature_bound: float
) -> float:
    """Compute Delta/(1 - Delta)."""
    (n_samples,) = require_count(n_samples=n_samples)
    need = _need(ridge, degrees_of_freedom, delta, feature_bound)
    if need < 0:
        raise ValueError(
            f"degrees_of_freedom={degrees_of_freedom!r} are below 1/16: the ridge exceeds every "
            "eigenvalue"
        )
    root = math.sqrt(need / n_samples)
    return root / (1 - root) if root < 1 else math.inf
