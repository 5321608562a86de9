r"""Uniform error of any map whose products have slopes with two moments.

A union over the pairs of cells of one level J; then increments down to a level L, a levels at a
time (chaining); what is left between a row and its representative at L is bounded by the mean of
the slopes. Without increments, L = J, this is the net.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._validate import require_positive
from mehler.bounds._bound import Assumption
from mehler.bounds._function import Formula, bound
from mehler.bounds.kernel_error import _product
from mehler.bounds.kernel_error._product import Product
from mehler.bounds.kernel_error._uniform import DOMAINS, QUANTITY, Cover, log_pairs, of_set

_LOG2 = math.log(2)
# Levels tried, and the largest logarithm of a number of pairs: probabilities stay above 1e-300.
_LEVELS, _MOST = 200, 600.0
# Levels between two links of the chain, and the largest number of links.
_STRIDES, _LINKS = (1, 2, 3, 4, 6, 8), 60


def require_moments(name: str, value: Any) -> tuple[float, float]:
    """Return E G and E G^2 of a slope."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise ValueError(f"{name}={value!r}: give the two moments (E G, E G^2) of the slope")
    mean, square = (require_positive(name, moment) for moment in value)
    # The product may leave the floats; a power would raise.
    if square < mean * mean * (1 - 1e-12):
        raise ValueError(f"{name}={value!r}: E G^2 is less than the square of E G")
    # The rounding of both, which matters where they nearly cancel.
    return mean, max(square, mean * mean) * (1 + 1e-15)


