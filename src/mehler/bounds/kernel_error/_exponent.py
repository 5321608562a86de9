r"""Exponents of Chernoff bounds for products of maxout units, by quadrature with bounded error.

With M and M' the maxima of q normal pairs of correlation rho, F = M M', K = E F, the exponent is
psi_rho(lambda) = log E exp(lambda (F - K)). Three functions of it are computed on one grid of
lambda: at a known correlation; the supremum over all correlations; and the bound of increments.

With Phi_2 and phi_2 the bivariate normal distribution and density at rho, s = sqrt(1 - rho^2),
the density of (M, M') is

    q Phi_2^(q-1) phi_2(x, y)
      + q (q-1) Phi_2^(q-2) phi(x) phi(y) Phi((y - rho x)/s) Phi((x - rho y)/s):

one index wins both, or two do. The substitution x, y = a cos(t/2) +- b sin(t/2) with rho = cos(t)
keeps the first part standard normal in (a, b) however close rho is to 1. The integrand is entire,
so that the trapezoid rule's error has a bound. ``tests/bounds/quadrature.py`` proves and computes
it for the table of steps.
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

# Products are weighted by exp(lambda x y) up to this share of 1/(1 + abs(rho)), where the
# expectation is infinite for one index. Nearer to it weights overflow.
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
# The grid of nodes grows without bound towards -1, where the supremum is not attained.
LOWEST = -0.95
# Chernoff's bound is a minimum over lambda: any grid gives a valid one. The best point of this one
# is within 0.4 % of the true minimum for all m up to 10^18: even ratios up to half the pole, four
# per doubling, from there even ratios of the distance to it.
_SMALL = 0.9 * np.exp2(-np.arange(148)[::-1] / 4)
_NEAR = 1 - 0.5 * np.exp2(-np.arange(14) / 4)
# Below this exp(y) - 1 - y cancels; the first three terms of its series are exact to 1e-9.
_SERIES = 1.2e-4
# That, and the rounding of SciPy's distribution functions; psi is larger by this part of itself.
_ROUNDING = 1 + 2e-9
# Distances from rho = 1 at which psi_rho is computed, finer where it is largest.
_DISTANCES = np.concatenate([[0.0], np.geomspace(0.004, 0.4, 14), np.linspace(0.55, 1.95, 9)])


def product_nodes(rho: float, q: int, most: float, step: float = 0.0) -> tuple[Any, Any]:
    """Return values of M M' and their weights, both (n,), at rho in [-0.95, 1].

    ``(weight * f(product)).sum()`` is E f(M M') for analytic f with abs(f(t)) at most
    exp(most abs(t)), most up to SHARE/(1 + abs(rho)).
    """
    if rho == 1:
        x, density = maximum_nodes(q)
        return x * x, density
    angle = math.acos(rho)
    c, d, s = math.cos(angle / 2), math.sin(angle / 2), math.sin(angle)
    step = step or step_for(q)
    # Where the slowest decay left, exp(-(1 - most (1 + abs(rho))) a^2/2), is 1e-16.
    reach = math.sqrt(2 * 37 / (1 - most * (1 + abs(rho))))
    # Offsets keep the grid off x = 0 and y = 0, where Owen's function is not defined. The
    # integrand is even in b: positive nodes count twice.
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
    """Return the step of the rule for a pool size."""
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
    """Return values of N = max_j abs(g_j) and weights, up to exp(LARGEST_SQUARE N^2)."""
    # Gauss's rule: on the half line the trapezoid rule has an end-point error.
    nodes, weights = np.polynomial.legendre.leggauss(GAUSS)
    low, high = edges(q, panels)[:-1], edges(q, panels)[1:]
    middle, half = (high + low) / 2, (high - low) / 2
    x = (middle[:, None] + half[:, None] * nodes).ravel()
    weight = (half[:, None] * weights).ravel()
    density = 2 * q * _density(x) * erf(x / math.sqrt(2)) ** (q - 1)
    return _above_zero(x, density * weight)


def edges(q: int, panels: float) -> Any:
    return np.linspace(0, end(q), round(panels * math.ceil(end(q))))


def end(q: int) -> float:
    """Return the point where q exp(-(1/2 - LARGEST_SQUARE) t^2) has fallen to 1e-16."""
    return math.sqrt((37 + math.log(q)) / (0.5 - LARGEST_SQUARE))


def _density(t: NDArray[np.float64]) -> Any:
    return np.exp(-t * t / 2) / math.sqrt(2 * math.pi)


def _grid(rho: float) -> Any:
    pole = 1 / (1 + abs(rho))
    return np.append(_SMALL[pole / 2 > _SMALL], pole * _NEAR)


# The part that every correlation has.
_GRID = _grid(1.0)


@dataclass(frozen=True)
class Exponents:
    """Upper bounds of the exponent at ``lambda`` (upper tail) and ``-lambda`` (lower tail)."""

    at: Any
    upper: Floats
    lower: Floats

    def deviation(self, cost: float | NDArray[np.float64]) -> Any:
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
    if rho < LOWEST:
        return any_correlation(q)
    at = _GRID if shared else _grid(rho)
    product, weight = product_nodes(rho, q, float(at[-1]))
    # Use the rule's own mass and mean (1 and K to 1e-9): their errors would dominate where psi
    # is of order lambda^2.
    weight = weight / weight.sum()
    centred = product - weight @ product
    # log(1 + E [exp(y) - 1 - y]) for y = lambda (F - K), of mean 0.
    tails = (np.log1p(_excess(sign * at, centred, weight) + MISSED * at**2) for sign in (1, -1))
    return Exponents(at, *(_ROUNDING * tail for tail in tails))


@functools.lru_cache(maxsize=64)
def any_correlation(q: int) -> Exponents:
    """Bound the supremum over rho in [-1, 1] of psi_rho: the largest of its bounds on cells."""
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
    """Bound E [exp(s N^2) - 1 - s N^2], N = max_j abs(g_j): the exponent of increments.

    For increments of length 1/2.
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
    """Bound how much E exp(-at F) grows from `rho` < 0 down to -1.

    d/drho E exp(-at F) >= -at (kappa + E [exp(2 at abs(F)); D = D', F < 0]), D the index of M: one
    whose signs differ has all others below its negative one, which makes the expectation finite.
    """
    kappa = float(exact.collision_probability(rho, q))
    return (1 + rho) * at * (kappa + q * 2.0 ** (2 - q) / np.sqrt(2 - 4 * at))


def derivative(q: int, at: NDArray[np.float64], bound: NDArray[np.float64]) -> Any:
    """Bound the derivative of psi_rho in rho: lambda t/2 + lambda^2 (sigma^2 + t sqrt(E M^4)).

    t^2 = exp(bound at 2 lambda) - 1 is at least the variance of exp(lambda F)/E exp(lambda F). As
    psi grows with lambda, a bound at the next larger one of the grid will do.
    """
    doubled = np.append(bound, np.inf)[np.searchsorted(at, 2 * at * (1 - 1e-12))]
    with np.errstate(over="ignore"):
        spread = np.sqrt(np.expm1(doubled))
    fourth = math.sqrt(exact.max_moment(4, q))
    return at * spread / 2 + at**2 * (exact.sigma2(q) + spread * fourth)
