"""Bounds on the doubling dimension of points: by packings from below, by covers from above.

It is the least k such that 2^k balls of radius r/2, centred anywhere, cover the points in any ball
of radius r. From below, a packing: points in a ball of radius r, any two farther than r apart. Each
needs a ball of radius r/2 to itself, so more than 2^(k-1) of them prove a dimension of at least k.

From above, a section: the points in a ball of radius r, of diameter D <= 2 r. Fix an order of all
points. A section lies within D of its first point x, and not before it. Balls of radius D/4 <= r/2
that cover the whole set split it into cells, one a ball. A section needs at most one ball for each
cell that has points near and after x; the most such cells of any x, at any scale D, bound 2^k.
Distances are those of `Points`, which scales the data and bounds rounding by `upper` and `lower`.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler.doubling._points import Points, diameter_of, log2_ceil

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Witness:
    """A ball, and points in it that prove how many balls of half its radius it needs.

    Parameters
    ----------
    centre : numpy.ndarray, shape (d,)
        Centre.
    radius : float
        Rounded up.
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
        cls, points: Points, centre: Any, squared: float, centres: Any, count: int
    ) -> Witness:
        """Build from a centre and a squared radius in the coordinates of `points`, and indices."""
        return cls(
            centre=points.original(centre),
            radius=math.nextafter(math.sqrt(squared), math.inf) * points.scale,
            count=count,
            rows=tuple(int(i) for i in points.rows[centres]),
        )

    @classmethod
    def of_point(cls, points: Points) -> Witness:
        """Return the first point in a ball of its own."""
        return cls.covered(points, points.host[0], 0.0, [0], 1)


def pack_nearest(between: Floats, apart: float, start: int) -> list[int]:
    """Pack greedily from `start`: add the nearest point farther than `apart` (squared)."""
    nearest = between[start].copy()
    packing = [start]
    while True:
        candidates = np.where(nearest > apart, nearest, np.inf)
        best = int(candidates.argmin())
        if candidates[best] == np.inf:
            return packing
        packing.append(best)
        np.minimum(nearest, between[best], out=nearest)


def pack_in_order(between: Floats, apart: float, order: range) -> list[int]:
    """Pack greedily: add points in a given order if they are farther than `apart` (squared)."""
    free = np.ones(between.shape[0], dtype=bool)
    packing = []
    for i in order:
        if free[i]:
            packing.append(int(i))
            free &= between[i] > apart
    return packing


_ANCHORS = 32  # points around which sections are tried
_GROUPS = 8  # groups of anchors
_WHOLE, _PART = 4096, 768  # most points used of the whole set, and of another section
_HALVINGS = 10  # sizes of sections: n/2, n/4, ... points
_WORK = 1 << 35  # budget of multiplications: a section of s points costs s^2 distances
_EXTRA = 30  # overhead of a distance besides its product, in multiplications
_STEPS = 16  # steps to the centre of an enclosing ball


def largest_packing(points: Points, cap: int) -> Witness:
    """Return the ball of the largest packing, or of the first to prove `cap`, an upper bound."""
    best = Witness.of_point(points)
    work, distance = 0, points.n_inputs + _EXTRA
    for centre, squares, members in _sections(points):
        if best.count > 2 ** (cap - 1) or work > _WORK:
            break
        size = _WHOLE if work == 0 else _PART
        work += min(members.size, size) ** 2 * distance
        work += _STEPS * members.size * distance + points.n * distance
        witness = _in_section(points, centre, squares, members, size)
        best = witness if witness.count > best.count else best
    return best


def _sections(points: Points) -> Iterator[tuple[Any, Any, Any]]:
    """Yield sections: centre, upper ends of squared distances to it, members, nearest first."""
    anchors = np.unique(np.linspace(0, points.n - 1, _ANCHORS).astype(np.int64))
    around = points.upper(points.squared_from(points.host[anchors]))
    sizes = [max(2, points.n >> j) for j in range(1, _HALVINGS + 1)]
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
    points: Points, centre: Floats, squares: Floats, members: NDArray[np.int64], size: int
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
        packing = max(tries, key=len)
        if len(packing) > best.count:
            best = Witness.covered(points, centre, radius_squared, members[packing], len(packing))
    return best


def enclosing_centre(rows: Floats, *, steps: int = _STEPS) -> Any:
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


_MOST_STORED = 1 << 24  # pairs, of 16 bytes each
_STEP = 2.0 ** (1 / 6)  # ratio of consecutive scales; one cover serves all radii between two
# Slice of rows; first points, second points and computed squared distances of their pairs.
Block = tuple[slice, Any, Any, Any]


