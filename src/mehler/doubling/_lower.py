"""Lower ends: packings in balls around points, and around the centres of enclosing balls."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler.doubling._points import Points


@dataclass(frozen=True)
class Witness:
    """A ball, and points in it that prove how many balls of half its radius it needs.

    Parameters
    ----------
    centre : numpy.ndarray, shape (d,)
        Centre, in the coordinates of the data.
    radius : float
        In the units of the data, rounded up.
    count : int
        Least number of balls of half the radius that cover the points of the ball.
    rows : tuple of int
        Rows of the data in the ball that prove it: any two are farther apart than the radius, or
        all covers of them were enumerated.
    """

    centre: Any
    radius: float
    count: int
    rows: tuple[int, ...]

    @classmethod
    def covered(
        cls, points: Points, centre: Any, squared: float, chosen: Any, count: int
    ) -> Witness:
        """Build from a centre, a squared radius and points in inner coordinates."""
        return cls(
            centre=points.original(centre),
            radius=math.nextafter(math.sqrt(squared), math.inf) * points.scale,
            count=count,
            rows=tuple(int(i) for i in points.rows[chosen]),
        )

    @classmethod
    def of_point(cls, points: Points) -> Witness:
        """Return the first point in a ball of its own."""
        return cls.covered(points, points.host[0], 0.0, [0], 1)


def pack_nearest(between: NDArray[np.float64], apart: float, start: int) -> list[int]:
    """Pack greedily from `start`, taking the nearest point farther than `apart` (squared).

    `between` (n, n): lower ends of squared distances.
    """
    nearest = between[start].copy()
    chosen = [start]
    while True:
        candidates = np.where(nearest > apart, nearest, np.inf)
        best = int(candidates.argmin())
        if candidates[best] == np.inf:
            return chosen
        chosen.append(best)
        np.minimum(nearest, between[best], out=nearest)


def pack_in_order(between: NDArray[np.float64], apart: float, order: Any) -> list[int]:
    """Pack greedily, taking points in a given order."""
    free = np.ones(between.shape[0], dtype=bool)
    chosen = []
    for i in order:
        if free[i]:
            chosen.append(int(i))
            free &= between[i] > apart
    return chosen


# Anchors around which sections are tried, and the most points used of a section.
_ANCHORS = 32
_GROUPS = 8
_WHOLE, _PART = 4096, 768
_HALVINGS = 10
# Budget of multiplications: a section of s points costs s^2 distances.
_WORK = 1 << 35
# Overhead of a distance besides its product, in multiplications.
_EXTRA = 30
_STEPS = 16


def largest_packing(points: Points, cap: int) -> Witness:
    """Return the ball of the largest packing found, or of the first above ``2^(cap - 1)``."""
    best = Witness.of_point(points)
    work, distance = 0, points.n_inputs + _EXTRA
    for centre, squares, members in _sections(points):
        if best.count > 2 ** (cap - 1) or work > _WORK:
            break
        size = _WHOLE if work == 0 else _PART
        work += min(members.size, size) ** 2 * distance
        work += _STEPS * members.size * distance + points.n * distance
        tried = _in_section(points, centre, squares, members, size)
        best = tried if tried.count > best.count else best
    return best


def _sections(points: Points) -> Iterator[tuple[Any, Any, Any]]:
    """Yield a centre, upper ends of squared distances to it, and members, nearest first."""
    anchors = np.unique(np.linspace(0, points.n - 1, _ANCHORS).astype(np.int64))
    around = points.upper(points.squared_from(points.host[anchors]))
    sizes = [max(2, points.n >> j) for j in range(1, _HALVINGS + 1)]
    # The whole set, and then sections half as large, and so on.
    centre = enclosing_centre(points.host, steps=4 * _STEPS)
    squares = points.upper(points.squared_from(centre[None, :])[0])
    yield centre, squares, np.argsort(squares, kind="stable")
    # A few anchors at all sizes, then the next few: the budget may end before the list.
    for group in range(_GROUPS):
        rows = range(group, anchors.size, _GROUPS)
        for size, row in itertools.product(dict.fromkeys(sizes), rows):
            nearest = np.argsort(around[row], kind="stable")[:size]
            centre = enclosing_centre(points.host[nearest])
            squares = points.upper(points.squared_from(centre[None, :])[0])
            inside = np.flatnonzero(squares <= squares[nearest].max())
            yield centre, squares, inside[np.argsort(squares[inside], kind="stable")]


def _in_section(
    points: Points,
    centre: NDArray[np.float64],
    squares: NDArray[np.float64],
    members: Any,
    size: int,
) -> Witness:
    """Return the best packing among a few radii around one centre."""
    best = Witness.of_point(points)
    outermost = squares[members[-1]]
    if members.size > size:
        # Thin evenly in the order of distance; a subset of a section packs no better.
        members = members[np.linspace(0, members.size - 1, size).astype(np.int64)]
    between = points.lower(points.squared(members, members))
    for share in (1.0, 0.85, 0.7, 0.5):
        inside = int(np.searchsorted(squares[members], outermost * share, side="right"))
        if inside < 2:
            break
        radius_squared = float(squares[members[inside - 1]])
        part = between[:inside, :inside]
        tries = [
            pack_nearest(part, radius_squared, inside - 1),
            pack_in_order(part, radius_squared, range(inside - 1, -1, -1)),
        ]
        chosen = max(tries, key=len)
        if len(chosen) > best.count:
            chosen = members[chosen]
            best = Witness.covered(points, centre, radius_squared, chosen, len(chosen))
    return best


def enclosing_centre(rows: NDArray[np.float64], *, steps: int = _STEPS) -> Any:
    """Approximate the centre of the smallest enclosing ball by steps to the farthest row.

    Step i goes 1/(i + 1) of the way; the radius comes within a factor 1 + O(1/sqrt(steps)).
    """
    low, high = rows.min(axis=0), rows.max(axis=0)
    centre = (low + high) / 2
    best, best_reach = centre, np.inf
    for i in range(1, steps + 1):
        offsets = rows - centre
        reach = np.einsum("ij,ij->i", offsets, offsets)
        far = int(reach.argmax())
        if reach[far] < best_reach:
            best, best_reach = centre, reach[far]
        centre = centre + offsets[far] / (i + 1)
    return best
