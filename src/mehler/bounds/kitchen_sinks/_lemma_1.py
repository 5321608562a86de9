"""Lemma 1: approximation of a function of F_pi by random features with small weights."""

from __future__ import annotations

import math

from mehler.bounds._bound import (
    Bound,
    Form,
    Term,
    require_count,
    require_form,
    require_positive,
    require_probability,
    square_of,
)
from mehler.bounds._elementwise import elementwise
from mehler.bounds._inverse import least_features
from mehler.bounds.kitchen_sinks._assumptions import INDEPENDENT, bounded_features


@elementwise
def lemma_1(
    n_features: int,
    *,
    scale: float,
    delta: float,
    feature_scale: float = 1.0,
    mean_square: float | None = None,
    norm: float | None = None,
    largest_feature: float | None = None,
    form: Form = "proved",
) -> Bound:
    r"""Bound the distance from f* to combinations of K random features with weights <= C/K.

    .. math::

        \min_{|\hat\alpha_k| \le C/K} \Big\|\sum_k \hat\alpha_k\phi(\cdot;\omega_k) - f^*\Big\|
            \le \frac{C}{\sqrt K}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)

    with probability 1 - delta over the features, for f* with :math:`|\alpha^*| \le C\pi` and
    :math:`\|\phi(\cdot;\omega)\|_{L^2(\mu)} \le 1`. The average :math:`\hat\alpha_k =
    \alpha^*(\omega_k)/(K\pi(\omega_k))` of the proof is as near.

    Parameters
    ----------
    n_features : int or array
        Number of features K.
    scale : float
        C, a bound of :math:`\|f^*\|_\pi`.
    delta : float or array
        Failure probability.
    feature_scale : float
        :math:`E_\pi b` where features are drawn from a density proportional to :math:`b\pi` and
        divided by :math:`b(\omega) \ge \|\phi(\cdot;\omega)\|`; C becomes C times it. For maxout
        units see `maxout_feature_scale`.
    mean_square : float, optional
        :math:`E\|f_1\|^2` of :math:`f_1 = (\alpha^*/\pi)(\omega_1)\phi(\cdot;\omega_1)`, where it
        is known: it replaces :math:`C^2` in the first term, which becomes
        :math:`\sqrt{(E\|f_1\|^2 - \|f^*\|^2)/K}`, the root-mean-square error.
    norm : float, optional
        :math:`\|f^*\|_{L^2(\mu)}`, where it is known.
    largest_feature : float, optional
        Largest L2(mu) norm found of a (divided) feature; above 1 the bound is vacuous.
    form : {"proved", "printed"}
        The printed lemma is the same formula for features of any size, which is false.

    Returns
    -------
    Bound
        Terms "mean" and "confidence". Trivial is the norm of f*, which no weights reach, or C.

    Raises
    ------
    TypeError, ValueError
        An argument is out of its range, or `mean_square` and `norm` contradict each other or C.

    See Also
    --------
    lemma_1_features : The least K for a target error.
    risk_lemma : The loss in risk that follows.

    Notes
    -----
    A closed formula. Both constants are exact: orthonormal features attain the mean, constant
    features of random sign the confidence term's rate.

    References
    ----------
    A. Rahimi, B. Recht, Weighted sums of random kitchen sinks (2008), Lemma 1.

    Examples
    --------
    >>> bound = lemma_1(50, scale=1.0, delta=0.05)
    >>> round(bound["mean"], 6), round(bound["confidence"], 6), bound.probability
    (0.141421, 0.346164, 0.95)
    """
    require_form(form)
    (n_features,) = require_count(n_features=n_features)
    require_positive(scale=scale, feature_scale=feature_scale)
    require_probability(delta=delta)
    if form == "printed" and feature_scale != 1:
        raise ValueError("the printed form knows no feature_scale: use form='proved'")
    size = scale * feature_scale
    spread = _spread(size, mean_square, norm)
    root = math.sqrt(n_features)
    assumptions = [INDEPENDENT]
    if form == "proved":
        assumptions.append(bounded_features(largest_feature, measure="L2(mu) norm"))
    return Bound(
        statement="kitchen-sinks.lemma-1",
        form=form,
        quantity="distance from f* to weights of at most C/K",
        terms=(
            Term("mean", spread / root, r"\sqrt{(E\|f_1\|^2 - \|f^*\|^2)/K}"),
            Term(
                "confidence",
                size * math.sqrt(-2 * math.log(delta)) / root,
                r"C\sqrt{2\log(1/\delta)/K}",
            ),
        ),
        probability=1 - delta,
        assumptions=tuple(assumptions),
        trivial=size if norm is None else norm,
    )


def _spread(size: float, mean_square: float | None, norm: float | None) -> float:
    """Return the square root of K times the mean squared error, at most the scale C."""
    if norm is not None and not 0 <= norm <= size:
        raise ValueError(f"norm={norm!r} is not a number from 0 to {size:.6g}, which is C")
    largest = square_of("scale * feature_scale", size)
    if mean_square is not None:
        require_positive(mean_square=mean_square)
        # E|f_1|^2 is at most C^2, up to the rounding of the caller's own computation.
        if mean_square > largest * (1 + 1e-12):
            raise ValueError(
                f"mean_square={mean_square!r} exceeds C^2 = {largest:.6g}: features have norm "
                "at most 1, so E|f_1|^2 cannot"
            )
    square = 0.0 if norm is None else norm**2
    excess = (largest if mean_square is None else mean_square) - square
    if excess < 0:
        raise ValueError(
            f"mean_square={mean_square!r} is below norm^2 = {square:.6g}: a mean square is never "
            "below the square of the mean"
        )
    return math.sqrt(excess)


@elementwise
def lemma_1_features(eps: float, *, scale: float, delta: float, feature_scale: float = 1.0) -> int:
    r"""Return the smallest K at which Lemma 1 promises an error of at most eps.

    .. math:: K = \Big\lceil \frac{C^2}{\epsilon^2}
        \Big(1 + \sqrt{2\log\tfrac1\delta}\Big)^2 \Big\rceil

    Parameters
    ----------
    eps : float or array
        Target L2(mu) distance.
    scale, delta, feature_scale
        As in `lemma_1`.

    Returns
    -------
    int

    See Also
    --------
    lemma_1 : The bound at a given K.
    theorem_features : The same for the excess risk.

    Examples
    --------
    >>> lemma_1_features(0.1, scale=1.0, delta=0.05)
    1189
    """
    require_positive(eps=eps)

    def value(n: int) -> float:
        return lemma_1(n, scale=scale, delta=delta, feature_scale=feature_scale).value

    return least_features(value, eps)
