"""Run pieces of a report in processes, with the same results for any number of them.

A piece has settings, and a ledger of its own that the run's then pays for, so that what it measures
depends on nothing that others do.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, TypeVar

from mehler._arrays import one_blas_thread, usable_cores
from mehler._forks import end_with_parent
from mehler._validate import require_integer
from mehler.statements import Context, Evidence, Level
from mehler.verify import BudgetExceeded, Entry, Ledger

T = TypeVar("T")
Task = Callable[[], T]
Ended = Callable[[Any], None]


def n_processes(n_jobs: int) -> int:
    """Return the number of processes, -1 being one per usable core; ValueError for other n < 1."""
    if n_jobs == -1:
        return usable_cores()
    return require_integer("n_jobs", n_jobs, least=1)


class Jobs:
    """A context in which `n` processes run tasks; 1 is this process alone.

    Processes are spawned, since libraries with threads of their own do not survive a fork, and
    each keeps to one thread of BLAS. A task that does not pickle, as a function of a notebook, runs
    here. All processes end with the context, and with this process.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._workers: dict[Any, Any] = {}

    def __enter__(self) -> Jobs:
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._workers.values():
            process.terminate()
        for connection, process in self._workers.items():
            process.join()
            connection.close()
        self._workers = {}

    def run(self, tasks: Sequence[Task[T]], ended: Ended | None = None) -> list[T]:
        """Run tasks and return their results in order; `ended` is called with each as it ends.

        Raises
        ------
        ChildProcessError
            If a process ends before its task, as one that the system kills for its memory.
        """
        tell = ended or (lambda result: None)
        results: dict[int, T] = self._elsewhere(tasks, tell) if min(self.n, len(tasks)) > 1 else {}
        with one_blas_thread():
            for i, task in enumerate(tasks):
                if i not in results:
                    results[i] = task()
                    tell(results[i])
        return [results[i] for i in range(len(tasks))]

    def _elsewhere(self, tasks: Sequence[Task[T]], tell: Ended) -> dict[int, Any]:
        """Run tasks in the processes; those that fail there are left out, to fail here."""
        self._start(min(self.n, len(tasks)) - len(self._workers))
        waiting, idle = deque(enumerate(tasks)), list(self._workers)
        busy: dict[Any, int] = {}
        results = {}
        while waiting or busy:
            while waiting and idle:
                i, task = waiting.popleft()
                if packed := _packed(task):
                    connection = idle.pop()
                    busy[connection] = i
                    with suppress(BrokenPipeError):  # the answer is missing too, and says so
                        connection.send_bytes(packed)
            for connection in wait(list(busy)):
                i, answer = busy.pop(connection), self._answer(connection)
                idle.append(connection)
                if answer:
                    results[i] = answer[0]
                    tell(answer[0])
        return results

    def _answer(self, connection: Any) -> Any:
        try:
            return connection.recv()
        except (EOFError, ConnectionError):
            process = self._workers[connection]
            process.join()
            raise ChildProcessError(
                f"a process ended before its work, with exit status {process.exitcode}, as one "
                "that is killed or lacks memory: --jobs 1 works without others"
            ) from None

    def _start(self, n: int) -> None:
        spawn = multiprocessing.get_context("spawn")
        with _interruptions_ignored():
            for _ in range(n):
                here, there = spawn.Pipe()
                process = spawn.Process(target=_work, args=(there,))
                process.start()
                there.close()
                self._workers[here] = process


@contextmanager
def _interruptions_ignored() -> Iterator[None]:
    """Let processes that start ignore Ctrl-C, which their parent answers by ending them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _packed(task: Task[T]) -> Any:
    try:
        return ForkingPickler.dumps(task)
    except Exception:  # whatever the objects of others raise
        return None


def _work(connection: Any) -> None:
    """Run the tasks of a connection until it closes; the answer of one that fails is empty."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["OMP_NUM_THREADS"] = "1"
    end_with_parent()
    with suppress(EOFError, ConnectionError), one_blas_thread():
        while True:
            packed = connection.recv_bytes()
            try:
                connection.send((ForkingPickler.loads(packed)(),))
            except BaseException:  # an exit too is repeated in the parent
                connection.send(())


# Tests that the budget of a run covers, several times those of all statements. The false-alarm
# probability of a run is at most this many times that of one test.
TESTS = 1000


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A context without its ledger; see `mehler.statements.Context`."""

    level: Level
    seed: int
    backend: str
    false_alarm: float
    statement: str = ""

    @classmethod
    def of(cls, context: Context) -> Settings:
        """Return the settings of a context."""
        return cls(**{name: getattr(context, name) for name in cls.__dataclass_fields__})

    def context(self) -> Context:
        """Return a context with a fresh ledger."""
        rate = self.false_alarm
        # The context refuses other rates.
        ledger = Ledger(budget=min(0.5, TESTS * rate)) if 0 < rate < 1 else Ledger()
        return Context(ledger=ledger, **vars(self))


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
