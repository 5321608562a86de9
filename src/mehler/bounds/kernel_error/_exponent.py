r"""Log moment generating functions of feature products, and bounds of them.

For rows of correlation rho, F = M M' and K = E F, the exponent is
psi_rho(lambda) = log E exp(lambda (F - K)). Three functions of it are computed on one grid of
lambda: at a known correlation; the supremum over all correlations; and the bound of increments.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import exact
from mehler.bounds import _joint

# The grid of nodes grows without bound towards -1, where the supremum is not attained.
LOWEST = -0.95
# Chernoff's bound is a minimum over lambda: any grid gives a valid one. The best point of this one
# is within 0.4 % of the true minimum for all m up to 10^18: even ratios up to half the pole, from
# there even ratios of the distance to it.
_STEPS = 4  # per doubling
_SMALL = 0.9 * np.exp2(-np.arange(37 * _STEPS)[::-1] / _STEPS)
_NEAR = 1 - 0.5 * np.exp2(-np.arange(14) / _STEPS)
# The same for one unit in a pool, whose closed form goes as near to its pole as floats do.
_SHARES = np.concatenate(
    [
        0.5 * np.exp2(-np.arange(36 * _STEPS)[::-1] / _STEPS),
        1 - 0.5 * np.exp2(-np.arange(1, 29 * _STEPS + 1) / _STEPS),
    ]
)
# A side that is bounded has no pole; its minimum is beyond any m in use from here.
_NARROWEST = 2.0**-30
# Below this, exp(y) - 1 - y and -log(1 - y) - y cancel. The first three terms of the series of
# the one are exact to 1e-9, of the other to 1e-12.
_SERIES = 1.2e-4
# That, and the rounding of SciPy's distribution functions; psi is larger by this part of itself.
_ROUNDING = 1 + 2e-9
# Distances from rho = 1 at which psi_rho is computed, finer where it is largest.
_DISTANCES = np.concatenate([[0.0], np.geomspace(0.004, 0.4, 14), np.linspace(0.55, 1.95, 9)])


def _grid(rho: float) -> Any:
    pole = 1 / (1 + abs(rho))
    return np.append(_SMALL[pole / 2 > _SMALL], pole * _NEAR)


# The part that every correlation has.
_GRID = _grid(1.0)


@dataclass(frozen=True)
class Exponents:
    """Upper bounds of the exponent at ``lambda`` (upper tail) and ``-lambda`` (lower tail)."""

    at: Any
    upper: Any
    lower: Any

    def deviation(self, cost: Any) -> Any:
        """Return the Chernoff deviation, exceeded with probability exp(-m cost) on each side.

        min over lambda of (cost + psi(lambda))/lambda, the larger of both tails.
        """
        cost = np.asarray(cost, dtype=float)[..., None]
        with np.errstate(over="ignore"):  # no lambda serves a cost that large
            tails = [((cost + psi) / self.at).min(axis=-1) for psi in (self.upper, self.lower)]
        return np.maximum(*tails)


@functools.lru_cache(maxsize=256)
def at_correlation(
    q: int, rho: float, *, shared: bool = False, step: float | None = None
) -> Exponents:
    """Bound the exponent at one correlation, by about 1e-8 of itself; less sharply below -0.95.

    At lambda up to near its pole, or on the grid that all correlations share. A longer `step` of
    the rule has a larger error, for which the bound pays.
    """
    if q == 1:
        return _of_linear(rho)
    if rho < LOWEST:
        return any_correlation(q)
    at = _GRID if shared else _grid(rho)
    step = _joint.step_for(q, rho) if step is None else step
    product, weight = _joint.product_nodes(rho, q, float(at[-1]), step)
    # Use the rule's own mass and mean (1 and K to 1e-9): their errors would dominate where psi
    # is of order lambda^2.
    weight = weight / weight.sum()
    centred = product - weight @ product
    missed = _joint.missed(rho, q, at, step)
    return Exponents(at, *(_psi(sign * at, centred, weight, missed) for sign in (1, -1)))


def _psi(at: Any, centred: Any, weight: Any, missed: Any) -> Any:
    """Bound log(1 + E [exp(y) - 1 - y]), y = lambda (F - K) of mean 0, without cancellation."""
    return _ROUNDING * np.log1p(_excess(at, centred, weight) + missed)


@functools.lru_cache(maxsize=64)
def any_correlation(q: int) -> Exponents:
    """Bound the supremum over rho in [-1, 1] of psi_rho: the largest of its bounds on cells."""
    if q == 1:
        # psi is convex in rho and g(y) >= g(-y), so that it is largest at rho = 1.
        largest = _half(_SHARES)
        return Exponents(_SHARES / 2, largest, largest)
    rho = 1 - _DISTANCES
    ends = [at_correlation(q, float(end), shared=True) for end in rho]
    upper = np.array([end.upper for end in ends])
    lower = np.array([end.lower for end in ends])
    return Exponents(_GRID, *supremum(q, _GRID, rho, upper, lower, _square_excess(_GRID, q)))


@functools.lru_cache(maxsize=64)
def increments(q: int, panels: float = _joint.PANELS) -> Exponents:
    """Bound E [exp(s N^2) - 1 - s N^2], N = max_j abs(g_j): the exponent of increments.

    For increments of length 1/2. Wider panels have a larger error, for which the bound pays.
    """
    x, weight = _joint.largest_nodes(q, panels)
    missed = _joint.missed_of_largest(q, _GRID, panels)
    bound = _ROUNDING * (_excess(_GRID, x * x, weight) + missed)
    return Exponents(_GRID, bound, bound)


def _square_excess(at: Any, q: int) -> Any:
    """Bound E [exp(s M^2) - 1 - s M^2], which bounds psi_rho(s) and psi_rho(-s) at every rho."""
    x, weight = _joint.maximum_nodes(q)
    missed = _joint.missed(1.0, q, at, _joint.step_for(q, 1.0))
    return _ROUNDING * (_excess(at, x * x, weight) + missed)


def _excess(at: Any, value: Any, weight: Any) -> Any:
    """Compute E [exp(s v) - 1 - s v] at each s."""
    moments = [weight @ value**k / math.factorial(k) for k in (2, 3, 4)]
    excess = at**2 * (moments[0] + at * (moments[1] + at * moments[2]))
    for i in np.flatnonzero(np.abs(at) >= _SERIES):
        y = at[i] * value
        excess[i] = weight @ (np.expm1(y) - y)
    return excess


def _of_linear(rho: float) -> Exponents:
    """Compute the exponent of one unit in a pool; infinite from the pole on.

    psi(lambda) = g(lambda (1 + rho)) + g(-lambda (1 - rho)), 2 g(y) = -log(1 - y) - y, and
    psi_rho(-lambda) = psi_{-rho}(lambda). The grid of lambda ends within 2^-30 of both poles.
    """
    sides = (1 + rho, 1 - rho)
    at = np.unique(np.concatenate([_SHARES / max(side, _NARROWEST) for side in sides]))
    tails = (_half(at * side) + _half(-at * other) for side, other in (sides, sides[::-1]))
    return Exponents(at, *tails)


def _half(y: Any) -> Any:
    """Compute -(log(1 - y) + y)/2."""
    inside = np.where(y < 1, y, 0.5)
    series = inside**2 * (1 / 4 + inside * (1 / 6 + inside / 8))
    closed = np.where(np.abs(inside) < _SERIES, series, -(np.log1p(-inside) + inside) / 2)
    return np.where(y < 1, closed, np.inf)


def supremum(q: int, at: Any, rho: Any, upper: Any, lower: Any, simple: Any) -> tuple[Any, Any]:
    """Bound both exponents over [-1, 1] from values at `rho`, descending from 1: (rho, at).

    Between correlations a < b that are h apart, by the derivative of psi_rho: at most the mean of
    its values at the ends and h/2 times a bound of the derivative, which is sharp where lambda is
    small; and by that of E exp(lambda F), which needs nothing at 2 lambda and obeys

        d/drho E exp(lambda F) >= -lambda exp(-2) kappa   and   d/drho E exp(-lambda F) <= lambda
        exp(-2) kappa,    kappa the derivative of K.

    `simple` bounds both exponents at every correlation.
    """
    kernel = np.asarray(exact.maxout_kernel(np.append(rho, -1.0), q))[:, None]
    above, below = kernel[:-1], kernel[1:]
    # Each cell has its right end in `rho`; the last one, down to -1, has no other.
    slack = at * math.exp(-2) * (above - below)
    by_right = np.log(np.exp(upper + at * above) + slack) - at * below
    at_left = np.exp(lower[1:] - at * below[:-1])
    opposite = np.exp(lower[-1:] - at * above[-1:]) + to_opposite(q, at, float(rho[-1]))
    by_left = np.log(np.vstack([at_left + slack[:-1], opposite])) + at * above
    widths = -np.diff(np.append(rho, -1.0))[:, None]
    return (
        _by_slopes(q, at, upper, widths, np.minimum(by_right, simple)),
        _by_slopes(q, at, lower, widths, np.minimum(by_left, simple)),
    )


def to_opposite(q: int, at: Any, rho: float) -> Any:
    """Bound how much E exp(-at F) grows from `rho` < 0 down to -1.

    d/drho E exp(-at F) >= -at (kappa + E [exp(2 at abs(F)); D = D', F < 0]); one index with signs
    that differ has all others below its negative one, which makes the expectation finite.
    """
    kappa = float(exact.collision_probability(rho, q))
    return (1 + rho) * at * (kappa + q * 2.0 ** (2 - q) / np.sqrt(2 - 4 * at))


def _by_slopes(q: int, at: Any, values: Any, widths: Any, cells: Any) -> Any:
    """Improve on bounds of the cells, (cell, at), by those of the derivative, three times."""
    for _ in range(3):
        slope = derivative(q, at, cells.max(axis=0))
        inner = (values[:-1] + values[1:] + widths[:-1] * slope) / 2
        last = values[-1:] + widths[-1:] * slope
        cells = np.minimum(cells, np.vstack([inner, last]))
    return cells.max(axis=0)


def derivative(q: int, at: Any, bound: Any) -> Any:
    """Bound the derivative of psi_rho in rho: lambda t/2 + lambda^2 (sigma^2 + t sqrt(E M^4)).

    t^2 = exp(bound at 2 lambda) - 1 is at least the variance of exp(lambda F)/E exp(lambda F). As
    psi grows with lambda, a bound at the next larger one of the grid will do.
    """
    doubled = np.append(bound, np.inf)[np.searchsorted(at, 2 * at * (1 - 1e-12))]
    with np.errstate(over="ignore"):
        spread = np.sqrt(np.expm1(doubled))
    fourth = math.sqrt(exact.max_moment(4, q))
    return at * spread / 2 + at**2 * (exact.sigma2(q) + spread * fourth)
