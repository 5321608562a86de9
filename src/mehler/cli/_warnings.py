"""Show each warning of third-party code once, though a map is drawn and called many times."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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
        sys.stderr.write(f"mehler: warning: {line}\n")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
