"""Apply functions to rows or elements in blocks, without a temporary of the size of the data.

Fresh memory costs more than arithmetic: a product into a fresh 100 MB array takes two
to four times as long as the same product block by block into memory that stays in cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from mehler._arrays._namespace import (
    Array,
    array_namespace,
    dtype_name,
    is_chunked,
    is_jax_array,
    is_numpy_array,
    is_on_accelerator,
    is_torch_array,
    place_of,
)

RowFunction = Callable[[Any, Array], Array]
# A callable that starts a fresh iteration over (column slices, function for these columns).
ColumnParts = Callable[[], Iterable[tuple[tuple[slice, ...], RowFunction]]]

# Elements of one block of an elementwise walk: about ten float64 temporaries fit in L2.
_ELEMENTS = 1 << 14
# Bytes of one block of results on a GPU: a few such temporaries fit into 4 GiB. A constant, not a
# share of what is free now: blocks, and with them roundings, would change from call to call.
_ACCELERATOR = 1 << 28
# Numbers from which compiling by XLA, a third of a second a shape, costs less than it saves. By
# size alone: with a count of calls, the same call would round differently the next time.
_COMPILED = 1 << 22


def block_rows_for_map(n_columns: int, itemsize: int, on: Array | None = None) -> int:
    """Return the rows per block for applying a map: 64 to 1024, results of at most 32 MiB.

    Smaller blocks make the matrix product pack the weights again and again (256 rows: 1.2 times
    the time of 1024); larger ones gain nothing. Where `on` is on a GPU, as many as make 256 MiB.
    """
    if on is not None and is_on_accelerator(on):
        return max(1, _ACCELERATOR // max(1, n_columns * itemsize))
    fit = (32 << 20) // max(1, n_columns * itemsize)
    return max(64, min(1024, fit))


def block_rows_for_max(n_inputs: int, n_columns: int) -> int:
    """Return the rows per block for a maximum over pieces of products, to stay in cache.

    A block is about 2 MiB of float32. Wide rows (256 inputs or more) get at least 512 rows, since
    the product dominates and repacks its weights; narrow rows get 256. At most 32 MiB, or 64 rows.
    """
    least = 512 if n_inputs >= 256 else 256
    rows = max(least, min(1024, (1 << 19) // n_columns))
    return min(rows, max(64, (8 << 20) // n_columns))


def block_rows_for_gram(n_columns: int, itemsize: int) -> int:
    """Return the rows per block for accumulating a Gram matrix: 1024, or 2048 above 1024 columns.

    Adding reads and writes m^2 numbers of float64, whatever the rows: a tenth of the time of a
    product of 1024 rows once m is 2000. Fewer rows where a block would exceed 32 MiB. No more on a
    GPU: products of float32 lose digits with the number of rows.
    """
    fit = (32 << 20) // max(1, n_columns * itemsize)
    return max(64, min(1024 if n_columns <= 1024 else 2048, fit))


def slices(n: int, size: int) -> Iterator[slice]:
    """Yield slices that cover range(n); the standard leaves stops beyond the end undefined."""
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def map_rows(
    function: RowFunction,
    x: Array,
    n_columns: int,
    dtype: object,
    *,
    block: int | None = None,
    width: int = 0,
    compiled: Callable[[Any, Array], RowFunction | None] | None = None,
) -> Array:
    """Stack ``function(xp, rows)`` over blocks of rows of `x`: (n, d) to (n, n_columns).

    Extra memory is a few blocks, whatever n is. Dask keeps its row chunks and stays lazy. `width`
    numbers are held a row while it is computed, if that is more than `n_columns`; `block` rows suit
    the host's cache, and are not asked for on a GPU. ``compiled(xp, x)`` returns the function
    compiled by JAX, for large calls, or None.
    """
    if is_chunked(x):
        return _over_chunks(map_rows, function, x, n_columns, dtype, block=block, width=width)
    place = place_of(x)
    xp = place.xp
    n_rows = x.shape[0]
    itemsize = 8 if dtype_name(dtype) == "float64" else 4
    if block is None or is_on_accelerator(x):
        block = block_rows_for_map(max(n_columns, width), itemsize, x)
    if is_jax_array(x):
        return _map_rows_jax(function, compiled, x, block, n_rows * max(n_columns, width))
    if n_rows <= block:
        return function(xp, x)
    out = xp.empty((n_rows, n_columns), dtype=dtype, device=place.device)
    for rows in slices(n_rows, block):
        out[rows, :] = function(xp, x[rows, :])
    return out


def _map_rows_jax(
    function: Callable[..., Any],
    compiled: Callable[..., Any] | None,
    x: Array,
    block: int,
    n_numbers: int,
) -> Array:
    xp = array_namespace(x)
    fast = compiled(xp, x) if compiled is not None and n_numbers >= _COMPILED else None
    if x.shape[0] <= block and fast is None:
        return function(xp, x)
    if fast is not None:
        parts = [fast(xp, x[rows, :]) for rows in slices(x.shape[0], block)]
        return parts[0] if len(parts) == 1 else xp.concat(parts, axis=0)
    # JAX arrays cannot be written to; lax.map is its loop over blocks, traced once.
    import jax

    whole = x.shape[0] // block
    head = xp.reshape(x[: whole * block, :], (whole, block, x.shape[1]))
    mapped = jax.lax.map(lambda rows: function(xp, rows), head)
    parts = [xp.reshape(mapped, (whole * block, mapped.shape[2]))]
    if whole * block < x.shape[0]:
        parts.append(function(xp, x[whole * block :, :]))
    return xp.concat(parts, axis=0)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of JAX arrays, compiled once for each of their shapes and dtypes."""
    import jax

    return jax.jit(function)


