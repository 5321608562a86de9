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
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from pickle import PicklingError
from typing import Any, TypeVar

from mehler._arrays import one_blas_thread
from mehler._validate import require_probability
from mehler.statements import Context, Evidence
from mehler.verify import BudgetExceeded, Entry, Ledger

T = TypeVar("T")
Task = Callable[[], T]
# Tests that the budget of a run covers, several times those of all statements.
_TESTS = 1000


@contextmanager
def processes(n: int) -> Iterator[ProcessPoolExecutor | None]:
    """Open a pool of `n` processes, which end with the context; 1 is None.

    They ignore Ctrl-C, which their parent answers by ending them, and keep to one thread of BLAS.
    """
    if n == 1:
        yield None
        return
    earlier = set(multiprocessing.active_children())
    # Forked where possible from a process that has imported all this, and has no threads yet.
    methods: Any = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    context.set_forkserver_preload(["mehler.report"])
    pool = ProcessPoolExecutor(n, context, initializer=_start)
    try:
        yield pool
    finally:
        for process in set(multiprocessing.active_children()) - earlier:
            process.terminate()
        pool.shutdown(cancel_futures=True)


def run_all(
    pool: ProcessPoolExecutor | None, tasks: Sequence[Task[T]], ended: Callable[[T], None]
) -> list[T]:
    """Run tasks and return their results in order; `ended` is called with each as it ends."""
    if pool is None or len(tasks) < 2:
        results = []
        for task in tasks:
            results.append(_run(task))
            ended(results[-1])
        return results
    here = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if here else None
    try:  # the pool starts its processes now
        futures = [pool.submit(_run, task) for task in tasks]
    finally:
        if here:
            signal.signal(signal.SIGINT, handler)
    try:
        for future in as_completed(futures):
            ended(future.result())
        return [future.result() for future in futures]
    except (BrokenProcessPool, AttributeError, PicklingError) as error:
        raise ChildProcessError(
            f"a process could not start or finish its work ({error}): n_jobs=1 (--jobs 1) works "
            "without others"
        ) from error


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
