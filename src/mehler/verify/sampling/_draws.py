"""Draws of a map from a sequence of seeds, by one thread or by several, in their order."""

from __future__ import annotations

import contextvars
import sys
from collections import deque
from collections.abc import Callable, Iterator
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
        if not callable(draw):
            raise TypeError(f"draw={draw!r} must be callable: seed -> map")
        self.draw = draw
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

    def __getitem__(self, k: int) -> Any:
        """Return map k; the last one is cached."""
        if self._kept is None or self._kept[0] != k:
            self._kept = (k, self.make(self.seed(k)))
        return self._kept[1]

    def forget(self) -> None:
        """Let go of the map that is cached."""
        self._kept = None

    def make(self, seed: int) -> Any:
        """Return the map of a seed, which is not kept."""
        # What a map does to the handling of floating point errors is undone.
        with np.errstate():
            return self.draw(seed)


# Draws ahead per thread, and the fewest that are worth three more to compare.
_AHEAD, _FEWEST = 2, 8

Work = Callable[[Any], Any]


def in_order(
    draws: Draws,
    work: Work,
    start: int,
    stop: int,
    *,
    n_jobs: int = 1,
    worked: Callable[[float], None] = lambda seconds: None,
) -> Iterator[Any]:
    """Yield ``work(draws[k])`` for k from start to stop - 1; close it to stop earlier.

    Results have the same bits for every `n_jobs`, or are refused: see `_alone`, and some draws are
    made again by this thread. What a draw raises is raised when its turn comes. `worked` is told
    the seconds of other threads.
    """
    if n_jobs == 1 or stop - start < _FEWEST or _alone(draws, work):
        for k in range(start, stop):
            yield work(draws[k])
        return
    pool = ThreadPoolExecutor(min(n_jobs, stop - start), thread_name_prefix="mehler-draws")
    ahead: deque[Future[tuple[Any, float]]] = deque()
    submitted = start
    try:
        for k in range(start, stop):
            while submitted < stop and len(ahead) < _AHEAD * n_jobs:
                # Handling of floating point errors, and whatever else belongs to this context.
                context = contextvars.copy_context()
                ahead.append(pool.submit(context.run, _timed, draws, work, draws.seed(submitted)))
                submitted += 1
            result, seconds = ahead.popleft().result()
            worked(seconds)
            if k.bit_count() == 1 and k.bit_length() % 2:  # 1, 4, 16, 64, ...
                _same(result, work(draws.make(draws.seed(k))))
            yield result
    finally:
        # An interrupted user does not wait for draws that nobody wants.
        interrupted = isinstance(sys.exception(), KeyboardInterrupt | SystemExit)
        pool.shutdown(wait=not interrupted, cancel_futures=True)


def _timed(draws: Draws, work: Work, seed: int) -> tuple[Any, float]:
    before = thread_time()
    return work(draws.make(seed)), thread_time() - before


def _alone(draws: Draws, work: Work) -> bool:
    """Whether draws share a global generator or memory, so that they must be made one by one."""
    if draws.alone is None:
        before = global_states()
        try:
            phi = draws.make(draws.seed(0))
            first = _copied(work(phi))
            work(draws.make(draws.seed(1)))
            draws.alone = global_states() != before or not _equal(work(phi), first)
            again = work(draws.make(draws.seed(0)))
        except Exception:
            draws.alone = True  # it is raised when its turn comes
        else:
            _same(first, again)
        # Its memory may be that of another draw by now.
        draws.forget()
    return draws.alone


def _same(left: object, again: object) -> None:
    if not _equal(left, again):
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
