"""Draws of a map from a sequence of seeds derived from one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._validate import integer


class Draws:
    """The draws ``draw(seed_k)``, seed_k the first word of the k-th child of SeedSequence(seed).

    Seeds have 31 bits, which every library accepts. Repeated words are skipped, since two equal
    draws are not independent.
    """

    def __init__(self, draw: Callable[[int], Any], seed: int, *, stream: int = 0) -> None:
        if not callable(draw):
            raise TypeError(f"draw={draw!r} must be callable: seed -> map")
        self.draw = draw
        self.root = integer("seed", seed, least=0)
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
