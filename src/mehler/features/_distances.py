"""Pairwise distances by differences, without cancellation for close rows."""

from __future__ import annotations

from typing import Any

from mehler import _arrays

# Differences per block: 8 MiB of float64.
_ELEMENTS = 1 << 20


def squared(x: _arrays.Array, y: _arrays.Array | None, scale: float) -> _arrays.Array:
    """Return scale^2 |x_i - y_j|^2, shape (n, k)."""
    return _of_differences(x, y, scale, lambda xp, differences: differences * differences)


def cityblock(x: _arrays.Array, y: _arrays.Array | None, scale: float) -> _arrays.Array:
    """Return scale times the sum of absolute differences, shape (n, k)."""
    # The libraries disagree on the derivative at 0: that of the mean of both sides is the sign's.
    return _of_differences(
        x, y, scale, lambda xp, apart: _arrays.with_derivative(xp.abs, xp.sign, apart)
    )


def _of_differences(
    x: _arrays.Array, y: _arrays.Array | None, scale: float, each: Any
) -> _arrays.Array:
    xp = _arrays.array_namespace(x)
    y = x if y is None else y
    x, y = x * scale, y * scale
    # Clip where all kernels are 0, so that the square stays finite.
    most = float(xp.finfo(x.dtype).max) ** 0.25
    columns = max(1, min(x.shape[1], _ELEMENTS // y.shape[0]))
    rows = max(1, _ELEMENTS // (columns * y.shape[0]))
    parts = []
    for some in _arrays.slices(x.shape[0], rows):
        total: Any = 0.0
        for piece in _arrays.slices(x.shape[1], columns):
            differences = x[some, None, piece] - y[None, :, piece]
            differences = xp.clip(differences, -most, most)
            total = total + xp.sum(each(xp, differences), axis=2)
        parts.append(total)
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=0)
