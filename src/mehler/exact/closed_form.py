"""Closed forms of kappa_q and K_q, which exist for q = 1, 2, 3.

They are an independent route: the tests check the general tables against them. For
q <= 2 they also serve as the float64 route, since K_2(-1) = 0 requires relative accuracy there.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._validate import require_integer
from mehler.exact._correlations import angle, over_sine, require_rho, scalar_if_scalar


def collision_probability(rho: _arrays.Array, q: int) -> Any:
    r"""Compute kappa_q(rho) for q = 1, 2, 3 in elementary functions.

    .. math:: \kappa_1 = 1, \quad \kappa_2 = 1 - \frac{\theta}{\pi}, \quad
       \kappa_3 = \frac13 + \frac{3}{4\pi^2}\left[(\pi-\theta)^2 - \arccos^2(\rho/2)\right],
       \quad \rho = \cos\theta

    Parameters
    ----------
    rho : float or array
        Correlations in [-1, 1].
    q : int
        1, 2 or 3.

    Returns
    -------
    float or array
        Same shape and namespace as `rho`; absolute error a few units of 1e-16.

    Examples
    --------
    >>> from mehler.exact import closed_form
    >>> round(closed_form.collision_probability(0.5, 2), 15)
    0.666666666666667
    """
    return _apply(collision_on_array, rho, q)


def maxout_kernel(rho: _arrays.Array, q: int) -> Any:
    r"""Compute K_q(rho) for unit vectors and q = 1, 2, 3 in elementary functions.

    .. math:: K_1 = \rho, \quad K_2 = \frac{\sin\theta' - \theta'\cos\theta'}{\pi}, \quad
       K_3 = \frac{\rho}{3} - \frac{3}{4\pi^2}\left[\Gamma(-\rho) + 2\Gamma(\rho/2)\right]

    with :math:`\theta' = \pi - \arccos\rho` and
    :math:`\Gamma(u) = u\arccos^2 u - 2\sqrt{1-u^2}\arccos u - 2u`.

    Parameters
    ----------
    rho, q
        As for :func:`collision_probability`.

    Returns
    -------
    float or array
        Same shape and namespace as `rho`; relative error a few units of 1e-15, for q = 2 also
        next to rho = -1, where K_2 vanishes like theta'^3/(3 pi).

    Examples
    --------
    >>> from mehler.exact import closed_form
    >>> round(closed_form.maxout_kernel(0.5, 2), 12)
    0.608997781044
    """
    return _apply(kernel_on_array, rho, q)


def _apply(function: Callable[..., Any], rho: float | NDArray[np.float64], q: int) -> Any:
    q = require_integer("pool size q", q, most=3)
    values = function(require_rho(rho), q)
    return values if _arrays.is_array(rho) else scalar_if_scalar(values)


def collision_on_array(rho: _arrays.Array, q: int) -> _arrays.Array:
    """Compute kappa_q of an array with values in [-1, 1]."""
    if q == 1:
        return _arrays.array_namespace(rho).ones_like(rho)
    value = functools.partial(_arrays.map_elements, functools.partial(_collision, q))
    return _arrays.with_derivative(value, functools.partial(_collision_slope, q), rho)


def _collision(q: int, xp: ModuleType, rho: _arrays.Array) -> _arrays.Array:
    from_minus_one = xp.acos(-rho)  # theta' = pi - theta, accurate next to rho = -1
    if q == 2:
        return from_minus_one / np.pi
    return 1 / 3 + 3 / (4 * np.pi**2) * (from_minus_one**2 - xp.acos(rho / 2) ** 2)


def _collision_slope(q: int, rho: _arrays.Array) -> _arrays.Array:
    """Compute the derivative of kappa_q; where it is infinite, 0."""
    xp = _arrays.array_namespace(rho)
    over = over_sine(xp, rho)
    if q == 2:
        return over / np.pi
    ratio = xp.where(rho > -1.0, angle(xp, -rho) * over, xp.ones_like(rho))
    half = rho / 2
    finite = 2 * ratio + xp.acos(half) / xp.sqrt((1 - half) * (1 + half))
    return xp.where(rho < 1.0, 3 / (4 * np.pi**2) * finite, xp.zeros_like(rho))


def kernel_on_array(rho: _arrays.Array, q: int) -> _arrays.Array:
    """Compute K_q of an array with values in [-1, 1]."""
    if q == 1:
        return rho
    value = functools.partial(_arrays.map_elements, functools.partial(_kernel, q))
    return _arrays.with_derivative(value, lambda r: collision_on_array(r, q), rho)


def _kernel(q: int, xp: ModuleType, rho: _arrays.Array) -> _arrays.Array:
    if q == 2:
        t = xp.acos(-rho)
        # sin t - t cos t loses two bits per halving of t; below 1/2 use its series, whose first
        # neglected term is below 1e-17 of the first.
        series, square = xp.zeros_like(t), t * t
        for k in range(9, 0, -1):
            series = (2 * k) / math.factorial(2 * k + 1) - series * square
        sine = xp.sqrt((1 - rho) * (1 + rho))
        return xp.where(t < 0.5, series * t * square, sine + t * rho) / np.pi
    return rho / 3 - 3 / (4 * np.pi**2) * (_gamma(xp, -rho) + 2 * _gamma(xp, rho / 2))


def _gamma(xp: ModuleType, u: _arrays.Array) -> _arrays.Array:
    angle = xp.acos(u)
    return u * angle**2 - 2 * xp.sin(angle) * angle - 2 * u
