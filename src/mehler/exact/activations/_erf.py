"""The error function: Williams' kernel, and its inverse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.exact.activations._geometry import Pairs


def kernel(pairs: Pairs, power: int) -> tuple[_arrays.Array, _arrays.Array] | None:
    r"""Compute Williams' kernel, from the tangent of the angle.

    .. math:: \frac2\pi\arctan\frac{2\rho s_xs_y}
              {\sqrt{1 + 2s_x^2 + 2s_y^2 + 4s_x^2s_y^2(1-\rho)(1+\rho)}}

    The arcsine form loses half of the digits for long, nearly equal rows. Scales above 1 are
    divided out, so that no square overflows.
    """
    if power != 1:
        return None
    xp = pairs.xp
    x_rest, y_rest, square = _scaled(pairs)
    # Long rows are brought to 1, short ones stay.
    lengths = (pairs.x_scale * x_rest) * (pairs.y_scale * y_rest)
    covariance = pairs.rho * lengths
    if pairs.differentiable:
        covariance = _arrays.graft(covariance, pairs.product * x_rest * y_rest)
    value = (2.0 / math.pi) * xp.atan2(2.0 * covariance, square**0.5)
    # A correlation is rounded by eps, whatever it is.
    largest = (2.0 / math.pi) * xp.atan2(2.0 * lengths, square**0.5)
    return value, 64.0 * pairs.eps * largest


def slope_kernel(pairs: Pairs, power: int) -> tuple[_arrays.Array, _arrays.Array] | None:
    r"""Compute the kernel of the derivative.

    .. math:: \frac4\pi\left(1 + 2s_x^2 + 2s_y^2 + 4s_x^2s_y^2(1-\rho)(1+\rho)\right)^{-1/2}
    """
    if power != 1:
        return None
    x_rest, y_rest, square = _scaled(pairs)
    value = (4.0 / math.pi) * x_rest * y_rest / square**0.5
    return value, 64.0 * pairs.eps * value


def _scaled(pairs: Pairs) -> tuple[_arrays.Array, _arrays.Array, _arrays.Array]:
    """Return 1/max(1, s) of both scales, and the root's argument times the squares of both."""
    xp = pairs.xp
    x_rest, y_rest = (
        1.0 / _arrays.constant(xp.maximum(s, xp.ones_like(s)))
        for s in (pairs.x_scale, pairs.y_scale)
    )
    x, y = pairs.x_scale * x_rest, pairs.y_scale * y_rest
    square = (x_rest * y_rest) ** 2 + 2.0 * ((x * y_rest) ** 2 + (y * x_rest) ** 2)
    return x_rest, y_rest, square + (2.0 * x * y) ** 2 * pairs.near * pairs.far


def derivative(xp: Any, t: _arrays.Array) -> _arrays.Array:
    """Compute the derivative of erf."""
    # Beyond, it is 0 in float64, and the square would overflow.
    t = xp.clip(t, -30.0, 30.0)
    return (2.0 / math.pi**0.5) * xp.exp(-t * t)


def inverse(t: Any) -> Any:
    """Invert erf; infinite beyond its range."""
    from scipy.special import erfinv

    return erfinv(np.clip(t, -1.0, 1.0))
