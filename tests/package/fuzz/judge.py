"""Call with a changed argument and say what came of it."""

import contextlib
import dataclasses
import io
import re
import warnings
from collections.abc import Iterator
from decimal import Decimal
from numbers import Integral, Number
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

import mehler
from tests.package.fuzz.calls import SECONDS, Call, Hang, limit
from tests.package.fuzz.hostile import Change

SAME, ANSWERED, REFUSED = "the same answer", "answered", "refused"
FINE = (SAME, ANSWERED, REFUSED)
UNRELATED, NAMELESS, NOT_SAME = "unrelated exception", "names no argument", "refused the same value"
OTHER, SILENT, HANG, CRASH = "another answer", "accepted in silence", "hang", "crash"
WRONG = (UNRELATED, NAMELESS, NOT_SAME, OTHER, SILENT, HANG, CRASH)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a changed call came to: one of `FINE` or of `WRONG`, and the class of what it raised."""

    kind: str
    call: str
    argument: str
    change: str
    text: str = ""
    error: str = ""

    def __str__(self) -> str:
        text = " ".join(self.text.split())[:200]
        return f"{self.kind}: {self.call}({self.argument}: {self.change}) {text}"


def judge(call: Call, argument: str, change: Change, seconds: float = SECONDS) -> Outcome:
    """Make the call with that change, and the call of before where the answer must be its."""

    def outcome(kind: str, text: str = "", error: str = "") -> Outcome:
        return Outcome(kind, call.name, argument, change.label, text, error)

    try:
        with limit(seconds), quiet():
            answer = call.run(**{argument: change.value})
            compared = change.same or change.alike
            expected = call.run() if compared else None
    except Hang:
        return outcome(HANG, f"over {seconds:g} s")
    except BaseException as error:
        kind = _of_error(call, argument, change, error)
        return outcome(kind, f"{type(error).__name__}: {error}", type(error).__name__)
    if compared:
        if alike(answer, expected):
            return outcome(SAME)
        return outcome(OTHER, f"{answer!r} for {expected!r}")
    # scikit-learn's estimators keep what they are given, and look at it in fit.
    if change.wrong and not call.name.startswith(("mehler.sklearn", *_exact(argument))):
        return outcome(SILENT, repr(answer))
    return outcome(ANSWERED)


def _exact(argument: str) -> tuple[str, ...]:
    """Where text is an exact number, as it is documented: 0.1 as a float is not a tenth."""
    return ("mehler.exact.certified",) if argument in ("rho", "x", "other") else ()


def _of_error(call: Call, argument: str, change: Change, error: BaseException) -> str:
    # A path that leads nowhere, a data set that is not there; memory: names what it would take.
    outside = isinstance(error, OSError | MemoryError)
    # NumPy's own, such as UFuncTypeError, say nothing about the argument.
    foreign = "numpy" in type(error).__module__
    if isinstance(error, IndexError | AttributeError) and _frames(error)[-1:] == [True]:
        return REFUSED  # its arrays index and average as this library's do not
    if not outside and (foreign or not isinstance(error, ValueError | TypeError)):
        return UNRELATED
    if change.same:
        return NOT_SAME if _works(call) else REFUSED
    if outside:
        return REFUSED
    # What a function of the user's raises, and scikit-learn's checks of its own kind of input.
    theirs = change.label.endswith(("class", "function")) or any(_frames(error))
    if theirs or call.name.startswith("mehler.sklearn") or repr(change.value) in str(error):
        return REFUSED
    words = set(re.findall(r"\w+", str(error)))
    names = {argument, *call.parameters()}
    names |= {part for name in names for part in (name.rstrip("_"), name.split("_")[-1])}
    # Of a tracer that an example made, nothing can be computed later.
    return NAMELESS if not words & names and _works(call) else REFUSED


def _works(call: Call) -> bool:
    """Whether the call of the example can be made again at all, from copies."""
    try:
        call.run()
    except Exception:
        return False
    return True


def _frames(error: BaseException) -> list[bool]:
    """For each frame of an example or of mehler's that it came through, whether of an example.

    Functions of an example stand for those of a user's.
    """
    home, frames = Path(mehler.__file__).parent, []
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith("<doctest") or Path(name).is_relative_to(home):
            frames.append(name.startswith("<doctest"))
        trace = trace.tb_next
    return frames


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
    numbers = np.ndarray | np.generic | float
    if isinstance(a, Integral) and isinstance(b, Integral):
        return int(a) == int(b)
    if isinstance(a, numbers) and isinstance(b, numbers):
        x, y = np.asarray(a), np.asarray(b)
        if x.shape != y.shape:
            return False
        if x.dtype.kind in "fc":
            # The same numbers in another order of summation: 1000 eps, of sums whose terms may
            # be 1000 times as large as they are, and of what is 0 but for rounding.
            return bool(np.allclose(x, y, rtol=1e-9, atol=1e-12, equal_nan=True))
        return bool(np.all(x == y))
    if isinstance(a, Number | Decimal) and isinstance(b, Number | Decimal):
        return bool(a == b)  # estimators keep what they are given
    if type(a) is not type(b) or depth > 4:
        return depth > 4
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(alike(x, y, depth + 1) for x, y in zip(a, b))
    if isinstance(a, BaseEstimator):
        a, b = (estimator.get_params(deep=False) for estimator in (a, b))
        return all(alike(a[name], b[name], depth + 1) for name in a)
    if dataclasses.is_dataclass(a):
        names = [field.name for field in dataclasses.fields(a) if field.compare]
        compared = [name for name in names if name[0] != "_" and "second" not in name]
        return all(alike(getattr(a, name), getattr(b, name), depth + 1) for name in compared)
    return a == b if isinstance(a, str | bytes | type(None)) else True
