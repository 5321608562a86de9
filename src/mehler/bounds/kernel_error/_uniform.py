r"""Bound the largest kernel error over a set of rows: of maxout units, and of maps by their slopes.

A set of diameter D and doubling dimension k splits into at most T_j = 2^(kj) cells of diameter r_j
= D min(1, 2^(1-j)) at level j, each inside one of level j - 1. One row of each cell represents it.
The error at a pair of rows is that at their representatives of level J, which a union bound over
pairs of cells covers, plus increments, its changes from there to representatives of finer levels.
For maxout units all levels are summed. For other maps a chain of n links, each `stride` levels
long, ends at level L. From there to the rows the error changes by distances times slopes G, random
Lipschitz constants of products, of known E G and E G^2. Pages: kernel-error, (c); features-uniform.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_choice, require_integer, require_positive
from mehler.bounds._arguments import counts, not_negatives, pool_sizes, positives, probabilities
from mehler.bounds._bound import Assumption, Bound, Counts, Floats, Reals, bound, by_entry, digits
from mehler.bounds.kernel_error import _exponent
from mehler.bounds.kernel_error._pairs import STATEMENT, Product, Terms, product_of, require_pair

_QUANTITY = "largest error of the kernel, all pairs of the set"
_LOG2 = math.log(2)
# Number of levels tried as J, and of finer levels whose increments are summed one by one.
_TRIED, _SUMMED = 64, 40
# The s at which the increments of all remaining levels are summed in closed form.
_REST_AT = 0.25


def _set(dimension: Reals, diameter: Reals) -> tuple[Any, Any, tuple[Assumption, ...]]:
    """Return doubling dimension and diameter of a set, and the assumptions."""
    k, across = not_negatives(dimension=dimension), positives(diameter=diameter)
    # Logarithms of numbers of pairs stay floats.
    if np.any(k > 1e300):
        raise ValueError(
            f"dimension={digits(k)} is too large for a doubling dimension: at most 1e300"
        )
    covers = Assumption("its doubling dimension is at most this", None, digits(k))
    return k, across, (covers, Assumption("its diameter is at most this", None, digits(across)))


def _log_pairs(k: float, level: NDArray[np.int64]) -> Any:
    """Compute log T (T + 1), T = 2^(k level): pairs of cells twice, as there are two tails."""
    # T + 1 = T (1 + 1/T), so that 2^(k j) need not be a float.
    return 2 * k * _LOG2 * level + np.log1p(np.exp2(-k * level))


@bound(STATEMENT, _QUANTITY, "n_features")
def uniform(
    n_features: Counts, *, pool_size: Counts, dimension: Reals, diameter: Reals, delta: Reals
) -> Bound:
    r"""Bound the kernel error of maxout units at all pairs of a set of unit vectors.

    .. math:: \sup_{x, z \in \mathcal M}|\hat K(x, z) - K(x, z)| \le
              \min_J\Big[\Delta\Big(\tfrac1m\log\tfrac{2T_J(T_J+1)}\delta\Big)
              + \sum_{j \ge J} 2 r_j \Delta_1\Big(\tfrac1m
              \log\tfrac{2^{j-J+2}T_{j+1}(T_{j+1}+1)}{\delta}\Big)\Big]

    with k the dimension, D at most 2 the diameter, T_j = 2^(kj), r_j = D min(1, 2^(1-j)), and
    Delta_1(u) = min over s of (u + E[exp(s N^2) - 1 - s N^2])/s, N the largest of q absolute
    standard normals. Terms: "net" (pairs of representatives) and "between" (rows and these). The
    first call of a pool size takes 0.5 s, others 3 ms. Proof: :doc:`/theorems/kernel-error`, (c);
    arguments: :mod:`mehler.bounds.kernel_error`. Mroueh, Rennie, Goel (2015), Definition 2.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> bound = kernel_error.uniform(10_000, pool_size=4, dimension=3, diameter=2, delta=0.01)
    >>> {term.name: round(term.value, 3) for term in bound.terms}
    {'net': 0.165, 'between': 0.01}
    """
    m, q, chance = counts(n_features=n_features), pool_sizes(pool_size), probabilities(delta=delta)
    k, across, assumptions = _set(dimension, diameter)
    if np.any(across > 2):
        raise ValueError(
            f"diameter={digits(across)} exceeds 2, that of the unit sphere: divide rows by their "
            "norms"
        )

    def smallest(m: float, pool_size: int, k: float, diameter: float, delta: float) -> Terms:
        q, levels = int(pool_size), np.arange(_TRIED)
        cost = (_log_pairs(k, levels) + math.log(2 / delta)) / m
        net = _exponent.any_correlation(q).deviation(cost)
        between = by_chaining(m, q, k, levels, diameter, delta)
        J = int(np.argmin(net + between))
        return {"net": float(net[J]), "between": float(between[J])}

    terms, text = by_entry(smallest, m, q, k, across, chance), "all vectors of the set have norm 1"
    assumptions = (Assumption("units are independent"), Assumption(text), *assumptions)
    return Bound(terms=terms, probability=1 - chance, assumptions=assumptions)


def by_chaining(
    m: float, q: int, k: float, levels: NDArray[np.int64], diameter: float, delta: float
) -> Any:
    """Bound the sum of all increments from each of `levels`, taken as J, down to the rows."""
    exponents = _exponent.increments(q)
    j = levels[:, None] + np.arange(_SUMMED)
    steps = np.arange(1, _SUMMED + 1)
    # The step from level j takes delta 2^(-(j - J) - 2) of the probability.
    cost = (_log_pairs(k, j + 1) + math.log(2 / delta) + steps * _LOG2) / m
    length = diameter * np.minimum(1.0, np.exp2(1.0 - j))
    links = (2 * length * exponents.deviation(cost)).sum(axis=1)
    # From level `first` on, at one s, T (T + 1) <= 2 T^2 makes it a series, in which
    # the sum of 2^(-j) (a + b j) is 2^(1-first) (a + b (first + 1)).
    first = levels + _SUMMED
    at = int(np.argmin(np.abs(exponents.at - _REST_AT)))
    s, excess = exponents.at[at], exponents.upper[at]
    constant = excess + (2 * k * _LOG2 + math.log(4 / delta) + (1 - levels) * _LOG2) / m
    slope = (2 * k + 1) * _LOG2 / m
    rest = 4 * diameter / s * np.exp2(1.0 - first) * (constant + slope * (first + 1))
    return links + rest


# Levels tried as J, and the largest logarithm of pairs/delta: probabilities stay above 1e-300.
_LEVELS, _MOST = 200, 600.0
# Levels that a link of the chain spans, and the largest number of links.
_STRIDES, _LINKS = (1, 2, 3, 4, 6, 8), 60


@bound("features.uniform", _QUANTITY, "n_features")
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
    method: Literal["chaining", "net"] | None = None,
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
        products; not upper bounds, with which the variance would come out too small.
        :func:`slope_fourier` computes them; the page has those of kitchen sinks and maxout units.
    increments : (float, float), optional
        For products without a bound: v and c with log E exp(t (I - E I)) <= (2rt)^2
        v/(2 (1 - 2rc abs(t))) for increments I of pairs whose rows move by r at most.
    method : {"chaining", "net"}, optional
        "net" has no increments, n = 0; by default the smaller one.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> setting = {"width": 2.0, "slope": (1.2533, 2.0)}
    >>> bound = kernel_error.uniform_by_slope(5000, dimension=3, diameter=2, delta=0.01, **setting)
    >>> {term.name: round(term.value, 3) for term in bound.terms}
    {'deviation': 0.124, 'increments': 0.007, 'range': 0.009, 'between': 0.001, 'spread': 0.0}
    """
    mean, square = require_pair("slope", slope)
    # The product may overflow to infinity; a power would raise.
    if square < mean * mean * (1 - 1e-12):
        raise ValueError(f"slope={slope!r}: E G^2 is less than the square of E G")
    # The rounding of both, which matters where they nearly cancel.
    square = max(square, mean * mean) * (1 + 1e-15)
    product = product_of(None, None, None, variance, sub_gamma, width)
    # (v, c, falls) for increments of rows that move by r: log E exp(t (I - E I)) is at most
    # (2rt)^2 v/(2 (1 - h abs(t))), where h is 2rc, if it falls with r, or c.
    laws = []
    if width is not None:
        # Bernstein: an increment lies in [-b, b], and its second moment is (2r)^2 E G^2 at most.
        laws.append((square, float(width) / 3, False))
    if increments is not None:
        laws.append((*require_pair("increments", increments), True))
    chains = [(stride, _LINKS) for stride in _STRIDES] if laws else []
    if method is not None:
        require_choice("method", method, ("chaining", "net"))
        chains = chains if method == "chaining" else []
    if method == "chaining" and not laws:
        raise ValueError("method='chaining' needs width or increments, which bound increments")
    chains = chains if method == "chaining" else [(1, 0), *chains]

    def smallest(m: float, k: float, across: float, chance: float) -> Terms:
        levels = np.arange(_LEVELS + max(_STRIDES) * _LINKS)
        pairs, length = _log_pairs(k, levels), across * np.minimum(1.0, np.exp2(1.0 - levels))

        def parts(level: int, stride: int, most: int) -> Any:
            """Return the four terms beyond the net, by number of links: 1 to `most`, or none."""
            sums, links = np.zeros((2, 1)), np.zeros(1, dtype=int)
            if most:
                links, at = np.arange(1, most + 1), level + stride * np.arange(most)
                # The link i takes delta 2^(-i - 2) of the probability.
                logs = pairs[at + stride] + _LOG2 * (links + 1) - math.log(chance)
                sums = np.cumsum(_cheapest(laws, 2 * length[at], logs / m), axis=1)
            rest = length[level + stride * links]
            # Cantelli: the mean of m slopes exceeds E G by this with probability at most share.
            share = chance * np.exp2(-1.0 - links)
            # Its inverse may overflow, the root does not.
            root = math.sqrt(chance) * np.exp2((-1.0 - links) / 2)
            beyond = np.sqrt((square - mean * mean) * (1 - share) / m) / root
            return np.stack([*sums, 4 * rest * mean, 2 * rest * beyond])

        terms = _best(product, m, chance, pairs, chains, parts)
        if not terms:
            raise ValueError(
                f"diameter={across:g}, slope={slope!r}: the bound overflows or underflows, give "
                "rows in other units"
            )
        return terms

    m, chance = counts(n_features=n_features), probabilities(delta=delta)
    k, far, assumptions = _set(dimension, diameter)
    text = "slopes of products have these mean and variance"
    moments = Assumption(text, None, f"{mean:g}, {square - mean * mean:g}")
    terms, most = by_entry(smallest, m, k, far, chance), product.trivial
    assumptions = (*product.assumptions, *assumptions, moments)
    return Bound(terms=terms, probability=1 - chance, trivial=most, assumptions=assumptions)


