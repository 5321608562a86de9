"""The ball that needs the most balls of half its radius, as far as is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mehler.bounds.doubling._points import Points


@dataclass(frozen=True)
class Witness:
    """A ball and a packing in it that proves how many balls of half the radius it needs.

    Parameters
    ----------
    centre : numpy.ndarray, shape (d,)
    radius : float
        In the units of the data, rounded up.
    count : int
        No fewer balls of half the radius cover what the ball holds.
    rows : tuple of int
        Rows of the data in the ball, pairwise farther apart than the radius: no two fit into one
        ball of half the radius.
    """

    centre: Any
    radius: float
    count: int
    rows: tuple[int, ...] = ()

    @classmethod
    def packing(cls, points: Points, centre: Any, squared: float, chosen: Any) -> Witness:
        """From a squared radius and members in the inner coordinates."""
        return cls(
            centre=points.original(centre),
            radius=math.nextafter(math.sqrt(squared), math.inf) * points.scale,
            count=len(chosen),
            rows=tuple(int(i) for i in points.rows[chosen]),
        )

    @classmethod
    def of_point(cls, points: Points) -> Witness:
        """The first point, in a ball of its own."""
        return cls.packing(points, points.host[0], 0.0, [0])
