r"""Mehler's series for any activation: one quadrature a length, one power series a pair.

.. math:: E\,a(s_x g)\,a(s_y g_\rho) = \sum_{k\ge0} \rho^k c_k(s_x) c_k(s_y),
          \qquad c_k(s) = E\,a(s g) h_k(g)

What is left out after n terms is at most :math:`|\rho|^n \sqrt{t_n(s_x) t_n(s_y)}` by Cauchy and
Schwarz, with :math:`t_n(s) = E\,a(s g)^2 - \sum_{k<n} c_k(s)^2`.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

MOST_TERMS = 512
_FEWEST_TERMS = 64
# h_k(g) phi(g) is below 1e-19 beyond this for every k < MOST_TERMS.
_REACH = 14.0
# Panels shrink towards 0 down to this, for activations that switch at 0 ever more sharply.
_SMALLEST_PANEL = 2.0**-12
_PANEL = 0.25
_EPS = float(np.finfo(np.float64).eps)
_HostFunction = Callable[[Any], Any]


@functools.cache
def _nodes(points: int) -> tuple[Any, Any]:
    """Gauss-Legendre points and weights on panels graded towards 0, over [-reach, reach]."""
    graded = _PANEL * 0.5 ** np.arange(int(np.log2(_PANEL / _SMALLEST_PANEL)), -1, -1)
    ends = np.concatenate([[0.0], graded, np.arange(2 * _PANEL, _REACH + _PANEL / 2, _PANEL)])
    ends = np.concatenate([-ends[:0:-1], ends])
    x, w = np.polynomial.legendre.leggauss(points)
    half = np.diff(ends)[:, None] / 2
    middle = (ends[1:] + ends[:-1])[:, None] / 2
    return (middle + half * x).ravel(), (half * w).ravel()


_lock = threading.Lock()


def _table(points: int, terms: int) -> tuple[Any, Any]:
    """Nodes, and w_i phi(g_i) h_k(g_i), (nodes, terms): built once, shared by all threads."""
    with _lock:
        return _build(points, terms)


@functools.cache
def _build(points: int, terms: int) -> tuple[Any, Any]:
    """The same, through Hermite functions."""
    g, w = _nodes(points)
    root = np.exp(-0.25 * g * g) / (2 * np.pi) ** 0.25
    # h_k sqrt(phi) stays bounded where h_k alone would overflow.
    values = np.empty((g.size, terms))
    values[:, 0] = root
    values[:, 1] = g * root
    for k in range(1, terms - 1):
        values[:, k + 1] = (g * values[:, k] - np.sqrt(k) * values[:, k - 1]) / np.sqrt(k + 1)
    return g, values * (w * root)[:, None]


def _projected(function: _HostFunction, scales: Any, points: int, terms: int) -> tuple[Any, Any]:
    """Coefficients (n, terms) and second moments (n,) of function(s g) for each s."""
    g, table = _table(points, terms)
    at = np.asarray(function(scales[:, None] * g), dtype=np.float64)
    if at.shape != (scales.size, g.size):
        raise ValueError(
            f"the activation made shape {at.shape} from {(scales.size, g.size)}; it must work "
            "element by element"
        )
    if not np.all(np.isfinite(at)):
        bad = (scales[:, None] * g)[~np.isfinite(at)].flat[0]
        raise ValueError(
            f"the activation is not finite at {bad:g}, which projections can reach: give one "
            "that is finite everywhere and grows no faster than a polynomial"
        )
    return at @ table, at**2 @ table[:, 0]


def coefficients(function: _HostFunction, scales: Any) -> tuple[Any, Any, Any]:
    """What the series needs of each scale.

    Parameters
    ----------
    function : callable
        On NumPy arrays.
    scales : numpy.ndarray, shape (n,)

    Returns
    -------
    c : numpy.ndarray, shape (n, terms)
        As many terms, doubled from 64 to 512, as bring the tail below rounding.
    tail : numpy.ndarray, shape (n,)
        sqrt of t_n, with rounding.
    error : numpy.ndarray, shape (n,)
        Error of a kernel value by the quadrature of c: the change from 16 to 24 points a panel,
        and rounding.
    """
    terms = _FEWEST_TERMS
    while True:
        c, second = _projected(function, scales, 16, terms)
        left = second - np.sum(c * c, axis=1)
        if terms >= MOST_TERMS or np.all(left <= 64 * _EPS * second):
            break
        terms *= 2
    finer, finer_second = _projected(function, scales, 24, _FEWEST_TERMS)
    change = np.sum(np.abs(finer - c[:, :_FEWEST_TERMS]) ** 2, axis=1) ** 0.5
    error = 2 * change * second**0.5 + np.abs(finer_second - second) + 64 * _EPS * second
    return c, np.sqrt(np.maximum(left, 0.0) + error), error


def pair_moment(function: _HostFunction, rho: Any, x_scale: Any, y_scale: Any) -> tuple[Any, Any]:
    """E function(u) function(v) on the host and a bound for its error, by Mehler's series.

    Parameters
    ----------
    function : callable
    rho, x_scale, y_scale : numpy.ndarray
        Of shapes that broadcast together.

    Returns
    -------
    value, error : numpy.ndarray
    """
    scales, where = np.unique(
        np.concatenate([np.ravel(x_scale), np.ravel(y_scale)]), return_inverse=True
    )
    c, tail, error = coefficients(function, scales)
    left = where[: np.size(x_scale)].reshape(np.shape(x_scale))
    right = where[np.size(x_scale) :].reshape(np.shape(y_scale))
    total = np.zeros(np.broadcast_shapes(np.shape(rho), left.shape, right.shape))
    for k in range(c.shape[1] - 1, -1, -1):
        total *= rho
        total += c[left, k] * c[right, k]
    bound = np.abs(rho) ** c.shape[1] * tail[left] * tail[right] + np.maximum(
        error[left], error[right]
    )
    return total, bound
