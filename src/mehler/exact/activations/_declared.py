"""Closed forms and derivatives that an activation declares, compared with its function."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler.exact.activations import _series
from mehler.exact.activations._closed import Sides, Waves
from mehler.exact.activations._projections import Pairs, pairs_of

HostFunction = Callable[[NDArray[np.float64]], Any]

# Pairs at which a closed form is compared with the series: not at the ends, where that is slow.
_RHO = np.array([-0.7, 0.0, 0.4, 0.6])
_X, _Y = np.array([0.6, 1.0, 1.0, 1.7]), np.array([0.6, 1.7, 1.0, 0.6])
_SMOOTH = np.array([-3.3, -1.1, -0.3, 0.2, 0.9, 2.7])
# Tolerance for a derivative: the function may have lost digits.
_LOOSE = 1e-6


def require_kernel(
    function: HostFunction, kernel: Callable[[Pairs, int], Any], power: int, title: str
) -> None:
    """Raise ValueError if a closed form disagrees with Mehler's series at a few pairs."""
    declared = kernel(pairs_of(_RHO, _X, _Y), power)
    if declared is None:
        return
    value, error = (np.asarray(part) for part in declared)
    series, slack = _series.pair_moment(
        lambda t: function(t) ** power, _RHO, 1.0 - _RHO, 1.0 + _RHO, _X, _Y
    )
    wrong = np.abs(value - series) > error + slack
    if np.any(wrong):
        i = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{title} carries a kernel that is not its function's: at a correlation of {_RHO[i]:g} "
            f"and scales of {_X[i]:g} and {_Y[i]:g} it is {value[i]:.6g}, and the "
            f"function's {series[i]:.6g}, power {power}: leave kernel out, or mend it"
        )


def require_slope(function: HostFunction, slope: HostFunction, title: str) -> None:
    """Raise ValueError if a declared derivative is not that of the function, at a few points."""
    from scipy.differentiate import derivative

    declared = np.asarray(slope(_SMOOTH), dtype=np.float64)
    differences = derivative(
        lambda t: np.asarray(function(t), dtype=np.float64), _SMOOTH, initial_step=0.1
    )
    by_function = differences.df
    # NaN errors, of functions that cannot be differentiated there, say nothing.
    wrong = np.abs(declared - by_function) > _LOOSE * (1 + abs(by_function)) + differences.error
    if np.any(wrong):
        raise ValueError(
            f"{title} carries a derivative that is not its function's: at {_SMOOTH[wrong][0]:g} it "
            f"is {declared[wrong][0]:.6g}, and the function's {by_function[wrong][0]:.6g}: leave "
            "derivative out, or mend it"
        )


def slope_of_waves(waves: Waves) -> tuple[Waves, Callable[..., Any]]:
    """Differentiate a Fourier sum: its waves, and the function."""
    turned = tuple((f, 1j * f * complex(c)) for f, c in waves if f != 0)

    def function(xp: ModuleType, t: _arrays.Array) -> Any:
        total: Any = 0.0 * t
        for f, c in turned:
            total = total + c.real * xp.cos(f * t) - c.imag * xp.sin(f * t)
        return total

    return turned, function


def slope_of_sides(sides: Sides) -> Callable[..., Any]:
    """Differentiate a homogeneous function of degree at least 1; the value at 0 is 0."""
    power = sides.degree - 1

    def function(xp: ModuleType, t: _arrays.Array) -> Any:
        size = float(sides.degree) * xp.abs(t) ** power
        nothing = xp.zeros_like(t)
        below = xp.where(t < 0.0, -sides.left * size, nothing)
        return xp.where(t > 0.0, sides.right * size, below)

    return function
