"""The time that a check takes: its limit, and a warning ahead of a long one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Generator
from contextlib import closing
from time import monotonic, thread_time
from typing import Any

# Wall time counts for 1/_WAITING, since the machine may be busy with other work.
_WAITING = 4.0
# A check says once that it takes longer than so many seconds, after so many seconds and draws.
PATIENCE, _FIRST, _FIRST_DRAWS = 60.0, 5.0, 8


class Clock:
    """A time limit in CPU seconds, None for no limit, and a warning ahead of a long check.

    It counts CPU time of this thread and what it is told of others, or a quarter of wall time if
    that is more, so that a verdict does not depend on the machine's other load.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._start, self._worked = monotonic(), thread_time()
        self._elsewhere, self._warned = 0.0, False

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

    def watched(
        self, results: Generator[Any], done: int, total: float, resolution: float, name: str
    ) -> Generator[Any]:
        """Yield results of draws; warn once if `total` draws will take longer than a minute."""
        start, before = self.seconds, done
        with closing(results):
            for result in results:
                done += 1
                made = done - before
                if not self._warned and made >= _FIRST_DRAWS and made.bit_count() == 1:
                    seconds = self.seconds
                    if seconds >= _FIRST:
                        pace = (seconds - start) / made
                        self._expect(seconds + pace * (total - done), resolution, name)
                yield result

    def _expect(self, seconds: float, resolution: float, name: str) -> None:
        # Who asks for less than a minute knows; the verdict says the rest.
        if seconds <= PATIENCE or (self.limit is not None and self.limit < PATIENCE):
            return
        self._warned = True
        limit = "" if self.limit is None else f"; the time limit is {self.limit:.3g} s"
        coarse = 1.1 * resolution * math.sqrt(seconds / PATIENCE)
        warnings.warn(
            f"{name}: resolution={resolution:.3g} takes about {duration(seconds)} of CPU time"
            f"{limit}; resolution={coarse:.2g} fits into a minute",
            RuntimeWarning,
            stacklevel=2,
        )


def duration(seconds: float) -> str:
    """Return seconds, minutes or hours to two digits."""
    for size, unit in ((3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2.0 * size:
            return f"{seconds / size:.2g} {unit}"
    return f"{seconds:.2g} seconds"