def _over_chunks(
    apply: Callable[..., Array],
    function: Any,
    x: Array,
    n_columns: int,
    dtype: object,
    **options: Any,
) -> Array:
    """Return ``apply(function, chunk, n_columns, dtype, **options)`` of each row chunk, lazily."""
    import dask

    x = x.rechunk({1: -1})
    # The function carries the weights: as one delayed constant they enter the graph once,
    # not once a chunk, and are not hashed.
    shared = dask.delayed(function, pure=False, traverse=False)
    return x.map_blocks(
        lambda chunk, shared: apply(shared, chunk, n_columns, dtype, **options),
        shared=shared,
        dtype=dtype_name(dtype),
        chunks=(x.chunks[0], (n_columns,)),
        meta=x._meta[:0, :0].astype(dtype_name(dtype)),
    )


def map_columns(parts: ColumnParts, x: Array, n_columns: int, dtype: object) -> Array:
    """Concatenate blocks of columns, computed one part at a time: (n, d) to (n, n_columns).

    Each part is applied as by :func:`map_rows` and released before the next, so that only one
    part's weights are held. Parts come in column order; every Dask row chunk iterates them anew.
    """
    if is_chunked(x):
        return _over_chunks(map_columns, parts, x, n_columns, dtype)
    place = place_of(x)
    xp = place.xp
    if is_jax_array(x):
        return _map_columns_jax(parts, xp, x, dtype)
    out = xp.empty((x.shape[0], n_columns), dtype=dtype, device=place.device)
    itemsize = 8 if dtype_name(dtype) == "float64" else 4
    for where, function in parts():
        width = sum(columns.stop - columns.start for columns in where)
        for rows in slices(x.shape[0], block_rows_for_map(width, itemsize, x)):
            values, start = function(xp, x[rows, :]), 0
            for columns in where:
                stop = start + columns.stop - columns.start
                out[rows, columns] = values[:, start:stop]
                start = stop
    return out


def _map_columns_jax(parts: ColumnParts, xp: ModuleType, x: Array, dtype: object) -> Array:
    # Concatenate at the end: all first slices, then all second ones.
    groups: list[list[Array]] = []
    for where, function in parts():
        ends = [0]
        for columns in where:
            ends.append(ends[-1] + columns.stop - columns.start)
        values = map_rows(function, x, ends[-1], dtype)
        groups = groups or [[] for _ in where]
        for group, start, stop in zip(groups, ends, ends[1:]):
            group.append(values[:, start:stop])
    return xp.concat([values for group in groups for values in group], axis=1)


def map_elements(function: Callable[[Any, Array], Array], x: Array) -> Array:
    """Apply an elementwise ``function(xp, flat)`` to `x`, in cache-sized pieces on NumPy."""
    xp = array_namespace(x)
    if is_chunked(x):
        return x.map_blocks(lambda chunk: map_elements(function, chunk), dtype=x.dtype)
    flat = xp.reshape(x, (-1,))
    if not is_numpy_array(x) or x.size <= _ELEMENTS:
        return xp.reshape(function(xp, flat), x.shape)
    out = xp.empty_like(flat)
    for piece in slices(flat.shape[0], _ELEMENTS):
        out[piece] = function(xp, flat[piece])
    return xp.reshape(out, x.shape)


def rows_of_batches(function: Callable[..., Array], *stacks: Array) -> Array:
    """Apply a function of rows, (n, d) to (n, m), to stacks (..., n, d) of one shape."""
    xp = array_namespace(*stacks)
    shape = tuple(stacks[0].shape)
    values = function(*(xp.reshape(x, (-1, shape[-1])) for x in stacks))
    return xp.reshape(values, (*shape[:-1], values.shape[-1]))


def pairs_of_batches(function: Callable[..., Array], x: Array, y: Array | None) -> Array:
    """Apply a function of two matrices of rows, (n, d) and (k, d) to (n, k), batch by batch."""
    rows = (x,) if y is None else (x, y)
    xp = array_namespace(*rows, names=("X", "Y")[: len(rows)])
    shapes = [tuple(each.shape[:-2]) for each in rows]
    try:
        batch = np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(
            f"X and Y have batches of shapes {shapes[0]} and {shapes[1]}, which do not broadcast"
        ) from None
    if 0 in batch:
        raise ValueError(f"X is empty: it has batches of shape {batch}; pass at least one")
    stacks = []
    for each in rows:
        whole = xp.broadcast_to(each, (*batch, *each.shape[-2:]))
        stacks.append(xp.reshape(whole, (-1, *each.shape[-2:])))
    values = [
        function(*(stack[i, :, :] for stack in stacks), *([None] if y is None else []))
        for i in range(stacks[0].shape[0])
    ]
    return xp.reshape(xp.stack(values), (*batch, *values[0].shape))


def attached(values: Array, x: Array) -> Array:
    """Return features (n, m) as a function of rows (n, d), where PyTorch sees none.

    Features that only jump have a gradient of zero, and PyTorch says of them that they have none.
    """
    if type(values) is np.ndarray or not is_torch_array(values):
        return values
    if values.requires_grad or not x.requires_grad or not values.is_floating_point():
        return values
    return values + 0.0 * x[:, :1].to(values.dtype)
