"""A map's block function with its weights, as a loop over rows takes it."""

from __future__ import annotations

from typing import Any

from mehler import _arrays


class Transform:
    """A block function with its weights, applied to blocks of rows and sent to Dask workers.

    Pickled as its map, so that a graph contains a recipe and no weights.
    """

    def __init__(self, source: Any, dtype: str) -> None:
        self.source = source
        self.dtype = dtype
        self.block = source._block()
        self.weights = source._weights(dtype)

    def __reduce__(self) -> tuple[Any, tuple[Any, str]]:
        return Transform, (self.source, self.dtype)

    def __call__(self, xp: Any, rows: _arrays.Array) -> _arrays.Array:
        return self.block(xp, xp.astype(rows, getattr(xp, self.dtype), copy=False), *self.weights)
