"""Log moment generating functions of feature products, and bounds of them.

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

from mehler.bounds.kernel_error import _cells, _joint, _linear, _missed

# Chernoff's bound is a minimum over lambda: any grid gives a valid one. The best point of this one
# is within 0.4 % of the true minimum for all m up to 10^18: even ratios up to half the pole, from
# there even ratios of the distance to it.
_STEPS = 4  # per doubling
_SMALL = 0.9 * np.exp2(-np.arange(37 * _STEPS)[::-1] / _STEPS)
_NEAR = 1 - 0.5 * np.exp2(-np.arange(14) / _STEPS)


def _grid(rho: float) -> Any:
    pole = 1 / (1 + abs(rho))
    return np.append(_SMALL[pole / 2 > _SMALL], pole * _NEAR)


# The part that every correlation has.
_GRID = _grid(1.0)
# Below this exp(y) - 1 - y cancels, and four terms of its series are exact to 1e-9.
_SERIES = 1.2e-4
# That, and the rounding of SciPy's distribution functions; psi is larger by this part of itself.
_ROUNDING = 1 + 2e-9
# Distances from rho = 1 at which psi_rho is computed, finer where it is largest.
_DISTANCES = np.concatenate([[0.0], np.geomspace(0.004, 0.4, 14), np.linspace(0.55, 1.95, 9)])


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
def at_correlation(q: int, rho: float, *, shared: bool = False) -> Exponents:
    """Bound the exponent at one correlation, by about 1e-8 of itself; less sharply below -0.95.

    At lambda up to near its pole, or on the grid that all correlations share.
    """
    if q == 1:
        return Exponents(*_linear.at_correlation(rho))
    if rho < -0.95:
        # The grid of nodes grows without bound towards -1, where the supremum is not attained.
        return any_correlation(q)
    at = _GRID if shared else _grid(rho)
    product, weight = _joint.product_nodes(rho, q, float(at[-1]))
    # Use the rule's own mass and mean (1 and K to 1e-9): their errors would dominate where psi
    # is of order lambda^2.
    weight = weight / weight.sum()
    away = product - weight @ product
    missed = _missed.missed(rho, q, at, _missed.step_for(q, rho))
    return Exponents(at, *(_psi(sign * at, away, weight, missed) for sign in (1, -1)))


def _psi(at: Any, away: Any, weight: Any, missed: Any) -> Any:
    """Bound log(1 + E [exp(y) - 1 - y]), y = lambda (F - K) of mean 0, without cancellation."""
    return _ROUNDING * np.log1p(_excess(at, away, weight) + missed)


@functools.lru_cache(maxsize=64)
def any_correlation(q: int) -> Exponents:
    """Bound the supremum over rho in [-1, 1] of psi_rho: the largest of its bounds on cells."""
    if q == 1:
        return Exponents(*_linear.any_correlation())
    rho = 1 - _DISTANCES
    ends = [at_correlation(q, float(one), shared=True) for one in rho]
    upper = np.array([end.upper for end in ends])
    lower = np.array([end.lower for end in ends])
    return Exponents(_GRID, *_cells.supremum(q, _GRID, rho, upper, lower, _square_excess(_GRID, q)))


def _square_excess(at: Any, q: int) -> Any:
    """Bound E [exp(s M^2) - 1 - s M^2], which bounds psi_rho(s) and psi_rho(-s) at every rho."""
    x, weight = _joint.maximum_nodes(q)
    return _ROUNDING * (
        _excess(at, x * x, weight) + _missed.missed(1.0, q, at, _missed.step_for(q, 1.0))
    )


@functools.lru_cache(maxsize=64)
def increments(q: int) -> Exponents:
    """Compute E [exp(s N^2) - 1 - s N^2], N = max_j abs(g_j): the exponent of increments.

    For increments of length 1/2.
    """
    x, weight = _joint.largest_nodes(q)
    bound = _excess(_GRID, x * x, weight)
    return Exponents(_GRID, bound, bound)


def _excess(at: Any, value: Any, weight: Any) -> Any:
    """Compute E [exp(s v) - 1 - s v] at each s."""
    moments = [weight @ value**k / math.factorial(k) for k in (2, 3, 4)]
    found = at**2 * (moments[0] + at * (moments[1] + at * moments[2]))
    for i in np.flatnonzero(np.abs(at) >= _SERIES):
        y = at[i] * value
        found[i] = weight @ (np.expm1(y) - y)
    return found
