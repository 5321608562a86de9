"""Lower bounds of kernels: their error at a pair, all pairs, a set; how they separate rows."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from mehler import exact
from mehler._validate import require_not_negative, require_positive
from mehler.bounds._bound import LowerBound
from mehler.bounds._entries import Floats
from mehler.bounds._function import Formula, bound
from mehler.bounds.kernel_error._exponent import product_nodes
from mehler.bounds.maxout import levels

# Berry and Esseen for equal laws, with the constant of Shevtsova (2011).
_BERRY_ESSEEN = 0.4748
_LEAST_RHO = -0.95
_INDEPENDENT = "units are independent"
# Tilts tried, and distances of the tilted mean in standard deviations.
_MOST_TILT = 0.3
_TILTS = _MOST_TILT * np.exp2(-np.arange(192) / 16)
_STRETCHES = np.linspace(0.2, 6.0, 30)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
# The integrand of `both_above` is followed until it has fallen to exp(-40) of its largest value.
_FALL = 40.0


def require_dimension(name: str, value: float) -> float:
    """Return a doubling dimension whose packing can be counted."""
    if require_not_negative(name, value) > 59:
        raise ValueError(f"{name}={value!r} is more than 59: 2^k rows fit in no array")
    return float(value)


@bound(
    "features.lower",
    "error of the kernel, one pair",
    assumes=(_INDEPENDENT,),
    kind=LowerBound,
    domains={"variance": require_positive},
)
def one_pair(
    n_features: int,
    *,
    delta: float,
    pool_size: int | None = None,
    rho: float | None = None,
    variance: float | None = None,
    third: float | None = None,
    collision: float | None = None,
) -> Formula:
    r"""Bound the error of the kernel at one pair from below: no promise can be smaller.

    .. math:: P\big(|\hat K - K| \ge t\big) \ge \delta, \qquad t = \frac{\sigma z}{\sqrt m}, \quad
              z = \Phi^{-1}\Big(1 - \frac\delta2 - \frac{0.4748\,\rho_3}{\sqrt m}\Big)_+

    by the theorem of Berry and Esseen, rho_3 the standardised third absolute moment, at least 1.
    For maxout units t_1 is the larger of this and of a bound of large deviations, which holds at
    small delta too; for codes t_1 is the exact quantile.

    Term: "deviation", 0 if nothing is proved.

    Parameters
    ----------
    pool_size : int, optional
        Unit rows and maxout units of this q, of correlation `rho`.
    rho : float
        The rows' correlation, at least -0.95; equal rows by default.
    variance, third : float, optional
        Instead: the variance of one product and an upper bound of E|F - K|^3/sigma^3; b/sigma for
        products in an interval of length b.
    collision : float, optional
        Instead: codes that agree with this probability.

    References
    ----------
    I. G. Shevtsova (2011) has the constant.

    Examples
    --------
    >>> from mehler.bounds import kernel_error, lower
    >>> setting = {"delta": 0.01, "pool_size": 4, "rho": 1.0}
    >>> below, above = (room.one_pair(10_000, **setting).value for room in (lower, kernel_error))
    >>> round(below, 4), round(above, 4)
    (0.0355, 0.057)
    """
    if rho is not None and pool_size is None:
        raise ValueError(f"rho={rho!r} is the correlation of maxout units: give pool_size with it")
    formula = "t_1"
    match pool_size, variance, third, collision:
        case int(q), None, None, None:
            correlation = 1.0 if rho is None else rho
            if correlation < _LEAST_RHO:
                raise ValueError(
                    f"rho={rho!r} is below {_LEAST_RHO}, where products are not computed"
                )
            value = _maxout(n_features, q, correlation, delta)
        case None, float(square), float(moment), None:
            value = _normal(n_features, math.sqrt(square), moment, delta)
            formula = r"\frac{\sigma z}{\sqrt m}"
        case None, None, None, float(mean):
            value = _binomial(n_features, mean, delta)
        case _:
            raise ValueError("give pool_size, or variance and third, or collision")
    return Formula({"deviation": (value, formula)}, delta)


@bound(
    "features.lower",
    "largest error of the kernel, all pairs of {n_rows} rows",
    assumes=(_INDEPENDENT, "orthonormal rows"),
    kind=LowerBound,
)
def all_pairs(n_features: int, *, n_rows: int, delta: float, pool_size: int) -> Formula:
    r"""Bound the largest error over all pairs of N orthonormal rows from below.

    .. math:: t_N(\delta) = t_1\big(1 - (1-\delta)^{1/N}\big)

    with t_1 the bound of :func:`one_pair` at equal rows: maxout features of orthonormal rows are
    independent, so that their N squared lengths are. An upper bound that knows the number of rows
    and not more cannot be smaller.

    Term: "deviation".

    Parameters
    ----------
    n_rows : int or array
        N, at most the number of columns.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> round(lower.all_pairs(10_000, n_rows=1000, delta=0.01, pool_size=4).value, 4)
    0.0663
    """
    value = _maxout(n_features, pool_size, 1.0, -math.expm1(math.log1p(-delta) / n_rows))
    return Formula({"deviation": (value, r"t_1(1 - (1 - \delta)^{1/N})")}, delta)


@bound(
    "features.lower",
    "largest error of the kernel, all pairs of the set",
    assumes=(_INDEPENDENT, "orthonormal rows"),
    kind=LowerBound,
    domains={"dimension": require_dimension},
)
def uniform(n_features: int, *, dimension: float, delta: float, pool_size: int) -> Formula:
    r"""Bound the error over some set of this doubling dimension from below, by a packing.

    .. math:: t(\delta) = t_N(\delta), \qquad N = 2^{\lfloor k\rfloor}

    N orthonormal vectors have doubling dimension :math:`\log_2N` and diameter sqrt 2.

    Term: "deviation".

    Parameters
    ----------
    dimension : float
        The doubling dimension k, at most 59.

    Examples
    --------
    >>> from mehler.bounds import kernel_error, lower
    >>> setting = {"dimension": 10, "delta": 0.01, "pool_size": 4}
    >>> below = lower.uniform(10_000, **setting).value
    >>> above = kernel_error.uniform(10_000, diameter=2**0.5, **setting).value
    >>> round(below, 4), round(above, 4)
    (0.0694, 0.3027)
    """
    failure = -math.expm1(math.log1p(-delta) / 2 ** int(dimension))
    value = _maxout(n_features, pool_size, 1.0, failure)
    return Formula({"deviation": (value, r"t_1(1 - (1 - \delta)^{1/N})")}, delta)


@bound(
    "maxout.remark-1-codes",
    "probability that two digits agree",
    assumes=("weights are independent standard normal",),
    kind=LowerBound,
)
def collision_probability(rho: float, *, pool_size: int, level: float | None = None) -> Formula:
    r"""Bound the probability that maxout codes of two rows agree in a digit, from below.

    .. math:: \kappa_q(\rho) \ge qP\,\big(1 - 2q\,\Phi(-a)\big), \qquad
              P = P(g > a, g' > a) = \frac1\pi\int_{\theta/2}^{\pi/2}e^{-a^2/(2\cos^2 t)}\,dt

    for every level a and :math:`\rho = \cos\theta`: one index is above a twice, and no other is.

    Terms: "both" and "others", which is negative; it holds with certainty.

    Parameters
    ----------
    rho : float
        Cosine of the rows, in [-1, 1].
    level : float, optional
        a, at least 0; by default the best of many.

    Notes
    -----
    For equal rows an eighth, of 1. At rows that are not near each other it is smaller than the
    probability by a power of log q. Rounding is 1e-12 of it at levels from 0.4 on, below which it
    is above 0 for q = 1 alone; some milliseconds.

    References
    ----------
    The integral is Craig's (1991), from memory.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> round(lower.collision_probability(1.0, pool_size=1024).value, 3)
    0.125
    """
    from scipy.special import ndtr

    a = levels(pool_size) if level is None else np.array([level])
    both = pool_size * both_above(a, rho)
    others = 0.0 - 2 * pool_size * ndtr(-a) * both
    best = int(np.argmax(both + others))
    return Formula(
        {"both": (float(both[best]), "qP"), "others": (float(others[best]), r"-2q^2\Phi(-a)P")}
    )


@bound(
    "group-invariant.energy-quotient",
    "energy distance of two orbits",
    assumes=(
        "the group acts by orthogonal maps",
        "at least this share of elements moves a row by at most the radius",
    ),
    kind=LowerBound,
    domains={"distance": require_positive, "radius": require_not_negative},
)
def energy_distance(distance: float, *, share: float, radius: float = 0.0) -> Formula:
    r"""Bound the energy distance of two orbits from below by their least distance.

    .. math:: \mathcal E(x, z) = 2D(x, z) - D(x, x) - D(z, z) \ge
              2\big(\delta\,\mathrm{erfc}(s\delta) - pr\,\mathrm{erfc}(sr)\big), \qquad
              s^2 = \frac{\log(1/p)}{\delta^2 - r^2},

    with :math:`D(x, z) = E_g|x - gz|` and :math:`\delta = \min_g|x - gz|`, for a compact group of
    orthogonal maps. For a finite group r may be 0, with p the mean of 1/|Gx| and 1/|Gz|, at least
    one over the order.

    Term: "orbits".

    Parameters
    ----------
    distance : float
        delta, as in the formula.
    share : float
        p in (0, 1], the fraction of elements that move a row by at most `radius`, the mean of both
        rows; or less.
    radius : float
        r, below delta; by default 0, for the fraction of elements that leave a row alone.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> round(lower.energy_distance(1.5, share=1 / 5).value, 3)
    0.218
    """
    from scipy.special import erfcx

    if radius >= distance:
        raise ValueError(f"radius={radius!r} must be below distance={distance!r}")
    # (delta - r)(delta + r), as squares would under- and overflow.
    start = math.sqrt(-math.log(share) / ((1 - radius / distance) * (1 + radius / distance)))
    # erfc(x) = exp(-x^2) erfcx(x), and p exp(-s^2 r^2) = exp(-s^2 delta^2): where both products
    # are small their difference keeps its sign, as x erfcx(x) increases.
    near = radius * float(erfcx(start * radius / distance))
    value = 2 * math.exp(-start * start) * (distance * float(erfcx(start)) - near)
    formula = r"2(\delta\mathrm{erfc}(s\delta) - pr\mathrm{erfc}(sr))"
    return Formula({"orbits": (max(value, 0.0), formula)})


@np.errstate(over="ignore")
def both_above(a: Floats, rho: float) -> Any:
    """Compute P(g > a, g' > a) for a >= 0, with relative accuracy: every node adds to it."""
    if rho == -1:
        return np.zeros(a.shape)
    start = math.acos(rho) / 2
    # Where a^2/(2 cos^2 t) has grown by _FALL; what is left out would only add.
    end = np.arctan(np.sqrt(math.tan(start) ** 2 + 2 * _FALL / np.maximum(a, 1e-9) ** 2))
    half = (end - start) / 2
    t = start + half[:, None] * (_NODES + 1)
    return half / math.pi * (np.exp(-((a[:, None] / np.cos(t)) ** 2) / 2) @ _WEIGHTS)


def _normal(m: int, sigma: float, third: float, delta: float) -> float:
    from scipy.special import ndtri

    tail = delta / 2 + _BERRY_ESSEEN * max(third, 1.0) / math.sqrt(m)
    return 0.0 if tail >= 0.5 else -float(ndtri(tail)) * sigma / math.sqrt(m)


def _binomial(m: int, mean: float, delta: float) -> float:
    """Return the largest |k/m - mean| that is reached with probability at least delta."""
    from scipy import stats

    law = stats.binom(m, mean)

    def chance(t: float) -> float:
        above = law.sf(math.ceil(m * (mean + t) - 1e-9) - 1)
        return float(above + law.cdf(math.floor(m * (mean - t) + 1e-9)))

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) >= delta else (low, middle)
    return low


def _maxout(m: int, q: int, rho: float, delta: float) -> float:
    """Return the larger of the bounds by the central and by large deviations."""
    from scipy.special import ndtr

    sigma, third = _moments(q, rho)
    central = _normal(m, sigma, third, delta)
    mean, spread, thirds, cost = _tilted(q, rho)
    # In the tilted law the mean of m products is beyond its own by z standard deviations or fewer:
    # an interval has two ends, at each of which the law is normal up to Berry's and Esseen's error.
    inside = ndtr(_STRETCHES) - 0.5 - 2 * _BERRY_ESSEEN * thirds[:, None] / math.sqrt(m)
    lost = m * cost[:, None] + _TILTS[:, None] * spread[:, None] * math.sqrt(m) * _STRETCHES
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.where(inside > 0, np.log(np.maximum(inside, 1e-300)) - lost, -np.inf)
    reached = chance.max(axis=1) >= math.log(delta)
    return max(central, float(np.max(mean[reached], initial=0.0)))


@functools.lru_cache(maxsize=256)
def _moments(q: int, rho: float) -> tuple[float, float]:
    """Return the standard deviation and a bound of the standardised third absolute moment."""
    product, weight = _nodes(q, rho)
    deviation = product - weight @ product
    variance = float(exact.maxout_variance(rho, q))
    # By Cauchy and Schwarz, since the absolute value is not smooth.
    return math.sqrt(variance), math.sqrt(float(weight @ deviation**4)) / variance


@functools.lru_cache(maxsize=256)
def _tilted(q: int, rho: float) -> tuple[Any, ...]:
    """Return mean, deviation, third moment and cost of the laws tilted by each of the tilts."""
    product, weight = _nodes(q, rho)
    deviation = product - weight @ product
    rows = []
    for tilt in _TILTS:
        law = weight * np.exp(tilt * deviation)
        total = law.sum()
        law /= total
        mean = law @ deviation
        central = (deviation - mean) ** 2
        spread = math.sqrt(law @ central)
        third = math.sqrt(law @ central**2) / spread**2
        rows.append((mean, spread, third, tilt * mean - math.log(total)))
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def _nodes(q: int, rho: float) -> tuple[Any, Any]:
    product, weight = product_nodes(rho, q, _MOST_TILT)
    return product, weight / weight.sum()
