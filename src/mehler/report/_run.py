"""Run checks of statements (claims of papers), and compare random feature maps on rows of data."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from itertools import count
from os import PathLike
from pickle import PicklingError
from time import perf_counter
from typing import Any, Literal, TypeVar

from mehler._arrays import one_blas_thread, usable_cores
from mehler._validate import require_integer
from mehler.report._model import Report, StatementResult, provenance, replay_line
from mehler.report._read import load_rows
from mehler.report._survey import Survey, error_evidence, fresh_context, pay
from mehler.statements import Check, Context, Evidence, Level, Statement, verdict_of
from mehler.verify import Entry, Ledger

T = TypeVar("T")
Job = Callable[[], T]
Progress = Callable[[str, int, int], None]


def run(
    statements: Sequence[Statement],
    *,
    data: str | PathLike[str] | Any | None = None,
    level: Level = "quick",
    seed: int = 0,
    backend: Literal["numpy", "torch", "jax", "dask", "cupy"] = "numpy",
    false_alarm: float = 1e-9,
    n_jobs: int = 1,
    progress: Progress | None = None,
    with_data: bool = True,
    command: Sequence[str] | None = None,
) -> Report:
    """Compare maps on rows of data, and check statements, and return a report.

    Parameters
    ----------
    statements : sequence of Statement
        The statements to check, as `mehler.statements.discover` finds them; none for data alone.
    data : path, array (n, d), data frame, DataMatrix or callable, optional
        The user's rows, as `load_rows` takes or returns them, or a function that returns them,
        called once the other arguments are valid. Default: scikit-learn's 8x8 digits, as example.
    level, backend : str
        Effort of the checks, and the array library on which the maps are drawn and applied.
    seed, false_alarm : int, float
        Seed of all random numbers; probability of refuting a true claim, in each of 1000 tests.
    n_jobs : int
        Number of processes, -1 for one per core. The results are the same to the last bit. A script
        that asks for more than one needs ``if __name__ == "__main__":``, as they import it.
    progress : callable, optional
        ``progress(label, done, total)``, called as each statement and each map on the data ends,
        with its outcome in the label.
    with_data : bool
        Whether to include the section on the data.
    command : sequence of str, optional
        The command line's arguments, for the record.

    Returns
    -------
    Report
        A check that raises is recorded as evidence of status ``"error"``.

    Raises
    ------
    ValueError
        Before any work, if there are no statements, level or backend are unknown, the backend is
        not installed or has no device, seed or false alarm are bad, or data are unreadable.
    ChildProcessError
        If a process ends before its work, as one that is killed.
    """
    selection = tuple(statements)
    if not all(isinstance(x, Statement) for x in selection):
        raise TypeError("statements must be what mehler.statements.discover('maxout.*') returns")
    if not selection and not with_data:
        raise ValueError("statements is empty: give at least one, as from statements.discover()")
    settings = {"level": level, "seed": seed, "backend": backend, "false_alarm": false_alarm}
    context = fresh_context(settings)
    origin = provenance(context, None if command is None else tuple(command))
    context.like()  # fail now, not after minutes, if the backend is missing
    n = usable_cores() if n_jobs == -1 else require_integer("n_jobs", n_jobs)
    rows = load_rows(data() if callable(data) else data) if with_data else None
    survey = None if rows is None else Survey(rows, context, settings)
    jobs = [partial(_run_statement, x, settings) for x in selection]
    total = len(jobs) + (0 if survey is None else len(survey.jobs))
    numbers = count(1)

    def show(name: str, outcome: str) -> None:
        if progress is not None:
            progress(f"{name}: {outcome}", next(numbers), total)

    data_result = None
    with processes(n, *{check.run.__module__ for s in selection for check in s.checks}) as pool:
        if survey is not None:
            scores = run_all(pool, survey.jobs, lambda part: show(part[0].map, "measured"))
            data_result = survey.result([score for part in scores for score in part])
            evidence = [_stamp(x, context, origin["command"] or "") for x in data_result.evidence]
            data_result = replace(data_result, evidence=tuple(evidence))
        results = run_all(pool, jobs, lambda part: show(part[0].id, part[0].verdict))
    return Report(
        provenance=origin,
        statements=tuple(_paid(*part, context.ledger) for part in results),
        data=data_result,
        ledger=context.ledger.to_dict(),
    )


def _run_statement(
    statement: Statement, settings: Mapping[str, Any]
) -> tuple[StatementResult, tuple[Entry, ...]]:
    """Return a result, and what it paid to its ledger, a budget of false alarms, for its tests."""
    start, context = perf_counter(), fresh_context(settings, statement.id)
    evidence = tuple(_run_check(check, context) for check in statement.checks)
    texts: dict[str, Any] = {x.name: getattr(statement, x.name) for x in fields(Statement)}
    texts |= {"checks": (), "evidence": evidence, "verdict": verdict_of(evidence)}
    result = StatementResult(**texts, seconds=perf_counter() - start)
    return result, context.ledger.entries


def _run_check(check: Check, context: Context) -> Evidence:
    try:
        evidence = check(context)
    except Exception as error:
        evidence = error_evidence(check.form, check.name, error)
    return _stamp(evidence, context, replay_line(context))


def _paid(result: StatementResult, entries: Sequence[Entry], ledger: Ledger) -> StatementResult:
    """Charge a statement's tests to the run's ledger; beyond its budget they are errors."""
    evidence = tuple(pay(ledger, result.evidence, entries))
    return replace(result, evidence=evidence, verdict=verdict_of(evidence))


def _stamp(evidence: Evidence, context: Context, replay: str) -> Evidence:
    return replace(
        evidence,
        seed=context.seed if evidence.seed is None else evidence.seed,
        replay=evidence.replay or replay,
    )


@contextmanager
def processes(n: int, *modules: str) -> Iterator[ProcessPoolExecutor | None]:
    """Open a pool of `n` processes that have imported `modules`; yield None if `n` is 1.

    They ignore Ctrl-C, which their parent answers by ending them, and keep to one thread of BLAS.
    """
    if n == 1:
        yield None
        return
    earlier = set(multiprocessing.active_children())
    # Forked where possible from a process that has imported the modules, and has no threads yet.
    methods: Any = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    context.set_forkserver_preload(["mehler.report", *modules])
    pool = ProcessPoolExecutor(n, context, initializer=_start)
    try:
        yield pool
    finally:
        for process in set(multiprocessing.active_children()) - earlier:
            process.terminate()
        pool.shutdown(cancel_futures=True)


def run_all(
    pool: ProcessPoolExecutor | None, jobs: Sequence[Job[T]], on_end: Callable[[T], None]
) -> list[T]:
    """Run jobs and return their results in order; `on_end` is called with each as it ends."""
    if pool is None or len(jobs) < 2:
        results = []
        for job in jobs:
            results.append(_run(job))
            on_end(results[-1])
        return results
    here = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if here else None
    try:  # the pool starts its processes now
        futures = [pool.submit(_run, job) for job in jobs]
    finally:
        if here:
            signal.signal(signal.SIGINT, handler)
    try:
        for future in as_completed(futures):
            on_end(future.result())
        return [future.result() for future in futures]
    except (BrokenProcessPool, AttributeError, PicklingError) as error:
        raise ChildProcessError(
            f"a process could not start or finish its work ({error}): n_jobs=1 (--jobs 1) works "
            "without others"
        ) from error


def _start() -> None:
    """Keep a process of the pool to one thread, and end it once the one that started it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["OMP_NUM_THREADS"] = "1"
    parent: Any = multiprocessing.parent_process()
    threading.Thread(target=lambda: (parent.join(), os._exit(2)), daemon=True).start()


def _run(job: Job[T]) -> T:
    with one_blas_thread():
        return job()
