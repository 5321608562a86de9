"""Lower bounds of the kernel's error: one pair, all pairs, a set."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from mehler import exact
from mehler._validate import require_positive
from mehler.bounds._bound import require_count, require_probability
from mehler.bounds._elementwise import elementwise
from mehler.bounds.kernel_error import _joint
from mehler.bounds.lower._lower_bound import LowerBound, below
from mehler.exact import require_pool, require_rho

# Berry and Esseen for equal laws, with the constant of Shevtsova (2011).
_BERRY_ESSEEN = 0.4748
_LEAST_RHO = -0.95
_INDEPENDENT = "units are independent"
# Tilts tried, and distances of the tilted mean in standard deviations.
_MOST_TILT = 0.3
_TILTS = _MOST_TILT * np.exp2(-np.arange(192) / 16)
_STRETCHES = np.linspace(0.2, 6.0, 30)


@elementwise
def one_pair(
    n_features: int,
    *,
    delta: float,
    pool_size: int | None = None,
    rho: float | None = None,
    variance: float | None = None,
    third: float | None = None,
    collision: float | None = None,
) -> LowerBound:
    r"""Bound the error of the kernel at one pair from below: no promise can be smaller.

    .. math:: P\big(|\hat K - K| \ge t\big) \ge \delta, \qquad
              t = \frac\sigma{\sqrt m}\,\Phi^{-1}\Big(1 - \frac\delta2
              - \frac{0.4748\,\rho_3}{\sqrt m}\Big)

    by the theorem of Berry and Esseen, rho_3 the standardised third absolute moment. For maxout
    units the larger of this and of a bound of large deviations, which holds at small delta too;
    for codes the exact quantile.

    Parameters
    ----------
    n_features : int or array
        m, independent units.
    delta : float or array
        The error is at least the bound with probability at least delta.
    pool_size : int, optional
        Unit rows and maxout units of this q, of correlation `rho`.
    rho : float
        The rows' correlation; equal rows by default.
    variance, third : float, optional
        Instead: the variance of one product and an upper bound of E|F - K|^3/sigma^3; b/sigma for
        products in an interval of length b.
    collision : float, optional
        Instead: codes that agree with this probability.

    Returns
    -------
    LowerBound
        The single term "deviation"; its `value` is a lower bound, 0 if nothing is proved.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, or not exactly one kind of them is given.

    See Also
    --------
    mehler.bounds.kernel_error.one_pair : The upper bound.
    all_pairs : For many rows.

    References
    ----------
    Proof: :doc:`/theorems/features-lower`. I. G. Shevtsova (2011) has the constant.

    Examples
    --------
    >>> from mehler.bounds import kernel_error, lower
    >>> known = {"delta": 0.01, "pool_size": 4, "rho": 1.0}
    >>> below, above = (room.one_pair(10_000, **known).value for room in (lower, kernel_error))
    >>> round(below, 4), round(above, 4)
    (0.0355, 0.057)
    """
    (n_features,) = require_count(n_features=n_features)
    require_probability(delta=delta)
    given = [pool_size is not None, variance is not None, collision is not None]
    if sum(given) != 1 or (third is None) == (variance is not None):
        raise ValueError("give pool_size, or variance and third, or collision")
    if rho is not None and pool_size is None:
        raise ValueError(f"rho={rho!r} is the correlation of maxout units: give pool_size with it")
    if collision is not None:
        require_probability(collision=collision)
        value = _binomial(n_features, float(collision), delta)
    elif variance is not None:
        require_positive("variance", variance)
        require_positive("third", third)
        value = _normal(n_features, math.sqrt(variance), float(third), delta)  # type: ignore[arg-type]  # given with variance
    else:
        q, at = require_pool(pool_size), 1.0 if rho is None else float(require_rho(rho))
        if at < _LEAST_RHO:
            raise ValueError(f"rho={rho!r} is below {_LEAST_RHO}, where products are not computed")
        value = _maxout(n_features, q, at, delta)
    quantity = "error of the kernel, one pair"
    return below("deviation", value, r"\sigma z/\sqrt m", quantity, delta, _INDEPENDENT)


@elementwise
def all_pairs(n_features: int, *, n_samples: int, delta: float, pool_size: int) -> LowerBound:
    r"""Bound the largest error over all pairs of N orthonormal rows from below.

    .. math:: t_N(\delta) = t_1\big(1 - (1-\delta)^{1/N}\big)

    with t_1 the bound of :func:`one_pair` at equal rows: maxout features of orthonormal rows are
    independent, so that their N squared lengths are. An upper bound that knows the number of rows
    and not more cannot be smaller.

    Parameters
    ----------
    n_features, delta, pool_size
        As in :func:`one_pair`.
    n_samples : int or array
        N, at most the number of columns.

    Returns
    -------
    LowerBound
        The single term "deviation", a lower bound.

    See Also
    --------
    mehler.bounds.kernel_error.all_pairs : The upper bound.
    uniform : Over a set.

    References
    ----------
    Proof: :doc:`/theorems/features-lower`.

    Examples
    --------
    >>> from mehler.bounds import kernel_error, lower
    >>> known = {"n_samples": 1000, "delta": 0.01, "pool_size": 4}
    >>> below, above = (room.all_pairs(10_000, **known).value for room in (lower, kernel_error))
    >>> round(below, 4), round(above, 4)
    (0.0663, 0.1072)
    """
    n_features, n_samples = require_count(n_features=n_features, n_samples=n_samples)
    require_probability(delta=delta)
    q = require_pool(pool_size)
    share = -math.expm1(math.log1p(-delta) / n_samples)
    value = _maxout(n_features, q, 1.0, share)
    quantity = f"largest error of the kernel, all pairs of {n_samples} rows"
    formula = r"t_1(1 - (1-\delta)^{1/N})"
    return below("deviation", value, formula, quantity, delta, _INDEPENDENT, "orthonormal rows")


@elementwise
def uniform(n_features: int, *, dimension: float, delta: float, pool_size: int) -> LowerBound:
    r"""Bound the error over some set of this doubling dimension from below, by a packing.

    .. math:: t(\delta) = t_N(\delta), \qquad N = 2^{\lfloor k\rfloor}

    N orthonormal vectors have doubling dimension :math:`\log_2N` and diameter sqrt 2.

    Parameters
    ----------
    n_features, delta, pool_size
        As in :func:`one_pair`.
    dimension : float
        The doubling dimension k.

    Returns
    -------
    LowerBound
        The single term "deviation", a lower bound.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, or 2^k is more than 10^18.

    See Also
    --------
    mehler.bounds.kernel_error.uniform : The upper bound.

    References
    ----------
    Proof: :doc:`/theorems/features-lower`.

    Examples
    --------
    >>> from mehler.bounds import kernel_error, lower
    >>> known = {"dimension": 10, "delta": 0.01, "pool_size": 4}
    >>> below = lower.uniform(10_000, **known).value
    >>> above = kernel_error.uniform(10_000, diameter=2**0.5, **known).value
    >>> round(below, 4), round(above, 4)
    (0.0694, 0.3027)
    """
    if dimension != 0:
        require_positive("dimension", dimension)
    if dimension > 59:
        raise ValueError(f"dimension={dimension!r} is more than 59: 2^k rows fit in no array")
    found = all_pairs(
        n_features, n_samples=2 ** int(dimension), delta=delta, pool_size=pool_size
    ).value
    quantity = "largest error of the kernel, all pairs of the set"
    formula = r"t_1(1 - (1-\delta)^{2^{-k}})"
    return below("deviation", found, formula, quantity, delta, _INDEPENDENT, "orthonormal rows")


def _normal(m: int, sigma: float, third: float, delta: float) -> float:
    from scipy.special import ndtri

    tail = delta / 2 + _BERRY_ESSEEN * max(third, 1.0) / math.sqrt(m)
    return 0.0 if tail >= 0.5 else -float(ndtri(tail)) * sigma / math.sqrt(m)


def _binomial(m: int, share: float, delta: float) -> float:
    """Return the largest |k/m - share| that is reached with probability at least delta."""
    from scipy import stats

    law = stats.binom(m, share)

    def chance(t: float) -> float:
        above = law.sf(math.ceil(m * (share + t) - 1e-9) - 1)
        return float(above + law.cdf(math.floor(m * (share - t) + 1e-9)))

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) >= delta else (low, middle)
    return low


def _maxout(m: int, q: int, rho: float, delta: float) -> float:
    """Return the larger of the bounds by the central and by large deviations."""
    sigma, third = _moments(q, rho)
    central = _normal(m, sigma, third, delta)
    mean, spread, thirds, cost = _tilted(q, rho)
    # In the tilted law the mean of m products is beyond its own by z standard deviations or fewer.
    from scipy.special import ndtr

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
    away = product - weight @ product
    variance = float(exact.maxout_variance(rho, q))
    # By Cauchy and Schwarz, since the absolute value is not smooth.
    return math.sqrt(variance), math.sqrt(float(weight @ away**4)) / variance


@functools.lru_cache(maxsize=256)
def _tilted(q: int, rho: float) -> tuple[Any, ...]:
    """Return mean, deviation, third moment and cost of the laws tilted by each of the tilts."""
    product, weight = _nodes(q, rho)
    away = product - weight @ product
    found = []
    for tilt in _TILTS:
        law = weight * np.exp(tilt * away)
        total = law.sum()
        law /= total
        mean = law @ away
        central = (away - mean) ** 2
        spread = math.sqrt(law @ central)
        third = math.sqrt(law @ central**2) / spread**2
        found.append((mean, spread, third, tilt * mean - math.log(total)))
    return tuple(np.array(column) for column in zip(*found, strict=True))


def _nodes(q: int, rho: float) -> tuple[Any, Any]:
    product, weight = _joint.product_nodes(rho, q, _MOST_TILT)
    return product, weight / weight.sum()
