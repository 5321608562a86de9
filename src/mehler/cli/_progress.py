"""What a command prints beside its verdict: progress, other code's lines and warnings."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mehler._text import printable


@contextmanager
def progress_bar(*, lines: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """Show ``progress(label, done, total)`` on standard error: a bar, if that is a terminal.

    Elsewhere a call is a line, or nothing without `lines`.
    """
    if not sys.stderr.isatty():

        def write(label: str, done: int, total: int) -> None:
            sys.stderr.write(f"mehler: {done} of {total}: {printable(label)}\n")
            sys.stderr.flush()

        yield write if lines else lambda label, done, total: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    count, text = MofNCompleteColumn(), TextColumn("{task.description}")
    columns = (BarColumn(bar_width=30), count, TimeElapsedColumn(), text)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def show(label: str, done: int, total: int) -> None:
            bar.update(task, description=escape(printable(label)), completed=done, total=total)

        yield show


@contextmanager
def prints_elsewhere() -> Iterator[None]:
    """Send to standard error what other code prints, from C and from processes it starts too."""
    with contextlib.ExitStack() as stack:
        if sys.stderr is None:
            nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
            stack.enter_context(contextlib.redirect_stderr(nowhere))
        out, error = _number(sys.stdout), _number(sys.stderr)
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        if out is not None and error is not None:
            stack.enter_context(_redirected(out, error))
        yield


@contextmanager
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


# Limit on texts, since texts with a changing number would give a line per call.
_MOST = 20


@contextmanager
def warnings_once() -> Iterator[None]:
    """Show each warning text once, in one line on standard error; at most 20 texts.

    Python's filters, as set by ``-W`` or ``PYTHONWARNINGS``, select the warnings. Python's own
    once-per-line rule forgets the warnings shown whenever a library changes a filter, as many do
    in every call.
    """
    shown: set[tuple[str, type[Warning]]] = set()

    def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
        text = " ".join(str(message).split())
        if (text, category) in shown or len(shown) > _MOST:
            return
        shown.add((text, category))
        line = f"{text} ({category.__name__}, said once)"
        if len(shown) > _MOST:
            line = "there are more, which are not shown"
        sys.stderr.write(f"mehler: warning: {printable(line)}\n")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
