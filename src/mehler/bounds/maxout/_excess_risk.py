"""Theorem 2: the excess risk of the empirical minimiser; and how often codes agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.bounds._arguments import (
    Counts,
    Floats,
    Reals,
    correlations,
    counts,
    not_negatives,
    positives,
    positives_or_infinite,
    probabilities,
)
from mehler.bounds._bound import Bound, Term
from mehler.bounds._function import bound
from mehler.bounds.maxout._approximation import (
    DRAWN,
    NORMAL,
    covered,
    loss,
    mean_square,
    root_log,
    two_lengths,
    unit_size,
)

_EXCESS = "excess risk of the empirical minimiser over the infinite class"


@bound("maxout.theorem-2", _EXCESS, falls_in=("n_features", "n_samples"))
def excess_risk(
    *,
    n_features: Counts,
    n_samples: Counts,
    pool_size: Counts,
    scale: Reals,
    lipschitz: Reals,
    delta: Reals | None = None,
    loss_bound: Reals = 1.0,
    radius: Reals = 1.0,
    centred: bool = False,
    mean_norm: Reals | None = None,
) -> Bound:
    r"""Bound the excess risk of the empirical risk minimiser over the box.

    .. math::

        \mathcal E_V(\hat f_N) - \inf_{\mathcal F} \mathcal E_V \le
        \frac{2 L C R}{\sqrt N} \Big(\sigma(q) + \sqrt{\tfrac{2 \log(1/\delta)}{m}}\Big)
        + B \sqrt{\tfrac{2 \log(1/\delta)}{N}}
        + \frac{L C R}{\sqrt m} \Big(\sigma(q) + \sqrt{2 \log(1/\delta)}\Big)

    with probability at least :math:`1 - 3 \delta` over the weights and the data; without `delta`,
    :math:`L C R \sigma(q) (2/\sqrt N + 1/\sqrt m)` in expectation, where B may be infinity.
    Proofs: :doc:`/theorems/theorem-2`; for `centred` and `mean_norm` :doc:`/theorems/sharper-risk`.

    Parameters
    ----------
    n_features, n_samples, pool_size, scale, lipschitz, delta, loss_bound, radius, centred
        As :mod:`mehler.bounds.maxout` says.
    mean_norm : float or array, optional
        Z = (1/m) sum_l ((1/N) sum_i phi(x_i, W^l)^2)^(1/2) of these units and this sample: the
        statistical term is then 2 L C Z/sqrt(N), the confidence term twice as large, and the bound
        fails with at most probability 2 delta.

    Returns
    -------
    Bound
        Terms: "statistical", "confidence" and "approximation". `trivial` is the smaller of B and
        :math:`LCR(2\sigma(q) + \sqrt{2\log(1/\delta)/m})`, L times what the functions of both
        classes are long, on one of the bound's own events.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> bound = maxout.excess_risk(n_features=10_000, n_samples=60_000, pool_size=4, scale=1.0,
    ...                            lipschitz=1.0, delta=0.01)
    >>> for term in bound.terms:
    ...     print(f"{term.name:13} {term.value:.4f}")
    statistical   0.0104
    confidence    0.0124
    approximation 0.0428
    """
    m, n = counts(n_features=n_features, n_samples=n_samples)
    weight, steep, length = positives(scale=scale, lipschitz=lipschitz, radius=radius)
    most = positives_or_infinite(loss_bound=loss_bound)
    sigma, symbol = unit_size(pool_size, centred)
    size, root = steep * weight, np.sqrt(n)
    assumptions = (mean_square(length), loss(steep, most), DRAWN)
    if delta is None:
        if mean_norm is not None:
            raise ValueError("mean_norm is of one sample, and an expectation has none: give delta")
        mean = size * length * sigma
        return Bound(
            terms=(
                Term("statistical", 2 * mean / root, rf"2LCR{symbol}/\sqrt N"),
                Term("approximation", mean / np.sqrt(m), rf"LCR{symbol}/\sqrt m"),
            ),
            assumptions=assumptions,
            trivial=np.minimum(most, size * length * (2 * sigma)),
            quantity=f"{_EXCESS}, in expectation",
        )
    if np.any(np.isinf(most)):
        raise ValueError("loss_bound=inf is for an expectation: leave delta out, or give B")
    chance = probabilities(delta=delta)
    deviation = root_log(chance)
    last = Term(
        "approximation",
        size * (length * (sigma + deviation) / np.sqrt(m)),
        rf"\frac{{LCR}}{{\sqrt m}}({symbol} + \sqrt{{2\log(1/\delta)}})",
    )
    if mean_norm is None:
        parts = _estimation(m, n, chance, sigma, symbol, size * length, most)
        trivial = np.minimum(most, size * length * two_lengths(sigma, m, chance))
        return Bound(
            terms=(*parts, last),
            probability=1 - 3 * chance,
            assumptions=assumptions,
            trivial=trivial,
        )
    own = not_negatives(mean_norm=mean_norm)
    confidence = 2 * most * deviation / root
    return Bound(
        terms=(
            Term("statistical", 2 * (size * own) / root, r"2LCZ/\sqrt N"),
            Term("confidence", confidence, r"2B\sqrt{2\log(1/\delta)/N}"),
            last,
        ),
        probability=1 - 2 * chance,
        assumptions=assumptions,
        # The units' mean norm in the population is not among these events.
        trivial=most,
    )


@bound("maxout.theorem-2", _EXCESS, falls_in=("n_features", "n_samples"))
def excess_risk_by_dimension(
    *,
    n_features: Counts,
    n_samples: Counts,
    pool_size: Counts,
    scale: Reals,
    lipschitz: Reals,
    delta: Reals,
    n_inputs: Counts,
    dimension: Reals,
    diameter: Reals,
    loss_bound: Reals = 1.0,
    radius: Reals = 1.0,
) -> Bound:
    r"""Bound the excess risk of the empirical minimiser, by a covering of the inputs.

    The last term of :func:`excess_risk` is here :math:`\frac{L C M_\delta}{\sqrt m} (1 + \sqrt{2
    \log(1/\delta)})`, with :math:`M_\delta` of :func:`supremum_by_dimension`; the bound fails with
    at most probability 4 delta. Proof: :doc:`/theorems/theorem-2`.

    Parameters
    ----------
    n_features, n_samples, pool_size, scale, lipschitz, delta, n_inputs, dimension, diameter
        As :mod:`mehler.bounds.maxout` says, and `loss_bound` and `radius`.

    Returns
    -------
    Bound
        Terms: those of :func:`excess_risk`, and always larger.

    Examples
    --------
    >>> from mehler import bounds
    >>> bounds.solve(bounds.maxout.excess_risk_by_dimension, at_most=0.2, n_features=None,
    ...     n_samples=10_000, pool_size=4, scale=1.0, lipschitz=1.0, delta=0.01, n_inputs=784,
    ...     dimension=10, diameter=2.0)
    840165
    """
    m, n = counts(n_features=n_features, n_samples=n_samples)
    chance = probabilities(delta=delta)
    weight, steep, length, most = positives(
        scale=scale, lipschitz=lipschitz, radius=radius, loss_bound=loss_bound
    )
    space = (n_inputs, dimension, diameter)
    largest, inputs = covered(pool_size, chance, *space, n_features, length)
    sigma, symbol = unit_size(pool_size, False)
    size = steep * weight
    last = size * (largest * (1 + root_log(chance)) / np.sqrt(m))
    return Bound(
        terms=(
            *_estimation(m, n, chance, sigma, symbol, size * length, most),
            Term("approximation", last, r"\frac{LCM_\delta}{\sqrt m}(1 + \sqrt{2\log(1/\delta)})"),
        ),
        probability=1 - 4 * chance,
        assumptions=(loss(steep, most), DRAWN, *inputs),
        trivial=np.minimum(most, size * length * two_lengths(sigma, m, chance)),
    )


def _estimation(
    m: Any, n: Any, delta: Any, sigma: Any, symbol: str, size: Any, loss_bound: Any
) -> tuple[Term, Term]:
    """Return the terms that m units pay for n samples; `size` is LCR."""
    deviation = root_log(delta)
    return (
        Term(
            "statistical",
            2 * size / np.sqrt(n) * (sigma + deviation / np.sqrt(m)),
            rf"\frac{{2LCR}}{{\sqrt N}}({symbol} + \sqrt{{2\log(1/\delta)/m}})",
        ),
        Term("confidence", loss_bound * deviation / np.sqrt(n), r"B\sqrt{2\log(1/\delta)/N}"),
    )


@bound("maxout.remark-1-codes", "probability that two digits agree")
def collision_probability(rho: Reals, *, pool_size: Counts, level: Reals | None = None) -> Bound:
    r"""Bound the probability that maxout codes of two rows agree in a digit, from above.

    .. math:: \kappa_q(\rho) \le 2\,\Phi(a)^q + q\,\Phi\Big(-\frac{2a}{\sqrt{2(1+\rho)}}\Big)

    for every level a > 0: either maximum is at most a; or one index has g + g' > 2a. Proof:
    :doc:`/theorems/remark-1-codes`.

    Parameters
    ----------
    rho : float or array
        Cosine of the rows, in [-1, 1].
    pool_size
        As :mod:`mehler.bounds.maxout` says.
    level : float or array, optional
        a, at least 0; by default the best of many.

    Returns
    -------
    Bound
        Terms: "below" and "above", for certain. Vacuous, above 1, for equal rows or small pools;
        far from equal rows larger than the probability by a power of log q. Rounding is 1e-12.

    Examples
    --------
    >>> from mehler import exact
    >>> from mehler.bounds import maxout
    >>> bound = maxout.collision_probability(0.5, pool_size=10**6)
    >>> round(exact.collision_probability(0.5, 10**6), 4), round(bound.value, 4)
    (0.0036, 0.1625)
    """
    from scipy.special import log_ndtr, ndtr

    q, cosine = counts(pool_size=pool_size), correlations(rho=rho)
    a = levels(q) if level is None else not_negatives(level=level)[..., None]
    q, spread = np.asarray(q)[..., None], np.sqrt((1 + np.asarray(cosine)) / 2)[..., None]
    # Opposite rows: g + g' is 0, not above 2a.
    above = np.where(spread > 0, q * ndtr(-a / np.where(spread > 0, spread, 1.0)), 0.0)
    # What underflows is above 0 still: a bound from above is rounded up.
    below = np.maximum(2 * np.exp(q * log_ndtr(a)), np.nextafter(0.0, 1.0))
    below, above = np.broadcast_arrays(below, above)
    best = np.argmin(below + above, axis=-1)[..., None]
    below, above = (np.take_along_axis(part, best, -1)[..., 0] for part in (below, above))
    return Bound(
        terms=(
            Term("below", below, r"2\Phi(a)^q"),
            Term("above", above, r"q\Phi(-2a/\sqrt{2(1+\rho)})"),
        ),
        assumptions=(NORMAL,),
        trivial=1.0,
    )


def levels(q: Any) -> Floats:
    """Return levels to choose from, (..., 2000): any is valid."""
    return np.linspace(0.0, 1.2 * np.sqrt(2 * np.log(q)) + 3, 2000, axis=-1)
