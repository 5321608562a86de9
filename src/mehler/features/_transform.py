"""A map's block function with its weights, as a loop over rows takes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mehler import _arrays
from mehler.features import _phases


class SomeUnits:
    """A block function with the weights of some units."""

    def __init__(self, block: Callable[..., Any], weights: tuple[Any, ...], dtype: str) -> None:
        self.block = block
        self.weights = weights
        self.dtype = dtype

    def __call__(self, xp: Any, rows: _arrays.Array) -> _arrays.Array:
        rows = _phases.cast(self.block, xp, rows, getattr(xp, self.dtype), self.weights)
        return self.block(xp, rows, *self.weights)

    def must_look(self, xp: Any, rows: _arrays.Array) -> bool:
        """Whether the values of some row decide how it is computed."""
        phases = _phases.phases_of(self.block)
        dtype = getattr(xp, self.dtype)
        return phases is not None and phases.reaches(xp, rows, dtype, *self.weights)


class Transform(SomeUnits):
    """A block function with its weights, applied to blocks of rows and sent to Dask workers.

    Pickled as its map, so that a graph contains a recipe and no weights.
    """

    def __init__(self, source: Any, dtype: str) -> None:
        self.source = source
        super().__init__(source._block(), source._weights(dtype), dtype)

    def __reduce__(self) -> tuple[Any, tuple[Any, str]]:
        return Transform, (self.source, self.dtype)
