"""How many threads our own loops may take on the host: what the user has said, or the cores."""

from __future__ import annotations

import os


def host_threads() -> int:
    """``OMP_NUM_THREADS``, as for the matrix products, if it is set; else the usable cores."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return int(said) if said.isdigit() and int(said) > 0 else cores or 1
