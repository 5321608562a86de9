r"""Formulas of Shahrampour and Kolouri (2019), restored: the copy that we have is without them.

Arguments are those of :mod:`mehler.bounds.leverage`.
"""

from __future__ import annotations

import dataclasses
import math

from mehler.bounds._function import Formula, bound, derived
from mehler.bounds.leverage import require_ratio, score_error

__all__ = ["corollary_5", "lemma_3", "proposition_6"]

_ROWS = (
    "rows that the scores are estimated from are independent",
    "the ridge is at most the norm of the pool's Gram matrix",
)


@bound(
    "leverage.bach",
    "squared error of the best sum, plus its ridge",
    form="printed",
    falls_in=("n_features",),
    assumes=("features are drawn independently, with density q with respect to P",),
)
def proposition_6(
    n_features: int,
    *,
    ridge: float,
    degrees_of_freedom: float,
    delta: float,
    largest_ratio: float | None = None,
    norm: float = 1.0,
) -> Formula:
    r"""Evaluate the published error of the best sum, :math:`4\lambda B^2` for enough features.

    With probability :math:`1 - \delta` for :math:`M \ge 5D\log(16d/\delta)`, which is more than
    :func:`mehler.bounds.leverage.approximation` asks for; infinite for fewer.

    Term: "approximation".

    References
    ----------
    Bach (2017), Proposition 1, from memory.

    Examples
    --------
    >>> from mehler.bounds import printed, solve
    >>> numbers = {"ridge": 1e-3, "degrees_of_freedom": 18.12, "delta": 0.05}
    >>> solve(printed.leverage.proposition_6, at_most=4e-3, n_features=None, **numbers)
    786
    """
    d = degrees_of_freedom
    needed = 5 * require_ratio(d, largest_ratio) * math.log(16 * d / delta)
    # Up to rounding, where delta is computed from the features.
    value = 4 * (ridge * norm**2) if n_features >= needed * (1 - 1e-12) else math.inf
    terms = {"approximation": (value, r"4\lambda B^2" if value < math.inf else r"\infty")}
    return Formula(terms, 1 - delta)


@bound(
    "leverage.theorem-2",
    "relative error of the Gram matrix",
    form="printed",
    falls_in=("n_scored",),
    assumes=_ROWS,
)
def lemma_3(
    n_scored: int,
    *,
    ridge: float,
    degrees_of_freedom: float,
    delta: float,
    feature_bound: float = 1.0,
) -> Formula:
    r"""Evaluate :math:`\Delta` of so many rows, with d in the logarithm.

    .. math:: \Delta^2 = \frac{8\kappa^2}{3\lambda N_0}\log\frac{16d}\delta

    with probability :math:`1 - \delta`. The paper drops a term of the logarithm of its source and
    says so; in the source, from memory, it is d.

    Term: "estimation"; infinite where it is not below 1.

    References
    ----------
    Avron et al. (2017), Theorem 7, from memory.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.leverage.lemma_3(100_000, ridge=0.01, degrees_of_freedom=10.0,
    ...                                delta=0.1).value, 4)
    0.1403
    """
    # From the proved Delta/(1 - Delta).
    over = score_error.body(
        n_scored,
        ridge=ridge,
        degrees_of_freedom=degrees_of_freedom,
        delta=delta,
        feature_bound=feature_bound,
    ).terms["estimation"][0]
    small = math.isfinite(over)
    value, latex = (over / (1 + over), r"\Delta") if small else (math.inf, r"\infty")
    return Formula({"estimation": (value, latex)}, probability=1 - delta)


@bound(
    "leverage.theorem-1",
    "sum of errors of the probabilities",
    form="printed",
    falls_in=("n_scored",),
    assumes=_ROWS,
)
@derived(lemma_3.body)
def corollary_5(relative: Formula, *, smallest: float, ridge: float) -> Formula:
    r"""Evaluate the published error of all sampling probabilities together.

    .. math:: \sum_i|\hat q_i - q_i| \le \frac{4\Delta\lambda}{\lambda_{\min}(G)}

    with probability :math:`1 - \delta`.

    Term: "estimation"; infinite where :math:`\Delta` is not below 1.

    Parameters
    ----------
    smallest : float
        :math:`\lambda_{\min}(G)`.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.leverage.corollary_5(10**8, smallest=1e-3, ridge=0.01,
    ...                                    degrees_of_freedom=10.0, delta=0.1).value, 4)
    0.1774
    """
    value, latex = relative.terms["estimation"]
    return dataclasses.replace(
        relative,
        terms={"estimation": (4 * value * ridge / smallest, rf"4{latex}\lambda/\lambda_{{\min}}")},
        trivial=2.0,
    )
