r"""Bounds on error and risk of weighted sums of random features (Rahimi and Recht 2008).

The functions to learn are :math:`f^*(x) = \int \alpha^*(\omega) \phi(x; \omega)\, d\omega` with
:math:`\|f^*\|_\pi = \sup|\alpha^*|/\pi \le C`, for a density :math:`\pi` of parameters. K features
drawn from :math:`\pi`, with weights in the box :math:`|\hat\alpha_k| \le C/K`, come near them. So
does their risk R, and that of weights that minimise the empirical risk :math:`R_{emp}`, the mean
loss over N samples. :math:`\mu` is the law of x, `trivial` what a bound may not exceed: the same
holds without it. Arguments broadcast, and are the same in all functions:

n_features, n_samples : int or array
    Number of features K, and of samples N.
scale : float or array
    A bound of :math:`\|f^*\|_\pi`, the size of the box.
feature_scale : float or array
    :math:`E_\pi b`, where features are drawn from a density proportional to :math:`b\pi` and
    divided by :math:`b(\omega)`, their bound; 1 if they are not. For maxout units see
    :func:`feature_scale_maxout`. C is `scale` times `feature_scale` in all formulas.
lipschitz : float or array
    L: the loss c(f(x) y) is L-Lipschitz in f(x) y; :math:`R[f] = E\,c(f(x) y)`, :math:`|y| \le 1`.
total_weight, norm, two_sided : float, float, or arrays, and bool
    B, the sum of absolute weights; :math:`\|f^*\|` or less; whether to bound :math:`|R - R_{emp}|`.
delta : float or array
    Probability of one event; each function says how many of them it excludes.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from mehler._validate import require_choice, require_flag
from mehler.bounds._arguments import counts, not_negatives, positives, probabilities, squares
from mehler.bounds._bound import Assumption, Bound, Counts, Floats, Reals, Term, bound, digits

__all__ = [
    "approximation",
    "approximation_greedy",
    "approximation_risk",
    "excess_risk",
    "feature_scale_maxout",
    "generalisation_gap",
]

_DRAWN = Assumption("the features are drawn independently from pi")
_SAMPLES = Assumption("the samples are independent of each other and of the features")
_LABELS = Assumption("labels lie in [-1, 1]")
_SMALLEST = Assumption("the weights minimise the empirical risk over their box or ball")
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


def _loss(lipschitz: Any) -> Assumption:
    return Assumption(f"the loss c(f(x) y) is {digits(lipschitz)}-Lipschitz in f(x) y")


def _bounded(measure: str) -> Assumption:
    return Assumption(f"features over their scale have {measure} at most 1")


def _root_log(delta: Any) -> Any:
    """Compute sqrt(2 log(1/delta)), also for a delta near 1."""
    return np.sqrt(-2 * np.log(delta))


@bound("kitchen-sinks.lemma-1", "distance from f* to weights of at most C/K", "n_features")
def approximation(
    n_features: Counts,
    *,
    scale: Reals,
    delta: Reals,
    feature_scale: Reals = 1.0,
    mean_square: Reals | None = None,
    norm: Reals | None = None,
    function: Literal["nearest", "monte-carlo"] = "nearest",
) -> Bound:
    r"""Bound the distance from f* to combinations of K random features with weights <= C/K.

    .. math::

        \min_{|\hat\alpha_k| \le C/K} \Big\|\sum_k \hat\alpha_k\phi(\cdot;\omega_k) - f^*\Big\|
            \le \frac{C}{\sqrt K}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)

    with probability at least :math:`1 - \delta` over the features, for f* with :math:`|\alpha^*|
    \le C\pi` and :math:`\|\phi(\cdot;\omega)\|_{L^2(\mu)} \le 1`. Terms: "mean" and
    "confidence". `trivial` is the norm of f* or C; for the average C more. Proof:
    :doc:`/theorems/kitchen-sinks-lemma-1`; arguments: :mod:`mehler.bounds.kitchen_sinks`.

    Parameters
    ----------
    mean_square, norm : float or array, optional
        :math:`s^2 = E\|f_1\|^2` of :math:`f_1 = (\alpha^*/\pi)(\omega_1)\phi(\cdot;\omega_1)`
        and :math:`\|f^*\|_{L^2(\mu)}`: the first term becomes :math:`\sqrt{(s^2 -
        \|f^*\|^2)/K}`, the root-mean-square error.
    function : {"nearest", "monte-carlo"}
        The nearest weights, or the average of the proof, :math:`\hat\alpha_k =
        \alpha^*(\omega_k)/(K\pi(\omega_k))`, of which `trivial` is larger.

    Examples
    --------
    >>> from mehler.bounds import kitchen_sinks
    >>> bound = kitchen_sinks.approximation(50, scale=1.0, delta=0.05)
    >>> round(bound["mean"], 6), round(bound["confidence"], 6), bound.probability
    (0.141421, 0.346164, 0.95)
    """
    k, chance = counts(n_features=n_features), probabilities(delta=delta)
    weight, divisor = positives(scale=scale, feature_scale=feature_scale)
    nearest = require_choice("function", function, ("nearest", "monte-carlo")) == "nearest"
    size, root = weight * divisor, np.sqrt(k)
    mean = _spread(size, squares(**{"scale * feature_scale": size}), mean_square, norm)
    trivial = size if norm is None else not_negatives(norm=norm)
    confidence = size * _root_log(chance) / root
    return Bound(
        terms=(Term("mean", mean / root), Term("confidence", confidence)),
        probability=1 - chance,
        assumptions=(_DRAWN, _bounded("L2(mu) norm")),
        trivial=trivial if nearest else size + trivial,
        quantity="" if nearest else "distance from f* to the average of features",
    )


def _spread(size: Floats, largest: Floats, mean_square: Reals | None, norm: Reals | None) -> Floats:
    """Return the root of K times the mean squared error of the average, s^2 - |f*|^2."""
    length = np.float64(0.0) if norm is None else not_negatives(norm=norm)
    mean = largest if mean_square is None else positives(mean_square=mean_square)
    if np.any(length > size):
        raise ValueError(f"norm={digits(length)} is not a number from 0 to {digits(size)} = C")
    # E|f_1|^2 is at most C^2, up to the rounding of the caller's own computation.
    if np.any(mean > largest * (1 + 1e-12)):
        raise ValueError(f"mean_square={digits(mean)} exceeds C^2 = {digits(largest)}")
    if np.any(mean < length**2):
        raise ValueError(f"mean_square={digits(mean)} is below the square of norm={digits(length)}")
    return np.sqrt(mean - length**2)


def _of_average(k: Any, size: Any, lipschitz: Any, delta: Any) -> Term:
    """Return L times the bound of Lemma 1; `size` is C."""
    return Term("approximation", lipschitz * size * (1 + _root_log(delta)) / np.sqrt(k))


@bound("kitchen-sinks.risk-lemma", "risk of the average of features above that of f*", "n_features")
def approximation_risk(
    n_features: Counts, *, scale: Reals, lipschitz: Reals, delta: Reals, feature_scale: Reals = 1.0
) -> Bound:
    r"""Bound the excess risk of the average of K random features over f*.

    .. math:: R[\hat f] - R[f^*] \le \frac{LC}{\sqrt K}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)

    with probability at least :math:`1 - \delta` over the features, f* and its average as in
    :func:`approximation` with :math:`\mu` the law of x. Term: "approximation". `trivial` is 2LC.
    Proof: :doc:`/theorems/kitchen-sinks-risk-lemma`; arguments: :mod:`mehler.bounds.kitchen_sinks`.

    Examples
    --------
    >>> from mehler.bounds import kitchen_sinks
    >>> kitchen_sinks.approximation_risk(50, scale=1.0, lipschitz=0.5, delta=0.05).value
    0.2437...
    """
    k, chance = counts(n_features=n_features), probabilities(delta=delta)
    weight, steep, height = positives(scale=scale, lipschitz=lipschitz, feature_scale=feature_scale)
    size = weight * height
    terms, most = (_of_average(k, size, steep, chance),), 2 * steep * size
    assumptions = (_DRAWN, _LABELS, _loss(steep), _bounded("L2(mu) norm"))
    return Bound(terms=terms, probability=1 - chance, assumptions=assumptions, trivial=most)


@bound("kitchen-sinks.greedy", "error of the greedy sum", "n_features", zero=True)
def approximation_greedy(n_features: Counts, *, total_weight: Reals, norm: Reals = 0.0) -> Bound:
    r"""Bound the error of K greedy steps towards a sum of features with total weight B.

    .. math:: \|f_K - f^*\| \le \sqrt{(B^2 - \|f^*\|^2)/K}, \qquad
        f_k = \big(1 - \tfrac1k\big)f_{k-1} + \tfrac1k g_k

    for :math:`f^* = \sum_j\alpha^*_j\phi_j` with :math:`\sum_j|\alpha^*_j| \le B` and
    :math:`\|\phi_j\| \le 1`, where each :math:`g_k` is the one among :math:`\{\pm B\phi_j\}` that
    leaves the smallest error. Term: "approximation". `trivial` is 2B. Proof:
    :doc:`/theorems/kitchen-sinks-greedy`; arguments: :mod:`mehler.bounds.kitchen_sinks`.

    Examples
    --------
    >>> from mehler.bounds import kitchen_sinks
    >>> kitchen_sinks.approximation_greedy(100, total_weight=2.0).value
    0.2
    """
    k, most = counts(n_features=n_features), positives(total_weight=total_weight)
    length = not_negatives(norm=norm)
    if np.any(length > most):
        raise ValueError(
            f"norm={digits(length)} is not a number from 0 to total_weight={digits(most)}"
        )
    squares(total_weight=most)
    # A product of two factors: the difference of squares would lose digits.
    spread = np.sqrt((most - length) * (most + length))
    text = "f* is a sum of features whose absolute weights sum to at most"
    terms = (Term("approximation", spread / np.sqrt(k)),)
    assumptions = (Assumption(f"{text} {digits(most)}"), _bounded("norm"))
    return Bound(terms=terms, assumptions=assumptions, trivial=2 * most)


@bound("kitchen-sinks.estimation-lemma", "largest |R - R_emp| over the weights", "n_samples")
def generalisation_gap(
    n_samples: Counts,
    *,
    scale: Reals,
    lipschitz: Reals,
    delta: Reals,
    two_sided: bool = True,
    feature_scale: Reals = 1.0,
) -> Bound:
    r"""Bound the gap between empirical and true risk, uniformly over the box of weights.

    .. math:: \sup_{f \in \hat F} |R[f] - R_{emp}[f]| \le
        \frac{2LC}{\sqrt N} + LC\sqrt{2\log(2/\delta)/N}

    with probability at least :math:`1 - \delta` over the samples, for any features with
    :math:`|\phi| \le 1` and :math:`\hat F = \{\sum_k\alpha_k\phi_k : |\alpha_k| \le C/K\}` or the
    larger ball :math:`|\alpha|_2 \le C/\sqrt K`; without the absolute value (`two_sided=False`)
    :math:`\log(1/\delta)` stands for :math:`\log(2/\delta)`. Terms: "statistical" and "confidence".
    `trivial` is 2LC. Proof: :doc:`/theorems/kitchen-sinks-estimation-lemma`; arguments:
    :mod:`mehler.bounds.kitchen_sinks`.

    Examples
    --------
    >>> from mehler.bounds import kitchen_sinks
    >>> bound = kitchen_sinks.generalisation_gap(4000, scale=1.0, lipschitz=1.0, delta=0.05)
    >>> round(bound["statistical"], 4), round(bound["confidence"], 4)
    (0.0316, 0.0429)
    """
    n, chance = counts(n_samples=n_samples), probabilities(delta=delta)
    weight, steep, height = positives(scale=scale, lipschitz=lipschitz, feature_scale=feature_scale)
    size, root = steep * weight * height, np.sqrt(n)
    sides = 2 if require_flag("two_sided", two_sided) else 1
    confidence = size * _root_log(chance / sides) / root
    return Bound(
        terms=(Term("statistical", 2 * size / root), Term("confidence", confidence)),
        probability=1 - chance,
        assumptions=(_SAMPLES, _LABELS, _loss(steep), _bounded("absolute value")),
        trivial=2 * size,
        quantity="" if two_sided else "largest R - R_emp over the weights",
    )


@bound("kitchen-sinks.theorem", "risk above the best of |f|_pi <= C", "n_features", "n_samples")
def excess_risk(
    n_features: Counts,
    n_samples: Counts,
    *,
    scale: Reals,
    lipschitz: Reals,
    delta: Reals,
    feature_scale: Reals = 1.0,
) -> Bound:
    r"""Bound the risk of fitted weights above the best risk with :math:`\|f\|_\pi \le C`.

    .. math:: R[\hat f] - \inf_{\|f\|_\pi \le C} R[f] \le \frac{2LC}{\sqrt N}
        + 2LC\sqrt{2\log(1/\delta)/N}
        + \frac{LC}{\sqrt K}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)

    with probability at least :math:`1 - 2\delta` over features and samples. :math:`\hat f`
    minimises the empirical risk over the box :math:`|\alpha_k| \le C/K`, or over the ball
    :math:`|\alpha|_2 \le C/\sqrt K` (constrained ridge). Terms: "statistical", "confidence" and
    "approximation". `trivial` is 2LC. Proof: :doc:`/theorems/kitchen-sinks-theorem`; arguments:
    :mod:`mehler.bounds.kitchen_sinks`.

    Examples
    --------
    >>> from mehler.bounds import kitchen_sinks
    >>> bound = kitchen_sinks.excess_risk(1000, 10_000, scale=1.0, lipschitz=0.5, delta=0.05)
    >>> {term.name: round(term.value, 6) for term in bound.terms}
    {'statistical': 0.01, 'confidence': 0.024477, 'approximation': 0.054514}
    """
    k, n = counts(n_features=n_features, n_samples=n_samples)
    weight, steep, height = positives(scale=scale, lipschitz=lipschitz, feature_scale=feature_scale)
    size, chance = weight * height, probabilities(delta=delta)
    statistical = 2 * steep * size / np.sqrt(n)
    confidence = Term("confidence", statistical * _root_log(chance))
    last, features = _of_average(k, size, steep, chance), _bounded("absolute value")
    return Bound(
        terms=(Term("statistical", statistical), confidence, last),
        probability=1 - 2 * chance,
        assumptions=(_DRAWN, _SAMPLES, _LABELS, _loss(steep), _SMALLEST, features),
        trivial=2 * steep * size,
    )


def feature_scale_maxout(
    n_inputs: Counts,
    pool_size: Counts,
    *,
    radius: Reals,
    by: Literal["frobenius", "longest"] = "frobenius",
) -> Any:
    r"""Compute the mean of b(W), by which maxout units are divided to be at most 1.

    A unit :math:`\phi(x; W) = \max_{j\le q}\langle w_j, x\rangle` with standard normal weights has
    no bound. On inputs with :math:`|x| \le R` it is at most b(W),

    .. math::

        b = R\,\|W\|_F: \quad E b = R\sqrt2\,\frac{\Gamma((dq+1)/2)}{\Gamma(dq/2)} \le R\sqrt{dq},
        \qquad b = R\max_j|w_j|: \quad E b \le R\big(\sqrt d + \sqrt{2\log q}\big).

    Draw W from a density proportional to b times the normal one and use :math:`\phi/b`: then all
    bounds of this namespace hold with this number as `feature_scale`. Relative error 1e-12.

    Parameters
    ----------
    n_inputs, pool_size, radius : int, int, float, or arrays
        Input dimension d, pool size q, and R, the largest norm of an input.
    by : {"frobenius", "longest"}
        Divide a normal draw by its Frobenius norm; or keep each of those with probability
        :math:`\max_j|w_j|/\|W\|_F` and divide by the longest row, a smaller scale.

    Examples
    --------
    >>> from mehler.bounds.kitchen_sinks import feature_scale_maxout
    >>> round(feature_scale_maxout(20, 4, radius=1.0, by="longest"), 4)
    5.1502
    """
    d, q = counts(n_inputs=n_inputs, pool_size=pool_size)
    radius = positives(radius=radius)
    if require_choice("by", by, ("frobenius", "longest")) == "longest":
        mean = radius * np.vectorize(moment_of_longest, otypes=[float])(d, q)
    else:
        from scipy.special import poch

        # sqrt(2) Gamma((n+1)/2) / Gamma(n/2), n = dq: the ratio without its overflow.
        mean = radius * (math.sqrt(2) * poch(d * q / 2, 0.5))
    if not np.all(np.isfinite(mean)):
        raise ValueError(f"n_inputs={n_inputs!r}, pool_size={pool_size!r}: the mean overflows")
    return mean if np.ndim(mean) else float(mean)


def moment_of_longest(d: float, q: float, p: int = 1) -> float:
    """Compute E N^p, N the largest length of q vectors of d normals, from its distribution."""
    from scipy.special import gammaincc, log1p

    # Lengths lie within a few of sqrt(d); above, the integrand is below q e^{-u^2/2}, u the excess.
    low = max(0.0, math.sqrt(d) - 8.0)
    high = math.sqrt(d) + math.sqrt(2 * math.log(q)) + 9.0 + 2 * math.sqrt(p - 1)
    # Gauss's rule on 12 intervals: P(N > r) falls from 1 to 0 on about 1/sqrt(2 log q).
    edges = np.linspace(low, high, 13)
    half = (edges[1] - edges[0]) / 2
    r = (edges[:-1, np.newaxis] + half * (_NODES + 1)).ravel()
    tail = gammaincc(d / 2, r**2 / 2)
    with np.errstate(divide="ignore"):  # the tail rounds to 1 at small r, whose power is 0
        exceeds = -np.expm1(q * log1p(-tail)) * p * r ** (p - 1)
    return low**p + float(half * (np.tile(_WEIGHTS, len(edges) - 1) @ exceeds))
