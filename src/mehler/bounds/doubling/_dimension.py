"""The doubling dimension of Definition 2, between two ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler.bounds._bound import require_count
from mehler.bounds.doubling import _universal
from mehler.bounds.doubling._lower import largest_packing
from mehler.bounds.doubling._points import Points
from mehler.bounds.doubling._witness import Witness

Centres = Literal["anywhere", "in the set"]
CENTRES = ("anywhere", "in the set")


@dataclass(frozen=True, kw_only=True)
class DoublingDimension:
    """A certified interval for the doubling dimension, and what it rests on.

    Parameters
    ----------
    low, high : int
        The dimension is at least `low` and at most `high`.
    centres : {"anywhere", "in the set"}
        Where the centres of balls may lie.
    witness : Witness
        The ball that proves `low`.
    n_points : int
        Different points of the set.
    n_used : int
        How many of them were looked at.
    method_low, method_high : str
        How the ends were found.
    """

    low: int
    high: int
    centres: Centres
    witness: Witness
    n_points: int
    n_used: int
    method_low: str
    method_high: str

    @property
    def exact(self) -> bool:
        """Whether the ends are one number."""
        return self.low == self.high

    def __contains__(self, value: float) -> bool:
        """Whether a dimension lies between the ends."""
        return self.low <= value <= self.high


def doubling_dimension(
    X: Array, *, centres: Centres = "anywhere", max_points: int = 10_000
) -> DoublingDimension:
    r"""Return an interval that contains the doubling dimension of a finite set of points.

    The least k such that for every ball B of radius r, the part of the set in B is covered by
    :math:`2^k` balls of radius r/2.

    Parameters
    ----------
    X : array, shape (n, d)
        The points, in any namespace; rows that repeat count once.
    centres : {"anywhere", "in the set"}
        Whether the centres of all balls may lie anywhere in :math:`R^d`, as in Definition 2, or
        only on points of the set.
    max_points : int
        Beyond this many different points only so many are looked at.

    Returns
    -------
    DoublingDimension

    Raises
    ------
    TypeError, ValueError
        X is not a non-empty matrix of finite real numbers, or an option is unknown.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Definition 2.

    Examples
    --------
    >>> import numpy as np
    >>> found = doubling_dimension(np.eye(8))
    >>> found.low, found.high
    (3, 3)
    """
    require_count(max_points=max_points)
    if centres not in CENTRES:
        raise ValueError(f"centres={centres!r} is not one of {', '.join(map(repr, CENTRES))}")
    points = Points(X)
    n_points, n_varying = points.n, points.n_varying
    if n_points > max_points:
        kept = points.rows[np.linspace(0, n_points - 1, max_points).astype(np.int64)]
        points = Points(_arrays.to_host(X)[kept])
    anywhere = centres == "anywhere"
    high = _universal.by_count(n_points)
    if anywhere:
        high = min(high, _universal.by_columns(n_varying))
    witness = largest_packing(points, centred=not anywhere, cap=high)
    return DoublingDimension(
        low=_universal.log2_ceil(witness.count),
        high=high,
        centres=centres,
        witness=witness,
        n_points=n_points,
        n_used=points.n,
        method_low="packing",
        method_high="number of points or of columns",
    )
