"""Fixed tables on half a line: Gauss-Legendre points in panels, and Hermite functions there.

The Gaussian is even, so a function is integrated as its even and its odd part, from 0 on.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np

# h_k(g) phi(g) is below 1e-19 beyond this for every k < 512.
REACH = 14.0
PANEL = 0.25
N_PANELS = int(REACH / PANEL)
# The finer rule also samples both ends, with weight 0, to see a jump next to an end.
POINTS, FINER = 16, 26
_END = 2.0**-50


@functools.cache
def points(n: int) -> tuple[Any, Any]:
    """Return Gauss-Legendre points in (0, 1) and weights of sum 1; the finer rule has both ends."""
    x, w = np.polynomial.legendre.leggauss(n - 2 if n == FINER else n)
    if n == FINER:
        x, w = (np.concatenate(pair) for pair in ((x, [2 * _END - 1, 1 - 2 * _END]), (w, [0, 0])))
    return (1 + x) / 2, w / 2


@functools.cache
def interpolation() -> Any:
    """Return the matrix from values at the points of a panel to the finer ones: (POINTS, FINER)."""
    x, _ = points(POINTS)
    at, _ = points(FINER)
    apart = x[:, None] - x[None, :]
    from_each = at[None, :] - x[:, None]
    # Lagrange's polynomials: products over the other points.
    found = np.empty((POINTS, FINER))
    for i in range(POINTS):
        others = np.delete(from_each, i, axis=0)
        found[i] = np.prod(others / np.delete(apart[i], i)[:, None], axis=0)
    return found


def nodes(n: int) -> Any:
    """Return the points of all panels, (N_PANELS, n)."""
    return PANEL * (np.arange(N_PANELS)[:, None] + points(n)[0])


_lock = threading.Lock()


def table(n: int, terms: int) -> Any:
    """Return 2 w phi(g) h_k(g) at `nodes`, (N_PANELS * n, terms), shared by all threads."""
    with _lock:
        return _build(n, terms)


@functools.cache
def _build(n: int, terms: int) -> Any:
    at = nodes(n).ravel()
    weight = np.tile(PANEL * points(n)[1], N_PANELS)
    values = np.empty((at.size, terms))
    for k, column in enumerate(hermite(at, terms)):
        values[:, k] = column
    return values * (2.0 * weight * root_of_density(at))[:, None]


def root_of_density(at: Any) -> Any:
    """Compute the square root of the Gaussian density."""
    return np.exp(-0.25 * at * at) / (2 * np.pi) ** 0.25


def hermite(at: Any, terms: int) -> Any:
    """Yield h_k(g) sqrt(phi(g)), which stays bounded where h_k alone would overflow."""
    before, now = np.zeros_like(at), root_of_density(at)
    for k in range(terms):
        yield now
        before, now = now, (at * now - np.sqrt(k) * before) / np.sqrt(k + 1)
