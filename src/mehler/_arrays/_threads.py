"""Threads of the host: how many there are, and BLAS held to one of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1


def host_threads() -> int:
    """Return ``OMP_NUM_THREADS`` if it is set, as BLAS does; else the number of usable cores."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    return int(said) if said.isdigit() and int(said) > 0 else usable_cores()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread, if threadpoolctl is there, for products of few rows.

    Its threads wait for each other by spinning: on a busy machine that was three quarters of the
    CPU time of products of 6 rows with 20,000 x 1000 weights.
    """
    try:
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it has none
    except ImportError:
        yield
        return
    with threadpool_limits(1, user_api="blas"):
        yield
