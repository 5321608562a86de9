r"""Collision probabilities of cross-polytope hashes, at every angle, from one table of areas.

d projections of each row are d independent pairs (g, g') of correlation rho = cos(theta), and the
hash is the place of the largest absolute value and its sign: 2 d values. By symmetry

    P(same value) = 2 d P(g_1 > abs(g_j), g'_1 > abs(g'_j) for j > 1)
                  = 2 d integral over x, y > 0 of phi_2(x, y) B(x, y)^(d-1),
    B = P(abs(g) <= x, abs(g') <= y).

With Owen's function T and s = sin(theta), without cancellation where B is near 1,

    (1 - B)/2 = T(x, (y - rho x)/(x s)) + T(x, (y + rho x)/(x s)) + the same with x and y changed.

x, y = a cos(theta/2) +- b sin(theta/2) makes (a, b) independent. B does not depend on d.
"""

from __future__ import annotations

import functools
import itertools
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, legendre
from numpy.typing import NDArray

from mehler import _arrays
from mehler._validate import require_integer
from mehler.exact import _closed_form, _table
from mehler.exact._correlations import LARGEST_POOL, at_rho
from mehler.exact._table import N_ANGLES

# Panels of a: finer where B^(d-1) turns from 0 to 1, and towards 0, where the quadrant opens within
# tan(theta/2), down to the smallest angle.
_PANELS = (0.0, *(4.0**k for k in range(-7, 0)), 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.5, 10.6)
_NODES = 24
# Panels of b, in shares of where its density or the quadrant ends.
_B_END, _B_PANELS = 8.8, 3
_lock = threading.Lock()


def cross_polytope_collision(rho: _arrays.Array, d: int) -> Any:
    r"""Compute the collision probability of cross-polytope hashes of d projections.

    The hash of a row is which of its d projections is largest in absolute value, and its sign; for
    rows of cosine rho and independent normal projections

    .. math:: P = 2d\int_0^\infty\!\int_0^\infty \varphi_2(x, y; \rho)\,
              P(|g| \le x, |g'| \le y)^{d-1}\,dx\,dy

    Parameters
    ----------
    rho : float or array
        As of all functions of :mod:`mehler.exact`, with their errors.
    d : int
        Number of projections, 1 to 500,000. The hash has 2 d values, as a maxout code has q.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`.

    Notes
    -----
    It is 1, 1/(2 d) and 0 at rho = 1, 0 and -1; the hash by one sign at d = 1, and its square at d
    = 2, where the cells are quadrants. Absolute error at most 1e-12 in float64, 1e-6 in float32.
    The first table takes about a second, a further d about 10 ms.

    References
    ----------
    A. Andoni, P. Indyk, T. Laarhoven, I. Razenshteyn, L. Schmidt (2015), Section 3, for the hash;
    :doc:`/theorems/remark-1-codes` for its exponent beside others.

    Examples
    --------
    >>> from mehler import exact
    >>> round(exact.cross_polytope_collision(0.5, 1), 12), round(2 / 3, 12)
    (0.666666666667, 0.666666666667)
    >>> round(exact.cross_polytope_collision(0.5, 8), 6)
    0.232501
    """
    return at_rho(_collision, rho, require_integer("number of projections d", d, most=LARGEST_D))


LARGEST_D = LARGEST_POOL // 2


def _collision(rho: _arrays.Array, d: int) -> _arrays.Array:
    if d == 1:
        return _closed_form.collision_on_array(rho, 2)
    value, slope = _tables(d)

    probability = functools.partial(_table.probability, value)
    return _arrays.with_derivative(probability, lambda r: _table.over_root(slope, r), rho)


@functools.lru_cache(maxsize=64)
def _tables(d: int) -> tuple[Any, Any]:
    """Return local polynomials of P, and of sin(theta/2) dP/drho, in theta."""
    with _lock:
        grid = _grid()
    with np.errstate(under="ignore"):
        values = 2 * d * (np.exp((d - 1) * grid.log_b) * grid.weight).sum(axis=(1, 2))
    return _table.with_slope(values, grid.theta)


@dataclass(frozen=True)
class _Grid:
    theta: Any  # (t,)
    weight: Any  # (t, i, k): phi(a) da phi(b) db, both signs of b
    log_b: Any  # (t, i, k)


@functools.cache
@np.errstate(under="ignore")
def _grid() -> _Grid:
    theta = (1 + chebyshev.chebpts1(N_ANGLES)) * (np.pi / 2)
    cos, sin = np.cos(theta / 2)[:, None, None], np.sin(theta / 2)[:, None, None]
    nodes, weights = legendre.leggauss(_NODES)
    middle = (nodes + 1) / 2
    ends = list(itertools.pairwise(_PANELS))
    a = np.concatenate([low + (high - low) * middle for low, high in ends])[:, None]
    weight_a = np.concatenate([(high - low) / 2 * weights for low, high in ends])[:, None]
    # The quadrant ends at b = a cos/sin; the density, where that is larger, at _B_END.
    end = np.minimum(a * cos / sin, _B_END)
    share = np.concatenate([(i + middle) / _B_PANELS for i in range(_B_PANELS)])
    b = end * share
    weight_b = end * np.tile(weights / (2 * _B_PANELS), _B_PANELS)
    x, y = a * cos + b * sin, a * cos - b * sin
    density = np.exp(-(a * a + b * b) / 2) / (2 * np.pi)
    log_b = _log_inside(x, y, (a * sin, b * cos), (a * cos**2 / sin, b * sin**2 / cos))
    return _Grid(theta, 2 * density * weight_a * weight_b, log_b)


def _log_inside(x: NDArray[np.float64], y: NDArray[np.float64], minus: Any, plus: Any) -> Any:
    """Compute log B by Owen's function, with s = sin(theta).

    `minus` is a pair of difference (y - rho x)/s and sum (x - rho y)/s; `plus` has + for both -.
    """
    from scipy.special import owens_t

    outside = 2 * sum(owens_t(x, (u - v) / x) + owens_t(y, (u + v) / y) for u, v in (minus, plus))
    with np.errstate(divide="ignore"):
        # Small squares: B = 0 in float64, its powers are 0 as they should be.
        return np.log1p(-np.clip(outside, 0.0, 1.0))
