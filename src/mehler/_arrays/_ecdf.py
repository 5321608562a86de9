"""Evaluate empirical distribution functions at thresholds, by comparisons and sums of bytes.

Values come in pieces of shape (groups, counted, rows), best with rows or a long counted axis
contiguous, so that additions run over long stretches. On the host no temporary has both the counted
axis and the thresholds; on a GPU one has, since there each threshold would be two launches.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType

import numpy as np

from mehler._arrays._namespace import Array, is_numpy_array, is_on_accelerator
from mehler._arrays._rows import slices

# Most zeros and ones that a sum in uint8 holds without overflow.
_MOST = 255


def ecdf_at(
    xp: ModuleType, pieces: Iterable[tuple[slice, Array]], thresholds: Array, scale: Array
) -> Array:
    """Count values at or below thresholds, times `scale`: (rows, groups * K).

    `pieces` yields slices of the groups, in order, with their values (c, r, rows). Thresholds are
    (K,), or (groups, K) with one set per group; scale is (groups * K,).
    """
    each = _at_once if is_on_accelerator(thresholds) else _one_by_one
    counted = [
        each(xp, values, thresholds[None, :] if thresholds.ndim == 1 else thresholds[part, :])
        for part, values in pieces
    ]
    counts = xp.concat(counted, axis=0) if len(counted) > 1 else counted[0]
    counts = xp.permute_dims(counts, (2, 0, 1))
    return xp.astype(xp.reshape(counts, (-1, scale.shape[0])), scale.dtype) * scale


def _at_once(xp: ModuleType, values: Array, thresholds: Array) -> Array:
    """Count values (c, r, n) at or below thresholds (1 or c, K): (c, K, n)."""
    below = values[:, None, :, :] <= thresholds[:, :, None, None]
    return xp.sum(below, axis=2, dtype=xp.int32)


def _one_by_one(xp: ModuleType, values: Array, thresholds: Array) -> Array:
    columns = [
        _count(xp, values <= thresholds[:, k][:, None, None]) for k in range(thresholds.shape[1])
    ]
    return xp.stack(columns, axis=1)


def _count(xp: ModuleType, mask: Array) -> Array:
    """Count true entries along the middle axis."""
    ones = mask.view(np.uint8) if is_numpy_array(mask) else xp.astype(mask, xp.uint8)
    if ones.shape[1] <= _MOST:
        return xp.sum(ones, axis=1, dtype=xp.uint8)
    parts = (
        xp.sum(ones[:, some, :], axis=1, dtype=xp.uint8) for some in slices(ones.shape[1], _MOST)
    )
    return sum(xp.astype(part, xp.int32) for part in parts)
