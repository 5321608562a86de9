"""Validate rows before any work, and loop over blocks, batches and chunks of them.

Blocks are slices of rows that fit into a cache: a product into a fresh 100 MB array takes two to
four times as long. Batches are leading axes of (..., n, d), and chunks are parts of Dask arrays.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np

from mehler._arrays import _namespace as ns
from mehler._arrays._host import to_host
from mehler._arrays._namespace import HOST, NATIVE, Array

_ELEMENTS = 1 << 14  # of a block of an elementwise walk: ten temporaries of float64 fit in L2
# Bytes of one block of results on a GPU: a few such temporaries fit into 4 GiB. A constant, not a
# share of what is free now: blocks, and with them roundings, would change from call to call.
_ACCELERATOR = 1 << 28
# Numbers from which compiling by XLA, a third of a second a shape, costs less than it saves. By
# size alone: with a count of calls, the same call would round differently the next time.
_COMPILED = 1 << 22
# Parts are added in pairs within a group, groups in sequence: a process holds few at a time.
_GROUP = 16
_HELD = 1 << 30  # bytes of the largest Dask array that is loaded whole where an algorithm needs it
# Functions carry their weights into the graph, once: a cluster need not warn of its size.
_HEAVY = {"distributed.admin.large-graph-warning-threshold": "8 GiB"}


def require_matrix(
    x: Array, *, name: str = "X", n_columns: int | None = None, finite: bool = True
) -> float | None:
    """Raise unless `x` is a non-empty (n, d) matrix of finite real numbers.

    Of lazy arrays (Dask graphs, tracers) only the shape is checked, and of all without `finite`.
    Returns the largest absolute entry of what was looked at, else None.
    """
    xp = HOST if type(x) is np.ndarray else ns.array_namespace(x, names=(name,))
    if x.ndim != 2:
        remedy = f"; use {name}.reshape(1, -1) for a single row" if x.ndim == 1 else ""
        raise ValueError(f"{name} must have shape (rows, columns) but has {x.ndim} axes{remedy}")
    # The number of rows of a Dask array may be unknown: NaN, or None by the array API standard.
    if 0 in x.shape:
        raise ValueError(f"{name} is empty: its shape is {tuple(x.shape)}; pass at least one row")
    width = x.shape[1]
    if n_columns is not None and width != n_columns:
        raise ValueError(
            f"{name} has {width} columns but the map was drawn for n_inputs={n_columns}; "
            f"pass {n_columns} columns, or draw with n_inputs={width}"
        )
    if xp is not HOST or x.dtype not in NATIVE:
        ns.real_dtype(x, name=name)
        _require_device(x, name)
        if ns.is_lazy(x) or not xp.isdtype(x.dtype, "real floating"):
            return None
    return require_finite(x, name=name) if finite else None


def require_matrices(
    x: Array, y: Array | None, *, n_columns: int | None = None, finite: bool = True
) -> float | None:
    """Raise unless `x`, and `y` if any, pass `require_matrix`, of one width, library and device."""
    largest = require_matrix(x, name="X", n_columns=n_columns, finite=finite)
    if y is None:
        return largest
    there = require_matrix(y, name="Y", n_columns=n_columns, finite=finite)
    ns.array_namespace(x, y, names=("X", "Y"))
    ns.require_same_place(y, ns.place_of(x), name="Y", owner="X")
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"X and Y have {x.shape[1]} and {y.shape[1]} columns; make them equal")
    return max(largest or 0.0, there or 0.0)


def _require_device(x: Array, name: str) -> None:
    """Raise where CuPy would compute on another device, or refuse to."""
    if not ns.is_cupy_array(x):
        return
    import cupy

    home, current = int(x.device.id), int(cupy.cuda.Device().id)
    if home != current:
        devices = f"CUDA device {home}, and CuPy computes on the current one, {current}"
        raise ValueError(
            f"{name} lives on {devices}: do this inside `with cupy.cuda.Device({home}):`"
        )


def all_true(check: Callable[[Array], Array], x: Array) -> bool:
    """Return whether a check holds everywhere, even while JAX traces something else."""
    xp = ns.standard_namespace(x)
    return bool(_at_once(lambda values: xp.all(check(values)), x))


def largest_entry(x: Array) -> float:
    """Return the largest absolute entry, NaN if there is one; the host waits once for a device."""
    if type(x) is np.ndarray and x.dtype in NATIVE:
        return max(float(np.max(x)), -float(np.min(x)))
    xp = ns.standard_namespace(x)
    # Of PyTorch's: a loop over blocks would grow the graph.
    x = x.detach() if ns.is_torch_array(x) else x
    if not xp.isdtype(x.dtype, "real floating"):
        # Booleans have no sign, and the negative of the least integer is no integer.
        x = xp.astype(x, ns.real_dtype(x))
    return float(_at_once(lambda rows: xp.maximum(xp.max(rows), -xp.min(rows)), x))


def require_finite(x: Array, *, name: str) -> float:
    """Return the largest absolute entry; ValueError names the first row with NaN or infinity."""
    largest = largest_entry(x)
    if math.isfinite(largest):
        return largest
    good = np.isfinite(to_host(x)).all(axis=1)
    wrong = f"holds NaN or infinity, first in row {int(good.argmin())}"
    raise ValueError(f"{name} {wrong}; drop or impute such rows first")


def require_no_overflow(value: Array, x: Array, y: Array | None, what: str = "products") -> None:
    """Raise ValueError that names the longest row if a value that can be read is not finite."""
    if not ns.may_be_read(value):
        return
    xp = HOST if type(value) is np.ndarray else ns.standard_namespace(value)
    if xp.isdtype(value.dtype, "real floating") and not bool(xp.all(xp.isfinite(value))):
        raise overflow_error(what, value.dtype, x, y)


def overflow_error(what: str, dtype: Any, x: Array, y: Array | None = None) -> ValueError:
    """Return the error for rows whose values overflow."""
    rows = [np.asarray(to_host(part), dtype=np.float64) for part in (x, y) if part is not None]
    with np.errstate(over="ignore"):
        # hypot does not overflow before the length does.
        longest = max(float(np.max(np.hypot.reduce(np.abs(part), axis=1))) for part in rows)
    return ValueError(
        f"{'X' if y is None else 'X or Y'} has a row of length {longest:.3g}, whose {what} "
        f"overflow in {ns.dtype_name(dtype)}: scale the rows"
    )


def _at_once(function: Callable[[Array], Array], x: Array) -> Array:
    """Apply a function to values, even while JAX traces something else."""
    if not ns.is_jax_array(x):
        return function(x)
    import jax

    with jax.ensure_compile_time_eval():
        return function(x)


_PLAIN: nullcontext[None] = nullcontext()


def full_precision(x: Array) -> Any:
    """Return a context in which products of `x` have all digits of its dtype, whatever is set."""
    if type(x) is np.ndarray:
        return _PLAIN
    if ns.is_torch_array(x):
        from mehler._arrays._torch import full_precision as on_torch

        return on_torch(x.device.type)
    if ns.is_jax_array(x) and ns.is_on_accelerator(x):
        import jax

        return jax.default_matmul_precision("highest")
    return _PLAIN


def block_rows_for_map(n_columns: int, itemsize: int, on: Array | None = None) -> int:
    """Return rows per block for applying a map: results of at most 32 MiB, on a GPU 256."""
    if on is not None and ns.is_on_accelerator(on):
        return max(1, _ACCELERATOR // max(1, n_columns * itemsize))
    fit = (32 << 20) // max(1, n_columns * itemsize)
    return max(64, min(1024, fit // 64 * 64))


def block_rows_for_max(n_inputs: int, n_columns: int) -> int:
    """Return rows per block for a maximum over products, about 2 MiB, to stay in cache."""
    least = 256 if 64 < n_inputs < 256 else 512  # of few inputs, products are in tiles
    rows = max(least, min(1024, (1 << 19) // n_columns // 128 * 128))
    return min(rows, max(64, (8 << 20) // n_columns))


def block_rows_for_gram(n_columns: int, itemsize: int) -> int:
    """Return rows per block for a Gram matrix, whose sums cost the same whatever the rows."""
    fit = (32 << 20) // max(1, n_columns * itemsize)
    return max(64, min(1024 if n_columns <= 1024 else 2048, fit))


def slices(n: int, size: int) -> Iterator[slice]:
    """Yield slices that cover range(n); the array API leaves stops beyond the end undefined."""
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def map_rows(
    function: Callable[[Any, Array], Array],
    x: Array,
    n_columns: int,
    dtype: object,
    *,
    block: int | None = None,
    width: int = 0,
    compiled: Callable[[Array], Any] | None = None,
) -> Array:
    """Stack ``function(xp, rows)`` over blocks of rows of `x`: (n, d) to (n, n_columns).

    Extra memory is a few blocks, whatever n is. Dask keeps its row chunks and stays lazy. `width`
    numbers are held a row while it is computed, if that is more than `n_columns`; `block` rows suit
    the host's cache, and are not asked for on a GPU. ``compiled(x)`` returns the function of rows
    compiled by JAX, for large calls, or None.
    """
    n_rows = x.shape[0]
    if type(x) is np.ndarray and block is not None and n_rows <= block:
        return function(HOST, x)
    if ns.stays_lazy(x):
        return over_chunks(
            lambda rows: map_rows(function, rows, n_columns, dtype, block=block, width=width),
            x,
            n_columns,
            dtype,
        )
    place = ns.place_of(x)
    xp, widest = place.xp, max(n_columns, width)
    if block is None or ns.is_on_accelerator(x):
        block = block_rows_for_map(widest, 8 if ns.dtype_name(dtype) == "float64" else 4, x)
    if ns.is_jax_array(x):
        fast = compiled(x) if compiled is not None and n_rows * widest >= _COMPILED else None
        return _map_rows_jax(function, fast, x, block)
    if n_rows <= block:
        return function(xp, x)
    out = xp.empty((n_rows, n_columns), dtype=dtype, device=place.device)
    for rows in slices(n_rows, block):
        out[rows, :] = function(xp, x[rows, :])
    return out


def _map_rows_jax(function: Callable[[Any, Array], Array], fast: Any, x: Array, block: int) -> Any:
    """Stack blocks by `fast`, the compiled function, or by the loop of JAX."""
    xp = ns.standard_namespace(x)
    if fast is not None:
        parts = [fast(x[rows, :]) for rows in slices(x.shape[0], block)]
        return parts[0] if len(parts) == 1 else xp.concat(parts, axis=0)
    if x.shape[0] <= block:
        return function(xp, x)
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


def over_chunks(function: Callable[[Array], Array], x: Array, n_columns: int, dtype: object) -> Any:
    """Return ``function(rows)`` of each row chunk, (n, n_columns), lazily; rows may be unknown."""
    import dask

    x = x.rechunk({1: -1})
    # The function carries the weights: as one delayed constant they enter the graph once,
    # not once a chunk, and are not hashed.
    shared = dask.delayed(function, pure=False, traverse=False)
    return x.map_blocks(
        lambda chunk, shared: shared(chunk),
        shared=shared,
        dtype=ns.dtype_name(dtype),
        chunks=(x.chunks[0], (n_columns,)),
        meta=x._meta[:0, :0].astype(ns.dtype_name(dtype)),
    )


def map_columns(
    parts: Iterator[tuple[tuple[slice, ...], Callable[[Any, Array], Array]]],
    x: Array,
    n_columns: int,
    dtype: object,
) -> Array:
    """Write blocks of columns, in order, with one part in memory at a time: (n, n_columns)."""
    place = ns.place_of(x)
    xp, jax = place.xp, ns.is_jax_array(x)
    out = None if jax else xp.empty((x.shape[0], n_columns), dtype=dtype, device=place.device)
    # JAX arrays cannot be written to: all first slices are put together, then all second ones.
    groups: list[list[Array]] = []
    for where, function in parts:
        values = map_rows(function, x, sum(c.stop - c.start for c in where), dtype)
        start = 0
        for i, columns in enumerate(where):
            stop = start + columns.stop - columns.start
            if out is not None:
                out[:, columns] = values[:, start:stop]
            else:
                groups.extend([] for _ in where[len(groups) :])
                groups[i].append(values[:, start:stop])
            start = stop
    return out if out is not None else xp.concat([v for group in groups for v in group], axis=1)


def map_elements(function: Callable[[Any, Array], Array], x: Array) -> Array:
    """Apply an elementwise ``function(xp, flat)`` to `x`, in cache-sized pieces on NumPy."""
    xp = ns.array_namespace(x)
    if ns.stays_lazy(x):
        return x.map_blocks(lambda chunk: map_elements(function, chunk), dtype=x.dtype)
    flat = xp.reshape(x, (-1,))
    if not ns.is_numpy_array(x) or x.size <= _ELEMENTS:
        return xp.reshape(function(xp, flat), x.shape)
    out = xp.empty_like(flat)
    for piece in slices(flat.shape[0], _ELEMENTS):
        out[piece] = function(xp, flat[piece])
    return xp.reshape(out, x.shape)


def rows_of_batches(function: Callable[..., Array], *stacks: Array) -> Array:
    """Apply a function of rows, (n, d) to (n, m), to stacks (..., n, d) of one shape."""
    xp = ns.array_namespace(*stacks)
    shape = tuple(stacks[0].shape)
    values = function(*(xp.reshape(x, (-1, shape[-1])) for x in stacks))
    return xp.reshape(values, (*shape[:-1], values.shape[-1]))


def pairs_of_batches(function: Callable[..., Array], x: Array, y: Array | None) -> Array:
    """Apply a function of two matrices of rows, (n, d) and (k, d) to (n, k), batch by batch."""
    rows = (x,) if y is None else (x, y)
    xp = ns.array_namespace(*rows, names=("X", "Y")[: len(rows)])
    for name, matrix in zip(("X", "Y"), rows):
        if 0 in matrix.shape:
            raise ValueError(f"{name} is empty: its shape is {tuple(matrix.shape)}; pass some rows")
    batch, stacks = np.broadcast_shapes(*(matrix.shape[:-2] for matrix in rows)), []
    for matrix in rows:
        whole = xp.broadcast_to(matrix, (*batch, *matrix.shape[-2:]))
        stacks.append(xp.reshape(whole, (-1, *matrix.shape[-2:])))
    values = [
        function(*(stack[i, :, :] for stack in stacks), *([None] if y is None else []))
        for i in range(stacks[0].shape[0])
    ]
    return xp.reshape(xp.stack(values), (*batch, *values[0].shape))


def attached(values: Array, x: Array) -> Array:
    """Give features that PyTorch cannot differentiate, such as steps, gradient 0 in the rows."""
    if type(values) is np.ndarray or not ns.is_torch_array(values):
        return values
    if values.requires_grad or not x.requires_grad or not values.is_floating_point():
        return values
    return values + 0.0 * x[:, :1].to(values.dtype)


def require_known_chunks(*arrays: Array) -> None:
    """Raise ValueError for Dask arrays with row chunks of unknown size."""
    if any(np.isnan(size) for x in arrays if ns.stays_lazy(x) for size in x.chunks[0]):
        raise ValueError(
            "the row chunks of a Dask array have unknown sizes; call its compute_chunk_sizes() "
            "first"
        )


def require_small(x: Array, *, name: str, reason: str) -> None:
    """Raise ValueError for a Dask array too large to load, where the algorithm needs all of it."""
    if not ns.stays_lazy(x):
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
    """Return a row of ones in the library of a Dask array's chunks."""
    return np.ones((1, x.shape[1]), dtype=x.dtype, like=x._meta)


def pairs_of_chunks(
    function: Callable[[Array, Array | None], Array], x: Array, y: Array | None, dtype: object
) -> Array:
    """Apply a function of two matrices of rows, (n, k), lazily to pairs of row chunks."""
    import dask
    import dask.array as da

    x = x.rechunk({1: -1})
    columns = x if y is None else y.rechunk({1: -1})
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
        columns,
        "jk",
        *numbers,
        shared=dask.delayed(function, pure=False, traverse=False),
        concatenate=True,
        dtype=dtype,
        meta=x._meta[:0, :0].astype(dtype),
    )


def _added(parts: list[Any], add: Callable[[Any, Any], Any]) -> Any:
    """Add parts in pairs within groups, and groups in sequence."""
    total = None
    for start in range(0, len(parts), _GROUP):
        group = parts[start : start + _GROUP]
        while len(group) > 1:
            pairs = [add(*group[i : i + 2]) for i in range(0, len(group) - 1, 2)]
            group = pairs + group[2 * len(pairs) :]
        total = group[0] if total is None else add(total, group[0])
    return total
