r"""Quadrature for expectations of functions of the product M M' of two correlated maxima.

With Phi_2 the bivariate normal distribution function at correlation rho and s = sqrt(1 - rho^2),
the density of (M, M') is

    q Phi_2^(q-1) phi_2(x, y)
      + q (q-1) Phi_2^(q-2) phi(x) phi(y) Phi((y - rho x)/s) Phi((x - rho y)/s):

one index wins both, or two do. The substitution x, y = a cos(t/2) +- b sin(t/2) with rho = cos(t)
keeps the first part standard normal in (a, b) however close rho is to 1. The integrand is entire,
so that the trapezoid rule's error has a bound: :mod:`mehler.bounds.kernel_error._missed`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler.bounds.kernel_error import _missed

# Products are weighted by exp(lambda x y) up to this share of 1/(1 + abs(rho)), where the
# expectation is infinite for one index. Nearer to it weights leave the floats.
SHARE = 1 - 2.0**-4.25
# The same for the one-dimensional rules, of functions up to exp(LARGEST_SQUARE t^2).
LARGEST_SQUARE = SHARE / 2
# Drop nodes that contribute less than this: all of them together stay below 1e-13.
_LOG_NEGLIGIBLE = math.log(1e-19)


def largest(rho: float) -> float:
    """Return the largest abs(lambda) that the nodes are made for."""
    return SHARE / (1 + abs(rho))


def product_nodes(rho: float, q: int, most: float, step: float | None = None) -> tuple[Any, Any]:
    """Return values of M M' and their weights, both (n,), at rho in [-0.95, 1].

    ``(weight * f(product)).sum()`` is E f(M M') for analytic f with abs(f(t)) at most
    exp(most abs(t)), most <= largest(rho).
    """
    if rho == 1:
        return _squares(q)
    angle = math.acos(rho)
    c, d, s = math.cos(angle / 2), math.sin(angle / 2), math.sin(angle)
    step = _missed.step_for(q, rho) if step is None else step
    # Where the slowest decay left, exp(-(1 - most (1 + abs(rho))) a^2/2), is 1e-16.
    reach = math.sqrt(2 * 37 / (1 - most * (1 + abs(rho))))
    # Offsets keep the grid off x = 0 and y = 0, where Owen's function is not defined. The
    # integrand is even in b: positive nodes count twice.
    a = np.arange(-reach, reach / c, step)[:, None] + 0.3183 * step
    b_end = min(reach / d, reach / c * (1 + d / c))
    b = np.arange(0.0, b_end, step)[None, :] + step / 2
    x, y = a * c + b * d, a * c - b * d
    kept = _log_above(a, b, x, y, q, s) + most * np.abs(x * y) > _LOG_NEGLIGIBLE
    a, b = (np.broadcast_to(one, kept.shape)[kept] for one in (a, b))
    x, y = x[kept], y[kept]
    below = _bivariate_cdf(x, y, rho, s)
    weight = q * below ** (q - 1) * _density(a) * _density(b)
    if q > 1:
        two_win = q * (q - 1) * below ** (q - 2) * s * _density(x) * _density(y)
        weight = weight + two_win * _ndtr((y - rho * x) / s) * _ndtr((x - rho * y) / s)
    product = x * y
    with np.errstate(divide="ignore"):
        kept = np.log(weight) + most * np.abs(product) > _LOG_NEGLIGIBLE
    return product[kept], 2 * weight[kept] * step**2


def _log_above(a: Any, b: Any, x: Any, y: Any, q: int, s: float) -> Any:
    """Bound the logarithm of the density: Phi_2 <= exp(-y^2/2)/2 where y, the smaller, is < 0."""
    one = math.log(q) - (a * a + b * b) / 2
    two = math.log(q * q * s) - (x * x + y * y) / 2
    below = np.minimum(y, 0.0)
    return np.logaddexp(one, two) - math.log(2 * math.pi) - max(q - 2, 0) * below**2 / 2


def _squares(q: int) -> tuple[Any, Any]:
    """Return the nodes at rho = 1, where M M' = M^2 and the density is that of one maximum."""
    x, density = maximum_nodes(q)
    return x * x, density


def maximum_nodes(q: int) -> tuple[Any, Any]:
    """Return values of M and their weights, for functions up to exp(LARGEST_SQUARE M^2)."""
    from scipy.special import log_ndtr

    # No longer than the step whose error is bounded.
    step, end = min(1 / 32, _missed.step_for(q, 1.0)), _end(q)
    x = np.arange(-end, end, step)
    exponent = (q - 1) * log_ndtr(x) - x * x / 2
    return _above_zero(x, q / math.sqrt(2 * math.pi) * np.exp(exponent) * step)


def _above_zero(x: Any, weight: Any) -> tuple[Any, Any]:
    """Drop the nodes whose weight is below the floats, where exp(LARGEST_SQUARE x^2) is above."""
    return x[weight > 0], weight[weight > 0]


def largest_nodes(q: int) -> tuple[Any, Any]:
    """Return values of N = max_j abs(g_j) and weights, up to exp(LARGEST_SQUARE N^2)."""
    from scipy.special import erf

    # Gauss's rule: on the half line the trapezoid rule has an end-point error.
    nodes, weights = np.polynomial.legendre.leggauss(16)
    edges = np.linspace(0, _end(q), 4 * math.ceil(_end(q)))
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    x = (middle[:, None] + half[:, None] * nodes).ravel()
    weight = (half[:, None] * weights).ravel()
    density = 2 * q * _density(x) * erf(x / math.sqrt(2)) ** (q - 1)
    return _above_zero(x, density * weight)


def _end(q: int) -> float:
    """Return the point where q exp(-(1/2 - LARGEST_SQUARE) t^2) has fallen to 1e-16."""
    return math.sqrt((37 + math.log(q)) / (0.5 - LARGEST_SQUARE))


def _bivariate_cdf(x: Any, y: Any, rho: float, s: float) -> Any:
    """Compute Phi_2 by Owen's function T."""
    from scipy.special import owens_t

    split = np.where(x * y > 0, 0.0, 0.5)
    owen = owens_t(x, (y - rho * x) / (x * s)) + owens_t(y, (x - rho * y) / (y * s))
    return np.maximum((_ndtr(x) + _ndtr(y)) / 2 - owen - split, 0.0)


def _ndtr(t: Any) -> Any:
    from scipy.special import ndtr

    return ndtr(t)


def _density(t: Any) -> Any:
    return np.exp(-t * t / 2) / math.sqrt(2 * math.pi)