def require_increments(name: str, value: Any) -> tuple[float, float]:
    """Return v and c of increments."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise ValueError(f"{name}={value!r} is not a pair (v, c) of numbers")
    v, c = (require_positive(name, moment) for moment in value)
    return v, c


@dataclass(frozen=True)
class _Set:
    """m units on a set: logarithms of twice the pairs, and distances, of the levels."""

    m: int
    delta: float
    pairs: Any
    length: Any


@dataclass(frozen=True)
class _Slopes:
    """E G and Var G; and pairs (v, c, falls) that bound increments of pairs that move by r.

    log E exp(t (I - E I)) <= t^2 (2r)^2 v/(2 (1 - c' abs(t))), c' = 2 r c if it falls, else c.
    """

    mean: float
    variance: float
    increments: tuple[tuple[float, float, bool], ...]


@bound(
    "features.uniform",
    QUANTITY,
    falls_in=("n_features",),
    domains={
        **_product.DOMAINS,
        **DOMAINS,
        "diameter": require_positive,
        "slope": require_moments,
        "increments": require_increments,
    },
)
def uniform_by_slope(
    n_features: int,
    *,
    slope: tuple[float, float],
    dimension: float,
    diameter: float,
    delta: float,
    increments: tuple[float, float] | None = None,
    variance: float | None = None,
    sub_gamma: tuple[float, float] | None = None,
    width: float | None = None,
    method: Cover | None = None,
) -> Formula:
    r"""Bound the kernel error of any map at all pairs of a set, by the moments of a slope.

    .. math:: \sup_{x, z \in \mathcal M}|\hat K(x, z) - K(x, z)| \le
              \min_{J, a, n}\Big[\varepsilon_1\Big(\frac{\delta}{T_J(T_J+1)}\Big)
              + \sum_{i < n}\big(2r_{J+ai}\sqrt{2v_iu_i} + c_iu_i\big) + 4r_L\,\mathbb{E}G
              + 2r_L\sqrt{\tfrac{1-\delta_L}{m\delta_L}\mathrm{Var}\,G}\Big]

    with epsilon_1 of :func:`one_pair`, L = J + an, delta_L = 2^(-n-1) delta, T_j = 2^(kj), r_j =
    D min(1, 2^(1-j)), u_i = log(2^(i+2) T (T + 1)/delta)/m at the level J + a(i+1), and the better
    of (v_i, c_i) = (E G^2, b/3) for products in an interval of length b and (v, 2 r c) of
    `increments`.

    Parameters
    ----------
    n_features, dimension, diameter, delta
        As :mod:`mehler.bounds.kernel_error` says.
    slope : (float, float)
        E G and E G^2 of one G with abs(F(x,z) - F(x',z')) <= G (abs(x - x') + abs(z - z')) for its
        products: the length of a frequency for pairs of cosine and sine, twice that for a cosine
        with an offset. :func:`slope_fourier`, :func:`slope_kitchen_sinks` and
        :func:`slope_maxout_centred` compute them. Moments of one G themselves: with an upper
        bound in the place of E G its variance would come out too small.
    increments : (float, float), optional
        For products without a bound: v and c with log E exp(t (I - E I)) <= (2rt)^2
        v/(2 (1 - 2rc abs(t))) for increments I of pairs whose rows move by r at most.
    variance, sub_gamma, width
        What is known of one product, as in :func:`one_pair`, at all pairs.
    method : {"chaining", "net"}, optional
        "net" has no increments, n = 0; by default the smaller one.

    Returns
    -------
    Bound
        The terms of :func:`one_pair`; "increments" and "range", the links of the chain; "between"
        and "spread", for mean and deviation of the slopes. `trivial` is that of one pair.

    References
    ----------
    Proof: :doc:`/theorems/features-uniform`.

    Examples
    --------
    Frequencies of the law N(0, I_2), rows on a circle:

    >>> from mehler.bounds import kernel_error
    >>> known = {"width": 2.0, "slope": (1.2533, 2.0)}
    >>> bound = kernel_error.uniform_by_slope(5000, dimension=3, diameter=2, delta=0.01, **known)
    >>> {term.name: round(term.value, 3) for term in bound.terms}
    {'deviation': 0.124, 'increments': 0.007, 'range': 0.009, 'between': 0.001, 'spread': 0.0}
    """
    product = Product(variance=variance, sub_gamma=sub_gamma, width=width)
    mean, square = slope
    laws = []
    if width is not None:
        # Bernstein: an increment lies in [-b, b], and its second moment is (2r)^2 E G^2 at most.
        laws.append((square, width / 3, False))
    if increments is not None:
        laws.append((*increments, True))
    if method == "chaining" and not laws:
        raise ValueError("method='chaining' needs width or increments, which bound increments")
    slopes = _Slopes(mean, square - mean * mean, tuple(laws))
    levels = np.arange(_LEVELS + max(_STRIDES) * _LINKS)
    length = diameter * np.minimum(1.0, np.exp2(1.0 - levels))
    where = _Set(n_features, delta, log_pairs(dimension, levels), length)
    terms = _best(product, slopes, where, method)
    if not terms:
        raise ValueError(
            f"diameter={diameter!r}, slope={slope!r}: the bound leaves the floats, give rows in "
            "other units"
        )
    moments = f"{slopes.mean:g}, {slopes.variance:g}"
    return Formula(
        terms,
        probability=1 - delta,
        trivial=product.trivial,
        assumptions=(
            *product.assumptions,
            *of_set(dimension, diameter),
            Assumption("slopes of products have these mean and variance", None, moments),
        ),
    )


@np.errstate(over="ignore")
def _best(product: Product, slopes: _Slopes, where: _Set, method: str | None) -> _product.Terms:
    """Return the terms of the smallest sum over levels, strides and numbers of links."""
    best: tuple[float, _product.Terms] = (math.inf, {})
    for level in range(_LEVELS):
        pairs = float(where.pairs[level]) - _LOG2
        if level and pairs - math.log(where.delta) > _MOST:
            break
        symbol = f"T_{{{level}}}(T_{{{level}}} + 1)"
        net = product.deviation(where.m, where.delta / 2 * math.exp(-pairs), symbol)
        paid = math.fsum(value for value, _ in net.values())
        # Deeper levels have more pairs, so that they cost more before anything else is added.
        if paid >= best[0]:
            break
        chains = [] if method == "chaining" else [(1, 0)]
        if method != "net" and slopes.increments:
            chains += [(stride, _LINKS) for stride in _STRIDES]
        for stride, most in chains:
            parts = _links(where, slopes, level, stride, most)
            total = paid + parts.sum(axis=0)
            at = int(np.argmin(total))
            if total[at] < best[0]:
                links = at + 1 if most else 0
                best = (float(total[at]), {**net, **_terms(parts[:, at], level, stride, links)})
    return best[1]


def _terms(parts: Any, level: int, stride: int, links: int) -> _product.Terms:
    last = level + stride * links
    moved = f"{level} + {stride}i"
    sums = rf"\sum_{{0\le i<{links}}}"
    share = rf"2^{{-{links + 1}}}\delta"
    formulas = (
        ("increments", rf"{sums}2r_{{{moved}}}\sqrt{{2v_iu_i}}" if links else "0"),
        ("range", f"{sums}c_iu_i" if links else "0"),
        ("between", rf"4r_{{{last}}}\,\mathbb{{E}}G"),
        ("spread", rf"2r_{{{last}}}\sqrt{{\mathrm{{Var}}\,G\,(1 - {share})/(m\,{share})}}"),
    )
    return {name: (float(v), latex) for (name, latex), v in zip(formulas, parts, strict=True)}


def _links(where: _Set, slopes: _Slopes, level: int, stride: int, most: int) -> Any:
    """Return the parts (4, numbers of links): 1 to `most` of them, or none where that is 0."""
    sums = np.zeros((2, 1))
    if most:
        at = level + stride * np.arange(most)
        # The link i takes delta 2^(-i - 2) of the probability.
        logs = where.pairs[at + stride] + _LOG2 * np.arange(2, most + 2) - math.log(where.delta)
        sums = np.cumsum(_cheapest(slopes, 2 * where.length[at], logs / where.m), axis=1)
    links = np.arange(1, most + 1) if most else np.zeros(1, dtype=int)
    length = where.length[level + stride * links]
    # Cantelli: the mean of m slopes exceeds its own by this with probability share at most.
    share = where.delta * np.exp2(-1.0 - links)
    # Its inverse may leave the floats, the root does not.
    root = math.sqrt(where.delta) * np.exp2((-1.0 - links) / 2)
    beyond = np.sqrt(slopes.variance * (1 - share) / where.m) / root
    return np.stack([*sums, 4 * length * slopes.mean, 2 * length * beyond])


def _cheapest(slopes: _Slopes, length: Any, cost: Any) -> Any:
    """Return both parts (2, links) of the deviation of increments, by the best law for each."""
    laws = [
        np.stack([length * np.sqrt(2 * v * cost), c * cost * (length if falls else 1.0)])
        for v, c, falls in slopes.increments
    ]
    least = np.argmin([law.sum(axis=0) for law in laws], axis=0)
    return np.take_along_axis(np.stack(laws), least[None, None, :], axis=0)[0]
