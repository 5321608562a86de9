"""End processes that a target forks before they return from it, and those whose parent is gone."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from multiprocessing import parent_process
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
        caller: FrameType | None = sys._getframe(1)
        while caller is not None and not caller.f_code.co_filename.startswith(_PACKAGE):
            caller = caller.f_back

        def end(current: FrameType, event: str, argument: Any) -> None:
            returns = event == "return" and current.f_back is caller
            if caller is None or not (returns or (event != "call" and current is caller)):
                return
            with contextlib.suppress(OSError):
                os.read(read, 1)
                os.write(
                    2,
                    b"mehler: warning: the target forks, and a child process returned from it, "
                    b"which was ended: a child has to end itself, by os._exit\n",
                )
            os._exit(COULD_NOT_RUN)

        sys.setprofile(end)

    os.register_at_fork(after_in_child=forked)


def end_with_parent() -> None:
    """End this process, whatever it computes, once the process that started it is gone."""

    def wait(parent: Any) -> None:
        parent.join()
        os._exit(COULD_NOT_RUN)

    if parent := parent_process():
        threading.Thread(target=wait, args=(parent,), daemon=True).start()
