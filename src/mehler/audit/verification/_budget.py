"""A time limit shared by several checks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mehler.verify.pairwise._measurement import Clock

# Fraction of the limit reserved for the diagnosis.
_KEPT = 0.1


class TimeIsUp(Exception):
    """Raised by a draw after its time limit."""


class Budget:
    """Seconds shared equally by a number of checks; None and 0 are no limit.

    Counts CPU time or a quarter of wall time, as the limit of a check does. Raises ValueError for a
    negative or NaN limit.
    """

    def __init__(self, seconds: float | None, checks: int) -> None:
        if seconds is not None and not 0.0 <= seconds < math.inf:
            raise ValueError(f"time_limit={seconds!r} must be seconds, or 0 for no limit")
        self.limit = seconds or None
        self._checks = checks
        self._clock = Clock(self.limit)

    @property
    def left(self) -> float:
        """Seconds left; infinite without a limit."""
        if self.limit is None:
            return math.inf
        return max(0.0, self.limit - self._clock.seconds)

    def share(self) -> float | None:
        """Return the seconds of the next check, an equal part of the time left."""
        if self.limit is None:
            return None
        left = self.left - _KEPT * self.limit
        share = left / max(1, self._checks)
        self._checks -= 1
        # Enough for one draw, which shows how slow the map is.
        return max(1e-3, share)

    def rest(self) -> float | None:
        """Return the seconds of the last step: all time left, at least the reserved part."""
        return None if self.limit is None else max(self.left, _KEPT * self.limit)


def timed(draw: Callable[[int], Any], seconds: float | None) -> Callable[[int], Any]:
    """Return a draw that raises `TimeIsUp` once its seconds from now are over, never at first."""
    if seconds is None:
        return draw
    clock, made = Clock(seconds), 0

    def watched(*arguments: Any) -> Any:
        nonlocal made
        if made and clock.over:
            raise TimeIsUp(f"{made} draws took {clock.seconds:.3g} s")
        made += 1
        return draw(*arguments)

    return watched
