"""Warnings of somebody else's code, each once: a map is drawn and called many times."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Texts that differ by a number in each call would be as many lines as calls.
_MOST = 20


@contextmanager
def warnings_once() -> Iterator[None]:
    """Show each text that is warned of once, in one line on standard error; at most 20 texts.

    Which warnings there are is left to Python's filters, as set by ``-W`` or ``PYTHONWARNINGS``.
    Python's own rule, once for each line of code, forgets what it has shown whenever a library
    changes a filter, as many do in every call.
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
        sys.stderr.write(f"mehler: warning: {line}\n")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