class PointPairs:
    """All ordered pairs, (x, x) included, that may be within a radius."""

    def __init__(self, points: Points) -> None:
        self.points = points
        self._limit = -1.0
        self._stored: list[Block] = []

    def within(self, squared: float) -> Iterator[Block]:
        """Yield every pair that may be within the squared radius, by its first point.

        Radii should decrease from call to call: pairs are stored as soon as few enough are within.
        """
        limit = self.points.limit_above(squared)
        source = self._stored if limit <= self._limit else self._computed(limit)
        blocks, total, fits = list[Block](), 0, True
        for rows, first, second, squares in source:
            here = squares <= limit
            block = rows, first[here], second[here], squares[here]
            total += block[1].size
            fits = fits and total * self.points.n <= _MOST_STORED * rows.stop  # extrapolated
            if fits:
                blocks.append(block)
            yield block
        if fits:
            self._stored, self._limit = blocks, limit

    def _computed(self, limit: float) -> Iterator[Block]:
        """Yield all pairs within a computed limit, by slices of first points."""
        for rows in self.points.blocks():
            squares = self.points.squared(rows, slice(None))
            first, second = (i.astype(np.int32) for i in np.nonzero(squares <= limit))
            yield rows, first + np.int32(rows.start), second, squares[first, second]


def greedy_cover(members: list[Any]) -> tuple[Any, int]:
    """Return the cell of each point, and the number of cells.

    A cell is what a ball of a greedy cover adds to it; `members` lists the points of all balls.
    """
    labels = np.full(len(members), -1, dtype=np.int32)
    # Gains only decrease: a stale one is an upper bound, recomputed when it leads.
    queue = [(-ball.size, i) for i, ball in enumerate(members)]
    heapq.heapify(queue)
    count, uncovered = 0, len(members)
    while uncovered:
        stale, i = queue[0]
        fresh = members[i][labels[members[i]] < 0]
        if fresh.size < -stale:
            heapq.heapreplace(queue, (-fresh.size, i))
            continue
        heapq.heappop(queue)
        labels[fresh] = count
        count += 1
        uncovered -= fresh.size
    return labels, count


def balls(near: PointPairs, squared: float) -> list[Any]:
    """Return, for each point, the points surely within the squared radius, and itself."""
    around: list[Any] = []
    limit = near.points.limit_below(squared)
    for rows, first, second, squares in near.within(squared):
        here = squares <= limit
        ends = np.searchsorted(first[here], np.arange(rows.start, rows.stop + 1))
        around.extend(np.split(second[here], ends[1:-1]))
    # For a radius below rounding a point may seem to be away from itself.
    return [ball if i in ball else np.append(ball, i) for i, ball in enumerate(around)]


def dimension_above(points: Points, *, low: int, cap: int) -> int:
    """Return an upper bound on the dimension, from `low` to `cap`: count cells scale by scale."""
    high, longest = low, np.ptp(points.host, axis=0).argmax()
    place = np.argsort(np.argsort(points.host[:, longest], kind="stable"))
    scale = diameter_of(points).high / points.scale * (1 + 1e-9)
    near, far = PointPairs(points), PointPairs(points)
    while high < cap:
        below = scale / _STEP
        cells = greedy_cover(balls(near, (below / 4) ** 2))
        limit = points.limit_above(below**2)
        most_cells, crowd, largest = _crowds(far.within(scale * scale), *cells, place, limit)
        # Balls of this radius or less contain so few points that one ball each suffices; below
        # the rounding of distances nothing tells points of one ball from each other.
        if crowd <= 2**high or scale * scale <= points.absolute:
            return min(cap, max(high, log2_ceil(crowd)))
        high = max(high, log2_ceil(most_cells))
        # No section has a diameter in a gap between two distances.
        scale = min(below, math.sqrt(float(points.upper(largest))) * (1 + 2.0**-50))
    return cap


def _crowds(
    near: Iterable[Block], labels: Any, count: int, place: Any, limit: float
) -> tuple[int, int, float]:
    """Return the most cells, and points, near and after a point, and the largest squared distance.

    `labels` are the cells of points, `count` in all, and `place` orders the points.
    """
    most_cells, crowd, largest = 0, 0, 0.0
    for rows, first, second, squares in near:
        largest = max(largest, float(squares[squares <= limit].max(initial=0.0)))
        later = place[second] >= place[first]
        first, second = first[later], second[later]
        touched = np.zeros((rows.stop - rows.start, count), dtype=bool)
        touched[first - rows.start, labels[second]] = True
        most_cells = max(most_cells, int(touched.sum(axis=1).max()))
        crowd = max(crowd, int(np.bincount(first - rows.start).max()))
    return most_cells, crowd, largest
