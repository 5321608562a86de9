r"""Bound the error rate of a linear classifier by its margins, for features of any size.

A row x of class y = 1 or -1 has the margin t, the cosine of y phi(x) and w, the weights of features
phi. Where no margin is near 0, the rate is 1/N up to a logarithm. Both functions bound the chance
of a wrong class, :math:`P(y\langle w, \phi(x)\rangle \le 0)`, by

.. math:: \frac1{\Phi(\theta)}\,p_2, \qquad p_1 = \mathrm{kl}^{-1}\Big(e, \frac{\mu^2}{2N}\Big),
          \quad p_2 = \mathrm{kl}^{-1}\Big(e, \frac{\mu^2/2 + \log(K\xi_N/\delta)}N\Big)

with probability at least :math:`1 - \delta` over the rows, for all weights w, all lengths
:math:`\mu > 0` of w and K thresholds :math:`\theta` at once; :math:`\Phi` is the normal
distribution function, e the fraction of margin errors, :math:`\mathrm{kl}^{-1}(e, c)` the largest p
with :math:`e\log\frac ep + (1-e)\log\frac{1-e}{1-p} \le c`, and :math:`\xi_N \le \sqrt{\pi
N/2}\,e^{1/(12N)} + \frac23`. Any learner may fit the weights to the same rows. The proof is in
:doc:`/theorems/features-margin`, after Langford and Shawe-Taylor (2002). Arguments of both:

n_samples, delta : int or array, float or array
    N rows; failure probability.
scale : float, optional
    mu; default the best, which costs nothing.
thresholds : sequence of float
    theta >= 0, chosen without a look at the rows; the best is taken, for :math:`\log K`.

Terms are "margin", e; "weights", :math:`p_1 - e`; "confidence", :math:`p_2 - p_1`; and "threshold",
what the factor :math:`1/\Phi(\theta)` adds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import optimize, special

from mehler._validate import require_iterable, require_not_negative, require_positive
from mehler.bounds._arguments import counts, fractions, not_negatives, probabilities, require_host
from mehler.bounds._bound import Assumption, Bound, Counts, Floats, Reals, bound, by_entry, digits

__all__ = ["error_rate", "error_rate_separated"]

THRESHOLDS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
# Cosines that are computed may exceed 1 by rounding, of float32 too.
_ROUNDING = 1e-5
_STEPS = 24
_ASSUMED = (
    Assumption("rows are independent and of one law, that of the risk"),
    Assumption("features and thresholds are chosen without these rows"),
)

# The fraction of margin errors, or a bound, as a function of mu and theta.
Errors = Callable[[float, float], float]


@bound("features.margin", "probability of a wrong class")
def error_rate(
    margins: Floats,
    *,
    delta: Reals,
    scale: float | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
) -> Bound:
    r"""Bound the probability that a linear classifier on features is wrong, by its margins.

    .. math:: e = \frac1N\sum_i\Phi(\theta - \mu t_i), \qquad
              t_i = \frac{y_i\langle w, \phi(x_i)\rangle}{|w|\,|\phi(x_i)|}

    Where all margins are at least t, the bound is about :math:`\log N/(t^2N)`. About 10 ms; 0.3 s
    for 60,000 rows. Terms: those of the module. Proof: :doc:`/theorems/features-margin`; arguments:
    :mod:`mehler.bounds.margin`. Langford, Shawe-Taylor (2002), with theta = 0; Maurer (2004).

    Parameters
    ----------
    margins : array, shape (N,)
        t_i, cosines of the weights and the features, negative where the class is wrong; 0 for a row
        whose features are all 0. An intercept is one more feature, 1 in each row.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import margin
    >>> bound = margin.error_rate(np.full(5000, 0.3), delta=0.01)
    >>> {term.name: round(term.value, 4) for term in bound.terms}
    {'margin': 0.0007, 'weights': 0.0173, 'confidence': 0.0022, 'threshold': 0.009}
    """
    cosines = require_host("margins", margins)
    if cosines.ndim != 1 or cosines.size == 0:
        raise ValueError(f"margins has shape {cosines.shape}: give one number for each row, (N,)")
    if (farthest := float(abs(cosines).max())) > 1 + _ROUNDING:
        raise ValueError(
            f"margins are up to {farthest:g} and must be in [-1, 1]: divide y <w, phi(x)> by the "
            "norms of w and of phi(x)"
        )
    t = np.minimum(cosines, 1.0)

    def errors() -> Errors:
        return lambda mu, theta: float(special.ndtr(theta - mu * t).mean())

    return _of(np.float64(t.size), delta, scale, thresholds, errors)


@bound("features.margin", "probability of a wrong class", "n_samples")
def error_rate_separated(
    n_samples: Counts,
    *,
    margin: Reals,
    delta: Reals,
    below: Reals = 0.0,
    scale: float | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
) -> Bound:
    r"""Bound the error rate of a linear classifier where all rows but a fraction keep a margin.

    .. math:: e = \beta + (1-\beta)\,\Phi(\theta - \mu t)

    is that of :func:`error_rate` where a fraction beta counts as errors. Both `margin` and `below`
    may be read off the rows; all margins together give a smaller bound. Terms: those of the module.
    Proof: :doc:`/theorems/features-margin`; arguments: :mod:`mehler.bounds.margin`.

    Parameters
    ----------
    margin : float
        t, a cosine in (0, 1].
    below : float
        beta in [0, 1), the fraction of the rows with a smaller margin.

    Examples
    --------
    >>> from mehler.bounds import margin
    >>> sizes = [10**3, 10**4, 10**5]
    >>> margin.error_rate_separated(sizes, margin=0.3, delta=0.01).value.round(4)
    array([0.1132, 0.0159, 0.002 ])
    """
    cosine, part = fractions(margin=margin), not_negatives(below=below)
    if np.any(part >= 1):
        raise ValueError(f"below={digits(part)} must be a share in [0, 1)")

    def at(t: float, beta: float) -> Errors:
        return lambda mu, theta: beta + (1 - beta) * float(special.ndtr(theta - mu * t))

    return _of(counts(n_samples=n_samples), delta, scale, thresholds, at, cosine, part)


def _of(
    n: Any,
    delta: Reals,
    scale: float | None,
    thresholds: Sequence[float],
    errors: Callable[..., Errors],
    *numbers: Any,
) -> Bound:
    """Return the smallest bound at each entry; `errors` makes e of mu and theta from `numbers`."""
    chance = probabilities(delta=delta)
    mu = None if scale is None else require_positive("scale", scale)
    thetas = [
        require_not_negative(f"thresholds[{i}]", theta)
        for i, theta in enumerate(require_iterable("thresholds", thresholds))
    ]
    if not thetas:
        raise ValueError("thresholds is empty: give at least one")
    terms = by_entry(
        lambda n, delta, *entry: _best(n, errors(*entry), delta, mu, thetas), n, chance, *numbers
    )
    return Bound(terms=terms, probability=1 - chance, assumptions=_ASSUMED, trivial=1.0)


def _best(
    n: float, errors: Errors, delta: float, scale: float | None, thresholds: Sequence[float]
) -> dict[str, float]:
    """Return the terms of the smallest bound over theta and mu; mu costs no probability."""
    confidence = log_moment(n) + math.log(len(thresholds)) - math.log(delta)

    def total(mu: float, theta: float) -> float:
        e = min(errors(mu, theta), 1.0)
        largest = e + largest_gap(e, (mu * mu / 2 + confidence) / n)
        return largest / float(special.ndtr(theta))

    choices = [(scale or _length(total, theta, n), theta) for theta in thresholds]
    mu, threshold = min(choices, key=lambda choice: total(*choice))
    e = min(errors(mu, threshold), 1.0)
    weights = largest_gap(e, mu * mu / (2 * n))
    both = largest_gap(e, (mu * mu / 2 + confidence) / n)
    # 1/Phi - 1, without cancellation.
    factor = float(special.ndtr(-threshold) / special.ndtr(threshold))
    return {
        "margin": e,
        "weights": weights,
        "confidence": both - weights,
        "threshold": factor * (e + both),
    }


def _length(total: Errors, threshold: float, n: float) -> float:
    """Search for the best mu: on a grid, then between the neighbours of its best point."""
    # Where mu^2/(2N) is 5 the bound is above 0.99.
    grid = np.linspace(math.log(0.03), 0.5 * math.log(10 * n), _STEPS)
    values = [total(math.exp(log_mu), threshold) for log_mu in grid]
    k = int(np.argmin(values))
    ends = (grid[max(k - 1, 0)], grid[min(k + 1, _STEPS - 1)])
    best = optimize.minimize_scalar(
        lambda log_mu: total(math.exp(log_mu), threshold), bounds=ends, method="bounded"
    )
    return math.exp(float(best.x))


def divergence(e: float, gap: float) -> float:
    """Compute kl(e, e + gap) by logarithms of ratios near 1, for 0 <= e <= e + gap < 1."""
    first = e * math.log1p(gap / e) if e > 0 else 0.0
    return -first - (1 - e) * math.log1p(-gap / (1 - e))


def largest_gap(e: float, limit: float) -> float:
    """Return kl^(-1)(e, limit) - e, to rounding.

    Newton's steps from above stay above, as kl is convex; by halves where the start exceeds 1 - e.
    """
    most = 1 - e
    gap = min(math.sqrt(limit / 2), 2 * limit + math.sqrt(2 * e * limit))
    if gap >= most:
        low, high = 0.0, most
        while low < (middle := (low + high) / 2) < high:
            low, high = (middle, high) if divergence(e, middle) <= limit else (low, middle)
        return high
    while (excess := divergence(e, gap) - limit) > 0:
        closer = gap - excess * (e + gap) * (most - gap) / gap
        if not gap * (1 - 1e-15) > closer > 0:
            break
        gap = closer
    return gap


def log_moment(n: float) -> float:
    r"""Bound the logarithm of xi_N = sup_p E exp(N kl(k/N, p)) for k of a binomial law.

    It is that of :math:`e^NN!/(2N^N) + 1 - \theta_N` with Ramanujan's theta, above 1/3; for N! by
    Stirling's formula with Robbins' remainder.
    """
    return math.log(math.sqrt(math.pi * n / 2) * math.exp(1 / (12 * n)) + 2 / 3)
