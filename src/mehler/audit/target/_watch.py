"""Watch the code of a target: how long a call takes, and that one process returns from it."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import replace
from time import monotonic
from types import TracebackType
from typing import Any

from mehler.audit.target._target import Target

# Seconds between looks at the clock, and from the first word to the end of the process.
_LOOK, _GRACE = 0.25, 5.0
COULD_NOT_RUN = 2

_watching: ContextVar[Watch | None] = ContextVar("watching", default=None)


class Overdue(BaseException):
    """A call of a target that does not return. No ``except Exception`` of the target holds it."""


@contextlib.contextmanager
def as_errors() -> Iterator[None]:
    """Raise `Overdue` as a RuntimeError, once nothing of the target's is left to hold it."""
    try:
        yield
    except Overdue as error:
        raise RuntimeError(str(error)) from None


class Watch:
    """Ends what does not return within so many seconds of a draw, and children that return.

    Python code and what waits is interrupted by `Overdue` in the main thread. Code that cannot be
    interrupted ends with the process, with status 2, if it leaves Python's lock to others.
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._due: float | None = None
        self._pid = os.getpid()
        self._done = threading.Event()
        self._said = False

    def __enter__(self) -> Watch:
        self._token = _watching.set(self)
        self._ends = os.pipe()
        os.set_blocking(self._ends[0], False)
        self._main = threading.current_thread() is threading.main_thread()
        if self.seconds is not None and self._main:
            self._before = signal.signal(signal.SIGINT, self._interrupt)
            threading.Thread(target=self._look, daemon=True).start()
        self.begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.begin()
        self._done.set()
        _watching.reset(self._token)
        if self.seconds is not None and self._main:
            signal.signal(signal.SIGINT, self._before)
        returned = False
        with contextlib.suppress(BlockingIOError):
            returned = bool(os.read(self._ends[0], 1))
        for end in self._ends:
            os.close(end)
        if returned:
            warnings.warn(
                "the target forks, and child processes returned from it, which were ended: a child "
                "has to end itself, by os._exit",
                stacklevel=2,
            )

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call the target's code; no other process returns from it."""
        self.begin()
        try:
            return function(*arguments)
        finally:
            self.begin()

    def begin(self) -> None:
        """Begin a call: in a child that returned from an earlier one, end the process."""
        if os.getpid() != self._pid:
            with contextlib.suppress(OSError):
                os.write(self._ends[1], b"1")
            os._exit(COULD_NOT_RUN)
        self._due = None if self.seconds is None else monotonic() + self.seconds

    def _interrupt(self, number: int, frame: Any) -> None:
        if self._said or not self._over(0.0):
            raise KeyboardInterrupt
        self._said = True
        raise Overdue(
            f"the target did not return within {self.seconds:.3g} s of a draw: --time-limit is too "
            "short for it, or it hangs"
        )

    def _over(self, grace: float) -> bool:
        return self._due is not None and monotonic() > self._due + grace

    def _look(self) -> None:
        while not self._done.wait(_LOOK):
            if self._over(_GRACE):
                with contextlib.suppress(OSError):
                    os.write(2, b"mehler: error: the target hangs, and cannot be interrupted\n")
                os._exit(COULD_NOT_RUN)
            if self._over(0.0) and not self._said:
                _interrupt_main()


def _interrupt_main() -> None:
    """Interrupt the main thread as Ctrl-C does, out of waiting too where the system can."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


def watched(target: Target) -> Target:
    """Return the target with draws that the current `Watch` sees; itself without one."""
    watch = _watching.get()
    if watch is None:
        return target

    def drawing(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: _Seen(watch, watch.call(function, *arguments))

    resize = None if target.resize is None else drawing(target.resize)
    return replace(target, draw=drawing(target.draw), resize=resize)


class _Seen:
    """A map whose calls are seen."""

    def __init__(self, watch: Watch, phi: Any) -> None:
        self._watch, self._phi = watch, phi

    def __call__(self, X: Any) -> Any:
        return self._watch.call(self._phi, X)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._phi, name)
