"""Panels of half a line: fixed Gauss-Legendre rules with Hermite functions, and adaptive ones.

The Gaussian is even, so a function is integrated as its even and its odd part, from 0 on.

A panel is resolved if its interpolation polynomial matches the function at the finer points, in
mean square weighted by Gaussian mass. Bisection locates a jump to the last digit, in fifty panels.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    matrix = np.empty((POINTS, FINER))
    for i in range(POINTS):
        others = np.delete(from_each, i, axis=0)
        matrix[i] = np.prod(others / np.delete(apart[i], i)[:, None], axis=0)
    return matrix


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


def root_of_density(at: NDArray[np.float64]) -> Any:
    """Compute the square root of the Gaussian density."""
    return np.exp(-0.25 * at * at) / (2 * np.pi) ** 0.25


def hermite(at: NDArray[np.float64], terms: int) -> Any:
    """Yield h_k(g) sqrt(phi(g)), which stays bounded where h_k alone would overflow."""
    before, now = np.zeros_like(at), root_of_density(at)
    for k in range(terms):
        yield now
        before, now = now, (at * now - np.sqrt(k) * before) / np.sqrt(k + 1)


# values(scale index, g): the function at s g and at -s g, over the function's size at that scale.
Sample = Callable[[Any, Any], tuple[Any, Any]]

# Tolerance over the root mean square: rounding times the Lebesgue constant of the points.
TOLERANCE = 2.0**-46
# An unresolved panel no wider than so many neighbouring floats is a jump; near 0, where floats
# are dense, narrower panels have no mass.
_ADJACENT = 8 * float(np.finfo(np.float64).eps)
_NEAR = 2.0**-10
_LEVELS = 110
# Most panels of one scale bisected at a time: enough for a comb of step 0.01.
_MOST = 4096
_LEAST = 256
_BUDGET = 1 << 16
# Deviation over the largest value that may be rounding of a lower precision.
_NOISE = 2.0**-20


@dataclass(frozen=True)
class Panels:
    """Panels [low, high] of scales, (n,) each, with their deviation from a polynomial.

    `coarse` (n, 2, POINTS) and `fine` (n, 2, FINER) are the function there at s g and at -s g.
    """

    scale: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    deviation: NDArray[np.float64]
    coarse: NDArray[np.float64]
    fine: NDArray[np.float64]
    jump: NDArray[np.bool_]

    def select(self, which: Any) -> Panels:
        """Return a subset."""
        return Panels(*(getattr(self, column.name)[which] for column in fields(self)))

    @property
    def mass(self) -> Any:
        """Gaussian mass of each."""
        return gaussian_mass(self.low, self.high)


def gaussian_mass(low: Any, high: Any) -> Any:
    """Compute the mass of panels of both signs, to a few per cent where it is not negligible."""
    middle = 0.5 * (low + high)
    return 2.0 * np.exp(-0.5 * middle * middle) / np.sqrt(2 * np.pi) * (high - low)


def joined(parts: list[Panels]) -> Panels:
    """Concatenate, sorted by scale and position."""
    columns = [
        np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(Panels)
    ]
    order = np.lexsort((columns[1], columns[0]))
    return Panels(*(column[order] for column in columns))


def _sampled(
    sample: Sample, scale: Any, low: NDArray[np.float64], high: NDArray[np.float64], n: int
) -> Any:
    """Sample the function at n points of panels, (panels, 2, n)."""
    at = low[:, None] + (high - low)[:, None] * points(n)[0]
    return np.stack(sample(scale, at), axis=1)


def refined(
    sample: Sample,
    scale: Any,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    size: NDArray[np.float64],
) -> Panels:
    """Bisect unresolved panels until resolved, as narrow as a jump, noise, or out of budget.

    `size` is the root mean square at each scale.
    """
    leaves = []
    before: Any = None
    most = min(_MOST, max(_LEAST, _BUDGET // max(1, np.unique(scale).size)))
    for level in range(_LEVELS):
        coarse, fine = (_sampled(sample, scale, low, high, n) for n in (POINTS, FINER))
        error = np.max(np.abs(coarse @ interpolation() - fine), axis=(1, 2))
        narrow = high - low <= _ADJACENT * np.maximum(high, _NEAR)
        jump = narrow & (error > TOLERANCE * size[scale])
        panels = Panels(scale, low, high, error, coarse, fine, jump)
        rough = (error * np.sqrt(panels.mass) > TOLERANCE * size[scale]) & ~narrow
        if level > 0:
            rough &= ~_noisy(error, before)
        spent = np.bincount(scale[rough], minlength=size.size) > most
        rough &= ~spent[scale] & (level < _LEVELS - 1)
        leaves.append(panels.select(~rough))
        if not np.any(rough):
            break
        scale, low, high, before = scale[rough], low[rough], high[rough], error[rough]
        middle = 0.5 * (low + high)
        scale = np.concatenate([scale, scale])
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return joined(leaves)


def _noisy(error: NDArray[np.float64], before: NDArray[np.float64]) -> Any:
    """Return which panels deviate by noise: both halves by as much as the whole, and by little.

    A jump is in one half only, and a smooth function improves; a function in float32 does neither.
    """
    better = np.minimum(*np.split(error, 2)) < before / 8
    return np.tile((before < _NOISE) & ~better, 2)
