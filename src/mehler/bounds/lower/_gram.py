"""Lower bounds of the spectral error of the Gram matrix: by rank, a direction, a rare draw."""

from __future__ import annotations

import numpy as np

from mehler.bounds._arguments import counts, fractions, not_negatives, positives, probabilities
from mehler.bounds._bound import Assumption, Counts, Floats, LowerBound, Reals, Term
from mehler.bounds._function import bound
from mehler.bounds._spectra import blocks, eigenvalues_of
from mehler.bounds.lower._kernel import one_pair

_STATEMENT, _QUANTITY = "features.lower", "spectral error of the Gram matrix"


@bound(_STATEMENT, _QUANTITY, "n_features")
def gram_error(
    n_features: Counts,
    *,
    ridge: Reals,
    gram: Floats | None = None,
    eigenvalues: Floats | list[float] | None = None,
) -> LowerBound:
    r"""Bound the spectral error of m features from below, for every map and every draw.

    .. math:: \|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| \ge
              \frac{\mu_{m+1}}{\mu_{m+1} + \lambda}

    since m features have a Gram matrix of rank m, and :math:`\mu_i = 0` for i > n. So d(lambda)
    features are not too many. Term: "rank"; 0 for m of n and more. Proof:
    :doc:`/theorems/features-lower`; arguments: :mod:`mehler.bounds.lower`.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> lower.gram_error(2, ridge=1.0, eigenvalues=[9.0, 4.0, 1.0]).value
    0.5
    """
    m, lam = counts(n_features=n_features), positives(ridge=ridge)
    spectrum = np.append(eigenvalues_of(gram, eigenvalues), 0.0)
    mu = spectrum[np.minimum(m, spectrum.size - 1).astype(int)]
    return LowerBound(terms=(Term("rank", mu / (mu + lam)),))


@bound(_STATEMENT, _QUANTITY)
def gram_error_direction(
    n_features: Counts,
    *,
    ridge: Reals,
    delta: Reals,
    mean: Reals,
    variance: Reals,
    third: Reals,
    block: Counts = 1,
) -> LowerBound:
    r"""Bound the spectral error of m features from below, by one direction of the rows.

    .. math:: P\Big(\|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| \ge
              \frac{\sigma z}{(\bar X + \lambda)\sqrt M}\Big) \ge \delta, \qquad
              \bar X = v^\top Kv, \quad |v| = 1,

    with :math:`\sigma z/\sqrt M` the bound of :func:`one_pair` for the mean of M independent
    :math:`X = v^\top Gv`, G the Gram matrix of one block. It has the rate :math:`M^{-1/2}` for any
    number of features, where :func:`gram_error` is 0. Term: "direction", 0 if nothing is proved.
    Proof: :doc:`/theorems/features-lower`; arguments: :mod:`mehler.bounds.lower`. Of pairs of
    cosine and sine :math:`X = |\sum_iv_ie^{i\langle w, x_i\rangle}|^2` has the second moment
    :math:`\sum_{ijkl}v_iv_jv_kv_l\,k(x_i - x_j + x_k - x_l)`, and b is :math:`(\sum|v_i|)^2`.

    Parameters
    ----------
    mean, variance : float
        Of X; the mean is :math:`v^\top Kv`.
    third : float
        An upper bound of E|X - E X|^3/sigma^3; b/sigma for X in an interval of length b.

    Examples
    --------
    A linear map of one row of length 1: X is the square of a normal variable.

    >>> from mehler.bounds import lower
    >>> square = {"mean": 1.0, "variance": 2.0, "third": 3.1}
    >>> round(lower.gram_error_direction(10_000, ridge=0.5, delta=0.05, **square).value, 4)
    0.0165
    """
    m = blocks(n_features, block)
    of_mean = one_pair(m.astype(int), delta=delta, variance=variance, third=third)
    size = not_negatives(mean=mean) + positives(ridge=ridge)
    return LowerBound(
        terms=(Term("direction", of_mean.value / size),),
        probability=of_mean.probability,
        assumptions=(Assumption("blocks of features are independent, with the mean K"),),
    )


@bound(_STATEMENT, _QUANTITY)
def gram_error_rare(
    n_features: Counts,
    *,
    ridge: Reals,
    delta: Reals,
    own: Reals,
    mean: Reals,
    chance: Reals,
    block: Counts = 1,
) -> LowerBound:
    r"""Bound the spectral error of m features from below, by one draw that the kernel hardly has.

    .. math:: P\Big(\|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| \ge
              \frac{s/M - c}{c + \lambda}\Big) \ge 1 - (1-p)^M

    if a block of features with the Gram matrix G has with probability p a direction v, |v| = 1,
    with :math:`v^*Gv \ge s` and :math:`v^*Kv \le c`. The mean of M blocks has s/M of it alone.
    Term: "rare"; 0 where :math:`1 - (1-p)^M` is below delta. Proof:
    :doc:`/theorems/features-lower`; arguments: :mod:`mehler.bounds.lower`. After H. Avron and
    others (2017).

    Parameters
    ----------
    own : float
        s; for pairs of cosine and sine and the direction of the frequency itself half the rows.
    mean : float
        c.
    chance : float
        p, of one block.

    Examples
    --------
    A row whose feature is 30, once in 900 draws, else 0:

    >>> from mehler.bounds import lower
    >>> row = {"own": 900.0, "mean": 1.0, "chance": 1 / 900}
    >>> round(lower.gram_error_rare(100, ridge=0.5, delta=0.1, **row).value, 3)
    5.333
    """
    m, failure = blocks(n_features, block), probabilities(delta=delta)
    lam, size = positives(ridge=ridge, own=own)
    least, p = not_negatives(mean=mean), fractions(chance=chance)
    # The chance that one of M blocks is such a draw.
    seen = -np.expm1(m * np.log1p(-p)) >= failure
    value = np.where(seen, np.maximum(0.0, (size / m - least) / (least + lam)), 0.0)
    return LowerBound(
        terms=(Term("rare", value),),
        probability=failure,
        assumptions=(Assumption("blocks of features are independent"),),
    )
