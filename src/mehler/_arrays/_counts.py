"""How many conditions hold along an axis, in small integers."""

from __future__ import annotations

from typing import Any

import array_api_compat as compat

from mehler._arrays._namespace import Array

# A sum of uint8 zeros and ones cannot overflow over so many.
_PIECE = 255


def count_true(xp: Any, mask: Array, axis: int) -> Array:
    """Number of true entries along an axis: uint8 up to 255 of them, else int32."""
    n = mask.shape[axis]
    # A mask is bytes of 0 and 1 already; NumPy can say so, the standard cannot.
    ones = mask.view(xp.uint8) if compat.is_numpy_array(mask) else xp.astype(mask, xp.uint8)
    if n <= _PIECE:
        return xp.sum(ones, axis=axis, dtype=xp.uint8)
    total: Any = 0
    for start in range(0, n, _PIECE):
        piece = [slice(None)] * mask.ndim
        piece[axis] = slice(start, min(start + _PIECE, n))
        part = xp.sum(ones[tuple(piece)], axis=axis, dtype=xp.uint8)
        total = total + xp.astype(part, xp.int32)
    return total
