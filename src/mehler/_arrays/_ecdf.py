"""Evaluate empirical distribution functions at thresholds, by comparisons and sums of bytes.

Values come in pieces of shape (groups, counted, rows), best with rows or a long counted axis
contiguous, so that additions run over long stretches. On the host no temporary has both the counted
axis and the thresholds; on a GPU one has, since there each threshold would be two launches.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from mehler._arrays._namespace import Array, is_numpy_array, is_on_accelerator

# Most zeros and ones that a sum in uint8 holds without overflow.
_MOST = 255


def ecdf_at(
    xp: Any, pieces: Iterable[tuple[slice, Array]], thresholds: Array, scale: Array
) -> Array:
    """Count values at or below thresholds, times `scale`: (rows, groups * K).

    `pieces` yields slices of the groups, in order, with their values (c, r, rows). Thresholds are
    (K,), or (groups, K) with one set per group; scale is (groups * K,).
    """
    if is_numpy_array(thresholds):
        return _written(pieces, thresholds, scale)
    each = _at_once if is_on_accelerator(thresholds) else _one_by_one
    counted = [
        each(xp, values, thresholds[None, :] if thresholds.ndim == 1 else thresholds[part, :])
        for part, values in pieces
    ]
    counts = xp.concat(counted, axis=0) if len(counted) > 1 else counted[0]
    counts = xp.permute_dims(counts, (2, 0, 1))
    return xp.astype(xp.reshape(counts, (counts.shape[0], -1)), scale.dtype) * scale


def _at_once(xp: Any, values: Array, thresholds: Array) -> Array:
    """Count values (c, r, n) at or below thresholds (1 or c, K): (c, K, n)."""
    below = values[:, None, :, :] <= thresholds[:, :, None, None]
    return xp.sum(below, axis=2, dtype=xp.int32)


def _one_by_one(xp: Any, values: Array, thresholds: Array) -> Array:
    columns = [
        _count(xp, values <= thresholds[:, k][:, None, None]) for k in range(thresholds.shape[1])
    ]
    return xp.stack(columns, axis=1)


def _count(xp: Any, mask: Array) -> Array:
    """Count true entries along the middle axis."""
    total: Any = None
    for start in range(0, mask.shape[1], _MOST):
        piece = mask[:, start : min(start + _MOST, mask.shape[1]), :]
        part = xp.sum(xp.astype(piece, xp.uint8), axis=1, dtype=xp.uint8)
        if mask.shape[1] > _MOST:
            part = xp.astype(part, xp.int32)
        total = part if total is None else total + part
    return total


def _written(pieces: Iterable[tuple[slice, Any]], thresholds: Any, scale: Any) -> Any:
    """NumPy variant of `ecdf_at`: reuse one mask and write features in place."""
    n_columns, out, mask = thresholds.shape[-1], None, None
    for part, values in pieces:
        c, r, n = values.shape
        if out is None:
            out = np.empty((n, scale.shape[0]), dtype=scale.dtype)
        if mask is None or mask.shape != values.shape:
            mask = np.empty_like(values, dtype=np.bool_)  # in the same order of memory
        counts = np.empty((c, n_columns, n), dtype=np.uint8 if r <= _MOST else np.int32)
        for k in range(n_columns):
            tau = thresholds[k] if thresholds.ndim == 1 else thresholds[part, k, None, None]
            np.less_equal(values, tau, out=mask)
            counts[:, k] = _count_bytes(mask.view(np.uint8))
        columns = slice(part.start * n_columns, part.stop * n_columns)
        np.multiply(counts.reshape(c * n_columns, n).T, scale[columns], out=out[:, columns])
    return out


def _count_bytes(ones: Any) -> Any:
    if ones.shape[1] <= _MOST:
        return np.add.reduce(ones, axis=1, dtype=np.uint8)
    parts = range(0, ones.shape[1], _MOST)
    return sum(
        np.add.reduce(ones[:, i : i + _MOST], axis=1, dtype=np.uint8).astype(np.int32)
        for i in parts
    )
