"""The risk lemma: a function close in L2 has nearly the same risk."""

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
)
from mehler.bounds._elementwise import elementwise
from mehler.bounds.kitchen_sinks._assumptions import (
    INDEPENDENT,
    LABELS,
    LIPSCHITZ,
    bounded_features,
)


@elementwise
def risk_lemma(
    n_features: int,
    *,
    scale: float,
    lipschitz: float,
    delta: float,
    feature_scale: float = 1.0,
    largest_feature: float | None = None,
    form: Form = "proved",
) -> Bound:
    r"""Bound the excess risk of the average of K random features over f*.

    .. math:: R[\hat f] - R[f^*] \le \frac{LC}{\sqrt K}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)

    with probability 1 - delta over the features, :math:`R[f] = E\,c(f(x)y)`, c Lipschitz with
    constant L, :math:`|y| \le 1`, f* and its average as in `lemma_1` with mu the law of x.

    Parameters
    ----------
    n_features : int or array
        Number of features K.
    scale : float
        C, a bound of :math:`\|f^*\|_\pi`.
    lipschitz : float
        Lipschitz constant L of the loss.
    delta : float or array
        Failure probability.
    feature_scale, largest_feature
        As in `lemma_1`.
    form : {"proved", "printed"}
        The same formula: the lemma holds as printed, given Lemma 1.

    Returns
    -------
    Bound
        The single term "approximation". Trivial is 2LC: neither function exceeds C in L2.

    See Also
    --------
    lemma_1 : The L2 distance behind it.
    theorem : Excess risk of fitted weights.

    References
    ----------
    A. Rahimi, B. Recht, Weighted sums of random kitchen sinks (2008).

    Examples
    --------
    >>> risk_lemma(50, scale=1.0, lipschitz=0.5, delta=0.05).value
    0.2437...
    """
    require_form(form)
    (n_features,) = require_count(n_features=n_features)
    require_positive(scale=scale, lipschitz=lipschitz, feature_scale=feature_scale)
    require_probability(delta=delta)
    if form == "printed" and feature_scale != 1:
        raise ValueError("the printed form knows no feature_scale: use form='proved'")
    size = scale * feature_scale
    value = approximation(n_features, size=size, lipschitz=lipschitz, delta=delta)
    return Bound(
        statement="kitchen-sinks.risk-lemma",
        form=form,
        quantity="risk of the average of features above that of f*",
        terms=(Term("approximation", value, APPROXIMATION),),
        probability=1 - delta,
        assumptions=(
            INDEPENDENT,
            LABELS,
            LIPSCHITZ,
            bounded_features(largest_feature, measure="L2(mu) norm"),
        ),
        trivial=2 * lipschitz * size,
    )


APPROXIMATION = r"LC(1 + \sqrt{2\log(1/\delta)})/\sqrt{K}"


def approximation(n_features: int, *, size: float, lipschitz: float, delta: float) -> float:
    """Compute L times the bound of Lemma 1; `size` is C times the features' scale."""
    return lipschitz * size * (1 + math.sqrt(-2 * math.log(delta))) / math.sqrt(n_features)
