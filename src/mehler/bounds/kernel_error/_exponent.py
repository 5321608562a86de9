"""Exponents of Chernoff bounds for products of maxout units, by quadrature with bounded error.

A maxout unit is the largest of q normal projections of a row. M and M' are the values of one unit
at two rows of norm 1 and correlation rho; F = M M' has the mean K, the kernel. The exponent is
psi_rho(lambda) = log E exp(lambda (F - K)). By Chernoff's bound the mean of m products is above K +
(u + psi_rho(lambda))/lambda with probability at most exp(-m u), for any lambda > 0; -lambda serves
the lower tail. `Exponents` holds upper bounds of both on a grid of lambda: at one correlation, of
the supremum over all of them, and of increments, differences of products at nearby pairs of rows.

An expectation over (M, M') is a trapezoid sum in two rotated coordinates. Its integrand is entire,
so the error has a bound, which ``tests/bounds/quadrature.py`` computes for the table of steps. Step
numbers refer to the proof on the page kernel-error.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erf, log_ndtr, ndtr, owens_t

from mehler import exact
from mehler.bounds._bound import Floats

# The largest lambda over its pole 1/(1 + abs(rho)), where E exp(lambda F) is infinite for q = 1.
# Nearer to the pole weights overflow.
SHARE = 1 - 2.0**-4.25
# The same for the one-dimensional rules, of functions up to exp(LARGEST_SQUARE t^2).
LARGEST_SQUARE = SHARE / 2
# Drop nodes that contribute less than this: all of them together stay below 1e-13.
_LOG_NEGLIGIBLE = math.log(1e-19)
# Nodes of Gauss's rule in each panel, and panels to a unit of length.
GAUSS, PANELS = 16, 4
# Steps of the trapezoid rule for pools of up to 1, 2, 4, ... 2^20, and what each rule misses, over
# lambda^2, at all correlations from -0.95 on.
_FEW = (0.2, 0.2, 0.2, 0.2, 0.15, 0.125, 0.112, 0.094, 0.084, 0.074, 0.063)
STEPS = (*_FEW, 0.056, 0.052, 0.047, 0.042, 0.039, 0.035, 0.033, 0.031, 0.028, 0.026)
MISSED = 1e-9
# The number of nodes grows without bound as rho falls to -1, where the supremum is not attained.
LOWEST = -0.95
# Chernoff's bound is a minimum over lambda: any grid is valid. The minimum on this one is within
# 0.4 % of the true one for m up to 10^18. Ratios of lambda are even up to half of the pole, four
# per doubling; from there ratios of the distance to the pole are.
_SMALL = 0.9 * np.exp2(-np.arange(148)[::-1] / 4)
_NEAR = 1 - 0.5 * np.exp2(-np.arange(14) / 4)
# Below this exp(y) - 1 - y cancels; the first three terms of its series are exact to 1e-9.
_SERIES = 1.2e-4
# That, and the rounding of SciPy's distribution functions; psi is larger by this part of itself.
_ROUNDING = 1 + 2e-9
# Values of 1 - rho at which psi_rho is computed, finer where it is largest.
_DISTANCES = np.concatenate([[0.0], np.geomspace(0.004, 0.4, 14), np.linspace(0.55, 1.95, 9)])


def product_nodes(rho: float, q: int, most: float, step: float = 0.0) -> tuple[Any, Any]:
    """Return values of M M' and their weights, both (n,), at rho in [-0.95, 1].

    ``(weight * f(product)).sum()`` is E f(M M') for analytic f with abs(f(t)) at most
    exp(most abs(t)), `most` up to SHARE/(1 + abs(rho)). In the density either one of the q indices
    is the largest in both rows, or two are, one in each.
    """
    if rho == 1:
        x, density = maximum_nodes(q)
        return x * x, density
    angle = math.acos(rho)
    c, d, s = math.cos(angle / 2), math.sin(angle / 2), math.sin(angle)
    step = step or step_for(q)
    # Where the slowest decay left, exp(-(1 - most (1 + abs(rho))) a^2/2), is 1e-16.
    reach = math.sqrt(2 * 37 / (1 - most * (1 + abs(rho))))
    # In (a, b) the pair of one index is standard normal however close rho is to 1. Offsets avoid
    # x = 0 and y = 0, where Owen's function is not defined. Nodes with b > 0 count twice.
    a = np.arange(-reach, reach / c, step)[:, None] + 0.3183 * step
    b_end = min(reach / d, reach / c * (1 + d / c))
    b = np.arange(0.0, b_end, step)[None, :] + step / 2
    x, y = a * c + b * d, a * c - b * d
    # A bound of the density: Phi_2 <= exp(-y^2/2)/2 where y, the smaller, is below 0.
    single, pair = math.log(q) - (a * a + b * b) / 2, math.log(q * q * s) - (x * x + y * y) / 2
    log_above = np.logaddexp(single, pair) - math.log(2 * math.pi)
    log_above = log_above - max(q - 2, 0) * np.minimum(y, 0.0) ** 2 / 2
    inside = log_above + most * np.abs(x * y) > _LOG_NEGLIGIBLE
    a, b = (np.broadcast_to(axis, inside.shape)[inside] for axis in (a, b))
    x, y = x[inside], y[inside]
    # Phi_2 by Owen's function T.
    owen = owens_t(x, (y - rho * x) / (x * s)) + owens_t(y, (x - rho * y) / (y * s))
    below = np.maximum((ndtr(x) + ndtr(y)) / 2 - owen - np.where(x * y > 0, 0.0, 0.5), 0.0)
    weight = q * below ** (q - 1) * _density(a) * _density(b)
    if q > 1:
        two_win = q * (q - 1) * below ** (q - 2) * s * _density(x) * _density(y)
        weight = weight + two_win * ndtr((y - rho * x) / s) * ndtr((x - rho * y) / s)
    product = x * y
    with np.errstate(divide="ignore"):
        support = np.log(weight) + most * np.abs(product) > _LOG_NEGLIGIBLE
    return product[support], 2 * weight[support] * step**2


def step_for(q: int) -> float:
    """Return the step of the trapezoid rule for q projections in a unit."""
    return STEPS[(q - 1).bit_length()]


def maximum_nodes(q: int) -> tuple[Any, Any]:
    """Return values of M and their weights, for functions up to exp(LARGEST_SQUARE M^2)."""
    # No longer than the step whose error is bounded.
    step = min(1 / 32, step_for(q))
    x = np.arange(-end(q), end(q), step)
    exponent = (q - 1) * log_ndtr(x) - x * x / 2
    return _above_zero(x, q / math.sqrt(2 * math.pi) * np.exp(exponent) * step)


def _above_zero(x: Floats, weight: Floats) -> tuple[Any, Any]:
    """Drop the nodes whose weight underflows, where exp(LARGEST_SQUARE x^2) overflows."""
    return x[weight > 0], weight[weight > 0]


def largest_nodes(q: int, panels: float = PANELS) -> tuple[Any, Any]:
    """Return values of N, the largest of q absolute normals, and their weights, as for M."""
    # Gauss's rule: on the half line the trapezoid rule has an end-point error.
    nodes, weights = np.polynomial.legendre.leggauss(GAUSS)
    low, high = edges(q, panels)[:-1], edges(q, panels)[1:]
    middle, half = (high + low) / 2, (high - low) / 2
    x = (middle[:, None] + half[:, None] * nodes).ravel()
    weight = (half[:, None] * weights).ravel()
    density = 2 * q * _density(x) * erf(x / math.sqrt(2)) ** (q - 1)
    return _above_zero(x, density * weight)


def edges(q: int, panels: float) -> Any:
    """Return the ends of the panels of Gauss's rule."""
    return np.linspace(0, end(q), round(panels * math.ceil(end(q))))


def end(q: int) -> float:
    """Return the point where q exp(-(1/2 - LARGEST_SQUARE) t^2) has fallen to 1e-16."""
    return math.sqrt((37 + math.log(q)) / (0.5 - LARGEST_SQUARE))


def _density(t: NDArray[np.float64]) -> Any:
    return np.exp(-t * t / 2) / math.sqrt(2 * math.pi)


def _grid(rho: float) -> Any:
    pole = 1 / (1 + abs(rho))
    return np.append(_SMALL[pole / 2 > _SMALL], pole * _NEAR)


# The values of lambda that are below the pole at every correlation.
_GRID = _grid(1.0)


@dataclass(frozen=True)
class Exponents:
    """Upper bounds of an exponent at lambda = `at` (upper tail) and at -lambda (lower tail)."""

    at: Any
    upper: Floats
    lower: Floats

    def deviation(self, cost: float | NDArray[np.float64]) -> Any:
        """Return the deviation that a mean of m exceeds with chance exp(-m cost) on each side.

        That is the minimum over lambda of (cost + psi)/lambda, for the worse one of both tails.
        """
        cost = np.asarray(cost, dtype=float)[..., None]
        with np.errstate(over="ignore"):  # no lambda serves a cost that large
            tails = [((cost + psi) / self.at).min(axis=-1) for psi in (self.upper, self.lower)]
        return np.maximum(*tails)


@functools.lru_cache(maxsize=256)
def at_correlation(q: int, rho: float, *, shared: bool = False) -> Exponents:
    """Bound psi_rho, within about 1e-8 of it; below -0.95 by that of any correlation.

    The grid ends near the pole of this correlation, or, `shared`, near that of rho = 1.
    """
    if rho < LOWEST:
        return any_correlation(q)
    at = _GRID if shared else _grid(rho)
    product, weight = product_nodes(rho, q, float(at[-1]))
    # The rule's own mass and mean replace 1 and K, so that their errors do not dominate small psi.
    weight = weight / weight.sum()
    centred = product - weight @ product
    # log(1 + E [exp(y) - 1 - y]) for y = lambda (F - K), of mean 0.
    tails = (np.log1p(_excess(sign * at, centred, weight) + MISSED * at**2) for sign in (1, -1))
    return Exponents(at, *(_ROUNDING * tail for tail in tails))


@functools.lru_cache(maxsize=64)
def any_correlation(q: int) -> Exponents:
    """Bound the supremum of psi_rho over all rho, from its values at a few of them."""
    if q == 1:
        # psi is convex in rho, and that of equal rows is the larger one of both ends.
        linear = at_correlation(1, 1.0).upper
        return Exponents(_GRID, linear, linear)
    rho = 1 - _DISTANCES
    ends = [at_correlation(q, float(end), shared=True) for end in rho]
    upper, lower = (np.array([getattr(end, side) for end in ends]) for side in ("upper", "lower"))
    return Exponents(_GRID, *supremum(q, _GRID, rho, upper, lower, _square_excess(_GRID, q)))


@functools.lru_cache(maxsize=64)
def increments(q: int) -> Exponents:
    """Bound E [exp(s N^2) - 1 - s N^2], N the largest of q absolute normals, on the grid of s.

    It bounds the exponent of an increment whose rows move by at most 1/2 (Step 7).
    """
    x, weight = largest_nodes(q)
    bound = _ROUNDING * (_excess(_GRID, x * x, weight) + MISSED * _GRID**2)
    return Exponents(_GRID, bound, bound)


def _square_excess(at: NDArray[np.float64], q: int) -> Any:
    """Bound E [exp(s M^2) - 1 - s M^2], which bounds psi_rho(s) and psi_rho(-s) at every rho."""
    x, weight = maximum_nodes(q)
    return _ROUNDING * (_excess(at, x * x, weight) + MISSED * at**2)


def _excess(at: NDArray[np.float64], value: NDArray[np.float64], weight: Floats) -> Any:
    """Compute E [exp(s v) - 1 - s v] at each s."""
    moments = [weight @ value**k / math.factorial(k) for k in (2, 3, 4)]
    excess = at**2 * (moments[0] + at * (moments[1] + at * moments[2]))
    for i in np.flatnonzero(np.abs(at) >= _SERIES):
        y = at[i] * value
        excess[i] = weight @ (np.expm1(y) - y)
    return excess


def supremum(
    q: int,
    at: NDArray[np.float64],
    rho: NDArray[np.float64],
    upper: Floats,
    lower: Floats,
    simple: ArrayLike,
) -> tuple[Any, Any]:
    """Bound both exponents over [-1, 1] from values `upper` and `lower` (rho, at), `rho` downwards.

    A cell is the interval between two neighbours of `rho`. In it psi_rho is bounded by its values
    at the ends and by derivatives in rho (Step 6): of psi_rho, sharp where lambda is small, and of
    E exp(lambda F), sharp where it is large. `simple` bounds both exponents everywhere.
    """
    kernel = np.asarray(exact.maxout_kernel(np.append(rho, -1.0), q))[:, None]
    above, below = kernel[:-1], kernel[1:]
    # Each cell has its right end in `rho`; the last cell, down to -1, has no left one.
    slack = at * math.exp(-2) * (above - below)
    by_right = np.log(np.exp(upper + at * above) + slack) - at * below
    at_left = np.exp(lower[1:] - at * below[:-1])
    opposite = np.exp(lower[-1:] - at * above[-1:]) + to_opposite(q, at, float(rho[-1]))
    by_left = np.log(np.vstack([at_left + slack[:-1], opposite])) + at * above
    widths = -np.diff(np.append(rho, -1.0))[:, None]
    bounds = []
    for values, cells in ((upper, by_right), (lower, by_left)):
        cells = np.minimum(cells, simple)
        # Improve on them by bounds of the derivative, three times.
        for _ in range(3):
            slope = derivative(q, at, cells.max(axis=0))
            inner = (values[:-1] + values[1:] + widths[:-1] * slope) / 2
            last = values[-1:] + widths[-1:] * slope
            cells = np.minimum(cells, np.vstack([inner, last]))
        bounds.append(cells.max(axis=0))
    return bounds[0], bounds[1]


def to_opposite(q: int, at: NDArray[np.float64], rho: float) -> Any:
    """Bound how much E exp(-at F) grows from `rho` < 0 down to -1, by its derivative (Step 6)."""
    kappa = float(exact.collision_probability(rho, q))
    return (1 + rho) * at * (kappa + q * 2.0 ** (2 - q) / np.sqrt(2 - 4 * at))


def derivative(q: int, at: NDArray[np.float64], bound: NDArray[np.float64]) -> Any:
    """Bound the derivative of psi_rho in rho (Step 5), from a bound of psi_rho at 2 lambda.

    As psi grows with lambda, the bound at the next larger lambda of the grid will do.
    """
    doubled = np.append(bound, np.inf)[np.searchsorted(at, 2 * at * (1 - 1e-12))]
    with np.errstate(over="ignore"):
        spread = np.sqrt(np.expm1(doubled))
    fourth = math.sqrt(exact.max_moment(4, q))
    return at * spread / 2 + at**2 * (exact.sigma2(q) + spread * fourth)
