r"""Uniform error over a set: of maxout units, and of any map whose products have slopes.

Both have a union over the pairs of cells of one level J. For maxout units increments then bound
what is left, or norms (the net). For slopes with two moments there are increments down to a level
L, a levels at a time (chaining); what is left between a row and its representative at L is bounded
by the mean of the slopes. Without increments, L = J, this is the net.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_choice
from mehler.bounds._arguments import counts, not_negatives, pool_sizes, positives, probabilities
from mehler.bounds._bound import Assumption, Bound, Counts, Reals, digits
from mehler.bounds._function import bound, by_entry
from mehler.bounds.kernel_error import _exponent
from mehler.bounds.kernel_error._pairs import STATEMENT, Product, Terms, require_pair

Cover = Literal["chaining", "net"]
COVERS = ("chaining", "net")
_LOG2 = math.log(2)
# No set has a larger dimension; logarithms of numbers of pairs stay floats.
_LARGEST_DIMENSION = 1e300
# Number of levels tried as J, and of levels below it that are summed one by one.
_TRIED, _SUMMED = 64, 40
# Where the remaining levels are summed in closed form.
_REST_AT = 0.25


def dimensions(dimension: Reals) -> Any:
    """Return doubling dimensions."""
    k = not_negatives(dimension=dimension)
    if np.any(k > _LARGEST_DIMENSION):
        raise ValueError(
            f"dimension={digits(k)} is the doubling dimension of no set: at most 1e300"
        )
    return k


QUANTITY = "largest error of the kernel, all pairs of the set"


def of_set(dimension: Any, diameter: Any) -> tuple[Assumption, ...]:
    """Return the assumptions on a set."""
    return (
        Assumption("its doubling dimension is at most this", None, digits(dimension)),
        Assumption("its diameter is at most this", None, digits(diameter)),
    )


def log_pairs(k: float, level: NDArray[np.int64]) -> Any:
    """Compute log T (T + 1), with T (T + 1) twice the number of pairs at a level: both tails."""
    # T + 1 = T (1 + 1/T), so that 2^(k j) need not be a float.
    return 2 * k * _LOG2 * level + np.log1p(np.exp2(-k * level))


@bound(STATEMENT, QUANTITY, "n_features")
def uniform(
    n_features: Counts,
    *,
    pool_size: Counts,
    dimension: Reals,
    diameter: Reals,
    delta: Reals,
    n_inputs: Counts | None = None,
    method: Cover | None = None,
) -> Bound:
    r"""Bound the kernel error of maxout units at all pairs of a set of unit vectors.

    .. math:: \sup_{x, z \in \mathcal M}|\hat K(x, z) - K(x, z)| \le
              \min_J\Big[\Delta\Big(\tfrac1m\log\tfrac{2T_J(T_J+1)}\delta\Big)
              + \sum_{j \ge J} 2 r_j \Delta_1\Big(\tfrac1m
              \log\tfrac{2^{j-J+2}T_{j+1}(T_{j+1}+1)}{\delta}\Big)\Big]

    with T_j = 2^(kj), r_j = D min(1, 2^(1-j)) and Delta_1(u) = min over s of (u + E[exp(s N^2) - 1
    - s N^2])/s, N the largest of q absolute standard normals. The "net" replaces the sum by 2 r_J
    (L + 1), L = (((sqrt d + sqrt(2 log q))^2 + 1)^(1/2) + (2 log(2/delta)/m)^(1/2))^2. Terms: "net"
    (pairs of representatives) and "between" (rows and their representatives). Proof:
    :doc:`/theorems/kernel-error`; arguments: :mod:`mehler.bounds.kernel_error`. Part (c) of the
    proof; Mroueh, Rennie, Goel (2015), Definition 2. The first call of a pool size takes about 0.5
    s, a further one about 3 ms. The quadrature of E[exp(s N^2)] has an enclosed error, which is
    added, and a margin of 2e-9 for rounding.

    Parameters
    ----------
    diameter : float
        At most 2.
    n_inputs : int or array, optional
        Columns d of the rows, for "net".
    method : {"chaining", "net"}, optional
        By default the smaller one; without `n_inputs` the first.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> bound = kernel_error.uniform(10_000, pool_size=4, dimension=3, diameter=2, delta=0.01)
    >>> {term.name: round(term.value, 3) for term in bound.terms}
    {'net': 0.165, 'between': 0.01}
    """
    m, q, across = (
        counts(n_features=n_features),
        pool_sizes(pool_size),
        positives(diameter=diameter),
    )
    k, chance = dimensions(dimension), probabilities(delta=delta)
    if np.any(across > 2):
        raise ValueError(
            f"diameter={digits(across)} exceeds 2, that of the unit sphere: divide rows by their "
            "norms"
        )
    if (
        method is not None
        and require_choice("method", method, COVERS) == "net"
        and n_inputs is None
    ):
        raise ValueError("method='net' needs n_inputs, the number of columns of the rows")
    d = 0.0 if n_inputs is None else counts(n_inputs=n_inputs)
    terms = by_entry(lambda *entry: _of_maxout(*entry, method=method), m, q, k, across, chance, d)
    return Bound(
        terms=terms,
        probability=1 - chance,
        assumptions=(
            Assumption("units are independent"),
            Assumption("all vectors of the set have norm 1"),
            *of_set(k, across),
        ),
    )


def _of_maxout(
    m: float,
    pool_size: int,
    k: float,
    diameter: float,
    delta: float,
    d: float,
    *,
    method: str | None,
) -> Terms:
    """Return the terms of :func:`uniform`; without columns, d is 0."""
    q, levels = int(pool_size), np.arange(_TRIED)
    cost = (log_pairs(k, levels) + math.log(2 / delta)) / m
    net = _exponent.any_correlation(q).deviation(cost)
    between = np.full((2, _TRIED), math.inf)
    if method != "net":
        between[0] = by_chaining(m, q, k, levels, diameter, delta)
    if method != "chaining" and d:
        between[1] = _by_norms(m, q, levels, diameter, delta, d)
    total = net + between.min(axis=0)
    J = int(np.argmin(total))
    return {"net": float(net[J]), "between": float(between[:, J].min())}


def by_chaining(
    m: float, q: int, k: float, levels: NDArray[np.int64], diameter: float, delta: float
) -> Any:
    """Bound what is left between rows and their representatives at each level, by increments."""
    exponents = _exponent.increments(q)
    j = levels[:, None] + np.arange(_SUMMED)
    steps = np.arange(1, _SUMMED + 1)
    # The step from level j takes delta 2^(-(j - J) - 2) of the probability.
    cost = (log_pairs(k, j + 1) + math.log(2 / delta) + steps * _LOG2) / m
    length = diameter * np.minimum(1.0, np.exp2(1.0 - j))
    summed = (2 * length * exponents.deviation(cost)).sum(axis=1)
    # The rest, from level `first` on, at one s: sum of 2^(-j) (a + b j) = 2^(1-first) (a + b
    # (first + 1)); there T (T + 1) <= 2 T^2.
    first = levels + _SUMMED
    at = int(np.argmin(np.abs(exponents.at - _REST_AT)))
    s, excess = exponents.at[at], exponents.upper[at]
    constant = excess + (2 * k * _LOG2 + math.log(4 / delta) + (1 - levels) * _LOG2) / m
    slope = (2 * k + 1) * _LOG2 / m
    rest = 4 * diameter / s * np.exp2(1.0 - first) * (constant + slope * (first + 1))
    return summed + rest


def _by_norms(
    m: float, q: int, levels: NDArray[np.int64], diameter: float, delta: float, n_inputs: float
) -> Any:
    longest = math.sqrt(n_inputs) + math.sqrt(2 * math.log(q))
    root = math.sqrt(longest**2 + 1) + math.sqrt(2 * math.log(2 / delta) / m)
    length = diameter * np.minimum(1.0, np.exp2(1.0 - levels))
    return 2 * length * (root**2 + 1)


# Levels tried, and the largest logarithm of a number of pairs: probabilities stay above 1e-300.
_LEVELS, _MOST = 200, 600.0
# Levels between two links of the chain, and the largest number of links.
_STRIDES, _LINKS = (1, 2, 3, 4, 6, 8), 60
_PARTS = ("increments", "range", "between", "spread")


def require_moments(name: str, value: object) -> tuple[float, float]:
    """Return E G and E G^2 of a slope."""
    mean, square = require_pair(name, value)
    # The product may leave the floats; a power would raise.
    if square < mean * mean * (1 - 1e-12):
        raise ValueError(f"{name}={value!r}: E G^2 is less than the square of E G")
    # The rounding of both, which matters where they nearly cancel.
    return mean, max(square, mean * mean) * (1 + 1e-15)


@dataclass(frozen=True)
class _Slopes:
    """m slopes and delta; E G and Var G; twice the pairs of levels, in logarithms, and distances.

    Pairs (v, c, falls) bound increments of pairs of rows that move by r: log E exp(t (I - E I)) <=
    t^2 (2r)^2 v/(2 (1 - c' abs(t))), c' = 2 r c if it falls, else c.
    """

    m: float
    delta: float
    mean: float
    variance: float
    increments: list[tuple[float, float, bool]]
    pairs: Any
    length: Any


@bound("features.uniform", QUANTITY, "n_features")
def uniform_by_slope(
    n_features: Counts,
    *,
    slope: tuple[float, float],
    dimension: Reals,
    diameter: Reals,
    delta: Reals,
    increments: tuple[float, float] | None = None,
    variance: float | None = None,
    sub_gamma: tuple[float, float] | None = None,
    width: float | None = None,
    method: Cover | None = None,
) -> Bound:
    r"""Bound the kernel error of any map at all pairs of a set, by the moments of a slope.

    .. math:: \sup_{x, z \in \mathcal M}|\hat K(x, z) - K(x, z)| \le
              \min_{J, a, n}\Big[\varepsilon_1\Big(\frac{\delta}{T_J(T_J+1)}\Big)
              + \sum_{i < n}\big(2r_{J+ai}\sqrt{2v_iu_i} + c_iu_i\big) + 4r_L\,\mathbb{E}G
              + 2r_L\sqrt{\tfrac{1-\delta_L}{m\delta_L}\mathrm{Var}\,G}\Big]

    with epsilon_1 of :func:`one_pair`, L = J + an, delta_L = 2^(-n-1) delta, T_j = 2^(kj), r_j = D
    min(1, 2^(1-j)), u_i = log(2^(i+2) T (T + 1)/delta)/m at the level J + a(i+1), and the better of
    (v_i, c_i) = (E G^2, b/3) for products in an interval of length b and (v, 2 r c) of
    `increments`. Terms: those of :func:`one_pair`; "increments" and "range", the links of the
    chain; "between" and "spread", for mean and deviation of the slopes. `trivial` is that of one
    pair. Proof: :doc:`/theorems/features-uniform`; arguments: :mod:`mehler.bounds.kernel_error`.

    Parameters
    ----------
    slope : (float, float)
        E G and E G^2 of one G with abs(F(x,z) - F(x',z')) <= G (abs(x - x') + abs(z - z')) for its
        products: the length of a frequency for pairs of cosine and sine, twice that for a cosine
        with an offset. :func:`slope_fourier`, :func:`slope_kitchen_sinks` and
        :func:`slope_maxout_centred` compute them. Moments of one G themselves: with an upper
        bound in the place of E G its variance would come out too small.
    increments : (float, float), optional
        For products without a bound: v and c with log E exp(t (I - E I)) <= (2rt)^2
        v/(2 (1 - 2rc abs(t))) for increments I of pairs whose rows move by r at most.
    method : {"chaining", "net"}, optional
        "net" has no increments, n = 0; by default the smaller one.

    Examples
    --------
    Frequencies of the law N(0, I_2), rows on a circle:

    >>> from mehler.bounds import kernel_error
    >>> setting = {"width": 2.0, "slope": (1.2533, 2.0)}
    >>> bound = kernel_error.uniform_by_slope(5000, dimension=3, diameter=2, delta=0.01, **setting)
    >>> {term.name: round(term.value, 3) for term in bound.terms}
    {'deviation': 0.124, 'increments': 0.007, 'range': 0.009, 'between': 0.001, 'spread': 0.0}
    """
    mean, square = require_moments("slope", slope)
    product, laws = Product(variance=variance, sub_gamma=sub_gamma, width=width), []
    if width is not None:
        # Bernstein: an increment lies in [-b, b], and its second moment is (2r)^2 E G^2 at most.
        laws.append((square, float(width) / 3, False))
    if increments is not None:
        laws.append((*require_pair("increments", increments), True))
    if method is not None and require_choice("method", method, COVERS) == "chaining" and not laws:
        raise ValueError("method='chaining' needs width or increments, which bound increments")
    spread, levels = square - mean * mean, np.arange(_LEVELS + max(_STRIDES) * _LINKS)

    def smallest(m: float, k: float, across: float, chance: float) -> Terms:
        length = across * np.minimum(1.0, np.exp2(1.0 - levels))
        slopes = _Slopes(m, chance, mean, spread, laws, log_pairs(k, levels), length)
        terms = _best(product, slopes, method)
        if not terms:
            raise ValueError(
                f"diameter={across:g}, slope={slope!r}: the bound leaves the floats, give rows in "
                "other units"
            )
        return terms

    m, k = counts(n_features=n_features), dimensions(dimension)
    across, chance = positives(diameter=diameter), probabilities(delta=delta)
    return Bound(
        terms=by_entry(smallest, m, k, across, chance),
        probability=1 - chance,
        trivial=product.trivial,
        assumptions=(
            *product.assumptions,
            *of_set(k, across),
            Assumption(
                "slopes of products have these mean and variance", None, f"{mean:g}, {spread:g}"
            ),
        ),
    )


@np.errstate(over="ignore")
def _best(product: Product, slopes: _Slopes, method: str | None) -> Terms:
    """Return the terms of the smallest sum over levels, strides and numbers of links."""
    best: tuple[float, Terms] = (math.inf, {})
    for level in range(_LEVELS):
        pairs = float(slopes.pairs[level]) - _LOG2
        if level and pairs - math.log(slopes.delta) > _MOST:
            break
        net = product.deviation(slopes.m, slopes.delta / 2 * math.exp(-pairs))
        paid = math.fsum(net.values())
        # Deeper levels have more pairs, so that they cost more before anything else is added.
        if paid >= best[0]:
            break
        chains = [] if method == "chaining" else [(1, 0)]
        if method != "net" and slopes.increments:
            chains += [(stride, _LINKS) for stride in _STRIDES]
        for stride, most in chains:
            parts = _links(slopes, level, stride, most)
            total = paid + parts.sum(axis=0)
            at = int(np.argmin(total))
            if total[at] < best[0]:
                rest = zip(_PARTS, parts[:, at].tolist(), strict=True)
                best = (float(total[at]), {**net, **dict(rest)})
    return best[1]


def _links(slopes: _Slopes, level: int, stride: int, most: int) -> Any:
    """Return the parts (4, numbers of links): 1 to `most` of them, or none where that is 0."""
    sums = np.zeros((2, 1))
    if most:
        at = level + stride * np.arange(most)
        # The link i takes delta 2^(-i - 2) of the probability.
        logs = slopes.pairs[at + stride] + _LOG2 * np.arange(2, most + 2) - math.log(slopes.delta)
        sums = np.cumsum(_cheapest(slopes, 2 * slopes.length[at], logs / slopes.m), axis=1)
    links = np.arange(1, most + 1) if most else np.zeros(1, dtype=int)
    length = slopes.length[level + stride * links]
    # Cantelli: the mean of m slopes exceeds its own by this with probability share at most.
    share = slopes.delta * np.exp2(-1.0 - links)
    # Its inverse may leave the floats, the root does not.
    root = math.sqrt(slopes.delta) * np.exp2((-1.0 - links) / 2)
    beyond = np.sqrt(slopes.variance * (1 - share) / slopes.m) / root
    return np.stack([*sums, 4 * length * slopes.mean, 2 * length * beyond])


def _cheapest(slopes: _Slopes, length: NDArray[np.float64], cost: NDArray[np.float64]) -> Any:
    """Return both parts (2, links) of the deviation of increments, by the best law for each."""
    laws = [
        np.stack([length * np.sqrt(2 * v * cost), c * cost * (length if falls else 1.0)])
        for v, c, falls in slopes.increments
    ]
    least = np.argmin([law.sum(axis=0) for law in laws], axis=0)
    return np.take_along_axis(np.stack(laws), least[None, None, :], axis=0)[0]
