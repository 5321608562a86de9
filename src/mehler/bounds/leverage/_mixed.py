"""Estimated sampling probabilities mixed with uniform ones."""

from __future__ import annotations

from numbers import Real

from mehler.bounds._bound import Bound, Term, require_count, require_positive
from mehler.bounds._elementwise import elementwise
from mehler.bounds.leverage._scores import score_error


@elementwise
def mixed_ratio(
    n_samples: int,
    *,
    pool_size: int,
    ridge: float,
    degrees_of_freedom: float,
    estimated: float,
    mix: float,
    delta: float,
    feature_bound: float = 1.0,
) -> Bound:
    r"""Bound the largest ratio of score to probability, for estimated scores mixed with uniform.

    .. math:: D = \max_i\frac{\tau_i}{\tilde q_i} \le \min\Big\{\frac{\kappa^2}{\eta\lambda},\
        \max\Big(\frac{2\hat d}{1 - \eta}, \frac{2\Delta'M_0}\eta\Big)\Big\}, \qquad
        \tilde q = (1 - \eta)\hat q + \frac\eta{M_0}

    the first for certain, the second with probability :math:`1 - \delta`.

    Parameters
    ----------
    n_samples : int or array
        Number of rows N_0.
    pool_size : int or array
        Number of pool members M_0.
    ridge, degrees_of_freedom, delta, feature_bound
        As in :func:`score_error`.
    estimated : float
        :math:`\hat d`, the sum of the estimated scores.
    mix : float
        Uniform share :math:`\eta` in (0, 1).

    Returns
    -------
    Bound
        The single term "ratio": goes into `approximation_features` as `largest_ratio`.

    See Also
    --------
    score_error : The error of estimated scores.
    approximation_features : Takes it as `largest_ratio`.

    References
    ----------
    :doc:`/theorems/leverage-theorem-1`.

    Examples
    --------
    >>> mixed_ratio(500, pool_size=1000, ridge=0.01, degrees_of_freedom=10.0, estimated=10.0,
    ...             mix=0.5, delta=0.1).value
    200.0
    """
    (pool_size,) = require_count(pool_size=pool_size)
    require_positive(estimated=estimated)
    if isinstance(mix, bool) or not isinstance(mix, Real) or not 0 < mix < 1:
        raise ValueError(f"mix={mix!r} is not a number between 0 and 1, both excluded")
    spread = score_error(
        n_samples,
        ridge=ridge,
        degrees_of_freedom=degrees_of_freedom,
        delta=delta,
        feature_bound=feature_bound,
    ).value
    certain = feature_bound**2 / (mix * ridge)
    likely = max(2 * estimated / (1 - mix), 2 * spread * pool_size / mix)
    sure = certain <= likely
    return Bound(
        statement="leverage.theorem-1",
        form="proved",
        quantity="largest score over its probability",
        terms=(Term("ratio", certain if sure else likely),),
        probability=1.0 if sure else 1 - delta,
    )
