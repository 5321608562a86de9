"""What an activation declares, compared with its function; and its derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.exact.activations import _series
from mehler.exact.activations._closed import Sides, Waves
from mehler.exact.activations._projections import Pairs, pairs_of

# Pairs at which a closed form is compared with the series: not at the ends, where that is slow.
_RHO = np.array([-0.7, 0.0, 0.4, 0.6])
_X, _Y = np.array([0.6, 1.0, 1.0, 1.7]), np.array([0.6, 1.7, 1.0, 0.6])
_AT = np.array([-2.9, -1.3, -0.4, -0.1, 0.0, 0.2, 0.7, 1.6, 3.1])
# Tolerance for an inverse: the function may have lost digits.
_LOOSE = 1e-6


def host_pairs() -> Pairs:
    """Return a few pairs as NumPy arrays."""
    return pairs_of(_RHO, _X, _Y)


def hold_kernel(
    function: Callable[[Any], Any], power: int, value: Any, error: Any, title: str
) -> None:
    """Raise if a closed form disagrees with Mehler's series at `host_pairs`."""
    series, slack = _series.pair_moment(
        lambda t: function(t) ** power, _RHO, 1.0 - _RHO, 1.0 + _RHO, _X, _Y
    )
    off = np.abs(np.asarray(value) - series) > np.asarray(error) + slack
    if np.any(off):
        i = int(np.flatnonzero(off)[0])
        raise ValueError(
            f"{title} carries a kernel that is not its function's: at a correlation of {_RHO[i]:g} "
            f"and scales of {_X[i]:g} and {_Y[i]:g} it is {np.asarray(value)[i]:.6g}, and the "
            f"function's {series[i]:.6g}, power {power}: leave kernel out, or mend it"
        )


def hold_inverse(function: Callable[[Any], Any], inverse: Callable[[Any], Any], title: str) -> None:
    """Raise if `inverse` is not sup {p : a(p) <= t}, or the function decreases."""
    values = np.asarray(function(_AT), dtype=np.float64)
    size = float(np.max(np.abs(values)))
    if np.any(np.diff(values) < -_LOOSE * size):
        raise ValueError(
            f"{title} carries an inverse, but decreases on the way from {_AT[0]:g} to {_AT[-1]:g}: "
            "leave inverse out"
        )
    found = np.asarray(inverse(values), dtype=np.float64)
    finite = np.isfinite(found)
    above = np.asarray(function(np.where(finite, found, 0.0)), dtype=np.float64)
    off = (found < _AT - _LOOSE) | (finite & (above > values + _LOOSE * size))
    if np.any(off):
        i = int(np.flatnonzero(off)[0])
        raise ValueError(
            f"{title} carries an inverse that is not its function's: {found[i]:.6g} is not the "
            f"largest p with a(p) at most {values[i]:.6g}, which is a({_AT[i]:g}): leave inverse "
            "out, or mend it"
        )


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
_SIX = np.array([-3.3, -1.1, -0.3, 0.2, 0.9, 2.7])
# Standard deviations at which jumps are looked for: arguments up to about 900.
_SCALES = np.array([1.0, 8.0, 64.0])
_TINY = 2.0**-60


def of_waves(waves: Waves) -> tuple[Waves, Callable[..., Any]]:
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
    claimed, found = (
        np.asarray(derivative(_SIX), dtype=np.float64),
        numeric(function)(_SIX),
    )
    off = np.abs(claimed - found) > _LOOSE * (1.0 + np.abs(found))
    if np.any(off):
        raise ValueError(
            f"{title} carries a derivative that is not its function's: at {_SIX[off][0]:g} it is "
            f"{claimed[off][0]:.6g}, and the function's {found[off][0]:.6g}: leave derivative out, "
            "or mend it"
        )


def require_no_jump(function: HostFunction, title: str) -> None:
    """Raise if the function jumps, so that its derivative has no finite square."""
    # Panels are of half a line, and see no jump at 0.
    left, right = np.asarray(function(np.array([-_TINY, _TINY])), dtype=np.float64)
    if abs(right - left) > _LOOSE * np.max(np.abs(function(_SIX))) or _series.jumps(
        function, _SCALES
    ):
        refuse_jump(title)


def refuse_jump(title: str) -> None:
    """Raise the error of functions that jump."""
    raise ValueError(
        f"{title} jumps: the square of its derivative has no finite mean, and the tangent kernel "
        "is infinite at equal rows; take nngp, or an activation without jumps"
    )
