"""Lower bounds of the spectral error of the Gram matrix."""

from __future__ import annotations

from typing import Any

from mehler._validate import require_not_negative, require_positive
from mehler.bounds._bound import require_count
from mehler.bounds._elementwise import elementwise
from mehler.bounds.lower._lower_bound import LowerBound, below
from mehler.bounds.lower._pair import one_pair
from mehler.bounds.spectral._known import blocks, eigenvalues_of


@elementwise
def gram_error(
    n_features: int, *, ridge: float, gram: Any = None, eigenvalues: Any = None
) -> LowerBound:
    r"""Bound the spectral error of m features from below, for every map and every draw.

    .. math:: \|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| \ge
              \frac{\mu_{m+1}}{\mu_{m+1} + \lambda}

    since m features have a Gram matrix of rank m. So d(lambda) features are not too many.

    Parameters
    ----------
    n_features : int or array
        m.
    ridge, gram, eigenvalues
        As in :func:`mehler.bounds.spectral.gram_error`.

    Returns
    -------
    LowerBound
        The single term "rank"; 0 for m of n and more.

    See Also
    --------
    mehler.bounds.spectral.gram_error : The upper bound.

    References
    ----------
    Proof: :doc:`/theorems/features-lower`.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> lower.gram_error(2, ridge=1.0, eigenvalues=[9.0, 4.0, 1.0]).value
    0.5
    """
    (n_features,) = require_count(n_features=n_features)
    require_positive("ridge", ridge)
    mu = eigenvalues_of(gram, eigenvalues)
    value = float(mu[n_features] / (mu[n_features] + ridge)) if n_features < mu.size else 0.0
    formula = r"\mu_{m+1}/(\mu_{m+1} + \lambda)"
    return below("rank", value, formula, "spectral error of the Gram matrix", 1.0)


@elementwise
def gram_direction(
    n_features: int,
    *,
    ridge: float,
    delta: float,
    mean: float,
    variance: float,
    third: float,
    block: int = 1,
) -> LowerBound:
    r"""Bound the spectral error of m features from below, by one direction of the rows.

    .. math:: P\Big(\|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| \ge
              \frac{t_1(\delta)}{v^\top Kv + \lambda}\Big) \ge \delta, \qquad |v| = 1,

    with t_1 the bound of :func:`one_pair` for the mean of M independent
    :math:`X = v^\top Gv`, G the Gram matrix of one block. It has the rate :math:`M^{-1/2}` for any
    number of features, where :func:`gram_error` is 0.

    Parameters
    ----------
    n_features : int or array
        Columns m.
    ridge : float
        lambda, in units of K.
    delta : float or array
        The error is at least the bound with probability at least delta.
    mean, variance : float
        Of X; the mean is :math:`v^\top Kv`.
    third : float
        An upper bound of E|X - E X|^3/sigma^3; b/sigma for X in an interval of length b.
    block : int
        Columns that share a draw: 2 for pairs of cosine and sine. M = m/block.

    Returns
    -------
    LowerBound
        The single term "direction"; its `value` is a lower bound, 0 if nothing is proved.

    See Also
    --------
    gram_error : By the rank, in every draw.
    mehler.bounds.spectral.gram_error : The upper bound.

    Notes
    -----
    Of pairs of cosine and sine :math:`X = |\sum_iv_ie^{i\langle w, x_i\rangle}|^2` has the second
    moment :math:`\sum_{ijkl}v_iv_jv_kv_l\,k(x_i - x_j + x_k - x_l)`, and b is
    :math:`(\sum|v_i|)^2`.

    References
    ----------
    Proof: :doc:`/theorems/features-lower`.

    Examples
    --------
    A linear map of one row of length 1: X is the square of a normal variable.

    >>> from mehler.bounds import lower
    >>> known = {"mean": 1.0, "variance": 2.0, "third": 3.1}
    >>> round(lower.gram_direction(10_000, ridge=0.5, delta=0.05, **known).value, 4)
    0.0165
    """
    require_positive("ridge", ridge)
    require_not_negative("mean", mean)
    found = one_pair(
        blocks(n_features, block), delta=delta, variance=variance, third=third
    ).value / (mean + ridge)
    formula = r"t_1(\delta)/(v^\top Kv + \lambda)"
    text = "blocks of features are independent, with the mean K"
    return below("direction", found, formula, "spectral error of the Gram matrix", delta, text)
