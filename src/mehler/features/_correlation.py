"""Lengths of rows and correlations of pairs of rows, safe for huge, tiny and zero rows."""

from __future__ import annotations

from typing import Any

from mehler import _arrays


def lengths(xp: Any, x: _arrays.Array) -> _arrays.Array:
    """Euclidean length of each row, shape (n, 1); scaled, so that squares cannot overflow."""
    largest = xp.max(xp.abs(x), axis=1, keepdims=True)
    scale = xp.where(largest > 0, largest, xp.ones_like(largest))
    return scale * xp.sqrt(xp.sum((x / scale) ** 2, axis=1, keepdims=True))


def directions(xp: Any, x: _arrays.Array, length: _arrays.Array) -> _arrays.Array:
    """Rows of length 1; zero rows stay zero."""
    return x / xp.where(length > 0, length, xp.ones_like(length))


def pairs(x: _arrays.Array, y: _arrays.Array | None) -> tuple[Any, Any, Any]:
    """Lengths (n, 1) and (1, k), and correlations (n, k) clipped to [-1, 1].

    Computed in the widest float of the device. With ``y=None`` the diagonal is exactly 1:
    rounding there would cost half the digits of whatever has a square root at rho = 1.
    """
    place = _arrays.place_of(x)
    xp = place.xp
    wide = _arrays.widest_float(xp, place.device)
    x = xp.astype(x, wide)
    x_length = lengths(xp, x)
    x_unit = directions(xp, x, x_length)
    if y is None:
        rho = xp.matmul(x_unit, xp.matrix_transpose(x_unit))
        n = x.shape[0]
        on_diagonal = xp.eye(n, dtype=wide, device=place.device) > 0
        rho = xp.where(on_diagonal, xp.ones_like(rho), rho)
        y_length = x_length
    else:
        y = xp.astype(y, wide)
        y_length = lengths(xp, y)
        rho = xp.matmul(x_unit, xp.matrix_transpose(directions(xp, y, y_length)))
    return x_length, xp.matrix_transpose(y_length), xp.clip(rho, -1.0, 1.0)
