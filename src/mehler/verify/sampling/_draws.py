"""Draws of a map from a sequence of seeds, and the limit of the time that they take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from time import monotonic, thread_time
from typing import Any

import numpy as np

from mehler._validate import require_integer


class Draws:
    """The draws ``draw(seed_k)``, seed_k the first word of the k-th child of SeedSequence(seed).

    Seeds have 31 bits, which every library accepts. Repeated words are skipped, since two equal
    draws are not independent.
    """

    def __init__(self, draw: Callable[[int], Any], seed: int, *, stream: int = 0) -> None:
        self.draw = require_draw(draw)
        self.root = require_integer("seed", seed, least=0)
        self._stream, self._child = stream, 0
        self._seeds: list[int] = []
        self._taken: set[int] = set()
        self._kept: tuple[int, Any] | None = None

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

    def make(self, k: int) -> Any:
        """Return item k, a map."""
        return self.draw(self.seed(k))

    def __getitem__(self, k: int) -> Any:
        """Return item k; the last one is cached."""
        if self._kept is None or self._kept[0] != k:
            with np.errstate():  # what a map does to it is undone
                self._kept = (k, self.make(k))
        return self._kept[1]


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

    def make(self, k: int) -> Any:
        size, step = len(self._makers), int(not self._common)
        return tuple(maker(self.seed(k * size + i * step)) for i, maker in enumerate(self._makers))


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


# Wall time counts for 1/_WAITING, since the machine may be busy with other work.
_WAITING = 4.0


class Clock:
    """A time limit in CPU seconds, None for no limit.

    It counts CPU time of this thread, or a quarter of wall time if that is more, so that a verdict
    does not depend on the machine's other load.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._start, self._worked = monotonic(), thread_time()

    @property
    def seconds(self) -> float:
        """Seconds since construction."""
        return max(thread_time() - self._worked, (monotonic() - self._start) / _WAITING)

    @property
    def over(self) -> bool:
        """Whether the limit has passed."""
        return self.limit is not None and self.seconds >= self.limit
