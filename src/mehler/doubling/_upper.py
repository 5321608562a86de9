"""Upper ends, for all balls and radii at once: one cover per scale, and the cells balls meet.

A section S of the set by a ball of radius r has a diameter D <= 2 r. In any order of all points x
is its first: it lies in B(x, D), after x, and balls of radius D/4 <= r/2 may cover it.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from mehler.doubling import _universal
from mehler.doubling._points import Points, diameter_of

# Most pairs stored: 16 bytes each.
_KEPT = 1 << 24
# Ratio of consecutive scales. Radii between two scales need a cover by balls smaller by as much.
_STEP = 2.0 ** (1 / 6)
# Slice of rows; first points, second points and computed squared distances of their pairs.
Block = tuple[slice, Any, Any, Any]


class Pairs:
    """All ordered pairs, (x, x) included, that may be within a radius."""

    def __init__(self, points: Points) -> None:
        self.points = points
        self._limit = -1.0
        self._kept: list[Block] = []

    def within(self, squared: float) -> Iterator[Block]:
        """Yield every pair that may be within the squared radius, by its first point.

        Radii should decrease from call to call: pairs are stored as soon as few enough are within.
        """
        limit = self.points.limit_above(squared)
        blocks = self._kept if limit <= self._limit else self._computed(limit)
        kept, total, fits = list[Block](), 0, True
        for rows, row, column, between in blocks:
            here = between <= limit
            block = rows, row[here], column[here], between[here]
            total += block[1].size
            # Extrapolated from the blocks so far.
            fits = fits and total * self.points.n <= _KEPT * rows.stop
            if fits:
                kept.append(block)
            yield block
        if fits:
            self._kept, self._limit = kept, limit

    def _computed(self, limit: float) -> Iterator[Block]:
        for rows in self.points.blocks():
            between = self.points.squared(rows, slice(None))
            row, column = (i.astype(np.int32) for i in np.nonzero(between <= limit))
            yield rows, row + np.int32(rows.start), column, between[row, column]


def greedy_cover(members: list[Any]) -> tuple[Any, int]:
    """Return the cell of each point, the ball of a greedy cover that covers it first; their number.

    `members` lists the points in the ball around each point. The cover adds the ball that covers
    most new points: at most 1 + ln n times as many as in the best cover.
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


def balls(near: Pairs, squared: float) -> list[Any]:
    """Return, for each point, the points surely within the squared radius, and itself."""
    around: list[Any] = []
    limit = near.points.limit_below(squared)
    for rows, row, column, between in near.within(squared):
        here = between <= limit
        ends = np.searchsorted(row[here], np.arange(rows.start, rows.stop + 1))
        around.extend(np.split(column[here], ends[1:-1]))
    # For a radius below rounding a point may seem to be away from itself.
    return [ball if i in ball else np.append(ball, i) for i, ball in enumerate(around)]


def dimension_above(points: Points, *, low: int, cap: int) -> int:
    """Return an upper end for the dimension, between the known ends `low` and `cap`."""
    high, longest = low, np.ptp(points.host, axis=0).argmax()
    place = np.argsort(np.argsort(points.host[:, longest], kind="stable"))
    scale = diameter_of(points).high / points.scale * (1 + 1e-9)
    near, far = Pairs(points), Pairs(points)
    while high < cap:
        below = scale / _STEP
        cells = greedy_cover(balls(near, (below / 4) ** 2))
        limit = points.limit_above(below**2)
        met, crowd, largest = _met(far.within(scale * scale), *cells, place, limit)
        # Balls of this radius or less contain so few points that one ball each suffices; below
        # the rounding of distances nothing tells points of one ball from each other.
        if crowd <= 2**high or scale * scale <= points.absolute:
            return min(cap, max(high, _universal.log2_ceil(crowd)))
        high = max(high, _universal.log2_ceil(met))
        # No section has a diameter in a gap between two distances.
        scale = min(below, math.sqrt(float(points.upper(largest))) * (1 + 2.0**-50))
    return cap


def _met(
    near: Iterable[Block], labels: Any, count: int, place: Any, limit: float
) -> tuple[int, int, float]:
    """Return the most cells, and points, from a point on, and the largest distance to a limit."""
    met, crowd, largest = 0, 0, 0.0
    for rows, row, column, between in near:
        largest = max(largest, float(between[between <= limit].max(initial=0.0)))
        later = place[column] >= place[row]
        row, column = row[later], column[later]
        touched = np.zeros((rows.stop - rows.start, count), dtype=bool)
        touched[row - rows.start, labels[column]] = True
        met = max(met, int(touched.sum(axis=1).max()))
        crowd = max(crowd, int(np.bincount(row - rows.start).max()))
    return met, crowd, largest
