"""What is asked of a measurement, and what comes back: one interval a pair."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from time import monotonic, thread_time
from typing import Any

from mehler.verify.intervals._excess import Found
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import Pairs
from mehler.verify.sampling._sources import Source

# A deviation of less than this share of the resolution never refutes: it is rounding, an event
# too rare to matter, or a defect too small to be asked for.
FLOOR = 0.05


# A machine that is busy with other work may take so many times as long.
_WAITING = 4.0


class Clock:
    """Says when a limit of seconds is over; None is no limit.

    Seconds are those that this thread works, so that a verdict does not hang on what else the
    machine does; of seconds that it waits every fourth counts.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._start, self._worked = monotonic(), thread_time()

    @property
    def seconds(self) -> float:
        """Since it was made."""
        return max(thread_time() - self._worked, (monotonic() - self._start) / _WAITING)

    @property
    def over(self) -> bool:
        """Whether the limit has passed."""
        return self.limit is not None and self.seconds >= self.limit


@dataclass(frozen=True)
class Plan:
    """What is asked of the measurement; resolution and claims in units of the pairs."""

    pairs: Pairs
    source: Source
    draws: Draws
    false_alarm: float
    resolution: float
    miss: float
    max_features: int | None
    clock: Clock = field(default_factory=Clock)

    @property
    def floor(self) -> float:
        """Least deviation that may refute."""
        return FLOOR * self.resolution

    @property
    def rounding(self) -> float:
        """Allowance for rounded features, added to both ends of every interval.

        Rounding errors of an inner product of d terms add up like independent ones to about
        sqrt(d) eps (Higham and Mary 2019); 8 covers both factors of a product and their sum.
        """
        return 8.0 * math.sqrt(self.pairs.left.host.shape[1]) * self.source.eps

    @property
    def width(self) -> float:
        """Full width that an interval may have before the allowance."""
        self.require_resolved()
        return self.resolution - 2.0 * self.rounding

    def require_resolved(self) -> None:
        """Refuse a resolution that no number of draws reaches."""
        if self.resolution <= 2.0 * self.rounding:
            raise ValueError(
                f"resolution={self.resolution:.3g} is finer than the rounding of the features "
                f"({2 * self.rounding:.3g}): ask for a coarser one, or for float64 features"
            )

    def affordable(self, samples: int, spent: int = 0) -> int:
        """Return the draws that give so many samples a pair, or as many as are left."""
        n_draws = -(-samples // self.source.per_draw)
        if self.max_features is None:
            return n_draws
        return min(n_draws, self.max_features // self.source.n_features - spent)


@dataclass(frozen=True)
class Measurement:
    """Sample means and intervals [low, high] for each pair, in units of the pairs.

    `may_refute` says at which pairs the interval's error rate stands; `found` is an excess of a
    squared length, which refutes by itself; `note` says why an outcome is open.
    """

    observed: Any
    low: Any
    high: Any
    n_draws: int
    n_looks: int
    detectable: float
    needed: int
    method: str
    assumptions: tuple[str, ...]
    may_refute: Any = True
    found: Found | None = None
    note: str = ""
