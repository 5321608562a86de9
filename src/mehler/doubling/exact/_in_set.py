"""The dimension with all centres in the set, for a few points, by enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler.doubling._points import Points
from mehler.doubling._witness import Witness
from mehler.doubling.exact._minimum_cover import largest_need


def exact_in_set(points: Points) -> tuple[int, Witness, int]:
    """Return ends for the most half-size balls that a ball needs, and that ball.

    Radii are the distances: between two consecutive ones a ball contains the same points, and balls
    of half the radius only grow.
    """
    everything = slice(0, points.n)
    between = points.squared(everything, everything)
    above, below = points.upper(between), points.lower(between)
    np.fill_diagonal(above, 0.0)
    # Lower end: points surely in the ball, covered by all that may be in a half-size one.
    low, at, _ = largest_need(_problems(above, above, below))
    # Upper end: points that may be in the ball, covered by those surely in a half-size one.
    _, _, high = largest_need(_problems(below, below, above))
    if at is None:
        return low, Witness.of_point(points), high
    point, radius_squared = at
    inside = np.flatnonzero(above[point] <= radius_squared)
    centre = points.host[point]
    return low, Witness.covered(points, centre, radius_squared, inside, low), high


def _problems(radii: Any, inside: Any, covered: Any) -> Iterator[tuple[tuple[int, float], Any]]:
    """Yield each point and squared radius with the sets that half-size balls cover."""
    for point, away in enumerate(inside):
        for radius_squared in np.unique(radii[point]):
            held = away <= radius_squared
            if held.sum() > 1:
                sets = covered[:, held] <= radius_squared / 4
                yield (point, float(radius_squared)), np.unique(sets, axis=0)
