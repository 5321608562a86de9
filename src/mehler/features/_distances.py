"""Pairwise distances by differences, without cancellation for close rows."""

from __future__ import annotations

import math
from typing import Any

from mehler import _arrays

# Differences per block: 8 MiB of float64.
_ELEMENTS = 1 << 20


def squared(x: _arrays.Array, y: _arrays.Array | None, scale: float) -> _arrays.Array:
    """Return scale^2 |x_i - y_j|^2, shape (n, k)."""
    return _of_differences(x, y, scale, 2, lambda xp, apart: apart * apart)


def cityblock(x: _arrays.Array, y: _arrays.Array | None, scale: float) -> _arrays.Array:
    """Return scale times the sum of absolute differences, shape (n, k)."""
    # The libraries disagree on the derivative at 0: that of the mean of both sides is the sign's.
    return _of_differences(
        x, y, scale, 1, lambda xp, apart: _arrays.with_derivative(xp.abs, xp.sign, apart)
    )


def _of_differences(
    x: _arrays.Array, y: _arrays.Array | None, scale: float, degree: int, each: Any
) -> _arrays.Array:
    xp = _arrays.array_namespace(x)
    y = x if y is None else y
    # Differences of close rows are exact. Before them come powers of 2 alone, and after them those
    # that could overflow.
    mantissa, exponent = math.frexp(scale)
    before, after = math.ldexp(1.0, min(0, exponent - 1)), math.ldexp(1.0, max(0, exponent - 1))
    x, y = (x, y) if before == 1.0 else (x * before, y * before)
    # Clip where all kernels are 0, so that the square stays finite.
    most = float(xp.finfo(x.dtype).max) ** 0.25
    columns = max(1, min(x.shape[1], _ELEMENTS // y.shape[0]))
    rows = max(1, _ELEMENTS // (columns * y.shape[0]))
    parts = []
    for some in _arrays.slices(x.shape[0], rows):
        total: Any = 0.0
        for piece in _arrays.slices(x.shape[1], columns):
            differences = x[some, None, piece] - y[None, :, piece]
            differences = differences if after == 1.0 else differences * after
            differences = xp.clip(differences, -most, most)
            total = total + xp.sum(each(xp, differences), axis=2)
        parts.append(total * (2.0 * mantissa) ** degree)
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=0)
