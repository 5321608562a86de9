"""Cosines and sines of many angles.

NumPy computes them in float64 one number at a time, five to ten times slower than a polynomial.
A polynomial wants angles in turns, so that the nearest whole one is subtracted without loss; the
other libraries want radians. `angle_unit` says which, and costs nothing where weights are scaled.
"""

from __future__ import annotations

import math
from typing import Any

import array_api_compat as compat
import numpy as np

from mehler._arrays._blocks import slices
from mehler._arrays._namespace import Array

# Elements at a time: five float64 temporaries stay in L2.
_TILE = 1 << 13

# sin(2 pi u)/u in powers of u^2, highest first. |u| <= 1/4, where the next term is below 2e-18.
_SINE = tuple((-1.0) ** k * (2.0 * math.pi) ** (2 * k + 1) / math.factorial(2 * k + 1)
              for k in range(10, -1, -1))  # fmt: skip


def angle_unit(x: Array) -> float:
    """Return what a radian is in the unit that `cosine` and `cosine_and_sine` take for `x`."""
    return 1.0 / (2.0 * math.pi) if _in_turns(x) else 1.0


def cosine(xp: Any, angles: Array) -> Array:
    """Cosines of `angles`, in the unit of `angle_unit`, to 1e-15 in float64."""
    if not _in_turns(angles):
        return xp.cos(angles)
    return _by_tiles(angles, 1)[0]


def cosine_and_sine(xp: Any, angles: Array) -> tuple[Array, Array]:
    """Cosines and sines of `angles`, in the unit of `angle_unit`, to 1e-15 in float64."""
    if not _in_turns(angles):
        return xp.cos(angles), xp.sin(angles)
    both = _by_tiles(angles, 2)
    return both[0], both[1]


def _in_turns(x: Array) -> bool:
    return bool(compat.is_numpy_array(x) and x.dtype != np.float32)


def _by_tiles(angles: Any, n: int) -> Any:
    """Return cosines, and sines if n = 2, stacked; angles keep their memory order."""
    turned = angles.ndim == 2 and angles.flags.f_contiguous and not angles.flags.c_contiguous
    flat = np.ascontiguousarray(angles.T if turned else angles).reshape(-1)
    out = np.empty((n, flat.size))
    for piece in slices(flat.size, _TILE):
        turns = flat[piece] - np.rint(flat[piece])
        # cos(2 pi t) = sin(2 pi u) with u = 1/4 - |t|, and sin(2 pi t) that of 1/4 - |u|, signed.
        u = np.abs(turns)
        np.subtract(0.25, u, out=u)
        _sine(u, out[0, piece])
        if n == 2:
            np.abs(u, out=u)
            np.subtract(0.25, u, out=u)
            np.copysign(u, turns, out=u)
            _sine(u, out[1, piece])
    shape = angles.shape[::-1] if turned else angles.shape
    return [one.reshape(shape).T if turned else one.reshape(shape) for one in out]


def _sine(u: Any, out: Any) -> None:
    """Write sin(2 pi u), |u| <= 1/4, to `out`."""
    square = u * u
    np.multiply(square, _SINE[0], out=out)
    for coefficient in _SINE[1:-1]:
        out += coefficient
        out *= square
    out += _SINE[-1]
    out *= u
