r"""Weighted sums of random features (Rahimi and Recht 2008), with explicit constants.

A function of :math:`F_\pi` is :math:`f(x) = \int \alpha(\omega) \phi(x; \omega)\, d\omega` with
:math:`|\alpha| \le C \pi`. K features drawn from :math:`\pi`, with weights of at most C/K each,
come near it, so does their risk, and so does the risk of weights fitted to N samples.

All functions take the same arguments:

n_features, n_samples : int or array
    Number of features K, and of samples N.
scale : float
    A bound of :math:`\|f\|_\pi`, the size of the box.
feature_scale : float
    :math:`E_\pi b`, where features are drawn from a density proportional to :math:`b\pi` and
    divided by :math:`b(\omega)`, their bound; 1 if they are not. For maxout units see
    :func:`feature_scale_maxout`. C is `scale` times `feature_scale` in all formulas.
lipschitz : float
    L: the loss c(f(x) y) is L-Lipschitz in f(x) y; :math:`R[f] = E\,c(f(x) y)`, :math:`|y| \le 1`.
largest_feature : float, optional
    The largest feature of the data, divided by its bound: in absolute value, or its norm in
    :math:`L^2(\mu)` where no more is needed. The bound is vacuous for one above 1; if left out, the
    assumption is not checked.
delta : float or array
    Probability of one event; each function says how many of them it excludes.
"""

from __future__ import annotations

import math
from typing import Literal

from mehler._validate import require_not_negative
from mehler.bounds._bound import Assumption
from mehler.bounds._function import Formula, bound, square_of
from mehler.bounds._representations import feature_scale_maxout, norm_h, norm_pi

__all__ = [
    "approximation",
    "approximation_greedy",
    "approximation_risk",
    "excess_risk",
    "feature_scale_maxout",
    "generalisation_gap",
    "norm_h",
    "norm_pi",
]

Function = Literal["nearest", "monte-carlo"]

