"""Sums over the row chunks of Dask arrays, in a tree, so that few parts are held at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import array_api_compat as compat
import numpy as np

from mehler._arrays._namespace import Array


def is_chunked(x: Array) -> bool:
    """Whether `x` is a Dask array, whose rows come in chunks that are not there yet."""
    return bool(compat.is_dask_array(x))


def sum_over_chunks(function: Callable[..., Any], x: Array, y: Array) -> Any:
    """Add up ``function(rows of x, rows of y)`` over row chunks, and compute it.

    What the function returns must know ``+``. Chunks of `x` decide; `y` follows them.
    """
    import dask

    if any(np.isnan(size) for size in (*x.chunks[0], *y.chunks[0])):
        raise ValueError(
            "the row chunks of a Dask array have unknown sizes; call its compute_chunk_sizes() "
            "first"
        )
    x = x.rechunk({1: -1})
    y = y.rechunk({0: x.chunks[0], 1: -1})
    # As one delayed constant the function, which carries weights, enters the graph once.
    shared = dask.delayed(function, pure=False, traverse=False)
    parts = [
        dask.delayed(_call, pure=False)(shared, a, b)
        for a, b, n in zip(x.to_delayed()[:, 0], y.to_delayed()[:, 0], x.chunks[0], strict=True)
        if n
    ]
    add = dask.delayed(_add, pure=False)
    while len(parts) > 1:
        pairs = [add(*parts[i : i + 2]) for i in range(0, len(parts) - 1, 2)]
        parts = pairs + parts[2 * len(pairs) :]
    return parts[0].compute()


def _call(function: Callable[..., Any], x: Any, y: Any) -> Any:
    return function(x, y)


def _add(a: Any, b: Any) -> Any:
    return a + b
