"""Packing and covering numbers at one scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from mehler._arrays import Array
from mehler._validate import require_positive
from mehler.doubling._points import Interval, Points
from mehler.doubling._upper import Pairs, balls, greedy_cover

# Largest set whose near pairs are kept, for a cover with fewer balls.
_LISTED = 10_000
_FAR = 2.0**400


def packing_number(X: Array, radius: float) -> Interval:
    r"""Bound the packing number: the most points of a set with all distances above a radius.

    .. math:: P(r) = \max\{|A| : A \subset M,\ |x - z| > r \text{ for } x \ne z \in A\}

    Parameters
    ----------
    X : array, shape (n, d)
        The points.
    radius : float
        r, in the units of X.

    Returns
    -------
    Interval
        Integers: the size of a packing, and of a cover by balls of radius r/2, each of which
        contains at most one point of a packing.

    Examples
    --------
    >>> import numpy as np
    >>> packing_number(np.arange(5.0)[:, None], 2.5)
    Interval(low=2, high=2)
    """
    points, scaled = _ready(X, radius)
    return Interval(_packed(points, scaled), _covered(points, scaled / 2))


def covering_number(
    X: Array, radius: float, *, centres: Literal["anywhere", "in the set"] = "anywhere"
) -> Interval:
    """Bound the covering number: the fewest balls of a radius that cover a set.

    Parameters
    ----------
    X : array, shape (n, d)
        The points.
    radius : float
        r, in the units of X.
    centres : {"anywhere", "in the set"}
        Where the centres of balls may lie.

    Returns
    -------
    Interval
        Integers: the size of a packing at distances above 2 r, no two points of which fit in one
        ball, and of a cover. Both ends hold for either kind of centres, as those of the cover
        are points of the set.

    Examples
    --------
    >>> import numpy as np
    >>> covering_number(np.eye(6), 0.5)
    Interval(low=6, high=6)
    """
    if centres not in ("anywhere", "in the set"):
        raise ValueError(f"centres={centres!r} is not one of 'anywhere', 'in the set'")
    points, scaled = _ready(X, radius)
    return Interval(_packed(points, 2 * scaled), _covered(points, scaled))


def _ready(x: Array, radius: float) -> tuple[Points, float]:
    require_positive("radius", radius)
    points = Points(x)
    # Beyond any distance of scaled points its square would overflow.
    return points, min(float(radius) / points.scale, _FAR)


def _packed(points: Points, radius: float) -> int:
    """Return points that are surely farther apart than the radius."""
    return _spread(points, lambda squared: points.lower(squared) > radius**2)


def _covered(points: Points, radius: float) -> int:
    """Return the centres of balls that surely cover everything."""
    count = _spread(points, lambda squared: points.upper(squared) > radius**2)
    if points.n > _LISTED:
        return count
    return min(count, greedy_cover(balls(Pairs(points), radius**2)).count)


def _spread(points: Points, free: Callable[[Any], Any]) -> int:
    """Take the nearest point still free of those taken, until none is left."""
    nearest = np.full(points.n, np.inf)
    taken, count = 0, 0
    while True:
        away = points.squared([taken], slice(0, points.n))[0]
        np.minimum(nearest, away, out=nearest)
        nearest[taken] = -np.inf
        count += 1
        left = np.where(free(nearest) & (nearest > -np.inf), nearest, np.inf)
        taken = int(left.argmin())
        if left[taken] == np.inf:
            return count
