"""Host thread count: OMP_NUM_THREADS if set, else the usable cores."""

from __future__ import annotations

import os


def host_threads() -> int:
    """Return ``OMP_NUM_THREADS`` if it is set, as BLAS does; else the number of usable cores."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return int(said) if said.isdigit() and int(said) > 0 else cores or 1
