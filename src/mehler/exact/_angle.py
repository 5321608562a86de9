"""The angle of a correlation, with derivatives that stay finite at its ends."""

from __future__ import annotations

from typing import Any

from mehler import _arrays


def angle(xp: Any, rho: _arrays.Array) -> _arrays.Array:
    """Compute acos(rho); its derivative, infinite at -1 and 1, is given as 0 there."""
    return _arrays.with_derivative(xp.acos, lambda r: -over_sine(xp, r), rho)


def over_sine(xp: Any, rho: _arrays.Array) -> _arrays.Array:
    """Compute 1/sqrt(1 - rho^2), and 0 where that is infinite."""
    square = (1.0 - rho) * (1.0 + rho)
    inside = square > 0.0
    root = xp.sqrt(xp.where(inside, square, xp.ones_like(square)))
    return xp.where(inside, 1.0 / root, xp.zeros_like(square))
