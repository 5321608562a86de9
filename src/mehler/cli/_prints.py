"""Keep standard output for what the command says."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def prints_elsewhere() -> Iterator[None]:
    """Send to standard error what other code prints, from C and from processes it starts too."""
    with contextlib.ExitStack() as stack:
        if sys.stderr is None:
            stack.enter_context(contextlib.redirect_stderr(stack.enter_context(_nowhere())))
        out, error = _number(sys.stdout), _number(sys.stderr)
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        if out is not None and error is not None:
            stack.enter_context(_redirected(out, error))
        yield


@contextlib.contextmanager
def _redirected(out: int, error: int) -> Iterator[None]:
    _flush()
    kept = os.dup(out)
    try:
        os.dup2(error, out)
        yield
    finally:
        # What C has not written yet would come out at the end of the process.
        _flush()
        os.dup2(kept, out)
        os.close(kept)


def _flush() -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.__stdout__.flush()  # type: ignore[union-attr]  # None where it is closed
    with contextlib.suppress(OSError, TypeError, AttributeError):
        ctypes.CDLL(None).fflush(None)


def _number(stream: Any) -> int | None:
    """Return the file descriptor; None for streams without one, as tests have."""
    try:
        return int(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return None


def _nowhere() -> Any:
    return open(os.devnull, "w", encoding="utf-8")
