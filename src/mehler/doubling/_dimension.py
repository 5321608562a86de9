"""Certify the doubling dimension of points: log2 of how many half-size balls cover any ball."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mehler._arrays import Array
from mehler._validate import require_integer
from mehler.doubling._ends import Witness, dimension_above, largest_packing
from mehler.doubling._exact import exact_anywhere
from mehler.doubling._points import Interval, Points, by_columns, log2_ceil

# Largest set of which all balls and covers are enumerated: 2^n subsets.
_FEW = 10


@dataclass(frozen=True, kw_only=True)
class DoublingDimension(Interval):
    """A certified interval for the doubling dimension, with its proof.

    Parameters
    ----------
    low, high : int
        The dimension is at least `low` and at most `high`.
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
    witness: Witness
    n_points: int
    n_used: int
    method: str

    def __str__(self) -> str:
        """Print the interval on one line."""
        which = f"{self.low}" if self.exact else f"between {self.low} and {self.high}"
        sampled = "" if self.n_used == self.n_points else f" ({self.n_used} used)"
        return f"doubling dimension {which}, {self.n_points} points{sampled}, by {self.method}"


def doubling_dimension(X: Array, *, max_points: int = 10_000) -> DoublingDimension:
    r"""Return an interval that contains the doubling dimension of a finite set of points.

    The least k such that for every ball B of any radius r the points of the set in B are covered
    by :math:`2^k` balls of radius r/2,

    .. math:: k = \Bigl\lceil \log_2 \max_{c, r} N(M \cap B(c, r),\, r/2) \Bigr\rceil .

    Parameters
    ----------
    X : array, shape (n, d)
        The points.
    max_points : int
        Larger sets are sampled: this many distinct points are used, evenly spaced in the rows.

    Returns
    -------
    DoublingDimension
        Certified over all balls, with centres anywhere, and all radii. A comparison within
        rounding stays undecided: regular sets, whose distances are tied, may keep an interval.

    Notes
    -----
    Up to 10 points all balls and covers are enumerated. Beyond, the lower end is a packing: points
    in a ball of radius r that are farther than r apart. For the upper end a cover of the set at
    each scale of radii is split into cells, and those that a ball meets are counted, see
    :doc:`/theorems/definition-2`. Cost: O(n^2 d) a scale, a few hundred MiB at 10,000 points.

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
    doubling dimension 3, 5 points, by all covers
    """
    max_points = require_integer("max_points", max_points)
    points = Points(X)
    n_points = points.n
    cap = min(log2_ceil(n_points), by_columns(points.n_varying))
    method = "packing and covers"
    if n_points <= min(_FEW, max_points):
        count, witness, most = exact_anywhere(points)
        low, high = log2_ceil(count), min(cap, log2_ceil(most))
        method = "all covers"
    elif n_points <= max_points:
        low, high, witness = between(points, cap)
    else:
        points = points.subset(np.linspace(0, n_points - 1, max_points).astype(np.int64))
        witness = largest_packing(points, cap)
        low, high, method = log2_ceil(witness.count), cap, "packing in a sample"
    return DoublingDimension(
        low=low, high=high, witness=witness, n_points=n_points, n_used=points.n, method=method
    )


def between(points: Points, cap: int) -> tuple[int, int, Witness]:
    """Bound the dimension by a packing and by covers, at most `cap`: low, high, packed ball."""
    witness = largest_packing(points, cap)
    low = log2_ceil(witness.count)
    return low, dimension_above(points, low=low, cap=cap), witness
