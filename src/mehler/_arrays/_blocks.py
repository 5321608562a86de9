"""Walks over rows and elements that never hold a temporary of the size of the data.

Fresh memory costs more than arithmetic: a product into a fresh 100 MB array takes two
to four times as long as the same product block by block into memory that stays in cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import array_api_compat as compat

from mehler._arrays._dtypes import dtype_name
from mehler._arrays._namespace import Array, array_namespace, place_of

RowFunction = Callable[[Any, Array], Array]

# Elements of one block of an elementwise walk: about ten float64 temporaries fit in L2.
_ELEMENTS = 1 << 14


def rows_per_block(n_columns: int, itemsize: int) -> int:
    """1024 rows, fewer where a block of results would exceed 32 MiB, at least 64.

    Smaller blocks make the matrix product pack the weights again and again (256 rows: 1.2 times
    the time of 1024); larger ones gain nothing.
    """
    fit = (32 << 20) // max(1, n_columns * itemsize)
    return max(64, min(1024, fit))


def slices(n: int, size: int) -> Iterator[slice]:
    """Slices that cover range(n); the standard leaves stops beyond the end undefined."""
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def map_rows(
    function: RowFunction, x: Array, n_columns: int, dtype: Any, *, block: int | None = None
) -> Array:
    """Stack ``function(xp, rows)`` over blocks of rows of `x`: (n, d) to (n, n_columns).

    Extra memory is a few blocks, whatever n is. Dask keeps its row chunks and stays lazy.
    """
    if compat.is_dask_array(x):
        return _map_rows_dask(function, x, n_columns, dtype, block)
    place = place_of(x)
    xp = place.xp
    n_rows = x.shape[0]
    itemsize = 8 if dtype_name(dtype) == "float64" else 4
    block = block or rows_per_block(n_columns, itemsize)
    if n_rows <= block:
        return function(xp, x)
    if compat.is_jax_array(x):
        return _map_rows_jax(function, xp, x, block)
    out = xp.empty((n_rows, n_columns), dtype=dtype, device=place.device)
    for rows in slices(n_rows, block):
        out[rows, :] = function(xp, x[rows, :])
    return out


def _map_rows_jax(function: RowFunction, xp: Any, x: Array, block: int) -> Array:
    # JAX arrays cannot be written to; lax.map is its loop over blocks, traced once.
    import jax

    whole = x.shape[0] // block
    head = xp.reshape(x[: whole * block, :], (whole, block, x.shape[1]))
    mapped = jax.lax.map(lambda rows: function(xp, rows), head)
    parts = [xp.reshape(mapped, (whole * block, mapped.shape[2]))]
    if whole * block < x.shape[0]:
        parts.append(function(xp, x[whole * block :, :]))
    return xp.concat(parts, axis=0)


def _map_rows_dask(
    function: RowFunction, x: Array, n_columns: int, dtype: Any, block: int | None
) -> Array:
    import dask

    def on_chunk(chunk: Array, shared: RowFunction) -> Array:
        return map_rows(shared, chunk, n_columns, dtype, block=block)

    x = x.rechunk({1: -1})
    # The function carries the weights: as one delayed constant they enter the graph once,
    # not once a chunk, and are not hashed.
    shared = dask.delayed(function, pure=False, traverse=False)
    return x.map_blocks(
        on_chunk,
        shared=shared,
        dtype=dtype_name(dtype),
        chunks=(x.chunks[0], (n_columns,)),
        meta=x._meta[:0, :0].astype(dtype_name(dtype)),
    )


def map_elements(function: Callable[[Any, Array], Array], x: Array) -> Array:
    """Apply an elementwise ``function(xp, flat)`` to `x`, in cache-sized pieces on NumPy."""
    xp = array_namespace(x)
    if compat.is_dask_array(x):
        return x.map_blocks(lambda chunk: map_elements(function, chunk), dtype=x.dtype)
    flat = xp.reshape(x, (-1,))
    if not compat.is_numpy_array(x) or x.size <= _ELEMENTS:
        return xp.reshape(function(xp, flat), x.shape)
    out = xp.empty_like(flat)
    for piece in slices(flat.shape[0], _ELEMENTS):
        out[piece] = function(xp, flat[piece])
    return xp.reshape(out, x.shape)
