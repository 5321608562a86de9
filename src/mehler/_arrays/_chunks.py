"""Reduce Dask arrays over their row chunks, in trees, with few partial sums held at a time."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays._namespace import Array, stays_lazy
from mehler._arrays._rows import require_matrix

# Parts are added in pairs within a group, and groups in sequence: a process holds only a few
# parts at a time, however many chunks there are.
_GROUP = 16
# Largest Dask array, in bytes, that is loaded whole where an algorithm needs all of it.
_HELD = 1 << 30
# Functions carry their weights into the graph, once: a cluster need not warn of its size.
_HEAVY = {"distributed.admin.large-graph-warning-threshold": "8 GiB"}


def require_known_chunks(*arrays: Array) -> None:
    """Raise ValueError for Dask arrays with row chunks of unknown size."""
    if any(np.isnan(size) for x in arrays if stays_lazy(x) for size in x.chunks[0]):
        raise ValueError(
            "the row chunks of a Dask array have unknown sizes; call its compute_chunk_sizes() "
            "first"
        )


def require_small(x: Array, *, name: str, reason: str) -> None:
    """Raise ValueError for a Dask array too large to load, where the algorithm needs all of it."""
    if not stays_lazy(x):
        return
    require_known_chunks(x)
    if x.nbytes > _HELD:
        raise ValueError(
            f"{name} is a Dask array of {x.nbytes / 2**30:.1f} GiB, but {reason}; pass a part of "
            f"it, such as {name}[:: {-(-x.nbytes // _HELD)}]"
        )


def finite_chunks(x: Array, name: str) -> Array:
    """Return a Dask array whose chunks raise for NaN or infinity when they are computed."""

    def require(rows: Array) -> Array:
        require_matrix(rows, name=f"a chunk of {name}")
        return rows

    return x.rechunk({1: -1}).map_blocks(require, dtype=x.dtype, meta=x._meta)


def sum_over_chunks(
    function: Callable[..., Any], x: Array, *others: Array, shared: tuple[Any, ...] = ()
) -> Any:
    """Sum ``function(*shared, rows of x, rows of y, ...)`` over the row chunks of `x`, in order."""
    import dask

    require_known_chunks(x, *others)
    x = x.rechunk({1: -1}) if x.ndim == 2 else x
    others = tuple(y.rechunk({0: x.chunks[0], **({1: -1} if y.ndim == 2 else {})}) for y in others)
    # As one delayed constant the function, which carries weights, enters the graph once.
    once = dask.delayed(function, pure=False, traverse=False)
    call = dask.delayed(operator.call, pure=False)
    columns = [y.to_delayed().ravel() for y in (x, *others)]
    sizes = x.chunks[0]
    parts = [call(once, *shared, *rows) for *rows, n in zip(*columns, sizes, strict=True) if n]
    # Without a cluster nothing warns. If distributed were first imported inside, leaving would
    # remove the defaults that its import adds.
    with dask.config.set(_HEAVY if "distributed" in sys.modules else {}):
        return _added(parts, dask.delayed(operator.add, pure=False)).compute()


def one_row(x: Array) -> Array:
    """Return a row of ones in the library of the chunks."""
    return np.ones((1, x.shape[1]), dtype=x.dtype, like=x._meta)


def pairs_of_chunks(
    function: Callable[[Array, Array | None], Array], x: Array, y: Array | None, dtype: object
) -> Array:
    """Apply a function of two matrices of rows lazily to pairs of row chunks.

    (n, d) and (k, d) give (n, k). With ``y=None`` a chunk beside itself is called with None, too.
    """
    import dask
    import dask.array as da

    x = x.rechunk({1: -1})
    other = x if y is None else y.rechunk({1: -1})
    numbers: tuple[Any, ...] = ()
    if y is None:  # rows of one chunk have one number
        require_known_chunks(x)
        sizes = x.chunks[0]
        which = np.repeat(np.arange(len(sizes)), sizes)
        numbers = da.from_array(which, chunks=(sizes,)), "i", da.from_array(which, (sizes,)), "j"

    def on_chunks(a: Array, b: Array, *which: Array, shared: Any) -> Array:
        return shared(a, None if which and which[0][0] == which[1][0] else b)

    return da.blockwise(
        on_chunks,
        "ij",
        x,
        "ik",
        other,
        "jk",
        *numbers,
        shared=dask.delayed(function, pure=False, traverse=False),
        concatenate=True,
        dtype=dtype,
        meta=x._meta[:0, :0].astype(dtype),
    )


def _added(parts: list[Any], add: Callable[[Any, Any], Any]) -> Any:
    total = None
    for start in range(0, len(parts), _GROUP):
        group = parts[start : start + _GROUP]
        while len(group) > 1:
            pairs = [add(*group[i : i + 2]) for i in range(0, len(group) - 1, 2)]
            group = pairs + group[2 * len(pairs) :]
        total = group[0] if total is None else add(total, group[0])
    return total
