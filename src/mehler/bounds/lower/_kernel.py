"""Lower bounds of kernels: their error at a pair, all pairs, a set; how they separate rows."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from mehler import exact
from mehler.bounds._arguments import (
    correlations,
    counts,
    not_negatives,
    pool_sizes,
    positives,
    probabilities,
)
from mehler.bounds._bound import Assumption, Counts, LowerBound, Reals, Term, digits
from mehler.bounds._function import bound
from mehler.bounds.kernel_error._exponent import product_nodes

# Berry and Esseen for equal laws, with the constant of Shevtsova (2011).
_BERRY_ESSEEN = 0.4748
_LEAST_RHO = -0.95
_INDEPENDENT = Assumption("units are independent")
# Tilts tried, and distances of the tilted mean in standard deviations.
_MOST_TILT = 0.3
_TILTS = _MOST_TILT * np.exp2(-np.arange(192) / 16)
_STRETCHES = np.linspace(0.2, 6.0, 30)


@bound("features.lower", "error of the kernel, one pair")
def one_pair(
    n_features: Counts,
    *,
    delta: Reals,
    pool_size: int | None = None,
    rho: float | None = None,
    variance: Reals | None = None,
    third: Reals | None = None,
    collision: Reals | None = None,
) -> LowerBound:
    r"""Bound the error of the kernel at one pair from below: no promise can be smaller.

    .. math:: P\big(|\hat K - K| \ge t\big) \ge \delta, \qquad t = \frac{\sigma z}{\sqrt m}, \quad
              z = \Phi^{-1}\Big(1 - \frac\delta2 - \frac{0.4748\,\rho_3}{\sqrt m}\Big)_+

    by the theorem of Berry and Esseen, rho_3 the standardised third absolute moment, at least 1.
    For maxout units t_1 is the larger of this and of a bound of large deviations, which holds at
    small delta too; for codes t_1 is the exact quantile. Term: "deviation", 0 if nothing is proved.
    Proof: :doc:`/theorems/features-lower`; arguments: :mod:`mehler.bounds.lower`. I. G. Shevtsova
    (2011) has the constant.

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

    Examples
    --------
    >>> from mehler.bounds import kernel_error, lower
    >>> setting = {"delta": 0.01, "pool_size": 4, "rho": 1.0}
    >>> below, above = (room.one_pair(10_000, **setting).value for room in (lower, kernel_error))
    >>> round(below, 4), round(above, 4)
    (0.0355, 0.057)
    """
    m, chance = counts(n_features=n_features), probabilities(delta=delta)
    if rho is not None and pool_size is None:
        raise ValueError(f"rho={rho!r} is the correlation of maxout units: give pool_size with it")
    known = {"pool_size": pool_size, "variance": variance, "third": third, "collision": collision}
    given = [name for name, value in known.items() if value is not None]
    if given not in (["pool_size"], ["variance", "third"], ["collision"]):
        raise ValueError("give pool_size, or variance and third, or collision")
    if pool_size is not None:
        cosine = float(correlations(rho=1.0 if rho is None else rho))
        if cosine < _LEAST_RHO:
            raise ValueError(f"rho={rho!r} is below {_LEAST_RHO}, where products are not computed")
        value = _maxout(m, pool_sizes(pool_size), cosine, chance)
    elif variance is not None and third is not None:
        square = positives(variance=variance)
        value = _normal(m, np.sqrt(square), not_negatives(third=third), chance)
    elif collision is not None:
        value = _binomial(m, probabilities(collision=collision), chance)
    return LowerBound(
        terms=(Term("deviation", value),), probability=chance, assumptions=(_INDEPENDENT,)
    )


@bound("features.lower", "largest error of the kernel, all pairs of the rows")
def all_pairs(n_features: Counts, *, n_rows: Counts, delta: Reals, pool_size: Counts) -> LowerBound:
    r"""Bound the largest error over all pairs of N orthonormal rows from below.

    .. math:: t_N(\delta) = t_1\big(1 - (1-\delta)^{1/N}\big)

    with t_1 the bound of :func:`one_pair` at equal rows: maxout features of orthonormal rows are
    independent, so that their N squared lengths are. An upper bound that knows the number of rows
    and not more cannot be smaller. Term: "deviation". Proof: :doc:`/theorems/features-lower`;
    arguments: :mod:`mehler.bounds.lower`.

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
    chance, (m, rows) = probabilities(delta=delta), counts(n_features=n_features, n_rows=n_rows)
    value = _maxout(m, pool_sizes(pool_size), 1.0, -np.expm1(np.log1p(-chance) / rows))
    return LowerBound(
        terms=(Term("deviation", value),),
        probability=chance,
        assumptions=(_INDEPENDENT, Assumption("orthonormal rows")),
    )


