r"""Bounds of Shahrampour and Kolouri (2019) for features drawn by leverage scores, restored.

The source text is without formulas. Arguments are those of :mod:`mehler.bounds.leverage`: lambda is
`ridge`, d `degrees_of_freedom`, the mean leverage; D is `largest_ratio`, the largest leverage over
the density q drawn from; kappa `feature_bound`, N_0 `n_scored`, G the pool's Gram matrix.
"""

import numpy as np
from numpy.typing import ArrayLike

from mehler.bounds import Assumption, Bound, Term, leverage

_ROWS = (
    Assumption("rows that the scores are estimated from are independent"),
    Assumption("the ridge is at most the norm of the pool's Gram matrix"),
)


def features_of_proposition_6(
    *, degrees_of_freedom: float, delta: float, largest_ratio: float | None = None
) -> int:
    r"""Compute the least number of features :math:`M \ge 5D\log(16d/\delta)`."""
    d, ratio = degrees_of_freedom, largest_ratio or degrees_of_freedom
    if ratio < d:
        raise ValueError(f"largest_ratio={ratio!r} is below degrees_of_freedom={d!r}, its mean")
    # Up to rounding, where delta is computed from the features.
    return max(1, int(np.ceil(5 * ratio * np.log(16 * d / delta) * (1 - 1e-12))))


def proposition_6(
    n_features: ArrayLike,
    *,
    ridge: float,
    degrees_of_freedom: float,
    delta: float,
    largest_ratio: float | None = None,
    norm: float = 1.0,
) -> Bound:
    r"""Evaluate the error of the best sum: :math:`4\lambda B^2` for enough features.

    With probability :math:`1 - \delta` for :func:`features_of_proposition_6`, after Proposition 1
    of Bach (2017), unverified; infinite for fewer features.
    """
    least = features_of_proposition_6(
        degrees_of_freedom=degrees_of_freedom, delta=delta, largest_ratio=largest_ratio
    )
    enough = np.asarray(n_features) >= least
    return Bound(
        statement="leverage.bach",
        form="printed",
        quantity="squared error of the best sum, plus its ridge",
        terms=(Term("approximation", np.where(enough, 4 * (ridge * norm**2), np.inf)),),
        probability=1 - delta,
        assumptions=(
            Assumption("features are drawn independently, with density q with respect to P"),
        ),
    )


def lemma_3(
    n_scored: int,
    *,
    ridge: float,
    degrees_of_freedom: float,
    delta: float,
    feature_bound: float = 1.0,
) -> Bound:
    r"""Evaluate :math:`\Delta`, the Gram matrix's error from :math:`N_0` rows, d in the logarithm.

    .. math:: \Delta^2 = \frac{8\kappa^2}{3\lambda N_0}\log\frac{16d}\delta

    with probability :math:`1 - \delta`; the hypothesis is :math:`\Delta \le \frac12`, an assumption
    of the bound; infinite where it is not below 1. The paper drops, and says so, a term of the
    logarithm of its source (Avron et al. 2017, Theorem 7): unverified, d.
    """
    numbers = {"ridge": ridge, "degrees_of_freedom": degrees_of_freedom, "delta": delta}
    # The proved error is Delta/(1 - Delta).
    over = leverage.score_error(n_scored, feature_bound=feature_bound, **numbers)["estimation"]
    small = bool(np.isfinite(over))
    return Bound(
        statement="leverage.theorem-2",
        form="printed",
        quantity="relative error of the Gram matrix",
        terms=(Term("estimation", over / (1 + over) if small else np.inf),),
        probability=1 - delta,
        assumptions=(*_ROWS, _half(over / (1 + over) if small else np.inf)),
    )


def _half(spread: float) -> Assumption:
    return Assumption("the error of the Gram matrix is at most 1/2", spread <= 0.5, f"{spread:.3g}")


def corollary_5(n_scored: int, *, smallest: float, ridge: float, **others: float) -> Bound:
    r"""Evaluate the error of all sampling probabilities together, of :func:`lemma_3`.

    .. math:: \sum_i|\hat q_i - q_i| \le \frac{4\Delta\lambda}{\lambda_{\min}(G)}

    with probability :math:`1 - \delta`; `smallest` is :math:`\lambda_{\min}(G)`.
    """
    [relative] = lemma_3(n_scored, ridge=ridge, **others).terms
    return Bound(
        statement="leverage.corollary-5",
        form="printed",
        quantity="sum of errors of the probabilities",
        terms=(Term("estimation", 4 * relative.value * ridge / smallest),),
        probability=1 - others["delta"],
        assumptions=(*_ROWS, _half(float(relative.value))),
        trivial=2.0,
    )
