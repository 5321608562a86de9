"""The time that a check takes, and its limit."""

from __future__ import annotations

from time import monotonic, thread_time

# Wall time counts for 1/_WAITING, since the machine may be busy with other work.
_WAITING = 4.0


class Clock:
    """A time limit in CPU seconds, None for no limit.

    It counts CPU time of this thread, or a quarter of wall time if that is more, so that a verdict
    does not depend on the machine's other load.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._start, self._worked = monotonic(), thread_time()

    @property
    def seconds(self) -> float:
        """Seconds since construction."""
        return max(thread_time() - self._worked, (monotonic() - self._start) / _WAITING)

    @property
    def over(self) -> bool:
        """Whether the limit has passed."""
        return self.limit is not None and self.seconds >= self.limit
