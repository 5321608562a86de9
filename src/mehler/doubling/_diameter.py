"""Diameter of a finite set."""

from __future__ import annotations

import math

import numpy as np

from mehler._arrays import Array
from mehler._validate import integer
from mehler.doubling._interval import Interval
from mehler.doubling._points import Points


def diameter(X: Array, *, max_points: int = 20_000) -> Interval:
    r"""Return the diameter of a finite set, :math:`\max_{x, z} |x - z|`.

    Parameters
    ----------
    X : array, shape (n, d)
        The points, in any namespace. A Dask array is computed, and refused above 1 GiB.
    max_points : int
        All pairs are looked at up to this many different points; beyond it the ends below come
        from a few sweeps over the set.

    Returns
    -------
    Interval
        In the units of X; ``float`` of it is the upper end. Over all pairs the ends differ by
        rounding only. Beyond `max_points` the lower end is a distance that was found and the
        upper end twice the radius of a ball that holds the set, at most :math:`\sqrt 3` times
        the truth.

    Raises
    ------
    TypeError, ValueError
        X is not a non-empty matrix of finite real numbers.

    See Also
    --------
    doubling_dimension : Dimension of the set.
    mehler.bounds.kernel_error.uniform : A bound that depends on both.

    Notes
    -----
    O(n^2 d) and a block of memory for all pairs, O(n d) beyond.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(diameter(np.asarray([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))), 12)
    5.0
    """
    max_points = integer("max_points", max_points)
    return diameter_of(Points.of_all(X), max_points)


def diameter_of(points: Points, max_points: int) -> Interval:
    """Compute the diameter of a Points object."""
    if points.n == 1:
        return Interval(0.0, 0.0)
    if points.n > max_points:
        return _swept(points)
    largest = 0.0
    for rows in points.blocks():
        # Each pair once: the columns from this block on.
        found = points.squared(rows, slice(rows.start, points.n))
        largest = max(largest, float(found.max()))
    return _ends(points, largest, largest)


def _swept(points: Points) -> Interval:
    """Bound the diameter by repeated farthest-point sweeps and the balls met on the way."""
    everything = slice(0, points.n)
    low, high = 0.0, math.inf
    centre = points.host.mean(axis=0)[None, :]
    for _ in range(8):
        away = points.squared_from(centre, everything)[0]
        high = min(high, float(away.max()))
        far = points.host[int(away.argmax())]
        across = points.squared_from(far[None, :], everything)[0]
        low = max(low, float(across.max()))
        centre = (far + points.host[int(across.argmax())])[None, :] / 2
    return _ends(points, low, 4 * high)


def _ends(points: Points, low: float, high: float) -> Interval:
    below = math.nextafter(math.sqrt(float(points.lower(np.float64(low)))), 0.0)
    above = math.nextafter(math.sqrt(float(points.upper(np.float64(high)))), math.inf)
    # Scaling is exact but where it leaves the range of normal floats.
    first, last = below * points.scale, above * points.scale
    first = math.nextafter(first, 0.0) if first / points.scale > below else first
    last = math.nextafter(last, math.inf) if last / points.scale < above else last
    return Interval(first, last)
