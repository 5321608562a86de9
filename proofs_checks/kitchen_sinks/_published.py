r"""Risk bounds of Rahimi and Recht (2008) as published: theorem, estimation lemma, greedy rate.

Lemma 1 and the risk lemma hold as published: they are
:func:`~mehler.bounds.kitchen_sinks.approximation` and
:func:`~mehler.bounds.kitchen_sinks.approximation_risk`. No feature exceeds 1 in absolute value
and none is divided, so that C is `scale`. The slides, our source, leave a constant c open in the
theorem and in the rate; the estimation lemma is unverified. N samples, K features, L `lipschitz`.
"""

import numpy as np

from mehler.bounds import Assumption, Bound, Term

_SAMPLES = (
    Assumption("samples are independent"),
    Assumption("features are at most 1 in absolute value"),
    Assumption("labels are 1 or -1"),
    Assumption("the loss is c(y f(x)), with c Lipschitz"),
)


def estimation_lemma(
    n_samples: int, *, scale: float, lipschitz: float, delta: float, loss_at_zero: float
) -> Bound:
    r"""Evaluate the gap between empirical and true risk, unverified.

    .. math:: \frac1{\sqrt N}\Big(4LC + 2|c(0)| + LC\sqrt{\tfrac12\log\tfrac1\delta}\Big)

    with probability :math:`1 - \delta`.
    """
    size, root = lipschitz * scale, np.sqrt(n_samples)
    deviation = size * np.sqrt(-np.log(delta) / 2) / root
    return Bound(
        statement="kitchen-sinks.estimation-lemma",
        form="printed",
        quantity="largest |R - R_emp| over the weights",
        terms=(
            Term("statistical", 4 * size / root),
            Term("loss at zero", 2 * loss_at_zero / root),
            Term("confidence", deviation),
        ),
        probability=1 - delta,
        assumptions=_SAMPLES,
        trivial=2 * size,
    )


def theorem(
    n_features: int, n_samples: int, *, scale: float, lipschitz: float, delta: float, c: float
) -> Bound:
    r"""Evaluate the published order of the excess risk, with a constant c.

    .. math:: c\,LC\Big(\frac1{\sqrt N} + \frac1{\sqrt K}\Big)\sqrt{\log(1/\delta)}

    with probability :math:`1 - 2\delta`. What is proved implies it for delta below 1/2 with
    :math:`c = 2\sqrt2 + 2/\sqrt{\log 2} < 5.24`.
    """
    size = c * lipschitz * scale * np.sqrt(-np.log(delta))
    return Bound(
        statement="kitchen-sinks.theorem",
        form="printed",
        quantity="risk above the best of |f|_pi <= C",
        terms=(
            Term("statistical", size / np.sqrt(n_samples)),
            Term("approximation", size / np.sqrt(n_features)),
        ),
        probability=1 - 2 * delta,
        assumptions=(Assumption("features are drawn independently"), *_SAMPLES),
        trivial=2 * lipschitz * scale,
    )


def greedy(n_features: int, *, total_weight: float, c: float) -> Bound:
    r"""Evaluate the published rate :math:`cB/\sqrt K` of K greedy steps.

    The steps are among the features themselves, without B and signs: false for every c.
    """
    weights = "f* is a sum of features whose absolute weights sum to at most"
    return Bound(
        statement="kitchen-sinks.greedy",
        form="printed",
        quantity="error of the greedy sum",
        terms=(Term("approximation", c * total_weight / np.sqrt(n_features)),),
        probability=1.0,
        assumptions=(Assumption(f"{weights} {total_weight:g}"),),
        trivial=2 * total_weight,
    )
