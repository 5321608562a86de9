"""Moments of units of degree 1 at two standard normals: maxout, and two half lines."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from mehler.exact import (
    collision_at,
    collision_slope,
    evaluate,
    evaluate_at_angle,
    kernel_at,
    max_moment,
    pool_table,
    second_moment_at,
    sigma2,
    wedge_grid,
)
from mehler.exact.activations import arc_cosine

# Correlations nearer to 1 or -1 are those of parallel rows.
PARALLEL = 1e-12


@dataclass(frozen=True, eq=False)
class Moments:
    """Expectations at correlations rho, a and a' the units, g the inner product of gradients.

    `bend` and `turn` are derivatives of `slope` in rho, and 0 for parallel rows. E of g^2 times
    the square of the tangents' product is ``apart`` of their squares and ``together`` of twice
    their squared product.
    """

    kernel: Any  # E a a'
    slope: Any  # E g, the derivative of the kernel
    bend: Any
    turn: Any
    squares: Any  # E a^2 a'^2
    cubes: Any  # E a^3 a'
    product_slope: Any  # E a a' g
    square_slope: Any  # E a^2 g
    apart: Any
    together: Any
    second: float  # E a^2
    fourth: float  # E a^4
    slope_at_one: float


def maxout_moments(rho: Any, q: int) -> Moments:
    """Compute the moments of the largest of q."""
    inside = np.where(np.abs(rho) < 1.0 - PARALLEL, rho, 0.0)
    same = inside == rho
    kernel, slope = (np.asarray(f(rho, q)) for f in (kernel_at, collision_at))
    bend, turn = (np.where(same, one, 0.0) for one in _bends(inside, q))
    cubes, square_slope = (series(rho) for series in (third_with_first(q), _square_slope(q)))
    return Moments(
        kernel,
        slope,
        bend,
        turn,
        np.asarray(second_moment_at(rho, q)),
        cubes,
        rho if q == 1 else np.asarray(evaluate(pool_table(q).second_slope, rho)) / 4,
        square_slope,
        # Different winners have independent directions.
        np.ones_like(rho),
        slope,
        sigma2(q),
        max_moment(4, q),
        1.0,
    )


def sided_moments(rho: Any, right: float, left: float) -> Moments:
    r"""Compute the moments of :math:`\alpha t_+ + \beta(-t)_+`, from arc-cosine kernels."""
    near, far = 1.0 - rho, 1.0 + rho
    inside = np.where(np.abs(rho) < 1.0 - PARALLEL, rho, 0.0)
    same = inside == rho
    sine2 = (1.0 - inside) * (1.0 + inside)
    bend = (right + left) ** 2 / (2.0 * math.pi * sine2**0.5)

    def both(order: int, one: float, two: float) -> Any:
        ahead, behind = arc_cosine(rho, near, far, order), arc_cosine(-rho, far, near, order)
        return one * ahead + two * behind

    def ends(ahead: Any, behind: Any) -> Any:
        powers = right**4 + left**4, right**3 * left + right * left**3
        return powers[0] * ahead + powers[1] * behind

    squares, product = right**2 + left**2, 2.0 * right * left
    fourths, mixed = right**4 + left**4, 2.0 * right**2 * left**2
    gates = both(0, fourths, mixed)
    return Moments(
        both(1, squares, product),
        both(0, squares, -product),
        np.where(same, bend, 0.0),
        np.where(same, bend * inside / sine2, 0.0),
        both(2, fourths, mixed),
        ends(_cube_half(rho), _cube_half(-rho)),
        both(1, fourths, -mixed),
        ends(_square_half(rho), -_square_half(-rho)),
        gates,
        gates,
        0.5 * squares,
        1.5 * fourths,
        0.5 * squares,
    )


def _cube_half(rho: Any) -> Any:
    r"""Return :math:`E u_+^3v_+`."""
    theta = np.arccos(rho)
    return (3.0 * rho * (np.pi - theta) + np.sin(theta) * (2.0 + rho**2)) / (2.0 * np.pi)


def _square_half(rho: Any) -> Any:
    r"""Return :math:`E[u_+^2; v > 0]`, a third of the derivative of that."""
    theta = np.arccos(rho)
    return (np.pi - theta + rho * np.sin(theta)) / (2.0 * np.pi)


def _bends(rho: Any, q: int) -> tuple[Any, Any]:
    """Compute two derivatives of the collision probability inside (-1, 1)."""
    if q == 1:
        return np.zeros_like(rho), np.zeros_like(rho)
    sine2 = (1.0 - rho) * (1.0 + rho)
    if q == 2:
        bend = 1.0 / (np.pi * sine2**0.5)
        return bend, bend * rho / sine2
    # kappa' = f/sin with f = -d kappa/d theta.
    f, slope = (chebyshev.chebval(_unit(rho), one) for one in _angle_slopes(q))
    turn = (f * rho - slope * sine2**0.5) / sine2**1.5
    return np.asarray(collision_slope(rho, q)), turn


def _unit(rho: Any) -> Any:
    """Return the angle, from [0, pi] to [-1, 1]."""
    return 2.0 * np.arccos(rho) / np.pi - 1.0


@functools.cache
def _angle_slopes(q: int) -> tuple[Any, Any]:
    """Return series of f = -d kappa/d theta, and of its derivative."""
    theta = wedge_grid().theta
    kappa = evaluate_at_angle(pool_table(q).kappa, theta)
    first = -chebyshev.chebder(_fitted(theta, kappa)) * (2.0 / np.pi)
    return first, chebyshev.chebder(first) * (2.0 / np.pi)


def _fitted(theta: Any, values: Any) -> Any:
    """Interpolate at the angles of the grid, which are Chebyshev's."""
    return chebyshev.chebfit(2.0 * theta / np.pi - 1.0, values, len(theta) - 1)


@functools.cache
def _square_series(q: int) -> Any:
    """Return the series of E[M^2; D = D'] in the angle."""
    grid = wedge_grid()
    with np.errstate(under="ignore"):
        power = np.exp((q - 1) * grid.log_g)
    half = grid.theta[:, None, None] / 2
    # The mean of both squares, by symmetry.
    squares = (grid.a[:, None] * np.cos(half)) ** 2 + (grid.b * np.sin(half)) ** 2
    values = q * np.einsum("tik,i,k->t", power * squares, grid.weight_a, grid.weight_b)
    return _fitted(grid.theta, values)


def _square_slope(q: int) -> Any:
    """Return E[M^2; D = D'] as a function of rho."""
    if q == 1:
        return np.ones_like
    return lambda rho: chebyshev.chebval(_unit(rho), _square_series(q))


def third_with_first(q: int) -> Any:
    r"""Return :math:`E M^3M' = E M^3\,E M + 3\int_0^\rho E[M^2; D = D']` as a function of rho."""
    if q == 1:
        return lambda rho: 3.0 * rho
    at_zero, integral = float(max_moment(3, q) * max_moment(1, q)), _cube_series(q)
    return lambda rho: at_zero - chebyshev.chebval(_unit(rho), integral)


@functools.cache
def _cube_series(q: int) -> Any:
    """Return the series of minus the integral from 0 to rho."""
    theta = wedge_grid().theta
    values = chebyshev.chebval(2.0 * theta / np.pi - 1.0, _square_series(q))
    return chebyshev.chebint(_fitted(theta, 1.5 * np.pi * np.sin(theta) * values), lbnd=0.0)
