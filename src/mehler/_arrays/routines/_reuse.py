"""matmul, maximum and take with ``out=`` where the backend has it.

The standard has no ``out=``. On NumPy and PyTorch a fresh block is paid for in page faults at every
step, about as much as the maximum itself; the other libraries have memory pools and allocate.
PyTorch allocates too where somebody may ask for a derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays import _kinds
from mehler._arrays._gradients import differentiable
from mehler._arrays._namespace import Array


def _overwritten(*arrays: Array) -> bool:
    """Whether results may be written into memory in hand: no derivative needs what was there."""
    if all(map(_kinds.is_torch_array, arrays)):
        return not differentiable(*arrays)
    return _kinds.is_numpy_array(arrays[0])


def matmul(xp: Any, a: Array, b: Array, spare: Array | None) -> Array:
    """Return ``a @ b``, in the memory of `spare` where that can be."""
    if spare is not None and _overwritten(a, b):
        return xp.matmul(a, b, out=spare)
    return xp.matmul(a, b)


def maximum(xp: Any, a: Array, b: Array) -> Array:
    """Return the elementwise maximum; NumPy and PyTorch overwrite `a`."""
    if _overwritten(a, b):
        return xp.maximum(a, b, out=a)
    return xp.maximum(a, b)


def take_rows(xp: Any, a: Array, index: Array, spare: Array | None) -> Array:
    """Return ``a[index]`` along the first axis, on NumPy in the memory of `spare`.

    Indices must be in range: NumPy would clip them silently.
    """
    if spare is not None and _kinds.is_numpy_array(a):
        # mode="raise" would buffer the output.
        return np.take(a, index, axis=0, out=spare, mode="clip")
    return xp.take(a, index, axis=0)


def running_argmax(
    xp: Any, best: Array, chosen: Array, value: Array, offered: Array
) -> tuple[Array, Array]:
    """Return the larger of `best` and `value`, and its index: one step of a running argmax.

    Ties keep `best`. NumPy overwrites `best` and `chosen`, which must not share memory. It selects
    by a mask at a tenth of its arithmetic's pace, so the sign of best - value is spread instead.
    """
    if not _kinds.is_numpy_array(best):
        return xp.maximum(best, value), xp.where(value > best, offered, chosen)
    bits = np.int32 if best.dtype == np.float32 else np.int64
    with np.errstate(over="ignore"):  # an overflowing difference keeps its sign
        wins = (best - value).view(bits)
    wins >>= 8 * wins.itemsize - 1  # all ones where value is larger
    wins &= chosen.view(bits) ^ offered.view(bits)
    own = chosen.view(bits)
    own ^= wins
    return np.maximum(best, value, out=best), chosen
