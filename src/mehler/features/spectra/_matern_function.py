r"""Matern's function of a squared distance, with its derivatives.

.. math:: M_\nu(u) = \frac{2^{1-\nu}}{\Gamma(\nu)} u^{\nu/2} K_\nu(\sqrt u), \qquad
          M_\nu'(u) = -\frac{M_{\nu-1}(u)}{4(\nu - 1)} \ (\nu > 1)

so that derivatives of every order that exists are right where rows are equal, u = 0.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from mehler import _arrays

# Largest p for which smoothness p + 1/2 is evaluated by polynomials.
_LARGEST_DEGREE = 8
# exp(-s) is 0 beyond, and polynomials of s are finite in float32 too.
_FARTHEST = 745.0


def matern(nu: float, u: _arrays.Array) -> _arrays.Array:
    """Compute M_nu(u); a derivative that is infinite at 0 is given as 0 there."""
    return _arrays.with_derivative(
        functools.partial(_value, nu), functools.partial(_derivative, nu), u
    )


def _value(nu: float, u: _arrays.Array) -> _arrays.Array:
    xp = _arrays.array_namespace(u)
    degree = nu - 0.5
    if degree in range(_LARGEST_DEGREE + 1):
        return _half_integer(xp.sqrt(u), int(degree))
    return _arrays.elementwise_on_host(
        lambda host: _bessel(np.sqrt(host), nu), u, what=f"the Matern kernel of nu={nu:g}"
    )


def _derivative(nu: float, u: _arrays.Array) -> _arrays.Array:
    if nu > 1.0:
        return matern(nu - 1.0, u) * (-0.25 / (nu - 1.0))
    xp = _arrays.array_namespace(u)
    if nu == 0.5:
        apart = u > 0.0
        s = xp.sqrt(xp.where(apart, u, xp.ones_like(u)))
        return xp.where(apart, -0.5 * xp.exp(-s) / s, xp.zeros_like(u))
    return _arrays.with_derivative(
        functools.partial(_rough_derivative, nu), functools.partial(_refuse, nu), u
    )


def _rough_derivative(nu: float, u: _arrays.Array) -> _arrays.Array:
    return _arrays.elementwise_on_host(
        lambda host: _bessel_derivative(np.sqrt(host), nu),
        u,
        what=f"the Matern kernel of nu={nu:g}",
    )


def _refuse(nu: float, u: _arrays.Array) -> _arrays.Array:
    raise TypeError(f"the Matern kernel of nu={nu:g} has no second derivative here: take nu > 1")


def _half_integer(s: _arrays.Array, p: int) -> _arrays.Array:
    """Compute the kernel of smoothness p + 1/2: exp(-s) times a polynomial of degree p."""
    xp = _arrays.array_namespace(s)
    s = _arrays.clip(xp, s, 0.0, _FARTHEST)
    value = xp.zeros_like(s)
    for i in range(p + 1):
        # Horner, from the highest power of 2 s down.
        above = math.factorial(p) * math.factorial(p + i)
        below = math.factorial(2 * p) * math.factorial(i) * math.factorial(p - i)
        value = value * (2.0 * s) + above / below
    return value * xp.exp(-s)


def _bessel(s: Any, nu: float) -> Any:
    """Compute the kernel of smoothness nu by Bessel's K, on the host, in logarithms."""
    from scipy.special import gammaln, kve

    # For smaller s the kernel is 1 up to rounding; for small nu, K is still finite here.
    least = 1e-12 if nu >= 1.0 else 1e-300
    safe = np.clip(s, least, 1e6)
    # kve(nu, s) = K_nu(s) e^s neither underflows nor overflows away from s = 0.
    log = (1.0 - nu) * math.log(2.0) - gammaln(nu) + nu * np.log(safe) + np.log(kve(nu, safe))
    return np.where(s > least, np.minimum(np.exp(log - safe), 1.0), 1.0)


def _bessel_derivative(s: Any, nu: float) -> Any:
    """Compute M_nu'(s^2) = -2^-nu/Gamma(nu) s^(nu-1) K_(1-nu)(s), and 0 at s = 0."""
    from scipy.special import gammaln, kve

    safe = np.clip(s, 1e-100, 1e6)
    log = -nu * math.log(2.0) - gammaln(nu) + (nu - 1.0) * np.log(safe)
    return np.where(s > 0.0, -np.exp(log + np.log(kve(1.0 - nu, safe)) - safe), 0.0)
