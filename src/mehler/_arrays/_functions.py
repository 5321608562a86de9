"""Cosines and sines of many angles.

NumPy computes them in float64 one number at a time, five to ten times slower than a polynomial.
The polynomial takes angles in turns, reduced without loss by subtracting the nearest integer; the
other libraries take radians. `angle_unit` returns the factor, best folded into the weights.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays._host import to_host
from mehler._arrays._namespace import (
    Array,
    from_host,
    is_chunked,
    is_cupy_array,
    is_jax_array,
    is_numpy_array,
    is_torch_array,
    place_of,
)
from mehler._arrays._rows import slices

# Elements at a time: five float64 temporaries, 640 KiB, stay in L2; half as many take 1.15 times as
# long, in calls.
_TILE = 1 << 14

# sin(2 pi u)/u in powers of u^2, highest first. |u| <= 1/4, where the next term is below 2e-18.
_SINE = tuple((-1.0) ** k * (2.0 * math.pi) ** (2 * k + 1) / math.factorial(2 * k + 1)
              for k in range(10, -1, -1))  # fmt: skip


def angle_unit(x: Array) -> float:
    """Return the factor from radians to the unit of `cosine` and `cosine_and_sine` for `x`."""
    return 1.0 / (2.0 * math.pi) if _in_turns(x) else 1.0


def cosine(xp: ModuleType, angles: Array, gain: float) -> Array:
    """Return `gain` times the cosines of `angles` (n, k), in the unit of `angle_unit`."""
    if type(angles) is not np.ndarray:
        return gain * xp.cos(angles)
    return _written(angles, gain, 1)


def cosine_and_sine(xp: ModuleType, angles: Array, gain: float) -> Array:
    """Return `gain` times cosines, then sines, of `angles` (n, k): (n, 2 k).

    On NumPy both are written in place: concatenation would cost as much as the cosine.
    """
    if type(angles) is not np.ndarray:
        return gain * xp.concat((xp.cos(angles), xp.sin(angles)), axis=1)
    return _written(angles, gain, 2)


def _in_turns(x: Array) -> bool:
    return type(x) is np.ndarray and x.dtype != np.float32


def _written(angles: Array, gain: float, n: int) -> Any:
    """Return one or both functions side by side; transposed angles give a transposed result."""
    turned = angles.flags.f_contiguous and not angles.flags.c_contiguous
    angles = angles.T if turned else angles
    rows, columns = angles.shape
    shape = (n * rows, columns) if turned else (rows, n * columns)
    out = np.empty(shape, dtype=angles.dtype)
    halves = np.split(out, n, axis=0 if turned else 1)
    if _in_turns(angles):
        for some in slices(rows, max(1, _TILE // columns)):
            _turns(angles[some], gain, [half[some] for half in halves])
    else:
        for wave, half in zip((np.cos, np.sin), halves):
            wave(angles, out=half)
        out *= angles.dtype.type(gain)
    return out.T if turned else out


def _turns(angles: NDArray[np.float64], gain: float, out: list[Any]) -> None:
    """Write cosines (and sines) of angles in turns, by a polynomial.

    For t within half a turn, cos(2 pi t) = sin(2 pi u) with u = 1/4 - |t|, and sin(2 pi t) is that
    of 1/4 - |u| with the sign of t.
    """
    turns = angles - np.rint(angles)
    u = np.abs(turns)
    np.subtract(0.25, u, out=u)
    values = np.empty_like(u)
    _sine(u, values)
    np.multiply(values, gain, out=out[0])
    if len(out) == 2:
        np.abs(u, out=u)
        np.subtract(0.25, u, out=u)
        np.copysign(u, turns, out=u)
        _sine(u, values)
        np.multiply(values, gain, out=out[1])


def _sine(u: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Write sin(2 pi u), |u| <= 1/4, to `out`."""
    square = u * u
    np.multiply(square, _SINE[0], out=out)
    for coefficient in _SINE[1:-1]:
        out += coefficient
        out *= square
    out += _SINE[-1]
    out *= u


def erf(_: Any, t: Array) -> Array:
    """Compute the error function elementwise, by the library or by SciPy on the host."""
    if is_torch_array(t):
        import torch

        return torch.special.erf(t)
    if is_jax_array(t):
        from jax.scipy.special import erf as on_jax

        return on_jax(t)
    if is_cupy_array(t):
        from cupyx.scipy.special import erf as on_cupy

        return on_cupy(t)
    from scipy.special import erf as on_host

    if is_chunked(t):
        return t.map_blocks(on_host, dtype=t.dtype)
    if is_numpy_array(t):
        return on_host(t)
    return from_host(on_host(to_host(t)), place_of(t))
