"""Near pairs of points, greedy covers by balls, and the cells of a cover that balls meet."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from mehler.doubling._points import Points

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
        met = np.zeros((self.rows.stop - self.rows.start, labels.count), dtype=bool)
        met[row, labels.of[column]] = True
        return met, int(np.bincount(row).max())


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


# Largest set for which midpoints are tried as centres too.
_FEW = 48


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
    count, left = 0, len(members)
    while left:
        stale, i = queue[0]
        fresh = members[i][labels[members[i]] < 0]
        if fresh.size < -stale and not (i == first and count == 0):
            heapq.heapreplace(queue, (-fresh.size, i))
            continue
        heapq.heappop(queue)
        labels[fresh] = count
        count += 1
        left -= fresh.size
    return Labels(labels, count)


def balls(near: Pairs, squared: float) -> list[Any]:
    """Return, for each point, the points surely within the squared radius, and itself."""
    found: list[Any] = []
    limit = near.sure(squared)
    for block in near.within(squared):
        row, column = block.pairs(-math.inf, limit)
        column = column.astype(np.int32)
        ends = np.searchsorted(row, np.arange(block.rows.start, block.rows.stop + 1))
        found.extend(column[ends[i] : ends[i + 1]] for i in range(ends.size - 1))
    # For a radius below rounding a point may seem to be away from itself.
    return [ball if i in ball else np.append(ball, i) for i, ball in enumerate(found)]


def cover_lens(points: Points, inside: Any, radius_squared: float, enough: int) -> bool:
    """Return whether a greedy cover of some points needs at most `enough` balls of a radius.

    Centres are the points, and for few points the midpoints of any two as well.
    """
    between = points.squared(inside, inside)
    above = points.upper(between)
    np.fill_diagonal(above, 0.0)
    candidates = above
    if inside.size <= _FEW:
        a, b = np.triu_indices(inside.size, 1)
        # |x - (a + b)/2|^2 = (|x - a|^2 + |x - b|^2)/2 - |a - b|^2/4, with two more roundings.
        middle = (above[a] + above[b]) / 2 * (1 + 2.0**-50) - points.lower(between[a, b])[
            :, None
        ] / 4
        candidates = np.concatenate([above, middle])
    reached = (candidates <= radius_squared).astype(np.float32)
    left = np.ones(inside.size, dtype=np.float32)
    for more in range(enough, 0, -1):
        gains = reached @ left
        best = int(gains.argmax())
        # Gains only fall: so many balls cannot cover what is left.
        if gains[best] * more < left.sum():
            return False
        left *= 1 - reached[best]
        if not left.any():
            return True
    return False


# Up to this many cells each get a bit of their own. More are coloured, so that only cells met
# by one ball differ, unless balls meet so many cells that colouring costs more than it saves.
_FEW_CELLS = 512
_WORK = 1 << 28


def cells_met(far: Pairs, squared: float, labels: Labels) -> tuple[Any, int]:
    """Return the cells that the ball around each point may meet, and the most points in one.

    A sparse 0/1 matrix (n, count), and an int.
    """
    limit, parts, crowd = far.may(squared), [], 0
    for block in far.within(squared):
        met, most = block.cells(labels, limit)
        crowd = max(crowd, most)
        parts.append(sparse.csr_matrix(met))
    return sparse.vstack(parts, format="csr"), crowd


def as_bits(met: Any) -> Any:
    """Pack the cells of each point into bits: uint64, (n, words).

    Cells of one row never share a bit, so two rows share at least as many bits as cells.
    """
    n_points, n_cells = met.shape
    met_by_row = np.diff(met.indptr).astype(np.float64)
    renumber = n_cells > _FEW_CELLS and (met_by_row @ met_by_row) < _WORK
    numbers = _numbers(met) if renumber else np.arange(n_cells)
    words = int(numbers.max()) // 64 + 1
    bits = np.zeros((n_points, words), dtype=np.uint64)
    row = np.repeat(np.arange(n_points), np.diff(met.indptr))
    number = numbers[met.indices]
    one = np.left_shift(np.uint64(1), (number % 64).astype(np.uint64))
    np.bitwise_or.at(bits, (row, number // 64), one)
    return bits


def _numbers(met: Any) -> Any:
    """Colour the cells: cells that one row meets get different numbers.

    The search for a free number starts at a different place for each cell, so that cells of two
    rows seldom share one by chance.
    """
    ones = met.astype(np.int32)
    conflicts = (ones.T @ ones).tocsr()
    numbers = np.full(met.shape[1], -1, dtype=np.int64)
    taken = np.zeros(max(_FEW_CELLS, int(np.diff(conflicts.indptr).max()) + 1), dtype=bool)
    for cell in range(met.shape[1]):
        near = conflicts.indices[conflicts.indptr[cell] : conflicts.indptr[cell + 1]]
        used = numbers[near]
        used = used[used >= 0]
        taken[used] = True
        start = cell * 193 % taken.size
        later = int(np.argmin(taken[start:])) + start
        numbers[cell] = later if not taken[later] else int(np.argmin(taken))
        taken[used] = False
    return numbers


def count_shared(bits: Any, row: Any, column: Any) -> Any:
    """Count the bits that the two points of each pair share."""
    size = max(1, (1 << 20) // bits.shape[1])
    found = np.empty(row.size, dtype=np.int64)
    for start in range(0, row.size, size):
        pair = slice(start, start + size)
        shared = bits[row[pair]] & bits[column[pair]]
        found[pair] = np.bitwise_count(shared).sum(axis=1)
    return found


def count_common(met: Any, row: Any, column: Any) -> Any:
    """Count the cells that the two points of each pair share."""
    common = met[row].multiply(met[column]).tocsr()
    return np.diff(common.indptr)
