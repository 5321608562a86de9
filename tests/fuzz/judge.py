"""Call with a changed argument and say what came of it."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
import signal
import warnings
from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np

from tests.fuzz.calls import Call
from tests.fuzz.hostile import Change

ANSWERED, REFUSED = "answered", "refused"
FINE = {ANSWERED, REFUSED, "warned"}


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a changed call came to: one of `FINE`, or what is wrong with it."""

    kind: str
    call: str
    argument: str
    change: str
    text: str = ""

    def __str__(self) -> str:
        text = " ".join(self.text.split())[:200]
        return f"{self.kind}: {self.call}({self.argument}: {self.change}) {text}"


class Hang(BaseException):
    """A call that took longer than its limit."""


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise `Hang` in the main thread after so long."""

    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def judge(call: Call, argument: str, change: Change, seconds: float = 20.0) -> Outcome:
    """Make the call with that change, and the call of before where the answer must be its."""

    def outcome(kind: str, text: str = "") -> Outcome:
        return Outcome(kind, call.name, argument, change.label, text)

    try:
        with limit(seconds), quiet():
            answer = call.run(**{argument: change.value})
            expected = call.run() if change.same else None
    except Hang:
        return outcome("hang", f"over {seconds:g} s")
    except OSError as error:
        # A path that leads nowhere, a data set that is not there.
        return outcome("unrelated exception" if change.same else REFUSED, str(error))
    except MemoryError as error:  # names what it would take
        return outcome(REFUSED, str(error))
    except (ValueError, TypeError, ImportError, LookupError, ArithmeticError) as error:
        return outcome(*_of_error(call, argument, change, error))
    except Warning as warning:
        return outcome("warned", str(warning))
    except BaseException as error:  # what a user would see as a crash
        return outcome("unrelated exception", f"{type(error).__name__}: {error}")
    if change.same and not alike(answer, expected):
        return outcome("another answer", f"{answer!r} for {expected!r}")
    # scikit-learn's estimators keep what they are given, and look at it in fit.
    if change.wrong and not call.name.startswith(("mehler.sklearn", *_exact(argument))):
        return outcome("accepted in silence", repr(answer))
    return outcome(ANSWERED)


def _exact(argument: str) -> tuple[str, ...]:
    """Where text is an exact number, as it is documented: 0.1 as a float is not a tenth."""
    return ("mehler.exact.certified",) if argument in ("rho", "x", "other") else ()


def _of_error(call: Call, argument: str, change: Change, error: Exception) -> tuple[str, str]:
    text = f"{type(error).__name__}: {error}"
    # NumPy's own, such as UFuncTypeError, say nothing about the argument.
    foreign = "numpy" in type(error).__module__
    if foreign or not isinstance(error, ValueError | TypeError):
        return "unrelated exception", text
    if change.same:
        return ("refused the same value", text) if _works(call) else (REFUSED, text)
    # What a function of the user's raises, and scikit-learn's checks of its own kind of input.
    theirs = change.label.endswith(("class", "function")) or _in_example(error)
    if theirs or call.name.startswith("mehler.sklearn") or repr(change.value) in str(error):
        return REFUSED, text
    words = set(re.findall(r"\w+", str(error)))
    known = {argument, *call.parameters()}
    known |= {part for name in known for part in (name.rstrip("_"), name.split("_")[-1])}
    # Of a tracer that an example made, nothing can be computed later.
    if not words & known and _works(call):
        return "names no argument", text
    return REFUSED, text


def _works(call: Call) -> bool:
    """Whether the call of the example can be made again at all, from copies."""
    try:
        call.run()
    except Exception:
        return False
    return True


def _in_example(error: Exception) -> bool:
    """Whether a function of the example raised it, which stands for one of a user's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_filename.startswith("<doctest")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Nothing printed, and no warnings."""
    out = io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def alike(a: Any, b: Any, depth: int = 0) -> bool:
    """Whether two answers are the same to rounding, as far as their kind can be compared."""
    if depth > 4:
        return True
    if isinstance(a, np.ndarray | np.generic | float) and isinstance(
        b, np.ndarray | np.generic | float
    ):
        x, y = np.asarray(a), np.asarray(b)
        if x.shape != y.shape:
            return False
        if x.dtype.kind in "fc":
            # The same numbers in another order of summation: 1000 eps, of sums whose terms may
            # be 1000 times as large as they are, and of what is 0 but for rounding.
            return bool(np.allclose(x, y, rtol=1e-9, atol=1e-12, equal_nan=True))
        return bool(np.all(x == y))
    if isinstance(a, Integral) and isinstance(b, Integral):
        return int(a) == int(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(alike(x, y, depth + 1) for x, y in zip(a, b))
    if dataclasses.is_dataclass(a):
        return all(
            alike(getattr(a, f.name), getattr(b, f.name), depth + 1)
            for f in dataclasses.fields(a)
            if f.compare and not f.name.startswith("_") and "second" not in f.name
        )
    if isinstance(a, int | str | bytes | bool | type(None)):
        return a == b
    return True