@bound("features.lower", "largest error of the kernel, all pairs of the set")
def uniform(n_features: Counts, *, dimension: Reals, delta: Reals, pool_size: Counts) -> LowerBound:
    r"""Bound the error over some set of this doubling dimension from below, by a packing.

    .. math:: t(\delta) = t_N(\delta), \qquad N = 2^{\lfloor k\rfloor}

    N orthonormal vectors have doubling dimension :math:`\log_2N` and diameter sqrt 2. Term:
    "deviation". Proof: :doc:`/theorems/features-lower`; arguments: :mod:`mehler.bounds.lower`.

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
    k = not_negatives(dimension=dimension)
    if np.any(k > 59):
        raise ValueError(f"dimension={digits(k)} is more than 59: 2^k rows fit in no array")
    rows = np.exp2(np.floor(k)).astype(np.int64)
    packed = all_pairs(n_features, n_rows=rows, delta=delta, pool_size=pool_size)
    return replace(packed, quantity="")


def _normal(m: Any, sigma: Any, third: Any, delta: Any) -> Any:
    from scipy.special import ndtri

    tail = delta / 2 + _BERRY_ESSEEN * np.maximum(third, 1.0) / np.sqrt(m)
    return np.where(tail < 0.5, -ndtri(np.minimum(tail, 0.5)) * sigma / np.sqrt(m), 0.0)


@np.vectorize
def _binomial(m: float, mean: float, delta: float) -> float:
    """Return the largest |k/m - mean| that is reached with probability at least delta.

    It is that of an atom k, by whole numbers, so that no distance is rounded before it is compared.
    """
    from scipy import stats

    n, law = int(m), stats.binom(int(m), mean)
    middle = n * Fraction(float(mean))

    def atoms(first: int, last: int) -> list[Fraction]:
        """Return the distance of the last atom, from `first` on outwards, that is reached."""
        step = 1 if last >= first else -1
        low, high = -1, abs(last - first)
        while low < high:
            tried = (low + high + 1) // 2
            away = abs(first + step * tried - middle)
            chance = law.sf(math.ceil(middle + away) - 1) + law.cdf(math.floor(middle - away))
            low, high = (tried, high) if chance >= delta else (low, tried - 1)
        return [abs(first + step * low - middle)] if low >= 0 else []

    reached = atoms(math.ceil(middle), n) + atoms(math.floor(middle), 0)
    exact_value = max(reached, default=Fraction(0)) / n
    value = float(exact_value)
    return value if Fraction(value) <= exact_value else math.nextafter(value, 0.0)


@np.vectorize
def _maxout(m: float, q: int, rho: float, delta: float) -> float:
    """Return the larger of the bounds by the central and by large deviations."""
    from scipy.special import ndtr

    sigma, third = _moments(int(q), float(rho))
    central = float(_normal(m, sigma, third, delta))
    mean, spread, thirds, cost = _tilted(int(q), float(rho))
    # In the tilted law the mean of m products is beyond its own by z standard deviations or fewer:
    # an interval has two ends, at each of which the law is normal up to Berry's and Esseen's error.
    inside = ndtr(_STRETCHES) - 0.5 - 2 * _BERRY_ESSEEN * thirds[:, None] / math.sqrt(m)
    lost = m * cost[:, None] + _TILTS[:, None] * spread[:, None] * math.sqrt(m) * _STRETCHES
    chance = np.where(inside > 0, np.log(np.maximum(inside, 1e-300)) - lost, -np.inf)
    reached = chance.max(axis=1) >= math.log(delta)
    return max(central, float(np.max(mean[reached], initial=0.0)))


@functools.lru_cache(maxsize=256)
def _moments(q: int, rho: float) -> tuple[float, float]:
    """Return the standard deviation and a bound of the standardised third absolute moment."""
    deviation, weight = _law(q, rho)
    variance = float(exact.maxout_variance(rho, q))
    # By Cauchy and Schwarz, since the absolute value is not smooth.
    return math.sqrt(variance), math.sqrt(float(weight @ deviation**4)) / variance


@functools.lru_cache(maxsize=256)
def _tilted(q: int, rho: float) -> tuple[Any, ...]:
    """Return mean, deviation, third moment and cost of the laws tilted by each of the tilts."""
    deviation, weight = _law(q, rho)
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


def _law(q: int, rho: float) -> tuple[Any, Any]:
    """Return products less their mean, and their weights."""
    product, weight = product_nodes(rho, q, _MOST_TILT)
    weight = weight / weight.sum()
    return product - weight @ product, weight
