r"""Mean and variance of a finite network's Gram, to first order in 1/width.

The Grams of a pair after each layer, (p, c, r) for both squares and the product, are a Markov
chain: given those of one layer, units are independent, with mean F(p, c, r) and a covariance C/n.
The expansion of F to second order carries mean and covariance through the layers:

.. math:: m' = \nabla F\,m + \tfrac12 \nabla^2F : V, \qquad V' = \nabla F\,V\,\nabla F^\top + C/n
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.exact import _at_rho, _wedge, max_moment, sigma2


@dataclass(frozen=True, eq=False)
class FiniteWidth:
    """What is added to the limit at finite width, to first order in 1/width.

    Parameters
    ----------
    bias : numpy.ndarray, shape (n, k)
        Of the Gram's mean.
    variance : numpy.ndarray, shape (n, k)
        Of the Gram's entries, over draws.

    See Also
    --------
    DeepFeatures.finite_width : Returns this.
    """

    bias: Any
    variance: Any


def expand(
    q: int, widths: tuple[int, ...], weight: float, bias: float, p: Any, c: Any, r: Any
) -> FiniteWidth:
    """Go through the layers with the squares p, r and the products c of the first projections."""
    mean, spread = np.zeros_like(c), np.zeros((*c.shape, 3, 3))
    second, fourth = sigma2(q), max_moment(4, q)
    for width in widths:
        size = np.sqrt(p * r)
        rho = np.clip(c / size, -1.0, 1.0)
        apart = 1.0 - rho > 1e-12
        k, slope = (np.asarray(f(rho, q)) for f in (_at_rho.kernel, _at_rho.collision))
        # Opposite rows, where pools of two bend without end, are so before the first layer alone:
        # nothing varies there.
        inside = apart & (1.0 + rho > 1e-12)
        bend = np.where(inside, _bend(np.where(inside, rho, 0.0), q), 0.0)
        rest = k - rho * slope
        jacobian = np.zeros_like(spread)
        jacobian[..., 0, 0] = jacobian[..., 2, 2] = weight * second
        jacobian[..., 1, :] = weight * np.stack(
            [0.5 * rest * size / p, slope, 0.5 * rest * size / r], axis=-1
        )
        hessian = np.zeros_like(spread)
        hessian[..., 1, 1] = bend / size
        hessian[..., 0, 1] = hessian[..., 1, 0] = -0.5 * rho * bend / p
        hessian[..., 2, 1] = hessian[..., 1, 2] = -0.5 * rho * bend / r
        hessian[..., 0, 0] = 0.25 * size / p**2 * (rho**2 * bend - rest)
        hessian[..., 2, 2] = 0.25 * size / r**2 * (rho**2 * bend - rest)
        hessian[..., 0, 2] = hessian[..., 2, 0] = 0.25 / size * (rest + rho**2 * bend)
        curved = 0.5 * weight * np.sum(hessian * spread, axis=(-2, -1))
        # Parallel rows stay so, and their products are linear in the squares.
        mean = weight * slope * mean + np.where(apart, curved, 0.0)
        units = np.zeros_like(spread)
        product = np.asarray(_at_rho.second_moment(rho, q))
        cubes = third_with_first(q)(rho) - second * k
        units[..., 0, 0], units[..., 2, 2] = (one**2 * (fourth - second**2) for one in (p, r))
        units[..., 0, 2] = units[..., 2, 0] = p * r * (product - second**2)
        units[..., 1, 1] = p * r * (product - k**2)
        units[..., 0, 1] = units[..., 1, 0] = p * size * cubes
        units[..., 2, 1] = units[..., 1, 2] = r * size * cubes
        spread = jacobian @ spread @ np.swapaxes(jacobian, -1, -2) + weight**2 / width * units
        p, r = weight * second * p + bias, weight * second * r + bias
        c = weight * size * k + bias
    return FiniteWidth(mean, spread[..., 1, 1])


def _bend(rho: Any, q: int) -> Any:
    """Compute the derivative of the collision probability."""
    if q == 1:
        return np.zeros_like(rho)
    if q == 2:
        return 1.0 / (np.pi * np.sqrt((1.0 - rho) * (1.0 + rho)))
    return np.asarray(_at_rho.collision_slope(rho, q))


@functools.cache
def third_with_first(q: int) -> Callable[[Any], Any]:
    r"""Return :math:`E M^3M' = E M^3\,E M + 3\int_0^\rho E[M^2; D = D']` as a function of rho."""
    if q == 1:
        return lambda rho: 3.0 * rho
    grid = _wedge.wedge_grid()
    with np.errstate(under="ignore"):
        power = np.exp((q - 1) * grid.log_g)
    half = grid.theta[:, None, None] / 2
    # The mean of both squares, by symmetry.
    squares = (grid.a[:, None] * np.cos(half)) ** 2 + (grid.b * np.sin(half)) ** 2
    values = q * np.einsum("tik,i,k->t", power * squares, grid.weight_a, grid.weight_b)
    x = 2.0 * grid.theta / np.pi - 1.0
    slope = np.polynomial.chebyshev.chebfit(
        x, 1.5 * np.pi * np.sin(grid.theta) * values, len(x) - 1
    )
    integral = np.polynomial.chebyshev.chebint(slope, lbnd=0.0)
    at_zero = float(max_moment(3, q) * max_moment(1, q))

    def function(rho: Any) -> Any:
        at = 2.0 * np.arccos(rho) / np.pi - 1.0
        return at_zero - np.polynomial.chebyshev.chebval(at, integral)

    return function
