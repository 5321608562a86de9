"""Derivatives of activations, which tangent kernels need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.exact.activations import _mehler, _waves
from mehler.exact.activations._homogeneous import Sides

HostFunction = Callable[[Any], Any]

# Differences on nine points: the central one, and one of the points from -2 to 4.
_POINTS = np.arange(-4.0, 5.0)
_STENCILS = tuple(
    np.pad(
        np.linalg.solve(np.vander(some, increasing=True).T, np.eye(some.size)[1]),
        (int(some[0]) + 4, 4 - int(some[-1])),
    )
    for some in (_POINTS, _POINTS[2:])
)
_STEPS = 2.0 ** -np.arange(5, 47)
_EPS = float(np.finfo(np.float64).eps)
_AT = np.array([-3.3, -1.1, -0.3, 0.2, 0.9, 2.7])
# A declared derivative may have lost digits, and so may differences.
_LOOSE = 1e-6
# Standard deviations at which jumps are looked for: arguments up to about 900.
_SCALES = np.array([1.0, 8.0, 64.0])
_TINY = 2.0**-60


def of_waves(waves: _waves.Waves) -> tuple[_waves.Waves, Callable[..., Any]]:
    """Differentiate a Fourier sum: its waves, and the function."""
    turned = tuple((f, 1j * f * complex(c)) for f, c in waves if f != 0)

    def function(xp: Any, t: _arrays.Array) -> Any:
        total: Any = 0.0 * t
        for f, c in turned:
            total = total + c.real * xp.cos(f * t) - c.imag * xp.sin(f * t)
        return total

    return turned, function


def of_sides(sides: Sides) -> Callable[..., Any]:
    """Differentiate a homogeneous function of degree at least 1; the value at 0 is 0."""
    power = sides.degree - 1

    def function(xp: Any, t: _arrays.Array) -> Any:
        size = float(sides.degree) * xp.abs(t) ** power
        nothing = xp.zeros_like(t)
        below = xp.where(t < 0.0, -sides.left * size, nothing)
        return xp.where(t > 0.0, sides.right * size, below)

    return function


def numeric(function: HostFunction) -> HostFunction:
    """Differentiate on the host by differences, each point with the step that suits it.

    Steps are halved from 1/32 on, until rounding is all that is left of the difference between two
    stencils on the same points. One of them is lopsided: symmetric ones agree across a kink.
    Accurate to about 1e-12 of the function where it is smooth, up to kinks.
    """

    def derivative(t: Any) -> Any:
        t = np.asarray(t, dtype=np.float64)
        flat = t.ravel()
        best, least = np.zeros(flat.size), np.full(flat.size, np.inf)
        left = np.arange(flat.size)
        for h in _STEPS:
            some = flat[left]
            step = h * np.maximum(1.0, np.abs(some) * _EPS**0.25)
            values = np.asarray(function(some + step * _POINTS[:, None]), dtype=np.float64)
            now, lopsided = (weights @ values / step for weights in _STENCILS)
            rounding = 4 * _EPS * np.max(np.abs(values), axis=0) / step
            off = np.abs(now - lopsided) + rounding
            better = off < least[left]
            best[left[better]], least[left[better]] = now[better], off[better]
            # Smaller steps only round more.
            left = left[2 * rounding < least[left]]
            if not left.size:
                break
        return best.reshape(t.shape)

    return derivative


def hold(function: HostFunction, derivative: HostFunction, title: str) -> None:
    """Raise if a declared derivative is not that of the function, at a few points."""
    claimed, found = np.asarray(derivative(_AT), dtype=np.float64), numeric(function)(_AT)
    off = np.abs(claimed - found) > _LOOSE * (1.0 + np.abs(found))
    if np.any(off):
        raise ValueError(
            f"{title} carries a derivative that is not its function's: at {_AT[off][0]:g} it is "
            f"{claimed[off][0]:.6g}, and the function's {found[off][0]:.6g}: leave derivative out, "
            "or mend it"
        )


def require_no_jump(function: HostFunction, title: str) -> None:
    """Raise if the function jumps, so that its derivative has no finite square."""
    # Panels are of half a line, and see no jump at 0.
    left, right = np.asarray(function(np.array([-_TINY, _TINY])), dtype=np.float64)
    if abs(right - left) > _LOOSE * np.max(np.abs(function(_AT))) or _mehler.jumps(
        function, _SCALES
    ):
        refuse_jump(title)


def refuse_jump(title: str) -> None:
    """Raise the error of functions that jump."""
    raise ValueError(
        f"{title} jumps: the square of its derivative has no finite mean, and the tangent kernel "
        "is infinite at equal rows; take nngp, or an activation without jumps"
    )