@np.errstate(over="ignore")
def _best(
    product: Product,
    m: float,
    delta: float,
    log_pairs: Floats,
    chains: list[tuple[int, int]],
    parts: Callable[[int, int, int], Any],
) -> Terms:
    """Return the terms of the smallest bound over J and `chains`: (stride, most links)."""
    least, best = math.inf, {}
    for level in range(_LEVELS):
        pairs = float(log_pairs[level]) - _LOG2
        if level and pairs - math.log(delta) > _MOST:
            break
        net = product.deviation(m, delta / 2 * math.exp(-pairs))
        cost = math.fsum(net.values())
        # Deeper levels have more pairs, so that they cost more before anything else is added.
        if cost >= least:
            break
        for stride, most in chains:
            sums = parts(level, stride, most)
            total = cost + sums.sum(axis=0)
            at = int(np.argmin(total))
            if total[at] < least:
                names = ("increments", "range", "between", "spread")
                least, best = float(total[at]), {**net, **dict(zip(names, sums[:, at].tolist()))}
    return best


def _cheapest(laws: list[tuple[float, float, bool]], length: Floats, cost: Floats) -> Any:
    """Return both terms (2, links) of the deviation of each link's increments, by its best law."""
    parts = [
        np.stack([length * np.sqrt(2 * v * cost), c * cost * (length if falls else 1.0)])
        for v, c, falls in laws
    ]
    least = np.argmin([part.sum(axis=0) for part in parts], axis=0)
    return np.take_along_axis(np.stack(parts), least[None, None, :], axis=0)[0]