INDEPENDENT = "the features are drawn independently from pi"
LABELS = "labels lie in [-1, 1]"
LOSS = "the loss c(f(x) y) is {lipschitz:g}-Lipschitz in f(x) y"
DOMAINS = {"norm": require_not_negative}
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

    Terms: "mean" and "confidence". `trivial` is the norm of f*, that of the function 0, or C; for
    the average C more. A target of that size or more takes a single feature.

    Parameters
    ----------
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

    Notes
    -----
    Both constants are exact: orthonormal features attain the mean, constant features of random sign
    the confidence term's rate.

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
    terms = {
        "mean": (mean / root, latex),
        "confidence": (size * root_log(delta) / root, r"C\sqrt{2\log(1/\delta)/K}"),
    }
    assumptions = (bounded_features(largest_feature, "L2(mu) norm"),)
    return Formula(
        terms,
        1 - delta,
        trivial=trivial if function == "nearest" else size + trivial,
        assumptions=assumptions,
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

    Term: "approximation". `trivial` is 2LC: neither function exceeds C in L2.

    Examples
    --------
    >>> from mehler.bounds import kitchen_sinks
    >>> kitchen_sinks.approximation_risk(50, scale=1.0, lipschitz=0.5, delta=0.05).value
    0.2437...
    """
    size = scale * feature_scale
    terms = {"approximation": loss_of_average(n_features, size, lipschitz, delta)}
    assumptions = (bounded_features(largest_feature, "L2(mu) norm"),)
    return Formula(terms, 1 - delta, trivial=2 * lipschitz * size, assumptions=assumptions)


@bound(
    "kitchen-sinks.greedy",
    "error of the greedy sum",
    falls_in=("n_features",),
    assumes=("f* is a sum of features whose absolute weights sum to at most {total_weight:g}",),
    domains=DOMAINS,
)
def approximation_greedy(
    n_features: int, *, total_weight: float, norm: float = 0.0, largest_feature: float | None = None
) -> Formula:
    r"""Bound the error of K greedy steps towards a sum of features with total weight B.

    .. math:: \|f_K - f^*\| \le \sqrt{(B^2 - \|f^*\|^2)/K}, \qquad
        f_k = \big(1 - \tfrac1k\big)f_{k-1} + \tfrac1k g_k

    for :math:`f^* = \sum_j\alpha^*_j\phi_j` with :math:`\sum_j|\alpha^*_j| \le B` and
    :math:`\|\phi_j\| \le 1`, where each :math:`g_k` is the one among
    :math:`\{\pm B\phi_j\}` that leaves the smallest error. Steps that search the factor too do as
    well.

    Term: "approximation", for certain. `trivial` is 2B.

    Parameters
    ----------
    total_weight : float
        B, at least the sum of the absolute weights of f*.
    norm : float
        :math:`\|f^*\|`, or a lower bound of it.

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
    latex = r"\sqrt{(B^2 - \|f^*\|^2)/K}" if norm < total_weight else "0"
    terms = {"approximation": (spread / math.sqrt(n_features), latex)}
    return Formula(
        terms, trivial=2 * total_weight, assumptions=(bounded_features(largest_feature, "norm"),)
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


SAMPLES = "the samples are independent of each other and of the features"
_SMALLEST = "the weights minimise the empirical risk over their box or ball"


@bound(
    "kitchen-sinks.estimation-lemma",
    "largest |R - R_emp| over the weights",
    falls_in=("n_samples",),
    assumes=(SAMPLES, LABELS, LOSS),
)
def generalisation_gap(
    n_samples: int,
    *,
    scale: float,
    lipschitz: float,
    delta: float,
    two_sided: bool = True,
    feature_scale: float = 1.0,
    largest_feature: float | None = None,
) -> Formula:
    r"""Bound the gap between empirical and true risk, uniformly over the box of weights.

    .. math:: \sup_{f \in \hat F} |R[f] - R_{emp}[f]| \le
        \frac{2LC}{\sqrt N} + LC\sqrt{2\log(2/\delta)/N}

    with probability at least :math:`1 - \delta` over the samples, for any features with
    :math:`|\phi| \le 1` and :math:`\hat F = \{\sum_k\alpha_k\phi_k : |\alpha_k| \le C/K\}` or the
    larger ball :math:`|\alpha|_2 \le C/\sqrt K`; without the absolute value
    :math:`\log(1/\delta)` stands for :math:`\log(2/\delta)`.

    Terms: "statistical" and "confidence". `trivial` is 2LC: c(f(x) y) - c(0) lies within LC, and so
    do its two means.

    Parameters
    ----------
    two_sided : bool
        Bound the absolute value, or only the excess of the true over the empirical risk.

    Examples
    --------
    >>> from mehler.bounds import kitchen_sinks
    >>> bound = kitchen_sinks.generalisation_gap(4000, scale=1.0, lipschitz=1.0, delta=0.05)
    >>> round(bound["statistical"], 4), round(bound["confidence"], 4)
    (0.0316, 0.0429)
    """
    size, root = lipschitz * scale * feature_scale, math.sqrt(n_samples)
    sides = 2 if two_sided else 1
    terms = {
        "statistical": (2 * size / root, r"2LC/\sqrt{N}"),
        "confidence": (
            size * root_log(delta / sides) / root,
            rf"LC\sqrt{{2\log({sides}/\delta)/N}}",
        ),
    }
    assumptions = (bounded_features(largest_feature, "absolute value"),)
    trivial = 2 * size
    return Formula(
        terms,
        1 - delta,
        trivial=trivial,
        assumptions=assumptions,
        quantity="" if two_sided else "largest R - R_emp over the weights",
    )


@bound(
    "kitchen-sinks.theorem",
    "risk above the best of |f|_pi <= C",
    falls_in=("n_features", "n_samples"),
    assumes=(INDEPENDENT, SAMPLES, LABELS, LOSS, _SMALLEST),
    domains=DOMAINS,
)
def excess_risk(
    n_features: int,
    n_samples: int,
    *,
    scale: float,
    lipschitz: float,
    delta: float,
    feature_scale: float = 1.0,
    largest_feature: float | None = None,
) -> Formula:
    r"""Bound the risk of fitted weights above the best risk with :math:`\|f\|_\pi \le C`.

    .. math:: R[\hat f] - \inf_{\|f\|_\pi \le C} R[f] \le \frac{2LC}{\sqrt N}
        + 2LC\sqrt{2\log(1/\delta)/N}
        + \frac{LC}{\sqrt K}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)

    with probability at least :math:`1 - 2\delta` over features and samples. :math:`\hat f`
    minimises the empirical risk over the box :math:`|\alpha_k| \le C/K`, or over the ball
    :math:`|\alpha|_2 \le C/\sqrt K` (constrained ridge): the bound is the same.

    Terms: "statistical", "confidence" and "approximation". `trivial` is 2LC, as :math:`|f| \le C`.

    Notes
    -----
    The first two terms stay at any number of features. Where a target is below them, solve for the
    samples at many features: ``bounds.solve(excess_risk, at_most=..., n_features=10**18,
    n_samples=None, ...)`` is the least number with which it can be reached.

    Examples
    --------
    >>> from mehler import bounds
    >>> from mehler.bounds import kitchen_sinks
    >>> numbers = {"n_samples": 10_000, "scale": 1.0, "lipschitz": 0.5, "delta": 0.05}
    >>> for term in kitchen_sinks.excess_risk(1000, **numbers).terms:
    ...     print(f"{term.name:13} {term.value:.6f}")
    statistical   0.010000
    confidence    0.024477
    approximation 0.054514
    >>> bounds.solve(kitchen_sinks.excess_risk, at_most=0.1, n_features=None, **numbers)
    693
    """
    size = scale * feature_scale
    statistical = 2 * lipschitz * size / math.sqrt(n_samples)
    terms = {
        "statistical": (statistical, r"2LC/\sqrt{N}"),
        "confidence": (statistical * root_log(delta), r"2LC\sqrt{2\log(1/\delta)/N}"),
        "approximation": loss_of_average(n_features, size, lipschitz, delta),
    }
    assumptions = (bounded_features(largest_feature, "absolute value"),)
    return Formula(terms, 1 - 2 * delta, trivial=2 * lipschitz * size, assumptions=assumptions)
