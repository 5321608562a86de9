"""The Walsh-Hadamard transform as two small matrix products.

H_{ab} = H_a (x) H_b, so a transform of length ab is a product with H_a and one with H_b: 2(a + b)
operations per number instead of the log2(ab) of butterflies, but at the speed of matrix products,
and faster for all practical lengths.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from mehler import _arrays


def factors(length: int, dtype: str) -> tuple[Any, Any]:
    """Return H_a and H_b with a b = `length`, a power of 2, as close to each other as possible."""
    power = length.bit_length() - 1
    return hadamard(power // 2, dtype), hadamard(power - power // 2, dtype)


@functools.cache
def hadamard(power: int, dtype: str) -> Any:
    """Return H of order 2^power, entries (-1)^<i, j> over the bits of i and j; read-only."""
    matrix = np.ones((1, 1), dtype=dtype)
    for _ in range(power):
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    matrix.flags.writeable = False
    return matrix


def transform(
    xp: Any, values: _arrays.Array, left: _arrays.Array, right: _arrays.Array
) -> _arrays.Array:
    """Compute (H_a (x) H_b) times `values`, shape (..., a b, n)."""
    a, b = left.shape[0], right.shape[0]
    *batch, size, n = values.shape
    values = xp.matmul(left, xp.reshape(values, (*batch, a, b * n)))
    values = xp.matmul(right, xp.reshape(values, (*batch, a, b, n)))
    return xp.reshape(values, (*batch, size, n))
