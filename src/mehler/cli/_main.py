"""Entry point of the command `mehler`: one-line errors and reliable exit statuses."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from types import FrameType
from typing import Any

from mehler.cli._console import describe, echo

# Of the exit statuses 1 is an unexpected verdict, 3 inconclusive, 2 no verdict for another reason.
COULD_NOT_RUN = 2
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line and exit; by default the process's own, with its signals and streams."""
    if arguments is not None:
        sys.exit(_status(list(arguments)))
    _set_up()
    status = _status(sys.argv[1:])
    if status == _INTERRUPTED:
        os._exit(status)  # another interruption would find Python at its end
    sys.exit(status)


def _set_up() -> None:
    """Open closed streams on the null device, and let interruptions leave no traceback."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # the lowest free number is this one
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
    os.environ["PYTHONSAFEPATH"] = "1"  # no child imports what lies in the working directory

    def interrupt(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(_INTERRUPTED))
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)


def _status(words: list[str]) -> int:
    """Run a command line and return its exit status; print errors on standard error."""
    from mehler._files import written

    written.clear()
    try:
        from mehler.cli._app import run_app

        status = run_app(words)
    except BaseException as error:  # the last line of defence: a traceback would exit with 1
        if "--debug" in words or os.environ.get("MEHLER_DEBUG", "") not in ("", "0"):
            traceback.print_exc()
        status = COULD_NOT_RUN
        # click exits on a broken pipe, which needs no message: the reader has seen enough.
        if isinstance(error, KeyboardInterrupt):
            status = _INTERRUPTED
            files = ", ".join(map(str, written))
            outcome = f"written before: {files}" if files else "nothing was written"
            echo(f"mehler: error: interrupted; {outcome}", error=True)
        elif not isinstance(error.__context__ or error, BrokenPipeError):
            echo(f"mehler: error: {describe(error)}", error=True)
    complete = _flush(sys.stdout)
    _flush(sys.stderr)
    return status if complete else COULD_NOT_RUN


def _flush(stream: Any) -> bool:
    """Whether all output has arrived; a closed pipe or a full disk shows only when flushed."""
    try:
        stream.flush()
    except (OSError, ValueError) as error:
        # Python would flush again at its end, and take the failure for its own exit status.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            echo(f"mehler: error: standard output cannot be written: {error}", error=True)
        return False
    return True
