"""Entry point: errors of one line, and exit statuses that a script can trust."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from mehler._text import install_command, printable

# 1: a verdict was not the expected one; 3: inconclusive; 2: the run could not decide for any other
# reason, usage errors included.
COULD_NOT_RUN = 2
# Commands that execute other people's code, whose end must not pass for a verdict.
_GUESTS = {"report", "verify"}
_TERMINAL = ("typer", "rich")
_PAGES = ("fontTools", "jinja2", "latex2mathml", "markdown_it", "markupsafe", "matplotlib")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments, for a run in this process; default those of the process. Commands that execute
        other people's code then run in a process of their own.

    Raises
    ------
    SystemExit
        Always, with the command's exit status.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None and _GUESTS & set(words):
        from mehler.cli._guest import run_as_guest

        status, message = run_as_guest(_status, words)
        if message:
            _complain(message)
        sys.exit(status)
    sys.exit(_status(words))


def _status(words: list[str]) -> int:
    """Run a command line and return its exit status; with ``--debug`` exceptions propagate."""
    debug = "--debug" in words or os.environ.get("MEHLER_DEBUG", "") not in ("", "0")
    try:
        from mehler._files import written
        from mehler.cli._app import run_app

        written.clear()
        status = run_app(words)
    except KeyboardInterrupt:
        if debug:
            raise
        status = _complain(f"interrupted; {_written()}")
    except ModuleNotFoundError as error:
        if debug:
            raise
        status = _complain(_missing(error))
    except SystemExit as error:  # from third-party code; its status would pass for a verdict
        if debug:
            raise
        # click leaves so when nobody reads what it prints.
        closed = isinstance(error.__context__, BrokenPipeError)
        status = _complain(
            "standard output was closed"
            if closed
            else f"the code that was run wants to exit, with {error.code!r}"
        )
    except BaseException as error:  # the last line of defence: one line, never a traceback
        if debug:
            raise
        status = _complain(_one_line(error))
    arrived = _flushed(sys.stdout)
    _flushed(sys.stderr)
    return status if arrived else COULD_NOT_RUN


def _written() -> str:
    """Say which files were in place before the interruption."""
    from mehler._files import written

    return f"written before: {', '.join(map(str, written))}" if written else "nothing was written"


def _complain(message: str) -> int:
    # Where nothing can be written, the status alone says it.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"mehler: error: {printable(message)}\n")
    return COULD_NOT_RUN


def _flushed(stream: Any) -> bool:
    """Whether all output has arrived; a closed pipe or a full disk says so only when flushed."""
    try:
        stream.flush()
    except (OSError, ValueError, AttributeError):
        # Python would flush again at its end, and take the failure for its own exit status.
        with contextlib.suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True


def _missing(error: ModuleNotFoundError) -> str:
    package = (error.name or "").partition(".")[0]
    if package in (*_TERMINAL, *_PAGES):
        return f"{package} is not installed: {install_command('cli,report')}"
    return _one_line(error)


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, ValueError | TypeError | ChildProcessError) and text:
        return text
    return f"{type(error).__name__}: {text or 'no message'}; --debug shows where"
