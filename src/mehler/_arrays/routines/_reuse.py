"""Products and maxima that write over memory in hand, where the library can.

The standard has no ``out=``. On NumPy a fresh block is paid for in page faults at every step,
about as much as the maximum itself; the other libraries keep pools of memory of their own, so
for them these are the plain functions.
"""

from __future__ import annotations

from typing import Any

import array_api_compat as compat
import numpy as np

from mehler._arrays._namespace import Array


def matmul(xp: Any, a: Array, b: Array, spare: Array | None) -> Array:
    """``a @ b``, in the memory of `spare` where that is possible."""
    if spare is not None and compat.is_numpy_array(a):
        return xp.matmul(a, b, out=spare)
    return xp.matmul(a, b)


def maximum(xp: Any, a: Array, b: Array) -> Array:
    """Elementwise maximum, in the memory of `a` where that is possible: `a` is spent."""
    if compat.is_numpy_array(a):
        return xp.maximum(a, b, out=a)
    return xp.maximum(a, b)


def take_rows(xp: Any, a: Array, index: Array, spare: Array | None) -> Array:
    """``a[index]`` along the first axis, in the memory of `spare` where that is possible.

    Every index must be one of `a`'s: on NumPy none is looked at twice.
    """
    if spare is not None and compat.is_numpy_array(a):
        # "raise" would fill a buffer first.
        return np.take(a, index, axis=0, out=spare, mode="clip")
    return xp.take(a, index, axis=0)


def running_argmax(
    xp: Any, best: Array, chosen: Array, value: Array, offered: Array
) -> tuple[Array, Array]:
    """The larger of `best` and `value`, and with it `chosen` or `offered`; ties keep the former.

    `best` and `chosen` are spent, and must not share memory. NumPy selects by a mask at a tenth of
    the pace of its arithmetic; there the sign of best - value, spread over a number's bits, does.
    """
    if not compat.is_numpy_array(best):
        return xp.maximum(best, value), xp.where(value > best, offered, chosen)
    bits = np.int32 if best.dtype == np.float32 else np.int64
    with np.errstate(over="ignore"):  # a gap beyond the largest number has its sign
        wins = (best - value).view(bits)
    wins >>= 8 * wins.itemsize - 1  # all ones where value is larger
    wins &= chosen.view(bits) ^ offered.view(bits)
    own = chosen.view(bits)
    own ^= wins
    return np.maximum(best, value, out=best), chosen