# Up to here the quadrature of lengths keeps its digits.
_LARGEST = 10**12
# Dimensions beyond which the mean length of a normal vector is computed by its series.
_MANY = 1000
# For larger nu the Matern kernel is practically Gaussian, and no map has it.
_SMOOTHEST = 50.0


def slope_fourier(
    n_inputs: int,
    *,
    gamma: float | None = None,
    nu: float | None = None,
    length_scale: float | None = None,
    form: Literal["pairs", "offset"] = "pairs",
) -> dict[str, Any]:
    r"""Return the arguments of :func:`uniform_by_slope` for a Gaussian or a Matern kernel.

    .. math:: G = |w|, \quad \mathbb{E}|w| = s\,\frac{\sqrt2\,\Gamma(\frac{d+1}2)}{\Gamma(\frac d2)}
              \,\mathbb{E}R, \quad \mathbb{E}|w|^2 = s^2d\,\mathbb{E}R^2

    for frequencies s R N(0, I): s^2 = 2 gamma and R = 1 for the Gaussian kernel; s one over the
    length, E R = sqrt(nu) Gamma(nu - 1/2)/Gamma(nu) and E R^2 = nu/(nu - 1) for the Matern kernel.
    Proof: :doc:`/theorems/features-uniform`.

    Parameters
    ----------
    n_inputs : int
        Columns d of the rows.
    gamma : float, optional
        Of the Gaussian kernel exp(-gamma abs(x - y)^2).
    nu, length_scale : float, optional
        Of the Matern kernel, nu above 1 and at most 50: for rougher ones E G^2 is infinite. The
        length is 1 unless it is given.
    form : {"pairs", "offset"}
        Pairs of cosine and sine of one frequency; or cosines with an offset, whose G is 2 abs(w).

    Returns
    -------
    dict
        `slope` and `width`. For pairs m is half of the map's features.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> setting = kernel_error.slope_fourier(2, gamma=0.5)
    >>> [round(moment, 6) for moment in setting["slope"]], setting["width"]
    ([1.253314, 2.0], 2.0)
    """
    d = require_integer("n_inputs", n_inputs, most=_LARGEST)
    times = 1.0 if require_choice("form", form, ("pairs", "offset")) == "pairs" else 2.0
    if (gamma is None) == (nu is None) or (gamma is not None and length_scale is not None):
        raise ValueError("give gamma, of the Gaussian kernel, or nu and length_scale, of a Matern")
    if gamma is not None:
        scale, first, second = math.sqrt(2 * require_positive("gamma", gamma)), 1.0, 1.0
    else:
        degrees = require_positive("nu", nu)
        if not 1 < degrees <= _SMOOTHEST:
            raise ValueError(
                f"nu={nu!r} must be above 1, where the slope has a second moment, and at most "
                f"{_SMOOTHEST:g}; beyond take gamma = 1/(2 length_scale^2)"
            )
        scale = 1 / require_positive("length_scale", 1.0 if length_scale is None else length_scale)
        first = math.sqrt(degrees) * math.exp(math.lgamma(degrees - 0.5) - math.lgamma(degrees))
        second = degrees / (degrees - 1)
    if d <= _MANY:
        length = math.sqrt(2) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
    else:
        # Logarithms would cancel; the next term is below 1e-12.
        length = math.sqrt(d) * (1 - 1 / (4 * d) + 1 / (32 * d * d) + 5 / (128 * d**3))
    steep = times * scale
    slope = (float(steep * length * first), float(steep * steep * d * second))
    if not all(0 < moment < math.inf for moment in slope):
        raise ValueError(
            "gamma, length_scale: moments of slopes overflow or underflow, rescale the rows"
        )
    return {"slope": slope, "width": 2 * times}
