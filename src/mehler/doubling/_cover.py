"""Greedy covers by balls around points."""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np

from mehler.doubling._pairs import Labels, Pairs
from mehler.doubling._points import Points

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
    for _ in range(enough):
        best = int((reached @ left).argmax())
        left *= 1 - reached[best]
        if not left.any():
            return True
    return False
