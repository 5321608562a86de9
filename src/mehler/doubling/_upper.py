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

    def pairs(self, high: float, low: float = -math.inf) -> tuple[Any, Any]:
        """Return the pairs with a value between two ends."""
        here = (self.squared <= high) & (self.squared >= low)
        return self.row[here], self.column[here]


class Pairs:
    """All ordered pairs, (x, x) included, that may be within a radius."""

    def __init__(self, points: Points) -> None:
        self._points = points
        self._limit = -1.0
        self._kept: list[Block] = []

    def may(self, squared: float) -> float:
        """Return the largest computed value of a squared distance of at most `squared`."""
        return self._points.may(squared) * (1 + _ROUNDED)

    def sure(self, squared: float) -> float:
        """Return a value such that one computed as no more is a squared distance <= `squared`."""
        return self._points.sure(squared) * (1 - _ROUNDED)

    def within(self, squared: float) -> Iterator[Block]:
        """Yield blocks that contain every pair within the squared radius, and others.

        Radii should decrease from call to call: pairs are stored as soon as few enough are within.
        """
        limit = self.may(squared)
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


def greedy_cover(members: list[Any]) -> Labels:
    """Assign each point to the ball, of a greedy cover, that covers it first.

    `members` lists the points in the ball around each point. The cover takes the ball that covers
    most new points: at most 1 + ln n times as many as in the best cover.
    """
    labels = np.full(len(members), -1, dtype=np.int32)
    # Gains only decrease: a stale one is an upper bound, recomputed when it leads.
    queue = [(-ball.size, i) for i, ball in enumerate(members)]
    heapq.heapify(queue)
    count, remaining = 0, len(members)
    while remaining:
        stale, i = queue[0]
        fresh = members[i][labels[members[i]] < 0]
        if fresh.size < -stale:
            heapq.heapreplace(queue, (-fresh.size, i))
            continue
        heapq.heappop(queue)
        labels[fresh] = count
        count += 1
        remaining -= fresh.size
    return Labels(labels, count)


def balls(near: Pairs, squared: float) -> list[Any]:
    """Return, for each point, the points surely within the squared radius, and itself."""
    around: list[Any] = []
    limit = near.sure(squared)
    for block in near.within(squared):
        row, column = block.pairs(limit)
        column = column.astype(np.int32)
        ends = np.searchsorted(row, np.arange(block.rows.start, block.rows.stop + 1))
        around.extend(column[ends[i] : ends[i + 1]] for i in range(ends.size - 1))
    # For a radius below rounding a point may seem to be away from itself.
    return [ball if i in ball else np.append(ball, i) for i, ball in enumerate(around)]


@dataclass(frozen=True)
class Cells:
    """The cells of a cover that the ball around each point may meet.

    `bits` (n, bytes) has one for each cell, `count` (n,) is their number, and `crowd` the most
    points in one ball.
    """

    bits: Any
    count: Any
    crowd: int

    def shared(self, row: Any, column: Any) -> int:
        """Return the most cells that the balls around both points of a pair meet."""
        size = max(1, (1 << 23) // self.bits.shape[1])
        most = 0
        for start in range(0, row.size, size):
            part = slice(start, start + size)
            both = self.bits[row[part]] & self.bits[column[part]]
            most = max(most, int(np.bitwise_count(both).sum(axis=1, dtype=np.int64).max()))
        return most


def cells_met(far: Pairs, squared: float, labels: Labels) -> Cells:
    """Return the cells that the ball of a squared radius around each point may meet."""
    limit, bits, counts, crowd = far.may(squared), [], [], 0
    for block in far.within(squared):
        row, column = block.pairs(limit)
        row = row - block.rows.start
        met = np.zeros((block.rows.stop - block.rows.start, labels.count), dtype=bool)
        met[row, labels.of[column]] = True
        bits.append(np.packbits(met, axis=1))
        counts.append(met.sum(axis=1))
        crowd = max(crowd, int(np.bincount(row).max()))
    return Cells(np.concatenate(bits), np.concatenate(counts), crowd)


def cells_of_pairs(far: Pairs, cells: Cells, low: float, high: float, enough: int) -> int:
    """Return the most cells that the balls around both points of a pair meet, or `enough`.

    Pairs are those whose distance, the radius of both balls, lies between two ends.
    """
    most, ends = enough, (far.may(high * high), far.sure(low * low))
    for block in far.within(high * high):
        row, column = block.pairs(*ends)
        pair = (cells.count[row] > most) & (cells.count[column] > most) & (row < column)
        most = max(most, cells.shared(row[pair], column[pair]))
    return most


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
        members = balls(near, radius * radius)
        cells = cells_met(far, scale * scale, greedy_cover(members))
        if cells.crowd <= 2**high:
            # Balls of this radius or less contain so few points that one ball each suffices.
            return high
        needed = int(cells.count.max())
        if not centred and needed > 2**high:
            needed = cells_of_pairs(far, cells, below, scale, 2**high)
        high = min(cap, max(high, _universal.log2_ceil(needed)))
        scale = below
    return cap
