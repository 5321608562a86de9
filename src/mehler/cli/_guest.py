"""Run a command that executes other people's code in a process of its own.

That code may end its process, close its streams, hang, or fork. The status of the command is
therefore what its process reports through a pipe, never the status with which that process ends.
"""

from __future__ import annotations

import contextlib
import signal
import traceback
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import monotonic
from types import FrameType
from typing import Any

from mehler._forks import COULD_NOT_RUN, end_forks, end_with_parent

# Seconds between tests whether the process is alive, and from its report to its end.
_POLL, _GRACE = 0.25, 5.0


def run_as_guest(run: Callable[[list[str]], int], words: list[str]) -> tuple[int, str]:
    """Return the exit status of ``run(words)`` in a process of its own, and why it has none.

    The message is empty if the process reported a status; otherwise the status is 2.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(run, words, theirs))
    process.start()
    theirs.close()

    def end(number: int, frame: FrameType | None) -> None:
        # Files that are changed together are finished first.
        process.terminate()
        process.join(_GRACE)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    signal.signal(signal.SIGTERM, end)
    try:
        status, message = _wait(process, ours)
        process.join(_GRACE)
    except KeyboardInterrupt:
        # The terminal interrupts the process too, unless its code holds that up.
        process.join(_GRACE)
        status, message = COULD_NOT_RUN, "" if ours.poll() else "interrupted"
    if process.is_alive():
        process.kill()
        process.join()
    return status, message


def _wait(process: Any, ours: Connection) -> tuple[int, str]:
    """Wait for a report, for the end of the process, or for the time that it may take."""
    start, seconds = monotonic(), None
    while True:
        # Its children may hold its end of the pipe open, so that silence is no end of file.
        alive = process.is_alive()
        with contextlib.suppress(EOFError, OSError):
            while ours.poll(_POLL if alive else 0.0):
                kind, value = ours.recv()
                if kind == "status":
                    return value, ""
                start, seconds = monotonic(), value
        if not alive:
            return COULD_NOT_RUN, f"the code that was run {_end(process.exitcode)}"
        if seconds is not None and monotonic() - start > seconds:
            process.kill()
            return COULD_NOT_RUN, (
                f"the command did not end within {seconds:.3g} s: --time-limit is too short for "
                "a draw of the target, or it hangs"
            )


def _end(code: int) -> str:
    if code >= 0:
        return f"ended the process, with status {code}, before there was a verdict"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    killed = " (is memory exhausted?)" if name == "SIGKILL" else ""
    return f"was ended by {name}{killed} before there was a verdict"


_report: list[Connection] = []


def _serve(run: Callable[[list[str]], int], words: list[str], theirs: Connection) -> None:
    """Run the command, and report its status, in the process of its own."""
    _report.append(theirs)
    end_with_parent()
    end_forks()
    try:
        status = run(words)
    except BaseException:
        traceback.print_exc()
        status = COULD_NOT_RUN
    theirs.send(("status", status))


def report_limit(seconds: float) -> None:
    """Ask to be ended after so many seconds from now; nothing without a process of its own."""
    for connection in _report:
        connection.send(("seconds", seconds))
