"""Run pieces of a report in processes, with the same results for any number of them.

A piece has settings, and a ledger of its own that the run's then pays for, so that what it measures
depends on nothing that others do.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.reduction import ForkingPickler
from typing import Any, TypeVar

from mehler._arrays import one_blas_thread, usable_cores
from mehler._validate import require_integer, require_probability
from mehler.statements import Context, Evidence
from mehler.verify import BudgetExceeded, Entry, Ledger

T = TypeVar("T")
Task = Callable[[], T]
# Tests that the budget of a run covers, several times those of all statements.
_TESTS = 1000


def n_processes(n_jobs: int) -> int:
    """Return the number of processes, -1 being one per usable core; ValueError for other n < 1."""
    return usable_cores() if n_jobs == -1 else require_integer("n_jobs", n_jobs, least=1)


@contextmanager
def processes(n: int) -> Iterator[ProcessPoolExecutor | None]:
    """Open a pool of `n` processes, which end with the context and with this process; 1 is None.

    Processes are spawned, since libraries with threads of their own do not survive a fork, and
    each keeps to one thread of BLAS.
    """
    if n == 1:
        yield None
        return
    earlier = set(multiprocessing.active_children())
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(n, mp_context=spawn, initializer=_start)
    try:
        yield pool
    finally:
        for process in set(multiprocessing.active_children()) - earlier:
            process.terminate()
        pool.shutdown(cancel_futures=True)


def run_all(
    pool: ProcessPoolExecutor | None, tasks: Sequence[Task[T]], ended: Callable[[T], None]
) -> list[T]:
    """Run tasks and return their results in order; `ended` is called with each as it ends.

    A task that does not pickle, as a function of a notebook, runs in this process. Raises
    ChildProcessError if a process ends before its task, as one killed for its memory.
    """
    results: dict[int, T] = {}
    futures = _submitted(pool, tasks) if pool is not None and len(tasks) > 1 else {}
    for i in set(range(len(tasks))) - set(futures.values()):
        results[i] = _run(tasks[i])
        ended(results[i])
    try:
        for future in as_completed(futures):
            results[futures[future]] = future.result()
            ended(future.result())
    except BrokenProcessPool:
        raise ChildProcessError(
            "a process ended before its work, as one that is killed or lacks memory: --jobs 1 "
            "works without others"
        ) from None
    return [results[i] for i in range(len(tasks))]


def _submitted(pool: ProcessPoolExecutor, tasks: Sequence[Task[T]]) -> dict[Future[T], int]:
    # Processes that start ignore Ctrl-C, which their parent answers by ending them.
    here = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if here else None
    futures = {}
    try:
        for i, task in enumerate(tasks):
            with suppress(Exception):  # whatever the objects of others raise
                ForkingPickler.dumps(task)
                futures[pool.submit(_run, task)] = i
    finally:
        if here:
            signal.signal(signal.SIGINT, handler)
    return futures


def _start() -> None:
    """Keep a process to one thread, and end it once the one that started it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["OMP_NUM_THREADS"] = "1"
    parent: Any = multiprocessing.parent_process()
    threading.Thread(target=lambda: (parent.join(), os._exit(2)), daemon=True).start()


def _run(task: Task[T]) -> T:
    with one_blas_thread():
        return task()


def fresh_context(settings: Mapping[str, Any], statement: str = "") -> Context:
    """Return a context of these settings with a ledger of its own."""
    rate = require_probability("false_alarm", settings["false_alarm"])
    ledger = Ledger(budget=min(0.5, _TESTS * rate))
    return Context(ledger=ledger, statement=statement, **settings)


def pay(ledger: Ledger, evidence: Sequence[Evidence], entries: Sequence[Entry]) -> list[Evidence]:
    """Pay for what a piece has spent; evidence that the budget does not cover is an error."""
    try:
        for entry in entries:
            ledger.spend(entry.label, entry.false_alarm, entry.looks)
    except BudgetExceeded as error:
        return [replace(failed(one.form, one.check, error), seed=one.seed) for one in evidence]
    return list(evidence)


def failed(form: Any, check: str, error: Exception) -> Evidence:
    """Return the evidence of a check that raised, which is reported, never hidden."""
    return Evidence(
        form=form,
        check=check,
        status="error",
        claim=f"could not be checked: {type(error).__name__}: {error}",
        method="none: the check raised",
    )
