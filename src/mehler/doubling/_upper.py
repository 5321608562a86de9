"""Upper ends, for all balls and radii at once: one cover per scale, and the cells balls meet.

A section S of the set by a ball of radius r has a diameter D <= 2 r, attained by two of its
points x and z. So it lies in B(x, D) and in B(z, D), and balls of radius D/4 <= r/2 may cover it.
If all centres are points of the set, S is B(x, r) itself and balls have radius r/2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler.doubling import _universal
from mehler.doubling._cover import (
    Pairs,
    as_bits,
    balls,
    cells_met,
    count_common,
    count_shared,
    cover_lens,
    greedy_cover,
)
from mehler.doubling._points import Points, diameter_of

# Most pairs for which further covers are tried, their number, most pairs with separate covers.
_STUBBORN = 1 << 18
_COVERS = 4
_OWN = 1 << 12
# Budget of distances for separate covers: a lens of n points costs n^2.
_WORK = 1 << 26


class Lenses:
    """The intersections of two balls around points whose distance is their common radius.

    `between`: the distances considered. `members`: the balls that may cover. `met`: the cells of a
    first cover that the ball around each point meets.
    """

    def __init__(
        self, points: Points, far: Pairs, between: tuple[float, float], members: Any, met: Any
    ) -> None:
        self._points, self._far = points, far
        self._below, self._scale = between
        self._members, self._met = members, met
        self._bits = as_bits(met)

    def need(self, high: int, cap: int) -> int:
        """Return a k, `high` <= k <= `cap`, such that 2^k balls cover each lens."""
        sizes = np.zeros(cap + 1, dtype=np.int64)
        for row, column in self._apart(high):
            shared = _universal.log2_ceils(count_shared(self._bits, row, column))
            sizes += np.bincount(np.minimum(shared, cap), minlength=cap + 1)
            if sizes[cap] > _STUBBORN:
                return cap
        found = int(np.flatnonzero(sizes).max(initial=high))
        while found > high and sizes[found:].sum() <= _STUBBORN:
            if not self._all_below(found - 1):
                break
            found -= 1
        return max(high, found)

    def _apart(self, target: int) -> Iterator[tuple[Any, Any]]:
        """Yield the pairs, once each, whose balls meet more than 2^target cells."""
        heavy = np.diff(self._met.indptr) > 2**target
        # Neither surely below the lower end nor surely above the upper one.
        ends = self._far.sure(self._below**2), self._far.may(self._scale**2)
        for block in self._far.within(self._scale**2):
            row, column = block.pairs(*ends)
            pair = heavy[row] & heavy[column] & (row < column)
            yield row[pair], column[pair]

    def _all_below(self, target: int) -> bool:
        """Return whether 2^target balls are shown to cover each lens, by any of several covers."""
        parts = []
        for row, column in self._apart(target):
            many = count_shared(self._bits, row, column) > 2**target
            parts.append((row[many], column[many]))
        row, column = (np.concatenate(side) for side in zip(*parts))
        met = self._met
        for attempt in range(_COVERS):
            if attempt:
                first = attempt * self._points.n // _COVERS
                cover = greedy_cover(self._members, first=first)
                met, _ = cells_met(self._far, self._scale**2, cover)
            many = count_common(met, row, column) > 2**target
            row, column = row[many], column[many]
            if not row.size:
                return True
        return row.size <= _OWN and self._own_covers(row, column, target)

    def _own_covers(self, row: Any, column: Any, target: int) -> bool:
        """Return whether a separate cover of each lens needs at most 2^target balls."""
        points, work = self._points, 0
        for x, z in zip(row, column):
            ends = points.squared(np.asarray([x, z]), slice(0, points.n))
            apart = float(ends[0, z])
            near = np.all(points.lower(ends) <= points.upper(apart), axis=0)
            inside = np.flatnonzero(near)
            work += inside.size**2
            if work > _WORK:
                return False
            radius_squared = float(points.lower(apart)) / 16
            if inside.size > 2**target and not cover_lens(
                points, inside, radius_squared, 2**target
            ):
                return False
        return True


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
        met, crowd = cells_met(far, scale * scale, greedy_cover(members))
        if crowd <= 2**high:
            # Balls of this radius or less contain so few points that one ball each suffices.
            return high
        cells = np.diff(met.indptr)
        found = _universal.log2_ceil(int(cells.max()))
        if not centred and found > high:
            lenses = Lenses(points, far, (below, scale), members, met)
            found = lenses.need(high, cap)
        high = max(high, found)
        scale = below
    return cap
