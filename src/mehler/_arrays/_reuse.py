"""Products and maxima that write over memory in hand, where the library can.

The standard has no ``out=``. On NumPy a fresh block is paid for in page faults at every step,
about as much as the maximum itself; the other libraries keep pools of memory of their own, so
for them these are the plain functions.
"""

from __future__ import annotations

from typing import Any

import array_api_compat as compat

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
