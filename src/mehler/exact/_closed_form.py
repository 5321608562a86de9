"""Closed forms of kappa_q and K_q for q = 1 and 2, in elementary functions.

K_2(-1) = 0 requires relative accuracy there, which tables do not have.
"""

from __future__ import annotations

import functools
import math
from types import ModuleType

import numpy as np

from mehler import _arrays
from mehler.exact._correlations import over_sine


def collision_on_array(rho: _arrays.Array, q: int) -> _arrays.Array:
    """Compute kappa_1 = 1 or kappa_2 = 1 - theta/pi of an array with values in [-1, 1]."""
    if q == 1:
        return _arrays.array_namespace(rho).ones_like(rho)
    value = functools.partial(_arrays.map_elements, _collision)
    return _arrays.with_derivative(value, _collision_slope, rho)


def _collision(xp: ModuleType, rho: _arrays.Array) -> _arrays.Array:
    return xp.acos(-rho) / np.pi  # pi - theta, accurate next to rho = -1


def _collision_slope(rho: _arrays.Array) -> _arrays.Array:
    """Compute the derivative of kappa_2; where it is infinite, 0."""
    return over_sine(_arrays.array_namespace(rho), rho) / np.pi


def kernel_on_array(rho: _arrays.Array, q: int) -> _arrays.Array:
    r"""Compute K_1 = rho or K_2 = (sin t - t cos t)/pi, t = pi - theta, of values in [-1, 1]."""
    if q == 1:
        return rho
    value = functools.partial(_arrays.map_elements, _kernel)
    return _arrays.with_derivative(value, lambda r: collision_on_array(r, q), rho)


def _kernel(xp: ModuleType, rho: _arrays.Array) -> _arrays.Array:
    t = xp.acos(-rho)
    # sin t - t cos t loses two bits per halving of t; below 1/2 use its series, whose first
    # neglected term is below 1e-17 of the first.
    series, square = xp.zeros_like(t), t * t
    for k in range(9, 0, -1):
        series = (2 * k) / math.factorial(2 * k + 1) - series * square
    sine = xp.sqrt((1 - rho) * (1 + rho))
    return xp.where(t < 0.5, series * t * square, sine + t * rho) / np.pi
