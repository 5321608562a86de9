r"""The theorem of Rahimi and Recht (2008) as published, its estimation lemma, the greedy rate.

Lemma 1 and the risk lemma hold as published: :func:`~mehler.bounds.kitchen_sinks.approximation` and
:func:`~mehler.bounds.kitchen_sinks.approximation_risk` are their formulas. Arguments are those of
:mod:`mehler.bounds.kitchen_sinks`. Features are at most 1 in absolute value, as the theorem
assumes; they are not divided, so that C is `scale`. The slides that we have leave a constant c open
in the theorem and in the rate; the estimation lemma is from memory.
"""

from __future__ import annotations

import math

from mehler.bounds._function import Formula, bound
from mehler.bounds.kitchen_sinks import INDEPENDENT, LABELS, LOSS, SAMPLES

__all__ = ["estimation_lemma", "greedy", "theorem"]

_BOUNDED = "features are at most 1 in absolute value"


@bound(
    "kitchen-sinks.estimation-lemma",
    "largest |R - R_emp| over the weights",
    form="printed",
    falls_in=("n_samples",),
    assumes=(SAMPLES, _BOUNDED, LABELS, LOSS),
)
def estimation_lemma(
    n_samples: int, *, scale: float, lipschitz: float, delta: float, loss_at_zero: float
) -> Formula:
    r"""Evaluate the gap between empirical and true risk as we remember it from the paper.

    .. math:: \frac1{\sqrt N}\Big(4LC + 2|c(0)| + LC\sqrt{\tfrac12\log\tfrac1\delta}\Big)

    with probability :math:`1 - \delta`. The last term is too small by a factor of 2.

    Terms: "statistical", "loss at zero" and "confidence".

    Parameters
    ----------
    loss_at_zero : float
        :math:`|c(0)|`.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.kitchen_sinks.estimation_lemma(4000, scale=1.0, lipschitz=1.0, delta=0.05,
    ...                                              loss_at_zero=1.0).value, 4)
    0.1142
    """
    size, root = lipschitz * scale, math.sqrt(n_samples)
    terms = {
        "statistical": (4 * size / root, r"4LC/\sqrt{N}"),
        "loss at zero": (2 * loss_at_zero / root, r"2|c(0)|/\sqrt{N}"),
        "confidence": (
            size * math.sqrt(-math.log(delta) / 2) / root,
            r"LC\sqrt{\log(1/\delta)/(2N)}",
        ),
    }
    return Formula(terms, 1 - delta, trivial=2 * size)


@bound(
    "kitchen-sinks.theorem",
    "risk above the best of |f|_pi <= C",
    form="printed",
    falls_in=("n_features", "n_samples"),
    assumes=(INDEPENDENT, SAMPLES, _BOUNDED, LABELS, LOSS),
)
def theorem(
    n_features: int, n_samples: int, *, scale: float, lipschitz: float, delta: float, c: float
) -> Formula:
    r"""Evaluate the published order of the excess risk, with a constant.

    .. math:: c\,LC\Big(\frac1{\sqrt N} + \frac1{\sqrt K}\Big)\sqrt{\log(1/\delta)}

    with probability :math:`1 - 2\delta`. What is proved implies it for delta below 1/2 with
    :math:`c = 2\sqrt2 + 2/\sqrt{\log 2} < 5.24`.

    Terms: "statistical" and "approximation".

    Parameters
    ----------
    c : float
        The constant.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.kitchen_sinks.theorem(1000, 10_000, scale=1.0, lipschitz=0.5, delta=0.05,
    ...                                     c=5.24).value, 4)
    0.1887
    """
    size, root = c * lipschitz * scale, math.sqrt(-math.log(delta))
    terms = {
        "statistical": (size * root / math.sqrt(n_samples), r"c\,LC\sqrt{\log(1/\delta)/N}"),
        "approximation": (size * root / math.sqrt(n_features), r"c\,LC\sqrt{\log(1/\delta)/K}"),
    }
    return Formula(terms, 1 - 2 * delta, trivial=2 * lipschitz * scale)


@bound(
    "kitchen-sinks.greedy",
    "error of the greedy sum",
    form="printed",
    falls_in=("n_features",),
    assumes=("f* is a sum of features whose absolute weights sum to at most {total_weight:g}",),
)
def greedy(n_features: int, *, total_weight: float, c: float) -> Formula:
    r"""Evaluate the published rate :math:`cB/\sqrt K` of K greedy steps.

    The steps are among the features themselves, without B and signs: false for every c.

    Term: "approximation".

    Parameters
    ----------
    total_weight : float
        B, at least the sum of the absolute weights of f*.
    c : float
        The constant.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> printed.kitchen_sinks.greedy(100, total_weight=2.0, c=3.0).value
    0.6
    """
    value = c * total_weight / math.sqrt(n_features)
    return Formula({"approximation": (value, r"cB/\sqrt{K}")}, trivial=2 * total_weight)
