"""Rows in blocks that stay in cache, where arrays can be written to; half of a symmetric matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.exact.activations import Pairs
from mehler.features._correlation import SplitRows, gaussian_pairs

# Pairs per block: 512 KiB of float64 an array.
_PAIRS = 1 << 16


def over_pairs(
    function: Callable[[Pairs], list[_arrays.Array]], x: _arrays.Array, y: _arrays.Array | None
) -> list[_arrays.Array]:
    """Apply a function of the pairs of rows, (n, k), that makes matrices of their shape."""
    xp, symmetric = _arrays.array_namespace(x), y is None
    n, k = x.shape[0], (x if y is None else y).shape[0]
    if _arrays.namespace_name(xp) != "numpy" or n * k <= _PAIRS:
        found = function(gaussian_pairs(x, y))
        return [0.5 * (one + xp.matrix_transpose(one)) for one in found] if symmetric else found
    out: list[Any] = []
    left = SplitRows(x)
    right = left if y is None else SplitRows(y)
    for rows in _arrays.slices(n, max(1, _PAIRS // k)):
        columns = slice(rows.start, k) if symmetric else slice(0, k)
        found = function(left[rows].paired(right[columns], diagonal=symmetric))
        out = out or [np.empty((n, k)) for _ in found]
        for whole, values in zip(out, found, strict=True):
            whole[rows, columns] = values
            if symmetric:
                square = whole[rows, rows]
                square[...] = 0.5 * (square + square.T)
                whole[rows.stop :, rows] = values[:, rows.stop - rows.start :].T
    return out
