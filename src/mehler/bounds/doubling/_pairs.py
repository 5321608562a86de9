"""Pairs of points that are near, block by block, kept once there are few enough of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.bounds.doubling._points import Points

# Pairs that are kept: 12 bytes each.
_KEPT = 1 << 24
# Kept squared distances are rounded to float32.
_ROUNDED = 2.0**-22


@dataclass(frozen=True)
class Block:
    """Pairs of points, those of one slice of rows, in the order of the rows.

    Parameters
    ----------
    rows : slice
        Of all points.
    row, column : numpy.ndarray of int32
        The two points of each pair.
    squared : numpy.ndarray of float32
        Squared distances, rounded.
    """

    rows: slice
    row: Any
    column: Any
    squared: Any


class Pairs:
    """All ordered pairs of points, each point with itself included, that may be within a radius.

    Parameters
    ----------
    points : Points
    """

    def __init__(self, points: Points) -> None:
        self._points = points
        self._limit = 0.0
        self._kept: list[Block] | None = None

    def upper(self, squared: Any) -> Any:
        """No true squared distance is above this, for one that a block holds."""
        return self._points.upper(squared.astype(np.float64) * (1 + _ROUNDED))

    def lower(self, squared: Any) -> Any:
        """No true squared distance is below this, for one that a block holds."""
        return self._points.lower(squared.astype(np.float64) * (1 - _ROUNDED))

    def within(self, radius_squared: float) -> Iterator[Block]:
        """Blocks that together hold every pair within the radius, and few others.

        Radii should fall from call to call: pairs are kept as soon as few enough are within.
        """
        # What a pair within the radius is computed as, at most.
        limit = float(self._points.upper(radius_squared) * (1 + _ROUNDED))
        if self._kept is not None and limit <= self._limit:
            for block in self._kept:
                near = block.squared <= limit
                yield Block(block.rows, block.row[near], block.column[near], block.squared[near])
            return
        fresh: list[Block] = []
        total = 0
        for block in self._computed(limit):
            total += block.row.size
            if total <= _KEPT:
                fresh.append(block)
            else:
                fresh.clear()
            yield block
        if total <= _KEPT:
            self._kept, self._limit = fresh, limit

    def _computed(self, limit: float) -> Iterator[Block]:
        everything = slice(0, self._points.n)
        for rows in self._points.blocks():
            squared = self._points.squared(rows, everything).astype(np.float32)
            row, column = np.nonzero(squared <= limit)
            yield Block(
                rows,
                (row + rows.start).astype(np.int32),
                column.astype(np.int32),
                squared[row, column],
            )
