"""The ball that needs the most balls of half its radius, as far as is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from mehler.bounds.doubling._points import Points

Proof = Literal["packing", "separated", "all covers"]


@dataclass(frozen=True)
class Witness:
    """A ball, and points in it that prove how many balls of half its radius it needs.

    Parameters
    ----------
    centre : numpy.ndarray, shape (d,)
    radius : float
        In the units of the data, rounded up.
    count : int
        No fewer balls of half the radius cover what the ball holds.
    rows : tuple of int
        Rows of the data in the ball that prove it.
    proof : {"packing", "separated", "all covers"}
        No two rows fit into one ball of half the radius, since they are farther apart than the
        radius; no two rows are in a ball of half the radius around a point of the set; or all
        covers of the rows were looked at.
    """

    centre: Any
    radius: float
    count: int
    rows: tuple[int, ...]
    proof: Proof

    @classmethod
    def covered(
        cls,
        points: Points,
        centre: Any,
        squared: float,
        chosen: Any,
        count: int,
        proof: Proof = "all covers",
    ) -> Witness:
        """From a centre, a squared radius and points in the inner coordinates."""
        return cls(
            centre=points.original(centre),
            radius=math.nextafter(math.sqrt(squared), math.inf) * points.scale,
            count=count,
            rows=tuple(int(i) for i in points.rows[chosen]),
            proof=proof,
        )

    @classmethod
    def of_point(cls, points: Points) -> Witness:
        """The first point, in a ball of its own."""
        return cls.covered(points, points.host[0], 0.0, [0], 1, "packing")
