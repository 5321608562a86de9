"""Judge cases in processes that can be killed, and begun again after the case."""

from __future__ import annotations

import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait

from tests.fuzz.calls import Call
from tests.fuzz.hostile import Change
from tests.fuzz.judge import Outcome, judge
from tests.fuzz.limits import OF_THE_CLOCK, SECONDS

Case = tuple[Call, str, Change]

# Seconds after a call should have been interrupted, until its process is killed.
_GRACE = 10.0
_MEMORY = 7 * 2**30


class _Worker:
    """A process that judges its share of the cases, in order."""

    def __init__(self, cases: list[Case]) -> None:
        self.cases = cases
        self.n_done = 0
        self._start()

    def _start(self) -> None:
        # The cases are not sent, only their outcomes: no example has to be made again.
        context = multiprocessing.get_context("fork")
        self.outcomes, theirs = context.Pipe(duplex=False)
        self.process = context.Process(
            target=_work, args=(self.cases[self.n_done :], theirs), daemon=True
        )
        self.process.start()
        theirs.close()
        self.last = time.monotonic()

    def next(self) -> Outcome | None:
        """The outcome of one more case, if there is one."""
        call, argument, change = self.cases[self.n_done]
        what = None
        if self.outcomes.poll():
            try:
                found = self.outcomes.recv()
            except EOFError:
                what = "crash", "the process ended"
        elif time.monotonic() - self.last > SECONDS * OF_THE_CLOCK + _GRACE:
            what = "hang", "cannot be interrupted"
        else:
            return None
        if what:
            found = Outcome(what[0], call.name, argument, change.label, what[1])
        self.n_done += 1
        self.last = time.monotonic()
        if what:
            self.end()
            if self.n_done < len(self.cases):
                self._start()
        return found  # type: ignore[no-any-return]  # of a pipe

    def end(self) -> None:
        self.process.kill()
        self.process.join()


def run(cases: list[Case], n_workers: int = 1) -> Iterator[Outcome]:
    """Judge all cases, in order within every n-th of them."""
    workers = [_Worker(share) for k in range(n_workers) if (share := cases[k::n_workers])]
    try:
        while busy := [one for one in workers if one.n_done < len(one.cases)]:
            wait([one.outcomes for one in busy], timeout=1.0)
            for one in busy:
                if (found := one.next()) is not None:
                    yield found
    finally:
        for one in workers:
            one.end()


def _work(cases: list[Case], out: Connection) -> None:
    # What asks for too much memory gets a MemoryError, not all of the machine's.
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.RLIM_INFINITY))
    os.chdir(tempfile.mkdtemp())
    for call, argument, change in cases:
        out.send(judge(call, argument, change))
