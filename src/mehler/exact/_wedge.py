r"""log G of Gaussian wedges on a fixed grid: the one two-dimensional table behind all pool sizes.

For unit vectors at angle theta, two projections of one weight are a planar standard normal
point seen along two axes. With apex (a, b) and

    X, Y = a cos(theta/2) +- b sin(theta/2),    G = P(g <= X, g_rho <= Y),

G is the measure of the wedge with that apex and opening pi - theta, and

    kappa_q(cos theta) = q E[G(a, b)^(q-1)],    (a, b) standard normal.

G does not depend on q. It is built by spectral integration of

    dG/da = cos(theta/2) [phi(X) Phi(X') + phi(Y) Phi(Y')],
    X', Y' = a sin(theta/2) -+ b cos(theta/2)

over the half plane a <= 0, and reflected: 1 - G(a, b) = Q(X) + Q(Y) - G(-a, b). Because
G(-a, b) <= min(Q(X), Q(Y)) nothing cancels, so 1 - G has full relative accuracy and G^(q-1)
survives pool sizes of a million. No bivariate normal routine is called.
"""

from __future__ import annotations

import functools
import itertools
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, legendre

# Chebyshev nodes in theta: kappa_q is analytic in theta on the closed interval [0, pi]; at
# q = 10^6 its coefficients fall below 1e-15 before the 64th.
N_ANGLES = 64
# Gauss-Legendre panels for a <= 0. Up to a = 10.6, where q phi(a) < 1e-17 for q = 10^6; finer
# where G^(q-1) turns from 0 to 1, which is near a = sqrt(2 log q).
_PANELS = (10.6, 7.5, 6.0, 5.0, 4.0, 3.0, 1.6, 0.0)
_NODES = 24
# Trapezoid rule in b >= 0 (the integrand is even): phi(8.8) < 1e-17.
_B_END, _B_STEPS = 8.8, 80


@dataclass(frozen=True)
class WedgeGrid:
    """log G at (angle, apex a, apex b), with quadrature weights for a standard normal apex."""

    theta: Any  # (t,)
    a: Any  # (i,)
    b: Any  # (k,)
    weight_a: Any  # (i,): phi(a) da
    weight_b: Any  # (k,): phi(b) db, both signs of b
    log_g: Any  # (t, i, k)


_lock = threading.Lock()


def wedge_grid() -> WedgeGrid:
    """Return the grid, built once (about 0.1 s) and shared by all threads."""
    with _lock:
        return _build()


@functools.cache
@np.errstate(under="ignore")
def _build() -> WedgeGrid:
    from scipy.special import erfc, ndtr  # deferred: 0.1 s to import

    theta = (1 + chebyshev.chebpts1(N_ANGLES)) * (np.pi / 2)
    cos, sin = np.cos(theta / 2)[:, None, None], np.sin(theta / 2)[:, None, None]
    nodes, weights = legendre.leggauss(_NODES)
    integrate = _integration_matrix(nodes)
    b = np.linspace(0.0, _B_END, _B_STEPS + 1)
    weight_b = np.full(b.shape, 2 * _B_END / _B_STEPS)
    weight_b[0] /= 2

    below, a_below, weight_a = [], [], []
    so_far = np.zeros((N_ANGLES, 1, b.size))
    for low, high in itertools.pairwise(_PANELS):
        half = (low - high) / 2
        a = -low + half * (nodes + 1)
        x, y = a[:, None] * cos + b * sin, a[:, None] * cos - b * sin
        x_turned, y_turned = a[:, None] * sin - b * cos, a[:, None] * sin + b * cos
        slope = cos * (_phi(x) * ndtr(x_turned) + _phi(y) * ndtr(y_turned))
        below.append(so_far + half * np.matmul(integrate, slope))
        so_far = so_far + half * np.tensordot(slope, weights, (1, 0))[:, None, :]
        a_below.append(a)
        weight_a.append(half * weights)
    g = np.concatenate(below, axis=1)
    a = np.concatenate(a_below)
    wa = np.concatenate(weight_a)

    x, y = -a[::-1, None] * cos + b * sin, -a[::-1, None] * cos - b * sin
    upper = (erfc(x / np.sqrt(2)) + erfc(y / np.sqrt(2))) / 2 - g[:, ::-1, :]
    with np.errstate(divide="ignore"):
        # Narrow wedges: G = 0 in float64, its log is -inf, and its powers are 0 as they should be.
        log_below = np.log(np.maximum(g, 0.0))
        log_above = np.log1p(-np.minimum(upper, 1.0))
    return WedgeGrid(
        theta=theta,
        a=np.concatenate([a, -a[::-1]]),
        b=b,
        weight_a=np.concatenate([wa * _phi(a), (wa * _phi(a))[::-1]]),
        weight_b=weight_b * _phi(b),
        log_g=np.concatenate([log_below, log_above], axis=1),
    )


def _phi(t: Any) -> Any:
    return np.exp(-t * t / 2) / np.sqrt(2 * np.pi)


def _integration_matrix(nodes: Any) -> Any:
    """M[i, j] = integral from -1 to nodes[i] of the j-th Lagrange polynomial at `nodes`."""
    n = nodes.size
    # Legendre series of the interpolant: Gauss-Legendre quadrature makes the transform exact.
    _, weights = legendre.leggauss(n)
    to_series = legendre.legvander(nodes, n - 1).T * weights * (np.arange(n)[:, None] + 0.5)
    return legendre.legval(nodes, legendre.legint(to_series, lbnd=-1)).T
