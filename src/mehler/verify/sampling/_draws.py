"""Draws of a map from a sequence of seeds, by one thread or by several, in their order."""

from __future__ import annotations

import contextvars
import inspect
import sys
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from time import thread_time
from typing import Any

import numpy as np

from mehler._arrays import global_states
from mehler._validate import require_integer


class Draws:
    """The draws ``draw(seed_k)``, seed_k the first word of the k-th child of SeedSequence(seed).

    Seeds have 31 bits, which every library accepts. Repeated words are skipped, since two equal
    draws are not independent.
    """

    def __init__(self, draw: Callable[[int], Any], seed: int, *, stream: int = 0) -> None:
        self.draw = require_draw(draw)
        self.root = require_integer("seed", seed, least=0)
        self._stream = stream
        self._seeds: list[int] = []
        self._taken: set[int] = set()
        self._child = 0
        self._kept: tuple[int, Any] | None = None
        # Whether draws must be made one by one; None if that was not looked at.
        self.alone: bool | None = None

    def seed(self, k: int) -> int:
        """Return the seed of draw k."""
        while len(self._seeds) <= k:
            child = np.random.SeedSequence(self.root, spawn_key=(self._stream, self._child))
            self._child += 1
            word = int(child.generate_state(1)[0]) >> 1
            if word not in self._taken:
                self._taken.add(word)
                self._seeds.append(word)
        return self._seeds[k]

    def key(self, k: int) -> Any:
        """Return what determines item k: its seed."""
        return self.seed(k)

    def make(self, key: Any) -> Any:
        """Return the item of a key, a map, which is not kept."""
        # What a map does to the handling of floating point errors is undone.
        with np.errstate():
            return self.draw(key)

    def __getitem__(self, k: int) -> Any:
        """Return item k; the last one is cached."""
        if self._kept is None or self._kept[0] != k:
            self._kept = (k, self.make(self.key(k)))
        return self._kept[1]

    def forget(self) -> None:
        """Let go of the map that is cached."""
        self._kept = None


class Bundles(Draws):
    """Draws whose k-th item is a tuple of maps, by `makers`, from seeds of their own.

    If `common`, they have one seed.
    """

    def __init__(
        self,
        makers: Sequence[Callable[[int], Any]],
        seed: int,
        *,
        stream: int = 0,
        common: bool = False,
    ) -> None:
        super().__init__(makers[0], seed, stream=stream)
        self._makers, self._common = [require_draw(each) for each in makers], common

    def key(self, k: int) -> Any:
        size, step = len(self._makers), int(not self._common)
        return tuple(self.seed(k * size + i * step) for i in range(size))

    def make(self, key: Any) -> Any:
        with np.errstate():
            return tuple(maker(seed) for maker, seed in zip(self._makers, key, strict=True))


REMEDY = "pass a function seed -> map, such as lambda seed: make(random_state=seed).fit(X)"


def require_draw(draw: Any, name: str = "draw", takes: str = "seed") -> Callable[..., Any]:
    """Return a function of a seed; TypeError for a map or an estimator in its place."""
    if inspect.isclass(draw) and hasattr(draw, "fit"):
        raise TypeError(f"{name} is the class {draw.__name__}: {REMEDY}")
    owner = draw.__self__ if inspect.ismethod(draw) else draw
    is_map = not inspect.isclass(owner) and (hasattr(owner, "fit") or is_feature_map(owner))
    if is_map and (owner is draw or draw.__name__ in ("transform", "__call__")):
        what = owner if isinstance(owner, str) else type(owner).__name__
        raise TypeError(f"{name} is a map, a {what}, of one seed: {REMEDY}")
    if not callable(draw):
        text = repr(draw) if len(repr(draw)) < 60 else f"a {type(draw).__name__}"
        raise TypeError(f"{name}={text} must be callable: {takes} -> map")
    try:
        signature = inspect.signature(draw)
        signature.bind(*takes.split(", "))
    except ValueError:  # of some functions in C nothing is known
        pass
    except TypeError:
        names = ", ".join(signature.parameters)
        raise TypeError(
            f"{name}({names}) must take {takes} alone and return a map X -> Z, such as "
            f"lambda {takes}: lambda X: {name}({takes}, X)"
        ) from None
    return draw


def is_feature_map(value: object) -> bool:
    """Whether a value is a map of mehler."""
    from mehler.features import FeatureMap

    return isinstance(value, FeatureMap)


# Draws ahead per thread, and the fewest that are worth three more to compare.
_AHEAD, _FEWEST = 2, 8

Work = Callable[[Any], Any]


def in_order(
    draws: Draws,
    work: Work,
    start: int,
    stop: int,
    n_jobs: int = 1,
    worked: Callable[[float], None] = lambda seconds: None,
) -> Generator[Any]:
    """Yield ``work(draws[k])`` for k from start to stop - 1; close it to stop earlier.

    Results have the same bits for every `n_jobs`, or are refused: see `_alone`, and some draws are
    made again by this thread. What a draw raises is raised when its turn comes. `worked` is told
    the seconds of other threads.
    """
    if n_jobs == 1 or stop - start < _FEWEST or _alone(draws, work):
        for k in range(start, stop):
            yield work(draws[k])
        return

    def timed(key: Any) -> tuple[Any, float]:
        before = thread_time()
        return work(draws.make(key)), thread_time() - before

    pool = ThreadPoolExecutor(min(n_jobs, stop - start), thread_name_prefix="mehler-draws")
    ahead: deque[Future[tuple[Any, float]]] = deque()
    submitted = start
    try:
        for k in range(start, stop):
            while submitted < stop and len(ahead) < _AHEAD * n_jobs:
                # Handling of floating point errors, and whatever else belongs to this context.
                context = contextvars.copy_context()
                ahead.append(pool.submit(context.run, timed, draws.key(submitted)))
                submitted += 1
            result, seconds = ahead.popleft().result()
            worked(seconds)
            if k.bit_count() == 1 and k.bit_length() % 2:  # 1, 4, 16, 64, ...
                _require_equal(result, work(draws.make(draws.key(k))))
            yield result
    finally:
        # An interrupted user does not wait for draws that nobody wants.
        interrupted = isinstance(sys.exception(), KeyboardInterrupt | SystemExit)
        pool.shutdown(wait=not interrupted, cancel_futures=True)


def _alone(draws: Draws, work: Work) -> bool:
    """Whether draws share a global generator or memory, so that they must be made one by one."""
    if draws.alone is None:
        before = global_states()
        try:
            phi = draws.make(draws.key(0))
            first = _copied(work(phi))
            work(draws.make(draws.key(1)))
            draws.alone = global_states() != before or not _equal(work(phi), first)
            again = work(draws.make(draws.key(0)))
        except Exception:
            draws.alone = True  # it is raised when its turn comes
        else:
            _require_equal(first, again)
        # Its memory may be that of another draw by now.
        draws.forget()
    return draws.alone


def _require_equal(left: object, right: object) -> None:
    if not _equal(left, right):
        raise ValueError(
            "n_jobs: draw(seed) gave other features when called again with the same seed, so that "
            "the verdict would depend on the order of draws: let the seed alone determine the map, "
            "and maps share no memory; or pass n_jobs=1"
        )


def _equal(left: Any, right: Any) -> bool:
    """Whether nested tuples of arrays agree in every bit, NaN being equal to itself."""
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(_equal, left, right))
    return np.shape(left) == np.shape(right) and bool(np.array_equal(left, right, equal_nan=True))


def _copied(value: object) -> Any:
    return tuple(map(_copied, value)) if isinstance(value, tuple) else np.array(value)
