"""Near pairs of points, block by block, stored once there are few enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mehler.doubling._points import Points

# Most pairs stored: 12 bytes each.
_KEPT = 1 << 24
# Stored squared distances are rounded to float32.
_ROUNDED = 2.0**-22


@dataclass(frozen=True)
class Labels:
    """The cell of each point, and the points sorted by cell."""

    of: Any
    count: int

    @property
    def order(self) -> Any:
        """Points sorted by cell."""
        return np.argsort(self.of, kind="stable")

    @property
    def starts(self) -> Any:
        """Where each cell begins in `order`."""
        return np.searchsorted(np.sort(self.of), np.arange(self.count))


class Block(Protocol):
    """Computed squared distances from a slice of the points to others."""

    @property
    def rows(self) -> slice:
        """First points of the pairs."""

    def pairs(self, low: float, high: float) -> tuple[Any, Any]:
        """Return the pairs with a value between two ends, ordered by their first point."""

    def cells(self, labels: Labels, high: float) -> tuple[Any, int]:
        """Return the cells with a point within `high` of each row, and the most such points."""


@dataclass(frozen=True)
class Full:
    """All distances of some rows, as computed."""

    rows: slice
    squared: Any

    def pairs(self, low: float, high: float) -> tuple[Any, Any]:
        row, column = np.nonzero((self.squared <= high) & (self.squared >= low))
        return row + self.rows.start, column

    def cells(self, labels: Labels, high: float) -> tuple[Any, int]:
        near = self.squared <= high
        crowd = int(np.count_nonzero(near, axis=1).max())
        return np.logical_or.reduceat(near[:, labels.order], labels.starts, axis=1), crowd


@dataclass(frozen=True)
class Listed:
    """The stored near pairs of some rows."""

    rows: slice
    row: Any
    column: Any
    squared: Any

    def pairs(self, low: float, high: float) -> tuple[Any, Any]:
        here = (self.squared <= high) & (self.squared >= low)
        return self.row[here], self.column[here]

    def cells(self, labels: Labels, high: float) -> tuple[Any, int]:
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
        self._kept: list[Listed] = []

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
        fresh: list[Listed] | None = []
        total = 0
        for rows in self._points.blocks():
            block = Full(rows, self._points.squared(rows, slice(0, self._points.n)))
            if fresh is not None:
                total += int(np.count_nonzero(block.squared <= limit))
                # Extrapolated from the blocks so far; checked at the end.
                fits = total * self._points.n <= _KEPT * rows.stop
                fresh = [*fresh, _listed(block, limit)] if fits else None
            yield block
        if fresh is not None:
            self._kept, self._limit = fresh, limit


def _listed(block: Full, limit: float) -> Listed:
    row, column = block.pairs(-1.0, limit)
    squared = block.squared[row - block.rows.start, column].astype(np.float32)
    return Listed(block.rows, row.astype(np.int32), column.astype(np.int32), squared)
