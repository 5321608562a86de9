"""End a process whose parent is gone."""

from __future__ import annotations

import os
import threading
from multiprocessing import parent_process


def end_with_parent() -> None:
    """End this process, whatever it computes, once the process that started it is gone."""
    if parent := parent_process():

        def wait() -> None:
            parent.join()
            os._exit(2)

        threading.Thread(target=wait, daemon=True).start()
