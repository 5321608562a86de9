"""Check closed forms declared by an activation against its function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.exact.activations import _mehler
from mehler.exact.activations._geometry import Pairs, pairs_of

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
    series, slack = _mehler.pair_moment(
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
