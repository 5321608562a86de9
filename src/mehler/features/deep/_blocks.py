"""Rows in blocks that stay in cache, where arrays can be written to; half of a symmetric matrix."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.exact.activations import Pairs

# Pairs per block: 512 KiB of float64 an array.
_PAIRS = 1 << 16


def over_pairs(
    function: Callable[[Pairs], list[_arrays.Array]], pairs: Pairs, *, symmetric: bool
) -> list[_arrays.Array]:
    """Apply a function of pairs, (n, k), that makes matrices of their shape."""
    xp, (n, k) = pairs.xp, pairs.rho.shape
    if _arrays.namespace_name(xp) != "numpy" or n * k <= _PAIRS:
        found = function(pairs)
        return [0.5 * (one + xp.matrix_transpose(one)) for one in found] if symmetric else found
    out: list[Any] = []
    for rows in _arrays.slices(n, max(1, _PAIRS // k)):
        columns = slice(rows.start, k) if symmetric else slice(0, k)
        found = function(_part(pairs, rows, columns))
        out = out or [np.empty((n, k)) for _ in found]
        for whole, values in zip(out, found, strict=True):
            whole[rows, columns] = values
            if symmetric:
                square = whole[rows, rows]
                square[...] = 0.5 * (square + square.T)
                whole[rows.stop :, rows] = values[:, rows.stop - rows.start :].T
    return out


def _part(pairs: Pairs, rows: slice, columns: slice) -> Pairs:
    covariance = None if pairs.covariance is None else pairs.covariance[rows, columns]
    return dataclasses.replace(
        pairs,
        rho=pairs.rho[rows, columns],
        near=pairs.near[rows, columns],
        far=pairs.far[rows, columns],
        x_scale=pairs.x_scale[rows, :],
        y_scale=pairs.y_scale[:, columns],
        covariance=covariance,
    )
