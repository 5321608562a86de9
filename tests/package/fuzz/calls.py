"""Valid calls of every public callable: those that the examples of the docstrings make."""

import contextlib
import copy
import dataclasses
import doctest
import importlib
import inspect
import io
import math
import pkgutil
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType, ModuleType
from typing import Any

import mehler

# For a call, by the clock: others on the machine slow it down.
SECONDS = 60.0


class Hang(BaseException):
    """A call that took longer than its limit."""


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise `Hang` in the main thread after so long."""

    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    # Again and again: doctest goes on to the next line of an example.
    signal.setitimer(signal.ITIMER_REAL, *[min(seconds, 1e6)] * 2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@dataclasses.dataclass(frozen=True)
class Call:
    """A call that an example makes: its arguments by name, and `self` for a method."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]
    own: Any = None
    # Of the processor, while the call was recorded, which slows it down.
    seconds: float = 0.0

    def parameters(self) -> list[str]:
        """Names of what can be given another value."""
        several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        parameters = inspect.signature(self.function).parameters
        return [
            name
            for name in self.arguments
            if name in parameters and parameters[name].kind not in several
        ]

    def run(self, **changed: Any) -> Any:
        """Call with copies of the arguments, some of them changed."""
        arguments = copy.deepcopy({k: v for k, v in self.arguments.items() if k not in changed})
        signature = inspect.signature(self.function)
        own = [] if self.own is None else [(next(iter(signature.parameters)), self.own)]
        bound = signature.bind_partial()
        bound.arguments.update(copy.deepcopy(dict(own)) | arguments | changed)
        return self.function(*bound.args, **bound.kwargs)


def packages() -> Iterator[ModuleType]:
    """All public packages and modules of mehler that say what they offer."""
    yield mehler
    for found in pkgutil.walk_packages(mehler.__path__, "mehler."):
        if not any(part.startswith("_") for part in found.name.split(".")):
            try:
                module = importlib.import_module(found.name)
            except ImportError:  # of a library that is the user's choice
                continue
            if hasattr(module, "__all__"):
                yield module


def public() -> dict[str, Callable[..., Any]]:
    """Public functions, classes and methods, by name; each once."""
    module: dict[int, tuple[str, Any]] = {}
    for package in packages():
        for name in package.__all__:
            thing = getattr(package, name)
            if not callable(thing) or isinstance(thing, ModuleType):
                continue
            if not (getattr(thing, "__module__", None) or "").startswith("mehler"):
                continue
            module.setdefault(id(thing), (f"{package.__name__}.{name}", thing))
    return dict(module.values())


def _codes() -> dict[CodeType, tuple[str, Any, bool]]:
    """Code of each public callable: its name, what to call, and whether it takes ``self``."""
    codes: dict[CodeType, tuple[str, Any, bool]] = {}
    for name, thing in public().items():
        if not inspect.isclass(thing):
            code = getattr(inspect.unwrap(thing), "__code__", None)
            if code is not None:
                codes[code] = (name, thing, False)
            continue
        for part, member in inspect.getmembers(thing):
            if part == "__init__" and inspect.isfunction(member):
                # An inherited constructor makes the class that is called.
                codes.setdefault(member.__code__, (name, None, True))
            elif inspect.isfunction(member) and (part == "__call__" or not part.startswith("_")):
                if member.__module__.startswith("mehler"):
                    codes.setdefault(member.__code__, (f"{name}.{part}", member, True))
            elif inspect.ismethod(member) and not part.startswith("_"):
                codes.setdefault(member.__func__.__code__, (f"{name}.{part}", None, True))
    return codes


class _Recorder:
    """Keeps the arguments of public calls that a line of an example makes, and comes to an end."""

    def __init__(self) -> None:
        self.codes = _codes()
        self.calls: list[Call] = []
        self.begun: dict[FrameType, tuple[Call, float]] = {}

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame in self.begun:
            call, start = self.begun.pop(frame)
            self.calls.append(dataclasses.replace(call, seconds=time.process_time() - start))
        if event != "call" or frame.f_code not in self.codes:
            return
        back = frame.f_back
        if back is None or not back.f_code.co_filename.startswith("<doctest"):
            return
        sys.setprofile(None)
        try:
            self._keep(frame)
        finally:
            sys.setprofile(self)

    def _keep(self, frame: FrameType) -> None:
        name, function, has_own = self.codes[frame.f_code]
        arguments = dict(frame.f_locals)
        own = arguments.pop(frame.f_code.co_varnames[0]) if has_own else None
        if has_own and function is None:
            if inspect.isclass(own):  # a class method
                function, own = getattr(own, frame.f_code.co_name), None
            else:
                function, own = type(own), None
                name = f"{function.__module__.split('._')[0]}.{function.__qualname__}"
        arguments.pop("__class__", None)
        with contextlib.suppress(Exception):  # what cannot be copied cannot be called again
            call = Call(name, function, copy.deepcopy(arguments), copy.deepcopy(own))
            self.begun[frame] = call, time.process_time()


def modules() -> list[str]:
    """Names of all modules of mehler."""
    module = (module.name for module in pkgutil.walk_packages(mehler.__path__, "mehler."))
    return [name for name in module if not name.endswith("__main__")]


def recorded(names: Iterable[str], slowest: float = math.inf) -> list[Call]:
    """Run the examples of these modules and return the public calls in them, but slower ones."""
    with contextlib.suppress(ImportError):  # which no limit must interrupt
        importlib.import_module("matplotlib.pyplot")
    recorder = _Recorder()
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(verbose=False)
    for name in names:
        try:
            module = importlib.import_module(name)
        except ImportError:  # of a library that is the user's choice
            continue
        for example in finder.find(module, name):
            if not example.examples:
                continue
            with contextlib.suppress(Hang), limit(10.0 * slowest):
                sys.setprofile(recorder)
                try:
                    runner.run(example, out=io.StringIO().write, clear_globs=False)
                finally:
                    sys.setprofile(None)
            recorder.begun.clear()
    return [call for call in recorder.calls if call.seconds <= slowest]
