"""Panels of half a line: fixed Gauss-Legendre rules with Hermite functions, and adaptive ones.

The Gaussian is even, so a function is integrated as its even and its odd part, from 0 on.

A panel is resolved if its interpolation polynomial matches the function at the finer points, in
mean square weighted by Gaussian mass. Bisection locates a jump to the last digit; the gap between
two jumps is then tried whole, which takes two panels instead of fifty.
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
# A run of panels narrower than this converges to one point.
_NARROW = PANEL * 2.0**-20


@dataclass(frozen=True)
class Panels:
    """Panels [low, high] of scales, (n,) each, with their deviation from a polynomial."""

    scale: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    deviation: NDArray[np.float64]
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


def deviations(
    sample: Sample, scale: Any, low: NDArray[np.float64], high: NDArray[np.float64]
) -> Any:
    """Compute the deviation of the function from its interpolant at the finer points, (n,)."""
    result = np.zeros(low.shape)
    step = 1 << 14
    for start in range(0, low.size, step):
        rows = slice(start, start + step)
        width = (high - low)[rows, None]
        coarse, fine = (
            sample(scale[rows], low[rows, None] + width * points(n)[0]) for n in (POINTS, FINER)
        )
        for values, truth in zip(coarse, fine, strict=True):
            sizes = np.max(np.abs(values @ interpolation() - truth), axis=1)
            np.maximum(result[rows], sizes, out=result[rows])
    return result


def refined(sample: Sample, scale: Any, low: Any, high: Any, size: Any) -> Panels:
    """Split unresolved panels; `size` is the root mean square at each scale."""
    leaves = _bisected(sample, scale, low, high, size)
    which = _cores(leaves)
    if not np.any(which):
        return leaves
    core = _merged(leaves.select(which))
    between = _gaps(scale, low, high, core)
    return joined([core, _bisected(sample, *between, size)])


def _bisected(
    sample: Sample,
    scale: Any,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    size: NDArray[np.float64],
) -> Panels:
    """Bisect until resolved, as narrow as a jump, down to noise, or out of budget."""
    leaves = []
    before: Any = None
    most = min(_MOST, max(_LEAST, _BUDGET // max(1, np.unique(scale).size)))
    for level in range(_LEVELS):
        error = deviations(sample, scale, low, high)
        narrow = high - low <= _ADJACENT * np.maximum(high, _NEAR)
        panels = Panels(scale, low, high, error, narrow & (error > TOLERANCE * size[scale]))
        coarse = (error * np.sqrt(panels.mass) > TOLERANCE * size[scale]) & ~narrow
        if level > 0:
            coarse &= ~_noisy(error, before)
        spent = np.bincount(scale[coarse], minlength=size.size) > most
        coarse &= ~spent[scale] & (level < _LEVELS - 1)
        leaves.append(panels.select(~coarse))
        if not np.any(coarse):
            break
        scale, low, high, before = scale[coarse], low[coarse], high[coarse], error[coarse]
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


def _cores(leaves: Panels) -> Any:
    """Return the narrowest of each run of narrow panels: the jumps and kinks."""
    width = leaves.high - leaves.low
    # Floats are dense near 0: a panel at 0 may be narrow for that reason alone.
    narrow = (width < _NARROW) & (width < 2.0**-20 * leaves.high)
    touching = np.zeros(narrow.shape, dtype=bool)
    touching[1:] = (
        narrow[1:]
        & narrow[:-1]
        & (leaves.scale[1:] == leaves.scale[:-1])
        & (leaves.low[1:] <= leaves.high[:-1])
    )
    run = np.cumsum(narrow & ~touching) - 1
    if not np.any(narrow):
        return narrow
    least = np.full(run.max() + 1, np.inf)
    np.minimum.at(least, run[narrow], width[narrow])
    core = narrow.copy()
    core[narrow] = width[narrow] <= 2.0 * least[run[narrow]]
    return core


def _merged(core: Panels) -> Panels:
    """Merge touching cores; widen those with a jump a little, so that no gap ends at it."""
    touching = (core.scale[1:] == core.scale[:-1]) & (core.low[1:] <= core.high[:-1])
    first = np.flatnonzero(np.concatenate([[True], ~touching]))
    last = np.concatenate([first[1:], [core.scale.size]]) - 1
    scale, low, high = core.scale[first], core.low[first], core.high[last]
    jump = np.logical_or.reduceat(core.jump, first)
    start = PANEL * np.floor(0.5 * (low + high) / PANEL)
    before, after = start.copy(), start + PANEL
    # At most half of the distance to the next core.
    same = scale[1:] == scale[:-1]
    middle = 0.5 * (low[1:] + high[:-1])
    before[1:][same] = np.maximum(before[1:], middle)[same]
    after[:-1][same] = np.minimum(after[:-1], middle)[same]
    room = np.where(jump, high - low, 0.0)
    low, high = np.maximum(low - room, before), np.minimum(high + room, after)
    return Panels(scale, low, high, np.maximum.reduceat(core.deviation, first), jump)


def _gaps(
    scale: Any, low: NDArray[np.float64], high: NDArray[np.float64], core: Panels
) -> tuple[Any, Any, Any]:
    """Return the parts of panels that lie between cores."""
    gaps: list[tuple[int, float, float]] = []
    order = np.lexsort((low, scale))
    cores = zip(core.scale.tolist(), core.low.tolist(), core.high.tolist(), strict=True)
    ahead = next(cores, None)
    for i in order.tolist():
        own, start, stop = int(scale[i]), float(low[i]), float(high[i])
        while ahead is not None and ahead[0] == own and ahead[2] <= stop:
            if ahead[1] > start:
                gaps.append((own, start, ahead[1]))
            start = ahead[2]
            ahead = next(cores, None)
        if stop > start:
            gaps.append((own, start, stop))
    columns = np.array(gaps)
    return columns[:, 0].astype(np.int64), columns[:, 1], columns[:, 2]
