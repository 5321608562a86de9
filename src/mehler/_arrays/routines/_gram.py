"""Accumulate the Gram matrix Z.T @ Z in float64, in place on NumPy.

On NumPy only the blocks on and above the diagonal are formed, each in a small buffer: a
product of a thousand rows into a fresh m x m array would cost that array, and its page faults, at
every step. Other libraries add the whole product.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays import _kinds
from mehler._arrays._blocks import slices
from mehler._arrays._namespace import Array

# Columns per block: a product of 2048 x 2048 is 16 MiB of float32. NumPy computes half of a
# diagonal block, and fewer blocks pack the rows fewer times.
_TILE = 2048


def add_gram(xp: Any, total: Array, rows: Array) -> Array:
    """Return `total` (m, m) plus Z.T @ Z of `rows`; float32 products are added in float64.

    On NumPy `total` is overwritten, and only its upper triangle is valid: see `symmetric`.
    """
    if not _kinds.is_numpy_array(total):
        product = xp.matmul(xp.matrix_transpose(rows), rows)
        return total + xp.astype(product, total.dtype, copy=False)
    for i in slices(rows.shape[1], _TILE):
        left = rows[:, i].T
        for j in slices(rows.shape[1], _TILE):
            if j.start >= i.start:
                total[i, j] += left @ rows[:, j]
    return total


def symmetric(xp: Any, total: Array) -> Array:
    """Return the full symmetric matrix of an accumulated Gram matrix; a copy on NumPy."""
    if not _kinds.is_numpy_array(total):
        return total
    upper = np.triu(total)
    return upper + np.triu(total, 1).T


def squared_norm(xp: Any, total: Array) -> Array:
    """Return the squared Frobenius norm of an accumulated Gram matrix."""
    if not _kinds.is_numpy_array(total):
        return xp.sum(total * total)
    # Row by row, without a copy. Entries above the diagonal count twice.
    above = sum(float(np.dot(row[i + 1 :], row[i + 1 :])) for i, row in enumerate(total))
    return np.asarray(2.0 * above + np.sum(np.diagonal(total) ** 2))


def packed(total: Any) -> Any:
    """Return the upper triangle of a host matrix, row by row: half the bytes to send."""
    m = total.shape[0]
    out = np.empty(m * (m + 1) // 2, dtype=total.dtype)
    start = 0
    for i in range(m):
        out[start : start + m - i] = total[i, i:]
        start += m - i
    return out


def unpacked(values: Any, m: int) -> Any:
    """Return the (m, m) matrix with that upper triangle, and zeros below it."""
    out = np.zeros((m, m), dtype=values.dtype)
    start = 0
    for i in range(m):
        out[i, i:] = values[start : start + m - i]
        start += m - i
    return out


def centred(xp: Any, rows: Array, mean: Array, last: Array) -> Array:
    """Return ``rows - mean`` with the row `last` appended: (b + 1, m)."""
    if not _kinds.is_numpy_array(rows):
        return xp.concat((rows - mean[None, :], last[None, :]), axis=0)
    out = np.empty((rows.shape[0] + 1, rows.shape[1]), dtype=rows.dtype)
    np.subtract(rows, mean, out=out[:-1])
    out[-1] = last
    return out
