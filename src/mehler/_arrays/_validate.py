"""Validate data matrices before any work."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mehler._arrays._blocks import block_rows_for_map, slices
from mehler._arrays._host import to_host
from mehler._arrays._namespace import (
    Array,
    array_namespace,
    is_cupy_array,
    is_jax_array,
    is_lazy,
    is_torch_array,
    namespace_name,
    real_dtype,
    standard_namespace,
)


def require_matrix(
    x: Array, *, name: str = "X", n_columns: int | None = None, finite: bool = True
) -> float | None:
    """Raise unless `x` is a non-empty (n, d) matrix of finite real numbers.

    Of lazy arrays (Dask graphs, tracers) only the shape is checked, and of all without `finite`.
    Returns the largest absolute entry of what was looked at, else None.
    """
    xp = array_namespace(x, names=(name,))
    if x.ndim != 2:
        remedy = f"; use {name}.reshape(1, -1) for a single row" if x.ndim == 1 else ""
        raise ValueError(f"{name} must have shape (rows, columns) but has {x.ndim} axes{remedy}")
    # The number of rows of a Dask array may be unknown: NaN, or None in the standard's face of it.
    if 0 in x.shape:
        raise ValueError(f"{name} is empty: its shape is {tuple(x.shape)}; pass at least one row")
    width = x.shape[1]
    if n_columns is not None and width != n_columns:
        raise ValueError(
            f"{name} has {width} columns but the map was drawn for n_inputs={n_columns}; "
            f"pass {n_columns} columns, or draw with n_inputs={width}"
        )
    real_dtype(x, name=name)
    if namespace_name(xp) == "torch" and str(x.layout) != "torch.strided":
        raise TypeError(f"{name} is sparse ({x.layout}): pass {name}.to_dense()")
    if is_cupy_array(x):
        _require_current_device(x, name)
    if finite and not is_lazy(x) and xp.isdtype(x.dtype, "real floating"):
        return require_finite(x, name=name)
    return None


def _require_current_device(x: Array, name: str) -> None:
    """Raise where CuPy would compute on another device than that of `x`, or refuse to."""
    import cupy

    own, current = int(x.device.id), int(cupy.cuda.Device().id)
    if own != current:
        raise ValueError(
            f"{name} lives on CUDA device {own}, and CuPy computes on the current one, {current}: "
            f"do this inside `with cupy.cuda.Device({own}):`"
        )


def all_true(check: Callable[[Array], Array], x: Array) -> bool:
    """Return whether a check holds everywhere, even while JAX traces something else."""
    xp = standard_namespace(x)
    return bool(_at_once(lambda values: xp.all(check(values)), x))


def largest_entry(x: Array) -> float:
    """Return the largest absolute entry, NaN if there is one; the host waits once for a device."""
    xp = standard_namespace(x)
    # Of PyTorch's: a loop over blocks would grow the graph.
    x = x.detach() if is_torch_array(x) else x
    if not xp.isdtype(x.dtype, "real floating"):
        # Booleans have no sign, and the negative of the least integer is no integer.
        x = xp.astype(x, real_dtype(x))
    return float(_at_once(lambda rows: xp.maximum(xp.max(rows), -xp.min(rows)), x))


def require_finite(x: Array, *, name: str) -> float:
    """Return the largest absolute entry; ValueError names the first row with NaN or infinity."""
    largest = largest_entry(x)
    if math.isfinite(largest):
        return largest
    for rows in slices(x.shape[0], block_rows_for_map(x.shape[1], 8)):
        good = np.isfinite(to_host(x[rows, :])).all(axis=1)
        if not good.all():
            raise ValueError(
                f"{name} holds NaN or infinity, first in row {rows.start + int(good.argmin())}; "
                "drop or impute such rows first"
            )
    return largest


def _at_once(function: Callable[[Array], Array], x: Array) -> Array:
    """Apply a function to values, even while JAX traces something else."""
    if not is_jax_array(x):
        return function(x)
    import jax

    with jax.ensure_compile_time_eval():
        return function(x)
