"""The ball known to need the most balls of half its radius."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from mehler.doubling._points import Points

Proof = Literal["packing", "separated", "all covers"]


@dataclass(frozen=True)
class Witness:
    """A ball, and points in it that prove how many balls of half its radius it needs.

    Parameters
    ----------
    centre : numpy.ndarray, shape (d,)
        Centre, in the coordinates of the data.
    radius : float
        In the units of the data, rounded up.
    count : int
        Least number of balls of half the radius that cover the points of the ball.
    rows : tuple of int
        Rows of the data in the ball that prove it.
    proof : {"packing", "separated", "all covers"}
        "packing": any two rows are farther apart than the radius. "separated": no two rows lie in
        a ball of half the radius around a point of the set. "all covers": all covers of the rows
        were enumerated.

    See Also
    --------
    doubling_dimension : Find the interval and its witness.
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
        """Build from a centre, a squared radius and points in inner coordinates."""
        return cls(
            centre=points.original(centre),
            radius=math.nextafter(math.sqrt(squared), math.inf) * points.scale,
            count=count,
            rows=tuple(int(i) for i in points.rows[chosen]),
            proof=proof,
        )

    @classmethod
    def of_point(cls, points: Points) -> Witness:
        """Return the first point in a ball of its own."""
        return cls.covered(points, points.host[0], 0.0, [0], 1, "packing")
