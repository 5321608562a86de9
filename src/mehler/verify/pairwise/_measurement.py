"""The specification of a measurement, and its result of one interval per pair."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from time import monotonic, thread_time
from typing import Any

from mehler.verify._certificate import Statistics
from mehler.verify._verdict import FLOOR
from mehler.verify.intervals._nonnegative import Found
from mehler.verify.sampling._draws import Draws, in_order
from mehler.verify.sampling._pairs import Pairs
from mehler.verify.sampling._sources import Source

# Wall time counts for 1/_WAITING, since the machine may be busy with other work.
_WAITING = 4.0


class Clock:
    """A time limit in seconds; None for no limit.

    It counts CPU time of this thread and what it is told of others, or a quarter of wall time if
    that is more, so that a verdict does not depend on the machine's other load.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._start, self._worked = monotonic(), thread_time()
        self._elsewhere = 0.0

    def add(self, seconds: float) -> None:
        """Count work of other threads."""
        self._elsewhere += seconds

    @property
    def seconds(self) -> float:
        """Seconds since construction."""
        work = thread_time() - self._worked + self._elsewhere
        return max(work, (monotonic() - self._start) / _WAITING)

    @property
    def over(self) -> bool:
        """Whether the limit has passed."""
        return self.limit is not None and self.seconds >= self.limit


@dataclass(frozen=True)
class MeasurementSpec:
    """The specification of a measurement; resolution and claims in units of the pairs."""

    pairs: Pairs
    source: Source
    draws: Draws
    false_alarm: float
    resolution: float
    miss: float
    max_features: int | None
    clock: Clock = field(default_factory=Clock)
    n_jobs: int = 1

    def results(
        self, work: Callable[[Any], Any], start: int, stop: int, draws: Draws | None = None
    ) -> Any:
        """Return what `work` makes of draws start to stop - 1, in order; a context to leave."""
        # Seconds side by side are seconds of one.
        return closing(
            in_order(
                self.draws if draws is None else draws,
                work,
                start,
                stop,
                n_jobs=self.n_jobs,
                worked=lambda seconds: self.clock.add(seconds / self.n_jobs),
            )
        )

    @property
    def floor(self) -> float:
        """Least deviation that may refute a claim."""
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
        """Full width allowed for an interval, before the rounding allowance."""
        self.require_resolved()
        return self.resolution - 2.0 * self.rounding

    def require_resolved(self) -> None:
        """Raise ValueError for a resolution below the rounding allowance."""
        if self.resolution <= 2.0 * self.rounding:
            raise ValueError(
                f"resolution={self.resolution:.3g} is finer than the rounding of the features "
                f"({2 * self.rounding:.3g}): ask for a coarser one, or for float64 features"
            )

    def affordable(self, samples: int, spent: int = 0) -> int:
        """Return the draws for `samples` samples per pair, capped by what `max_features` leaves."""
        n_draws = -(-samples // self.source.per_draw)
        if self.max_features is None:
            return n_draws
        return min(n_draws, self.max_features // self.source.n_features - spent)


@dataclass(frozen=True)
class Measurement:
    """Sample means and intervals [low, high] for each pair, in units of the pairs.

    `may_refute` marks the pairs at which the error rate of the interval holds; `found` is a squared
    length in excess, which refutes by itself; `note` says why an outcome is open; the first of
    `statistics` is that of the intervals.
    """

    observed: Any
    low: Any
    high: Any
    n_draws: int
    n_intervals: int
    detectable: float
    needed: int
    method: str
    assumptions: tuple[str, ...]
    may_refute: Any = True
    found: Found | None = None
    note: str = ""
    statistics: tuple[Statistics, ...] = ()
