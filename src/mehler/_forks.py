"""End processes that a target forks before they return from it."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

COULD_NOT_RUN = 2
_PACKAGE = str(Path(__file__).resolve().parent)


def end_forks() -> None:
    """End a process that other people's code forks from this one, before it returns to ours.

    It would go on with everything that this process does. The first one to be ended says so.
    """
    if not hasattr(os, "register_at_fork"):
        return
    read, write = os.pipe()
    os.write(write, b"1")
    os.set_blocking(read, False)

    def forked() -> None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not frame.f_code.co_filename.startswith(_PACKAGE):
            frame = frame.f_back
        caller = frame

        def end(current: FrameType, event: str, argument: Any) -> None:
            returns = event == "return" and current.f_back is caller
            if caller is not None and (returns or (event != "call" and current is caller)):
                _end_child(read)

        sys.setprofile(end)

    os.register_at_fork(after_in_child=forked)


def _end_child(token: int) -> None:
    with contextlib.suppress(OSError):
        os.read(token, 1)
        os.write(
            2,
            b"mehler: warning: the target forks, and a child process returned from it, which was "
            b"ended: a child has to end itself, by os._exit\n",
        )
    os._exit(COULD_NOT_RUN)
