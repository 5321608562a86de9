r"""Quadrature for expectations of functions of the product M M' of two correlated maxima.

With Phi_2 the bivariate normal distribution function at correlation rho and s = sqrt(1 - rho^2),
the density of (M, M') is

    q Phi_2^(q-1) phi_2(x, y)
      + q (q-1) Phi_2^(q-2) phi(x) phi(y) Phi((y - rho x)/s) Phi((x - rho y)/s):

one index wins both, or two do. The substitution x, y = a cos(t/2) +- b sin(t/2) with rho = cos(t)
keeps the first part standard normal in (a, b) however close rho is to 1. The integrand is entire:
where a and b move by i u, both parts grow by at most exp(q u^2/2), since abs(phi(x + i u)) is
exp(u^2/2) phi(x), and the same bounds Phi and Phi_2, an integral of such densities. That gives the
error of the trapezoid rule, :func:`missed`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler import exact

# Products are weighted by exp(lambda x y) up to this share of 1/(1 + abs(rho)), where the
# expectation is infinite for one index.
SHARE = 0.9
# Larger pools need a step that costs too much: their rule is not enclosed.
LARGEST_ENCLOSED = 16
_MOST_SHIFT = 3.0
# The same for the one-dimensional rules, of functions up to exp(LARGEST_SQUARE t^2).
LARGEST_SQUARE = 0.45
# Drop nodes that contribute less than this: all of them together stay below 1e-13.
_NEGLIGIBLE = 1e-19


def largest(rho: float) -> float:
    """Return the largest abs(lambda) that the nodes are made for."""
    return SHARE / (1 + abs(rho))


def missed(rho: float, q: int, step: float | None = None) -> float:
    """Bound the rule's error for E [exp(y) - 1 - y], y = lambda (F - K), over lambda^2.

    Where an axis moves by i u it misses epsilon = 2 exp(q u^2/2 - 2 pi u/h)/(1 - exp(-2 pi u/h))
    times the integral of abs(y)^2 exp(abs(Re y))/2, which bounds abs(exp(y) - 1 - y). There
    abs(F) <= r + 2 u^2 with r = (x^2 + y^2)/2, and abs(Re F) <= abs(x y) + 2 u^2. The density is at
    most q times that of correlation rho and q^2 times that of 0; with weights
    exp(lambda abs(x y)) either has a mass of at most 2 sqrt(10), and E r^2 <= 323 by it, from
    variances of at most 20 and 2. 0 for pools above LARGEST_ENCLOSED.
    """
    if q > LARGEST_ENCLOSED:
        return 0.0
    h = _step(q) if step is None else step
    u = min(2 * math.pi / (h * q), _MOST_SHIFT)
    decay = math.exp(-2 * math.pi * u / h)
    epsilon = 2 * math.exp(q * u * u / 2) * decay / (1 - decay)
    shift = 2 * u * u + exact.sigma2(q)
    mass = 2 * math.sqrt(10) * (q + q * q) * math.exp(largest(rho) * shift)
    return (2 * epsilon + epsilon**2) * mass * (323 + shift**2)


def _step(q: int) -> float:
    usual = 0.2 / (1 + 0.1 * math.log(q))
    return min(usual, 0.6 / math.sqrt(q)) if q <= LARGEST_ENCLOSED else usual


def product_nodes(rho: float, q: int, most: float) -> tuple[Any, Any]:
    """Return values of M M' and their weights, both (n,), at rho in [-0.95, 1].

    ``(weight * f(product)).sum()`` is E f(M M') for analytic f with abs(f(t)) at most
    exp(most abs(t)), most <= largest(rho); relative error about 1e-12, growing to 1e-9 at
    q = 10^6.
    """
    if rho == 1:
        return _squares(q)
    angle = math.acos(rho)
    c, d, s = math.cos(angle / 2), math.sin(angle / 2), math.sin(angle)
    step = _step(q)
    # Where the slowest decay left, exp(-(1 - most (1 + abs(rho))) a^2/2), is 1e-16.
    reach = math.sqrt(2 * 37 / (1 - most * (1 + abs(rho))))
    # Offsets keep the grid off x = 0 and y = 0, where Owen's function is not defined.
    a = np.arange(-reach, reach / c, step)[:, None] + 0.3183 * step
    b_end = min(reach / d, reach / c * (1 + d / c))
    b = np.arange(-b_end, b_end, step)[None, :] + 0.2718 * step
    x, y = a * c + b * d, a * c - b * d
    # Upper bound of both parts: the distribution functions only make them smaller.
    above = q * _density(a) * _density(b) + q * q * s * _density(x) * _density(y)
    kept = above * np.exp(most * np.abs(x * y)) > _NEGLIGIBLE
    a, b = (np.broadcast_to(one, kept.shape)[kept] for one in (a, b))
    x, y = x[kept], y[kept]
    below = _bivariate_cdf(x, y, rho, s)
    weight = q * below ** (q - 1) * _density(a) * _density(b)
    if q > 1:
        two_win = q * (q - 1) * below ** (q - 2) * s * _density(x) * _density(y)
        weight = weight + two_win * _ndtr((y - rho * x) / s) * _ndtr((x - rho * y) / s)
    product = x * y
    kept = weight * np.exp(most * np.abs(product)) > _NEGLIGIBLE
    return product[kept], weight[kept] * step**2


def _squares(q: int) -> tuple[Any, Any]:
    """Return the nodes at rho = 1, where M M' = M^2 and the density is that of one maximum."""
    x, density = maximum_nodes(q)
    return x * x, density


def maximum_nodes(q: int) -> tuple[Any, Any]:
    """Return values of M and their weights, for functions up to exp(0.45 M^2)."""
    from scipy.special import log_ndtr

    step, end = 1 / 32, _end(q)
    x = np.arange(-end, end, step)
    exponent = (q - 1) * log_ndtr(x) - x * x / 2
    return x, q / math.sqrt(2 * math.pi) * np.exp(exponent) * step


def largest_nodes(q: int) -> tuple[Any, Any]:
    """Return values of N = max_j abs(g_j) and weights, for functions up to exp(0.45 N^2)."""
    from scipy.special import erf

    # Gauss's rule: on the half line the trapezoid rule has an end-point error.
    nodes, weights = np.polynomial.legendre.leggauss(16)
    edges = np.linspace(0, _end(q), 4 * math.ceil(_end(q)))
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    x = (middle[:, None] + half[:, None] * nodes).ravel()
    weight = (half[:, None] * weights).ravel()
    density = 2 * q * _density(x) * erf(x / math.sqrt(2)) ** (q - 1)
    return x, density * weight


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
