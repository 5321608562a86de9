"""Upper ends, for all balls and radii at once: one cover per scale, and the cells balls meet.

A section S of the set by a ball of radius r has a diameter D <= 2 r, attained by two of its
points x and z. So it lies in B(x, D) and in B(z, D), and balls of radius D/4 <= r/2 may cover it.
If all centres are points of the set, S is B(x, r) itself and balls have radius r/2.
"""

from __future__ import annotations

import numpy as np

from mehler.doubling import _universal
from mehler.doubling._cells import cells_met
from mehler.doubling._cover import balls, greedy_cover
from mehler.doubling._diameter import diameter_of
from mehler.doubling._lenses import Lenses
from mehler.doubling._pairs import Pairs
from mehler.doubling._points import Points

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
