"""Stop what takes too long."""

from __future__ import annotations

import contextlib
import math
import signal
from collections.abc import Iterator

# Seconds of the processor for one call; of the clock, which others on the machine slow down,
# five times as many.
SECONDS = 20.0
OF_THE_CLOCK = 5.0


class Hang(BaseException):
    """A call that took longer than its limit."""


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise `Hang` in the main thread after so long."""
    if math.isinf(seconds):
        yield
        return

    def stop(*_: object) -> None:
        raise Hang

    timers = {signal.ITIMER_PROF: signal.SIGPROF, signal.ITIMER_REAL: signal.SIGALRM}
    before = {number: signal.signal(number, stop) for number in timers.values()}
    # Again and again: doctest goes on to the next line of an example.
    signal.setitimer(signal.ITIMER_PROF, seconds, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * OF_THE_CLOCK, seconds * OF_THE_CLOCK)
    try:
        yield
    finally:
        for timer, number in timers.items():
            signal.setitimer(timer, 0.0)
            signal.signal(number, before[number])
