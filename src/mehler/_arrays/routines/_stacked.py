"""Products with several pieces of weights, made at once where a launch costs more than memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mehler._arrays._namespace import Array


class Stacked(Iterator[Array]):
    """Pieces (q, n, m) in one array, for a GPU: a maximum over them is one launch, not q.

    An iterator over the pieces too, like those that are made one by one in a CPU's cache.
    """

    def __init__(self, array: Array) -> None:
        self.array = array
        self._rest = iter(range(array.shape[0]))

    def __next__(self) -> Array:
        return self.array[next(self._rest), :, :]

    def largest(self, xp: Any) -> Array:
        """Return the maximum over the pieces, (n, m)."""
        return xp.max(self.array, axis=0)

    def winner(self, xp: Any) -> Array:
        """Return the piece that has the maximum, the first of equals, (n, m)."""
        return xp.argmax(self.array, axis=0)

    def chosen(self, xp: Any, piece: Array) -> Array:
        """Return the entries of the pieces that `piece` (n, m) names."""
        return xp.take_along_axis(self.array, piece[None, :, :], axis=0)[0, :, :]
