"""Functions of many numbers: cosines, sines, the error function, counts below thresholds.

NumPy computes cosines and sines in float64 one number at a time, five to ten times slower than a
polynomial. That takes angles in turns, reduced without loss by subtracting the nearest integer; the
other libraries take radians. `angle_unit` returns the factor, best folded into the weights.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable
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
    is_on_accelerator,
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
    for of_library, module in (
        (is_torch_array, "torch.special"),
        (is_jax_array, "jax.scipy.special"),
        (is_cupy_array, "cupyx.scipy.special"),
    ):
        if of_library(t):
            return importlib.import_module(module).erf(t)
    from scipy.special import erf as on_host

    if is_chunked(t):
        return t.map_blocks(on_host, dtype=t.dtype)
    return from_host(on_host(to_host(t)), place_of(t))


# Most zeros and ones that a sum in uint8 holds without overflow.
_MOST = 255


def ecdf_at(
    xp: ModuleType, pieces: Iterable[tuple[slice, Array]], thresholds: Array, scale: Array
) -> Array:
    """Count values at or below thresholds, times `scale`: (rows, groups * K).

    `pieces` yields slices of the groups, in order, with their values (groups, counted, rows), best
    with rows or a long counted axis contiguous. Thresholds are (K,), or (groups, K) with one set
    per group; scale is (groups * K,). On the host no temporary has both the counted axis and the
    thresholds; on a GPU one has, since there each threshold would be two launches.
    """
    counted = []
    for part, values in pieces:
        own = thresholds[None, :] if thresholds.ndim == 1 else thresholds[part, :]
        if is_on_accelerator(values):
            below = values[:, None, :, :] <= own[:, :, None, None]
            counted.append(xp.sum(below, axis=2, dtype=xp.int32))
        else:
            columns = (own[:, k][:, None, None] for k in range(own.shape[1]))
            counted.append(xp.stack([_count(xp, values <= t) for t in columns], axis=1))
    counts = xp.concat(counted, axis=0) if len(counted) > 1 else counted[0]
    counts = xp.permute_dims(counts, (2, 0, 1))
    return xp.astype(xp.reshape(counts, (-1, scale.shape[0])), scale.dtype) * scale


def _count(xp: ModuleType, mask: Array) -> Array:
    """Count true entries along the middle axis."""
    ones = mask.view(np.uint8) if is_numpy_array(mask) else xp.astype(mask, xp.uint8)
    parts = [xp.sum(ones[:, s, :], axis=1, dtype=xp.uint8) for s in slices(ones.shape[1], _MOST)]
    return parts[0] if len(parts) == 1 else sum(xp.astype(part, xp.int32) for part in parts)
