"""Print to the console: lines free of terminal and workflow commands, progress, warnings."""

from __future__ import annotations

import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from mehler._text import install_command, printable

_EXTRA = ("fontTools", "jinja2", "latex2mathml", "markdown_it", "matplotlib", "mdit_py_plugins")


def one_line(text: str) -> str:
    r"""Return text as one line that commands neither a terminal nor a workflow of GitHub.

    There a line is a command if it begins with ``::``, or has ``##[`` anywhere. Those, in the name
    of a column for instance, are printed as ``\::`` and ``##\[``.
    """
    line = printable(" ".join(text.splitlines())).replace("##[", "##\\[")
    return re.sub(r"^(\s*)::", r"\1\\::", line)


def echo(line: str, *, error: bool = False) -> None:
    """Print a line, on standard error if `error`, over the progress that stands there."""
    clear = "\x1b[K" if sys.stderr.isatty() else ""
    if not error:
        _say(clear)
        sys.stdout.write(f"{one_line(line)}\n")
    else:
        _say(f"{clear}{one_line(line)}\n")


def _say(text: str) -> None:
    with suppress(Exception):  # nothing depends on it, and user code may have taken the stream
        sys.stderr.write(text)
        sys.stderr.flush()


@contextmanager
def progress(*, lines: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """Show ``show(label, done, total)`` on standard error, in a line that the next one replaces.

    Where that is no terminal a call is a line, or nothing without `lines`.
    """
    terminal = sys.stderr.isatty()

    def show(label: str, done: int, total: int) -> None:
        if terminal:
            line = one_line(f"{done}/{total} {label}")[: shutil.get_terminal_size().columns - 1]
            _say(f"\x1b[K{line}\r")
        elif lines:
            _say(f"mehler: {done} of {total}: {one_line(label)}\n")

    try:
        yield show
    finally:
        _say("\x1b[K" if terminal else "")


@contextmanager
def warnings_once() -> Iterator[None]:
    """Show each warning text once, in a line on standard error, whatever filters libraries set."""
    texts = set[str]()

    def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
        text = f"mehler: warning: {message} ({category.__name__}, said once)"
        if text not in texts:
            texts.add(text)
            echo(text, error=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def describe(error: BaseException) -> str:
    """Return the message of an error, with its type unless it is about the user's input."""
    if isinstance(error, KeyboardInterrupt):
        return "the target raised KeyboardInterrupt"
    if isinstance(error, SystemExit):
        return f"the target called sys.exit({error.code!r})"
    package = (error.name or "").partition(".")[0] if isinstance(error, ImportError) else ""
    if package in ("typer", "rich", *_EXTRA):
        return f"{package} is not installed: {install_command('cli,report')}"
    text = " ".join(str(error).split())
    if isinstance(error, ValueError | TypeError | ChildProcessError) and text:
        return text
    return f"{type(error).__name__}: {text or 'no message'}; --debug shows where"
