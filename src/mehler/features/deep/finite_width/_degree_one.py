r"""One layer of units of degree 1: the product is :math:`\sqrt{pr}` times a function of rho."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.features.deep.finite_width._expansion import C, Local, P, R, State, T, symmetric
from mehler.features.deep.finite_width._moments import PARALLEL, Moments


def of_degree_one(
    moments: Callable[[Any], Moments], weight: float, bias: float, state: State
) -> Local:
    r"""Return :math:`F_c = \sigma_w^2\sqrt{pr}\,K(\rho) + \sigma_b^2` and its like at the limit."""
    p, c, r = state.p, state.c, state.r
    s = np.sqrt(p * r)
    rho = np.clip(c / s, -1.0, 1.0)
    # Parallel rows stay so, but for rounding, of which kinks would make the root.
    rho = np.where(1.0 - np.abs(rho) <= PARALLEL, np.sign(rho), rho)
    # On them F is linear, exactly.
    apart = (np.abs(rho) < 1.0)[..., None, None]
    at = moments(rho)
    # The derivatives of K's argument, and of K s with what multiplies K'' taken out.
    turn = {P: -0.5 * rho / p, C: 1.0 / s, R: -0.5 * rho / r}
    rest = at.kernel - rho * at.slope
    size, w = state.size, weight
    jacobian = np.zeros((*c.shape, size, size))
    jacobian[..., P, P] = jacobian[..., R, R] = w * at.second
    gradient = {P: 0.5 * rest * s / p, C: at.slope, R: 0.5 * rest * s / r}
    second = {
        (P, P): -0.25 * s / p**2 * rest,
        (R, R): -0.25 * s / r**2 * rest,
        (P, R): 0.25 / s * rest,
    }
    for i, j in ((P, P), (C, C), (R, R), (P, C), (C, R), (P, R)):
        second[i, j] = second.get((i, j), 0.0) + s * at.bend * turn[i] * turn[j]
    for i, value in gradient.items():
        jacobian[..., C, i] = w * value
    hessians = {C: w * symmetric(c, size, second) * apart}
    units = {
        (P, P): p**2 * (at.fourth - at.second**2),
        (R, R): r**2 * (at.fourth - at.second**2),
        (P, R): p * r * (at.squares - at.second**2),
        (C, C): p * r * (at.squares - at.kernel**2),
        (P, C): p * s * (at.cubes - at.second * at.kernel),
        (C, R): r * s * (at.cubes - at.second * at.kernel),
    }
    after = State(w * at.second * p + bias, w * s * at.kernel + bias, w * at.second * r + bias)
    if state.tangent is None:
        return Local(after, jacobian, hessians, w**2 * symmetric(c, size, units))

    value, x, z = state.tangent
    for i, slope in turn.items():
        jacobian[..., T, i] = w * (gradient[i] + value * at.bend * slope)
        second[i, T] = at.bend * slope
    jacobian[..., T, T] = w * at.slope
    bent = {
        (P, P): 0.75 * rho / p**2,
        (R, R): 0.75 * rho / r**2,
        (P, R): 0.25 * rho / (p * r),
        (P, C): -0.5 / (p * s),
        (C, R): -0.5 / (r * s),
        (C, C): 0.0,
    }
    for (i, j), each in bent.items():
        second[i, j] = second[i, j] + value * (at.turn * turn[i] * turn[j] + at.bend * each)
    hessians[T] = w * symmetric(c, size, second) * apart
    # Of the products of tangents: with the units, and their own.
    with_square = value * (at.square_slope - at.second * at.slope)
    with_product = value * s * (at.product_slope - at.kernel * at.slope)
    own = at.apart * x * z + 2.0 * at.together * value**2 - at.slope**2 * value**2
    units[P, T] = units[P, C] + p * with_square
    units[R, T] = units[C, R] + r * with_square
    units[C, T] = units[C, C] + with_product
    units[T, T] = units[C, C] + 2.0 * with_product + own
    after = State(
        after.p,
        after.c,
        after.r,
        (
            after.c + w * at.slope * value,
            after.p + w * at.slope_at_one * x,
            after.r + w * at.slope_at_one * z,
        ),
    )
    return Local(after, jacobian, hessians, w**2 * symmetric(c, size, units))
