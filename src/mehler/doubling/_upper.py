"""Upper ends, for all balls and radii at once: one cover per scale, and the cells balls meet.

A section S of the set by a ball of radius r has a diameter D <= 2 r, attained by two of its
points x and z. So it lies in B(x, D) and in B(z, D), and balls of radius D/4 <= r/2 may cover it.
If all centres are points of the set, S is B(x, r) itself and balls have radius r/2.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mehler.doubling import _universal
from mehler.doubling._points import Points, diameter_of

# Most pairs stored: 12 bytes each.
_KEPT = 1 << 24
# Stored squared distances are rounded to float32.
_ROUNDED = 2.0**-22


@dataclass(frozen=True)
class Labels:
    """The cell of each point, and the number of cells."""

    of: Any
    count: int


@dataclass(frozen=True)
class Block:
    """The near pairs of some rows, ordered by their first point, and their squared distances."""

    rows: slice
    row: Any
    column: Any
    squared: Any

    def pairs(self, low: float, high: float) -> tuple[Any, Any]:
        """Return the pairs with a value between two ends."""
        here = (self.squared <= high) & (self.squared >= low)
        return self.row[here], self.column[here]

    def cells(self, labels: Labels, high: float) -> tuple[Any, int]:
        """Return the cells with a point within `high` of each row, and the most such points."""
        here = self.squared <= high
        row, column = self.row[here] - self.rows.start, self.column[here]
        touched = np.zeros((self.rows.stop - self.rows.start, labels.count), dtype=bool)
        touched[row, labels.of[column]] = True
        return touched, int(np.bincount(row).max())


class Pairs:
    """All ordered pairs, (x, x) included, that may be within a radius."""

    def __init__(self, points: Points) -> None:
        self._points = points
        self._limit = -1.0
        self._kept: list[Block] = []

    def limit_above(self, squared: float) -> float:
        """Return the largest computed value of a squared distance of at most `squared`."""
        return self._points.limit_above(squared) * (1 + _ROUNDED)

    def limit_below(self, squared: float) -> float:
        """Return a value such that one computed as no more is a squared distance <= `squared`."""
        return self._points.limit_below(squared) * (1 - _ROUNDED)

    def largest_within(self, radius: float) -> float:
        """Return an upper end of the largest distance that may be within a radius.

        No section has a diameter in a gap between two distances.
        """
        limit, largest = self.limit_above(radius**2), 0.0
        for block in self.within(radius**2):
            largest = max(largest, float(block.squared[block.squared <= limit].max()))
        above = float(self._points.upper(largest * (1 + _ROUNDED)))
        return min(radius, math.sqrt(above) * (1 + 2.0**-50))

    def within(self, squared: float) -> Iterator[Block]:
        """Yield blocks that contain every pair within the squared radius, and others.

        Radii should decrease from call to call: pairs are stored as soon as few enough are within.
        """
        limit = self.limit_above(squared)
        if limit <= self._limit:
            yield from self._kept
            return
        fresh, total = [], 0
        for rows in self._points.blocks():
            between = self._points.squared(rows, slice(None))
            row, column = np.nonzero(between <= limit)
            block = Block(rows, row + rows.start, column, between[row, column])
            total += row.size
            # Extrapolated from the blocks so far; checked at the end.
            if total * self._points.n <= _KEPT * rows.stop:
                fresh.append(_stored(block))
            yield block
        if total <= _KEPT and len(fresh) == len(list(self._points.blocks())):
            self._kept, self._limit = fresh, limit


def _stored(block: Block) -> Block:
    row, column = block.row.astype(np.int32), block.column.astype(np.int32)
    return Block(block.rows, row, column, block.squared.astype(np.float32))


def greedy_cover(members: list[Any], *, first: int | None = None) -> Labels:
    """Assign each point to the ball, of a greedy cover, that covers it first.

    `members` lists the points in the ball around each point. The cover starts with ball `first` and
    adds the ball that covers most new points: at most 1 + ln n times as many as in the best cover.
    """
    labels = np.full(len(members), -1, dtype=np.int32)
    # Gains only decrease: a stale one is an upper bound, recomputed when it leads.
    queue = [(-ball.size, i) for i, ball in enumerate(members)]
    if first is not None:
        queue[first] = (-len(members) - 1, first)
    heapq.heapify(queue)
    count, uncovered = 0, len(members)
    while uncovered:
        stale, i = queue[0]
        fresh = members[i][labels[members[i]] < 0]
        if fresh.size < -stale and not (i == first and count == 0):
            heapq.heapreplace(queue, (-fresh.size, i))
            continue
        heapq.heappop(queue)
        labels[fresh] = count
        count += 1
        uncovered -= fresh.size
    return Labels(labels, count)


def balls(near: Pairs, squared: float) -> list[Any]:
    """Return, for each point, the points surely within the squared radius, and itself."""
    around: list[Any] = []
    limit = near.limit_below(squared)
    for block in near.within(squared):
        row, column = block.pairs(-math.inf, limit)
        column = column.astype(np.int32)
        ends = np.searchsorted(row, np.arange(block.rows.start, block.rows.stop + 1))
        around.extend(column[ends[i] : ends[i + 1]] for i in range(ends.size - 1))
    # For a radius below rounding a point may seem to be away from itself.
    return [ball if i in ball else np.append(ball, i) for i, ball in enumerate(around)]


def cells_met(far: Pairs, squared: float, labels: Labels) -> tuple[Any, int]:
    """Return the cells that the ball around each point may meet, and the most points in one.

    A sparse 0/1 matrix (n, count), and an int.
    """
    limit, parts, crowd = far.limit_above(squared), [], 0
    for block in far.within(squared):
        touched, most = block.cells(labels, limit)
        crowd = max(crowd, most)
        parts.append(sparse.csr_matrix(touched))
    return sparse.vstack(parts, format="csr"), crowd


def as_bits(touched: Any) -> Any:
    """Pack the cells of each point into bits: uint64, (n, words)."""
    n_points, n_cells = touched.shape
    bits = np.zeros((n_points, -(-n_cells // 64)), dtype=np.uint64)
    row = np.repeat(np.arange(n_points), np.diff(touched.indptr))
    bit = np.left_shift(np.uint64(1), (touched.indices % 64).astype(np.uint64))
    np.bitwise_or.at(bits, (row, touched.indices // 64), bit)
    return bits


def count_shared(
    bits: NDArray[np.number], row: NDArray[np.number], column: NDArray[np.number]
) -> Any:
    """Count the bits that the two points of each pair share."""
    size = max(1, (1 << 20) // bits.shape[1])
    counts = np.empty(row.size, dtype=np.int64)
    for start in range(0, row.size, size):
        pair = slice(start, start + size)
        shared = bits[row[pair]] & bits[column[pair]]
        counts[pair] = np.bitwise_count(shared).sum(axis=1)
    return counts


def most_shared(
    far: Pairs, between: tuple[float, float], touched: Any, least: int, cap: int
) -> int:
    """Return the largest logarithm of the cells that two balls share, from `least` to `cap`.

    The balls are around points whose distance is their common radius, between two ends.
    """
    bits, heavy = as_bits(touched), np.diff(touched.indptr) > 2**least
    # Neither surely below the lower end nor surely above the upper one.
    ends = far.limit_below(between[0] ** 2), far.limit_above(between[1] ** 2)
    for block in far.within(between[1] ** 2):
        row, column = block.pairs(*ends)
        pair = heavy[row] & heavy[column] & (row < column)
        shared = count_shared(bits, row[pair], column[pair])
        least = max(least, _universal.log2_ceil(int(shared.max(initial=1))))
        if least >= cap:
            return cap
    return least


# Ratio of consecutive scales. Radii between two scales need a cover by balls smaller by as much.
_STEP = 2.0 ** (1 / 6)


def dimension_above(points: Points, *, low: int, cap: int, centred: bool) -> int:
    """Return an upper end for the dimension, between the known ends `low` and `cap`.

    `centred`: all centres must be points of the set.
    """
    high = low
    scale = diameter_of(points, points.n).high / points.scale * (1 + 1e-9)
    near, far = Pairs(points), Pairs(points)
    while high < cap:
        below = scale / _STEP
        radius = below / (2 if centred else 4)
        touched, crowd = cells_met(far, scale * scale, greedy_cover(balls(near, radius * radius)))
        # Balls of this radius or less contain so few points that one ball each suffices; below
        # the rounding of distances nothing tells points of one ball from each other.
        if crowd <= 2**high or scale * scale <= points.absolute:
            return min(cap, max(high, _universal.log2_ceil(crowd)))
        least = _universal.log2_ceil(int(np.diff(touched.indptr).max()))
        if not centred and least > high:
            least = most_shared(far, (below, scale), touched, high, cap)
        high = max(high, least)
        scale = far.largest_within(below)
    return cap
