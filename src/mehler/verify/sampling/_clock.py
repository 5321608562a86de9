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

    It counts CPU time of this thread, or a quarter of wall time if that is more, so that a verdict
    does not depend on the machine's other load.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._start, self._worked = monotonic(), thread_time()
        # Who asks for less than a minute knows; the verdict says the rest.
        self._warned = limit is not None and limit < PATIENCE

    @property
    def seconds(self) -> float:
        """Seconds since construction."""
        return max(thread_time() - self._worked, (monotonic() - self._start) / _WAITING)

    @property
    def over(self) -> bool:
        """Whether the limit has passed."""
        return self.limit is not None and self.seconds >= self.limit

    def watched(
        self, results: Generator[Any], done: int, total: float, resolution: float, name: str
    ) -> Generator[Any]:
        """Yield results of draws; warn once if `total` draws will take longer than a minute."""
        start = self.seconds
        with closing(results):
            for made, result in enumerate(results, 1):
                if not self._warned and made >= _FIRST_DRAWS and made.bit_count() == 1:
                    seconds = self.seconds
                    expected = seconds + (seconds - start) / made * (total - done - made)
                    if seconds >= _FIRST and expected > PATIENCE:
                        self._warn(expected, resolution, name)
                yield result

    def _warn(self, seconds: float, resolution: float, name: str) -> None:
        self._warned = True
        limit = "" if self.limit is None else f"; the time limit is {self.limit:.3g} s"
        coarse = 1.1 * resolution * math.sqrt(seconds / PATIENCE)
        unit, word = (3600.0, "hours") if seconds >= 7200.0 else (60.0, "minutes")
        unit, word = (unit, word) if seconds >= 120.0 else (1.0, "seconds")
        warnings.warn(
            f"{name}: resolution={resolution:.3g} takes about {seconds / unit:.2g} {word} of CPU "
            f"time{limit}; resolution={coarse:.2g} fits into a minute",
            RuntimeWarning,
            stacklevel=2,
        )
