"""Approximation of a function by random features, or by greedy ones, and what its risk loses."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal

from mehler._validate import require_choice, require_not_negative, require_positive
from mehler.bounds._bound import Assumption
from mehler.bounds._function import Formula, bound, square_of

Function = Literal["nearest", "monte-carlo"]

INDEPENDENT = "the features are drawn independently from pi"
LABELS = "labels lie in [-1, 1]"
LOSS = "the loss c(f(x) y) is {lipschitz:g}-Lipschitz in f(x) y"
DOMAINS: dict[str, Any] = {
    **dict.fromkeys(
        ("feature_scale", "largest_feature", "mean_square", "total_weight"), require_positive
    ),
    "norm": require_not_negative,
    "function": partial(require_choice, allowed=("nearest", "monte-carlo")),
}
_AVERAGE = "distance from f* to the average of features"


@bound(
    "kitchen-sinks.lemma-1",
    "distance from f* to weights of at most C/K",
    falls_in=("n_features",),
    assumes=(INDEPENDENT,),
    domains=DOMAINS,
)
def approximation(
    n_features: int,
    *,
    scale: float,
    delta: float,
    feature_scale: float = 1.0,
    mean_square: float | None = None,
    norm: float | None = None,
    function: Function = "nearest",
    largest_feature: float | None = None,
) -> Formula:
    r"""Bound the distance from f* to combinations of K random features with weights <= C/K.

    .. math::

        \min_{|\hat\alpha_k| \le C/K} \Big\|\sum_k \hat\alpha_k\phi(\cdot;\omega_k) - f^*\Big\|
            \le \frac{C}{\sqrt K}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)

    with probability at least :math:`1 - \delta` over the features, for f* with
    :math:`|\alpha^*| \le C\pi` and :math:`\|\phi(\cdot;\omega)\|_{L^2(\mu)} \le 1`.

    Parameters
    ----------
    n_features, scale, delta, feature_scale, largest_feature
        As :mod:`mehler.bounds.kitchen_sinks` says.
    mean_square : float, optional
        :math:`s^2 = E\|f_1\|^2` of :math:`f_1 = (\alpha^*/\pi)(\omega_1)\phi(\cdot;\omega_1)`,
        where it is computed: it replaces :math:`C^2` in the first term, which becomes
        :math:`\sqrt{(s^2 - \|f^*\|^2)/K}`, the root-mean-square error.
    norm : float, optional
        :math:`\|f^*\|_{L^2(\mu)}`, where it is computed.
    function : {"nearest", "monte-carlo"}
        The nearest weights, or the average of the proof, :math:`\hat\alpha_k =
        \alpha^*(\omega_k)/(K\pi(\omega_k))`. The sum of the terms bounds both; what is trivial does
        not: the average may be as far from f* as both are long.

    Returns
    -------
    Bound
        With the terms "mean" and "confidence". `trivial` is the norm of f*, that of the function
        0, or C; for the average C more. A target of that size or more takes a single feature.

    Notes
    -----
    Both constants are exact: orthonormal features attain the mean, constant features of random sign
    the confidence term's rate.

    References
    ----------
    A. Rahimi, B. Recht, Weighted sums of random kitchen sinks (2008), Lemma 1. Proof:
    :doc:`/theorems/kitchen-sinks-lemma-1`.

    Examples
    --------
    >>> from mehler import bounds
    >>> from mehler.bounds import kitchen_sinks
    >>> bound = kitchen_sinks.approximation(50, scale=1.0, delta=0.05)
    >>> round(bound["mean"], 6), round(bound["confidence"], 6), bound.probability
    (0.141421, 0.346164, 0.95)
    >>> bounds.solve(kitchen_sinks.approximation, at_most=0.1, n_features=None, scale=1.0,
    ...              delta=0.05)
    1189
    """
    size, root = scale * feature_scale, math.sqrt(n_features)
    mean, latex = _spread(size, mean_square, norm)
    trivial = size if norm is None else norm
    return Formula(
        {
            "mean": (mean / root, latex),
            "confidence": (size * root_log(delta) / root, r"C\sqrt{2\log(1/\delta)/K}"),
        },
        probability=1 - delta,
        trivial=trivial if function == "nearest" else size + trivial,
        assumptions=(bounded_features(largest_feature, "L2(mu) norm"),),
        quantity="" if function == "nearest" else _AVERAGE,
    )


def _spread(size: float, mean_square: float | None, norm: float | None) -> tuple[float, str]:
    """Return the root of K times the mean squared error, at most C, and the term's formula."""
    if norm is not None and norm > size:
        raise ValueError(f"norm={norm!r} is not a number from 0 to {size:.6g}, which is C")
    largest = square_of("scale * feature_scale", size)
    # E|f_1|^2 is at most C^2, up to the rounding of the caller's own computation.
    if mean_square is not None and mean_square > largest * (1 + 1e-12):
        raise ValueError(
            f"mean_square={mean_square!r} exceeds C^2 = {largest:.6g}: features have norm at most "
            "1, so E|f_1|^2 cannot"
        )
    square = 0.0 if norm is None else norm**2
    excess = (largest if mean_square is None else mean_square) - square
    if excess < 0:
        raise ValueError(
            f"mean_square={mean_square!r} is below norm^2 = {square:.6g}: a mean square is never "
            "below the square of the mean"
        )
    first = "C^2" if mean_square is None else "s^2"
    second = "" if norm is None else r" - \|f^*\|^2"
    return math.sqrt(excess), rf"\sqrt{{({first}{second})/K}}"


