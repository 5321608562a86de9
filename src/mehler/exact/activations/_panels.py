r"""Panels of half a line: Gauss-Legendre rules with Hermite functions, and bisection.

The Gaussian is even, so a function is integrated as its even and its odd part, from 0 on.

A panel is resolved if its interpolation polynomial matches the function at the finer points, in
mean square weighted by Gaussian mass. Others are bisected, which locates a jump to the last digit
in fifty parts. The parts of a panel enter the sums by the polynomial of degree 23 that has their
Legendre moments: at the finer points of the panel its values integrate
:math:`h_k\varphi` as the parts do, up to the error of interpolation, for k < 512 at most
:math:`4\cdot10^{-20}\max e^{-g^2/4}` by the derivatives
:math:`\sqrt{(k+24)!/k!}\,h_{k+24}\varphi` and Cramér's inequality.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

# h_k(g) phi(g) is below 1e-19 beyond this for every k < 512.
REACH = 14.0
PANEL = 0.25
N_PANELS = int(REACH / PANEL)
# The finer rule also samples both ends, with weight 0, to see a jump next to an end.
POINTS, FINER = 16, 26
_MOMENTS = FINER - 2
_END = 2.0**-50


@functools.cache
def points(n: int) -> tuple[Any, Any]:
    """Return Gauss-Legendre points in (0, 1) and weights of sum 1; the finer rule has both ends."""
    x, w = legendre.leggauss(n - 2 if n == FINER else n)
    if n == FINER:
        x, w = (np.concatenate(pair) for pair in ((x, [2 * _END - 1, 1 - 2 * _END]), (w, [0, 0])))
    return (1 + x) / 2, w / 2


@functools.cache
def interpolation() -> Any:
    """Return the matrix from values at the points of a panel to the finer ones: (POINTS, FINER)."""
    x, at = points(POINTS)[0], points(FINER)[0]
    # Lagrange's polynomials: products over the other points.
    others = [np.delete(x, i)[:, None] for i in range(POINTS)]
    return np.array([np.prod((at - y) / (x[i] - y), axis=0) for i, y in enumerate(others)])


def _legendre(x: NDArray[np.float64], terms: int) -> Any:
    """Evaluate Legendre polynomials of mean square 1 on [0, 1]: (..., terms)."""
    return legendre.legvander(2.0 * x - 1.0, terms - 1) * np.sqrt(2 * np.arange(terms) + 1)


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
    root = np.exp(-0.25 * at * at) / (2 * np.pi) ** 0.25
    # h_k(g) sqrt(phi(g)) stays bounded where h_k alone would overflow.
    values = np.empty((at.size, terms))
    before, now = np.zeros_like(at), root
    for k in range(terms):
        values[:, k] = now
        before, now = now, (at * now - np.sqrt(k) * before) / np.sqrt(k + 1)
    return values * (2.0 * weight * root)[:, None]


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
# Panels whose moments are taken at a time: 5 MiB of Legendre polynomials.
_BATCH = 1 << 10


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


def gaussian_mass(low: Any, high: Any) -> Any:
    """Compute the mass of panels of both signs, to a few per cent where it is not negligible."""
    middle = 0.5 * (low + high)
    return 2.0 * np.exp(-0.5 * middle * middle) / np.sqrt(2 * np.pi) * (high - low)


def _sampled(
    sample: Sample, scale: Any, low: NDArray[np.float64], high: NDArray[np.float64], n: int
) -> Any:
    """Sample the function at n points of panels, (panels, 2, n)."""
    at = low[:, None] + (high - low)[:, None] * points(n)[0]
    return np.stack(sample(scale, at), axis=1)


def bisect(
    sample: Sample,
    scale: Any,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    size: NDArray[np.float64],
) -> Iterator[Panels]:
    """Yield the parts of unresolved panels: resolved, as narrow as a jump, noise, or the rest.

    `size` is the root mean square at each scale. The rest is what the budget leaves undivided.
    """
    before: Any = None
    most = min(_MOST, max(_LEAST, _BUDGET // max(1, np.unique(scale).size)))
    for level in range(_LEVELS):
        coarse, fine = (_sampled(sample, scale, low, high, n) for n in (POINTS, FINER))
        error = np.max(np.abs(coarse @ interpolation() - fine), axis=(1, 2))
        narrow = high - low <= _ADJACENT * np.maximum(high, _NEAR)
        jump = narrow & (error > TOLERANCE * size[scale])
        mass = gaussian_mass(low, high)
        rough = (error * np.sqrt(mass) > TOLERANCE * size[scale]) & ~narrow
        if level > 0:
            rough &= ~_noisy(error, before)
        spent = np.bincount(scale[rough], minlength=size.size) > most
        rough &= ~spent[scale] & (level < _LEVELS - 1)
        columns = scale, low, high, error, coarse, fine, jump
        yield Panels(*(column[~rough] for column in columns))
        if not np.any(rough):
            break
        scale, low, high, before = scale[rough], low[rough], high[rough], error[rough]
        middle = 0.5 * (low + high)
        scale = np.concatenate([scale, scale])
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])


def _noisy(error: NDArray[np.float64], before: NDArray[np.float64]) -> Any:
    """Return which panels deviate by noise: both halves by as much as the whole, and by little.

    A jump is in one half only, and a smooth function improves; a function in float32 does neither.
    """
    better = np.minimum(*np.split(error, 2)) < before / 8
    return np.tile((before < _NOISE) & ~better, 2)


class RuleSums:
    """Sums by one rule over the parts of panels that were bisected.

    `moments` (scales, N_PANELS, 2, 24): Legendre moments of the function at s g and at -s g.
    `second`, `mirror` (scales,): E a(s g)^2 and E a(s g) a(-s g).
    """

    def __init__(self, scales: int) -> None:
        self.moments = np.zeros((scales, N_PANELS, 2, _MOMENTS))
        self.second, self.mirror = np.zeros(scales), np.zeros(scales)

    def add(self, parts: Panels, values: NDArray[np.float64]) -> None:
        """Add parts of panels with their `values`, (parts, 2, n)."""
        at, share = points(values.shape[2])
        for start in range(0, parts.scale.size, _BATCH):
            rows = slice(start, start + _BATCH)
            scale, low, high = parts.scale[rows], parts.low[rows], parts.high[rows]
            g = low[:, None] + (high - low)[:, None] * at
            weight = (high - low)[:, None] * share
            density = weight * np.exp(-0.5 * g * g) / np.sqrt(2 * np.pi)
            right, left = values[rows, 0], values[rows, 1]
            second = np.sum(density * (right * right + left * left), axis=1)
            mirror = np.sum(density * (2.0 * right * left), axis=1)
            self.second += np.bincount(scale, second, self.second.size)
            self.mirror += np.bincount(scale, mirror, self.mirror.size)
            panel = (low / PANEL).astype(np.int64)
            polynomials = _legendre(g / PANEL - panel[:, None], _MOMENTS)
            moments = (values[rows] * (weight / PANEL)[:, None, :]) @ polynomials
            np.add.at(self.moments, (scale, panel), moments)

    def values(self) -> Any:
        """Return polynomials with these moments at the finer points: (2, scales, panels, FINER)."""
        return np.moveaxis(self.moments @ _legendre(points(FINER)[0], _MOMENTS).T, 2, 0)
