"""Leading batch dimensions: matrices of rows in stacks of any shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import _kinds
from mehler._arrays._namespace import Array, array_namespace


def is_batched(x: Any) -> bool:
    """Return whether `x` is an array with batches of rows before its rows and columns."""
    # Most rows are a matrix, which is told first.
    return getattr(x, "ndim", 0) > 2 and _kinds.is_array(x)


def rows_of_batches(function: Callable[..., Array], *stacks: Array) -> Array:
    """Apply a function of rows, (n, d) to (n, m), to stacks (..., n, d) of one shape."""
    xp = array_namespace(*stacks)
    shape = tuple(stacks[0].shape)
    values = function(*(xp.reshape(x, (-1, shape[-1])) for x in stacks))
    return xp.reshape(values, (*shape[:-1], values.shape[-1]))


def pairs_of_batches(function: Callable[..., Array], x: Array, y: Array | None) -> Array:
    """Apply a function of two matrices of rows, (n, d) and (k, d) to (n, k), batch by batch."""
    given = (x,) if y is None else (x, y)
    xp = array_namespace(*given, names=("X", "Y")[: len(given)])
    shapes = [tuple(each.shape[:-2]) for each in given]
    try:
        batch = np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(
            f"X and Y have batches of shapes {shapes[0]} and {shapes[1]}, which do not broadcast"
        ) from None
    if 0 in batch:
        raise ValueError(f"X is empty: it has batches of shape {batch}; pass at least one")
    stacks = []
    for each in given:
        whole = xp.broadcast_to(each, (*batch, *each.shape[-2:]))
        stacks.append(xp.reshape(whole, (-1, *each.shape[-2:])))
    values = [
        function(*(stack[i, :, :] for stack in stacks), *([None] if y is None else []))
        for i in range(stacks[0].shape[0])
    ]
    return xp.reshape(xp.stack(values), (*batch, *values[0].shape))