@bound(
    "kitchen-sinks.risk-lemma",
    "risk of the average of features above that of f*",
    falls_in=("n_features",),
    assumes=(INDEPENDENT, LABELS, LOSS),
    domains=DOMAINS,
)
def approximation_risk(
    n_features: int,
    *,
    scale: float,
    lipschitz: float,
    delta: float,
    feature_scale: float = 1.0,
    largest_feature: float | None = None,
) -> Formula:
    r"""Bound the excess risk of the average of K random features over f*.

    .. math:: R[\hat f] - R[f^*] \le \frac{LC}{\sqrt K}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)

    with probability at least :math:`1 - \delta` over the features, f* and its average as in
    :func:`approximation` with :math:`\mu` the law of x.

    Parameters
    ----------
    n_features, scale, lipschitz, delta, feature_scale, largest_feature
        As :mod:`mehler.bounds.kitchen_sinks` says.

    Returns
    -------
    Bound
        With the term "approximation". `trivial` is 2LC: neither function exceeds C in L2.

    References
    ----------
    A. Rahimi, B. Recht, Weighted sums of random kitchen sinks (2008). Proof:
    :doc:`/theorems/kitchen-sinks-risk-lemma`.

    Examples
    --------
    >>> from mehler.bounds import kitchen_sinks
    >>> kitchen_sinks.approximation_risk(50, scale=1.0, lipschitz=0.5, delta=0.05).value
    0.2437...
    """
    size = scale * feature_scale
    return Formula(
        {"approximation": loss_of_average(n_features, size, lipschitz, delta)},
        probability=1 - delta,
        trivial=2 * lipschitz * size,
        assumptions=(bounded_features(largest_feature, "L2(mu) norm"),),
    )


@bound(
    "kitchen-sinks.greedy",
    "error of the greedy sum",
    falls_in=("n_features",),
    assumes=("f* is a sum of features whose absolute weights sum to at most {total_weight:g}",),
    domains=DOMAINS,
)
def approximation_greedy(
    n_features: int,
    *,
    total_weight: float,
    norm: float = 0.0,
    largest_feature: float | None = None,
) -> Formula:
    r"""Bound the error of K greedy steps towards a sum of features with total weight B.

    .. math:: \|f_K - f^*\| \le \sqrt{(B^2 - \|f^*\|^2)/K}, \qquad
        f_k = \big(1 - \tfrac1k\big)f_{k-1} + \tfrac1k g_k

    for :math:`f^* = \sum_j\alpha^*_j\phi_j` with :math:`\sum_j|\alpha^*_j| \le B` and
    :math:`\|\phi_j\| \le 1`, where each :math:`g_k` is the one among
    :math:`\{\pm B\phi_j\}` that leaves the smallest error. Steps that search the factor too do as
    well.

    Parameters
    ----------
    n_features : int or array
        K, the number of steps.
    total_weight : float
        B, at least the sum of the absolute weights of f*.
    norm : float
        :math:`\|f^*\|`, or a lower bound of it.
    largest_feature : float, optional
        Largest norm of a feature; above 1 the bound is vacuous.

    Returns
    -------
    Bound
        With the term "approximation", for certain. `trivial` is 2B.

    References
    ----------
    L. K. Jones, Annals of Statistics 20 (1992); A. R. Barron, IEEE Transactions on Information
    Theory 39 (1993). Proof: :doc:`/theorems/kitchen-sinks-greedy`.

    Examples
    --------
    >>> from mehler.bounds import kitchen_sinks
    >>> kitchen_sinks.approximation_greedy(100, total_weight=2.0).value
    0.2
    """
    if norm > total_weight:
        raise ValueError(
            f"norm={norm!r} is not a number from 0 to total_weight={total_weight!r}, which no sum "
            "of features with that weight exceeds"
        )
    # A product of two factors: the difference of squares would lose digits.
    spread = math.sqrt((total_weight - norm) * (total_weight + norm))
    return Formula(
        {"approximation": (spread / math.sqrt(n_features), r"\sqrt{(B^2 - \|f^*\|^2)/K}")},
        trivial=2 * total_weight,
        assumptions=(bounded_features(largest_feature, "norm"),),
    )


def bounded_features(largest: float | None, measure: str) -> Assumption:
    """Assume that the `measure` of features is at most 1, and check it against `largest`."""
    text = f"features over their scale have {measure} at most 1"
    if largest is None:
        return Assumption(text)
    return Assumption(text, largest <= 1, f"largest {largest:.6g}")


def loss_of_average(k: int, size: float, lipschitz: float, delta: float) -> tuple[float, str]:
    """Compute L times the bound of Lemma 1, and its formula; `size` is C."""
    value = lipschitz * size * (1 + root_log(delta)) / math.sqrt(k)
    return value, r"LC(1 + \sqrt{2\log(1/\delta)})/\sqrt{K}"


def root_log(delta: float) -> float:
    """Compute sqrt(2 log(1/delta)), also for a delta near 1."""
    return math.sqrt(-2 * math.log(delta))
