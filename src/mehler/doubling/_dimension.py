"""The doubling dimension of Definition 2, packing and covering numbers, between certified ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mehler._arrays import Array
from mehler._validate import require_choice, require_flag, require_integer, require_positive
from mehler.doubling import _universal
from mehler.doubling._exact import exact_anywhere, exact_in_set
from mehler.doubling._lower import Witness, largest_packing
from mehler.doubling._points import Interval, Points
from mehler.doubling._upper import Pairs, balls, dimension_above, greedy_cover

Centres = Literal["anywhere", "in the set"]
CENTRES = ("anywhere", "in the set")
# Largest sets for which all balls and covers are enumerated: 2^n subsets, n^2 balls.
_FEW = {"anywhere": 10, "in the set": 64}
_MOST = {"anywhere": 14, "in the set": 96}


@dataclass(frozen=True, kw_only=True)
class DoublingDimension:
    """A certified interval for the doubling dimension, with its proof.

    Parameters
    ----------
    low, high : int
        The dimension is at least `low` and at most `high`.
    centres : {"anywhere", "in the set"}
        Where the centres of balls may lie.
    witness : Witness
        The ball that proves `low`.
    n_points : int
        Distinct points of the set.
    n_used : int
        Number of points used. If it is smaller, `low` still holds for the whole set, and `high`
        follows from the numbers of points and columns.
    method : {"all covers", "packing and covers", "packing in a sample"}
        How the ends were found.
    """

    low: int
    high: int
    centres: Centres
    witness: Witness
    n_points: int
    n_used: int
    method: str

    @property
    def exact(self) -> bool:
        """Whether the ends agree."""
        return self.low == self.high

    def __contains__(self, value: float) -> bool:
        """Return whether a dimension lies between the ends."""
        return self.low <= value <= self.high

    def __str__(self) -> str:
        """Print the interval in a line."""
        which = f"{self.low}" if self.exact else f"between {self.low} and {self.high}"
        sampled = "" if self.n_used == self.n_points else f" ({self.n_used} looked at)"
        return (
            f"doubling dimension {which}, centres {self.centres}, {self.n_points} points{sampled}, "
            f"by {self.method}"
        )


def doubling_dimension(
    X: Array, *, centres: Centres = "anywhere", exact: bool | None = None, max_points: int = 10_000
) -> DoublingDimension:
    r"""Return an interval that contains the doubling dimension of a finite set of points.

    The least k such that for every ball B of any radius r the points of the set in B are covered
    by :math:`2^k` balls of radius r/2,

    .. math:: k = \Bigl\lceil \log_2 \max_{c, r} N(M \cap B(c, r),\, r/2) \Bigr\rceil .

    Parameters
    ----------
    X : array, shape (n, d)
        The points.
    centres : {"anywhere", "in the set"}
        Whether the centres of all balls may lie anywhere in :math:`R^d`, as in Definition 2, or
        only on points of the set.
    exact : bool, optional
        Enumerate all balls and all covers. By default for at most 10 points, or 64 if centres
        are in the set; possible up to 14, or 96.
    max_points : int
        Larger sets are sampled: this many distinct points are used, evenly spaced in the rows.

    Returns
    -------
    DoublingDimension
        `low` and `high` are certified over all balls and radii, for the points as given. A
        comparison within rounding of float64 stays undecided, so that regular sets, whose
        distances are tied, may keep an interval even if `exact`.

    Notes
    -----
    From below: a packing, points in a ball of radius r that are farther than r apart. From above:
    one cover a scale and what balls meet of it; the proof is on the page of Definition 2. Where
    centres lie anywhere, a subset has no larger dimension, so `low` from a sample holds for the
    set; with centres in the set dimensions may grow when points are left out, but a packing in a
    sample is one in the set, and only packings are used there.

    Distances take O(n^2 d) a scale and a few hundred MiB at 10,000 points.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Definition 2.

    Examples
    --------
    Equidistant points, of which no two fit into a ball of half the size:

    >>> import numpy as np
    >>> interval = doubling_dimension(np.eye(8))
    >>> interval.low, interval.high, interval.witness.count
    (3, 3, 8)

    A regular pentagon needs five balls, though it lies in the plane:

    >>> angles = 2 * np.pi * np.arange(5) / 5
    >>> print(doubling_dimension(np.stack([np.cos(angles), np.sin(angles)], axis=1)))
    doubling dimension 3, centres anywhere, 5 points, by all covers
    """
    max_points = require_integer("max_points", max_points)
    require_choice("centres", centres, CENTRES)
    if exact is not None:
        require_flag("exact", exact)
    points = Points(X)
    if exact and points.n > min(_MOST[centres], max_points):
        raise ValueError(
            f"exact=True looks at all covers, of at most {min(_MOST[centres], max_points)} points "
            f"with centres {centres}; X has {points.n}: leave it out for an interval"
        )
    cap = _cap(centres, points.n, points.n_varying)
    if exact or (exact is None and points.n <= min(_FEW[centres], max_points)):
        solve = exact_anywhere if centres == "anywhere" else exact_in_set
        low, witness, high = solve(points)
        ends = (_universal.log2_ceil(low), min(cap, _universal.log2_ceil(high)))
        return _result(points, points.n, centres, ends, witness, "all covers")
    return _between(points, centres, cap, max_points)


def _between(points: Points, centres: Centres, cap: int, max_points: int) -> DoublingDimension:
    n_points, centred = points.n, centres == "in the set"
    whole = n_points <= max_points
    if not whole:
        points = points.some(np.linspace(0, n_points - 1, max_points).astype(np.int64))
    witness = largest_packing(points, centred=centred, whole=whole, cap=cap)
    low = _universal.log2_ceil(witness.count)
    if not whole:
        return _result(points, n_points, centres, (low, cap), witness, "packing in a sample")
    high = dimension_above(points, low=low, cap=cap, centred=centred)
    return _result(points, n_points, centres, (low, high), witness, "packing and covers")


def _cap(centres: Centres, n_points: int, n_varying: int) -> int:
    # With centres in the set: half-size balls twice, then one around a point of each.
    twice = 1 if centres == "anywhere" else 2
    return min(_universal.log2_ceil(n_points), twice * _universal.by_columns(n_varying))


def _result(
    points: Points,
    n_points: int,
    centres: Centres,
    ends: tuple[int, int],
    witness: Witness,
    method: str,
) -> DoublingDimension:
    return DoublingDimension(
        low=ends[0],
        high=ends[1],
        centres=centres,
        witness=witness,
        n_points=n_points,
        n_used=points.n,
        method=method,
    )


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


def covering_number(X: Array, radius: float, *, centres: Centres = "anywhere") -> Interval:
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
    require_choice("centres", centres, CENTRES)
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
    farthest, count = 0, 0
    while True:
        squares = points.squared([farthest], slice(0, points.n))[0]
        np.minimum(nearest, squares, out=nearest)
        nearest[farthest] = -np.inf
        count += 1
        candidates = np.where(free(nearest) & (nearest > -np.inf), nearest, np.inf)
        farthest = int(candidates.argmin())
        if candidates[farthest] == np.inf:
            return count
