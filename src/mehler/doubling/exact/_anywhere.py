"""Definition 2 for a few points: every subset cut out by a ball, every cover of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler.doubling._points import Points
from mehler.doubling._witness import Witness
from mehler.doubling.exact._miniballs import Miniballs, miniballs
from mehler.doubling.exact._minimum_cover import largest_need


def exact_anywhere(points: Points) -> tuple[int, Witness, int]:
    """Return ends for the most half-size balls that a section needs, and the section's ball.

    Subsets stand for sections: one that a ball B(c, r) cuts out lies in its own smallest ball,
    whose radius is at most r and whose half-size balls are no larger.
    """
    found = miniballs(points)
    # Covers allowed by the lower ends may not exist, but no real one is smaller.
    low, mask, _ = largest_need(_problems(points.n, found, found.high / 4, found.low))
    _, _, high = largest_need(_problems(points.n, found, found.low / 4, found.high))
    if mask is None:
        return low, Witness.of_point(points), high
    inside = np.flatnonzero((mask >> np.arange(points.n)) & 1)
    witness = Witness.covered(points, found.centre[mask], float(found.high[mask]), inside, low)
    return low, witness, high


def _problems(n: int, found: Miniballs, allowed: Any, radius: Any) -> Iterator[tuple[int, Any]]:
    """Yield each subset T with its maximal subsets of ``radius <= allowed[T]``."""
    every = np.arange(1 << n)
    inside = (every[:, None] >> np.arange(n)) & 1 == 1
    for mask in _closed(found, n):
        part = every[every & ~mask == 0]
        fits = part[1:][(radius[part[1:]] <= allowed[mask]) | (np.bitwise_count(part[1:]) == 1)]
        kept = np.ones(fits.size, dtype=bool)
        feasible = np.zeros(1 << n, dtype=bool)
        feasible[fits] = True
        for i in np.flatnonzero(inside[mask]):
            kept &= ~(feasible[fits | (1 << i)] & (fits >> i & 1 == 0))
        yield int(mask), inside[fits[kept]][:, inside[mask]]


def _closed(found: Miniballs, n: int) -> Iterator[int]:
    """Yield subsets of at least two points that cannot grow within their ball."""
    every = np.arange(1 << n)
    grows = np.bitwise_count(every) >= 2
    for i in range(n):
        more = every | (1 << i)
        grows &= (every == more) | (found.high[more] > found.high) | (found.low[more] != found.low)
    yield from (int(mask) for mask in every[grows])
