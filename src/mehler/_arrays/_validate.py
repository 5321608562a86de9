"""Validate data matrices before any work."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays._blocks import block_rows_for_map, slices
from mehler._arrays._host import to_host
from mehler._arrays._namespace import (
    Array,
    array_namespace,
    is_cupy_array,
    is_jax_array,
    is_lazy,
    is_on_accelerator,
    real_dtype,
    standard_namespace,
)


def check_matrix(
    x: Array, *, name: str = "X", n_columns: int | None = None, finite: bool = True
) -> None:
    """Raise unless `x` is a non-empty (n, d) matrix of finite real numbers.

    Of lazy arrays (Dask graphs, tracers) only the shape is checked, and of all without `finite`.
    """
    xp = array_namespace(x, names=(name,))
    if x.ndim != 2:
        remedy = f"; use {name}.reshape(1, -1) for a single row" if x.ndim == 1 else ""
        raise ValueError(f"{name} must have shape (rows, columns) but has {x.ndim} axes{remedy}")
    n_rows, width = x.shape
    # None and NaN: the number of rows of a Dask array may be unknown.
    unknown = n_rows is None or (isinstance(n_rows, float) and math.isnan(n_rows))
    if (not unknown and n_rows == 0) or width == 0:
        raise ValueError(f"{name} is empty: its shape is {tuple(x.shape)}; pass at least one row")
    if n_columns is not None and width != n_columns:
        raise ValueError(
            f"{name} has {width} columns but the map was drawn for n_inputs={n_columns}; "
            f"pass {n_columns} columns, or draw with n_inputs={width}"
        )
    real_dtype(x, name=name)
    if is_cupy_array(x):
        _require_current_device(x, name)
    if finite and not is_lazy(x) and xp.isdtype(x.dtype, "real floating"):
        require_finite(x, name=name)


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
    if not is_jax_array(x):
        return bool(xp.all(check(x)))
    import jax

    with jax.ensure_compile_time_eval():
        return bool(xp.all(check(x)))


def _is_finite(xp: Any, x: Array) -> bool:
    """Look once, however many blocks there are: the host waits for the device each time."""
    blocks = list(slices(x.shape[0], block_rows_for_map(x.shape[1], 1, x)))
    if len(blocks) == 1:
        return all_true(xp.isfinite, x)
    return all_true(
        lambda known: xp.stack([xp.all(xp.isfinite(known[rows, :])) for rows in blocks]), x
    )


def require_finite(x: Array, *, name: str) -> None:
    """Raise for NaN and infinity, naming the first row that has one."""
    xp = standard_namespace(x)
    if is_on_accelerator(x) and _is_finite(xp, x):
        return
    block = block_rows_for_map(x.shape[1], 8)
    for rows in slices(x.shape[0], block):
        if not all_true(lambda known, some=rows: xp.isfinite(known[some, :]), x):  # type: ignore[misc]  # bound early
            good = np.isfinite(to_host(x[rows, :]))
            row = rows.start + int((~np.all(good, axis=1)).argmax())
            raise ValueError(
                f"{name} holds NaN or infinity, first in row {row}; drop or impute such rows first"
            )
