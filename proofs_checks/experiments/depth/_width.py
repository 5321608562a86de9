"""Bias and variance at finite width: moments of units of degree 1, and layers in turn."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from mehler import DeepFeatures, _arrays
from mehler._arrays import Array
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
from mehler.features.deep import Layer, Maxout

from ._tangents import TangentFeatures

# Correlations nearer to 1 or -1 are those of parallel rows.
PARALLEL = 1e-12


@dataclass(frozen=True, eq=False)
class Moments:
    """Expectations of a pair of units at correlations rho, one array (n, k) each.

    a and a' are the values of a unit at both rows, g is the inner product of its gradients there.
    `bend` and `turn` are the first and second derivative of `slope` in rho, 0 for parallel rows.
    E of g^2 times the square of the tangents' product is ``apart`` of their squares and
    ``together`` of twice their squared product.
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


def maxout_moments(rho: NDArray[np.float64], q: int) -> Moments:
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


def sided_moments(rho: NDArray[np.float64], right: float, left: float) -> Moments:
    r"""Compute the moments of :math:`\alpha t_+ + \beta(-t)_+`, from arc-cosine kernels."""
    near, far = 1.0 - rho, 1.0 + rho
    inside = np.where(np.abs(rho) < 1.0 - PARALLEL, rho, 0.0)
    same = inside == rho
    sine2 = (1.0 - inside) * (1.0 + inside)
    bend = (right + left) ** 2 / (2.0 * math.pi * sine2**0.5)

    def both(order: int, one: float, two: float) -> Any:
        ahead, behind = arc_cosine(rho, near, far, order), arc_cosine(-rho, far, near, order)
        return one * ahead + two * behind

    def ends(ahead: NDArray[np.float64], behind: NDArray[np.float64]) -> Any:
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


def _cube_half(rho: NDArray[np.float64]) -> Any:
    r"""Return :math:`E u_+^3v_+`."""
    theta = np.arccos(rho)
    return (3.0 * rho * (np.pi - theta) + np.sin(theta) * (2.0 + rho**2)) / (2.0 * np.pi)


def _square_half(rho: NDArray[np.float64]) -> Any:
    r"""Return :math:`E[u_+^2; v > 0]`, a third of the derivative of that."""
    theta = np.arccos(rho)
    return (np.pi - theta + rho * np.sin(theta)) / (2.0 * np.pi)


def _bends(rho: NDArray[np.float64], q: int) -> tuple[Any, Any]:
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


def _unit(rho: NDArray[np.float64]) -> Any:
    """Return the angle, from [0, pi] to [-1, 1]."""
    return 2.0 * np.arccos(rho) / np.pi - 1.0


@functools.cache
def _angle_slopes(q: int) -> tuple[Any, Any]:
    """Return series of f = -d kappa/d theta, and of its derivative."""
    theta = wedge_grid().theta
    kappa = evaluate_at_angle(pool_table(q).kappa, theta)
    first = -chebyshev.chebder(_fitted(theta, kappa)) * (2.0 / np.pi)
    return first, chebyshev.chebder(first) * (2.0 / np.pi)


def _fitted(theta: NDArray[np.float64], values: NDArray[np.float64]) -> Any:
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


# Places of the Grams in vectors: squares at x, the product, squares at z, the tangent product.
P, C, R, T = range(4)


@dataclass(frozen=True, eq=False)
class FiniteWidth:
    """What is added to the limit at finite width, to first order in 1/width.

    Parameters
    ----------
    bias : numpy.ndarray, shape (n, k)
        Of the Gram's mean.
    variance : numpy.ndarray, shape (n, k)
        Of the Gram's entries, over draws.
    """

    bias: Any
    variance: Any


@dataclass(frozen=True, eq=False)
class State:
    """Limits of the Grams of one layer; of the tangent features too, and their squares."""

    p: Any
    c: Any
    r: Any
    tangent: tuple[Any, Any, Any] | None = None

    @property
    def size(self) -> int:
        """How many Grams there are."""
        return 3 if self.tangent is None else 4


@dataclass(frozen=True, eq=False)
class Local:
    """One layer at its limit: the next state, and F to second order.

    `hessians` holds those components of F that are not linear; `units` is the covariance C.
    """

    after: State
    jacobian: Any
    hessians: dict[int, Any]
    units: Any


def expand(layer: Callable[[State], Local], widths: tuple[int, ...], state: State) -> FiniteWidth:
    """Go through the layers from the state of the first projections, which does not vary."""
    size = state.size
    mean, spread = np.zeros((*state.c.shape, size)), np.zeros((*state.c.shape, size, size))
    for width in widths:
        at = layer(state)
        mean = np.einsum("...ij,...j->...i", at.jacobian, mean)
        for row, hessian in at.hessians.items():
            mean[..., row] += 0.5 * np.sum(hessian * spread, axis=(-2, -1))
        passed = at.jacobian @ spread @ np.swapaxes(at.jacobian, -1, -2)
        spread = passed + at.units / width
        state = at.after
    which = C if state.tangent is None else T
    return FiniteWidth(mean[..., which], spread[..., which, which])


def symmetric(like: Array | ModuleType, size: int, entries: dict[tuple[int, int], Any]) -> Any:
    """Return symmetric matrices with these entries, for the pairs of `like`."""
    out = np.zeros((*like.shape, size, size))
    for (i, j), value in entries.items():
        out[..., i, j] = out[..., j, i] = value
    return out


# Pairs per block: 30 MB of what one layer with tangents keeps of them.
_PAIRS = 1 << 14


def finite_width(phi: DeepFeatures, X: Array, Y: Array | None = None) -> FiniteWidth:
    r"""Compute bias and variance of the Gram of a network to first order in 1/width.

    .. math:: E\langle\Phi(x), \Phi(z)\rangle = \Sigma_{L+1} + \mathrm{bias} + O(n^{-2})

    Parameters
    ----------
    phi : DeepFeatures
        A network of maxout or of units of degree 1, such as ReLU, or its tangent features.
    X : array, shape (n, d)
        Rows, none of them zero without biases, whose fourth powers are floats.
    Y : array, shape (k, d), optional
        Rows; ``None`` stands for `X`.

    Returns
    -------
    FiniteWidth
        NumPy arrays of float64, (n, k).

    Notes
    -----
    The next terms are of order :math:`n^{-2}`, n the least width, at each pair of rows that are
    not parallel; they grow as the angle falls, and with depth: depth over width has to be
    small. Proof: :doc:`/theorems/depth-finite-width`. In closed forms and tables on the host:
    about 1 microsecond a pair and layer, in blocks of rows that hold 30 MB.

    References
    ----------
    Expansions in 1/width: Yaida (2020); Hanin, Nica (2020) for ReLU's lengths.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.proofs_checks.experiments.depth import finite_width
    >>> phi = mehler.DeepFeatures.draw(2, (50, 50), activation="maxout", pool_size=4, seed=0)
    >>> expansion = finite_width(phi, np.eye(2))
    >>> bool(expansion.bias[0, 0] == 0.0), bool(expansion.bias[0, 1] < 0.0)
    (True, True)
    """
    limit, widths, n_inputs = phi.limit, phi.widths, phi.n_inputs
    tangent = isinstance(phi, TangentFeatures)
    x = _host_rows(X, "X", n_inputs)
    y = x if Y is None else _host_rows(Y, "Y", n_inputs)
    w, b = limit.weight_variance, limit.bias_variance
    for name, rows in (("X", x), ("Y", y)):
        if b == 0.0 and not np.all(np.any(rows, axis=1)):
            raise ValueError(
                f"{name} has a row of zeros, which has no correlation without biases: leave it out"
            )
    layer = _layer_of(limit.layer, w, b)
    result = FiniteWidth(*(np.empty((len(x), len(y))) for _ in range(2)))
    with np.errstate(all="ignore"):
        squares, right = ((w * np.sum(one**2, axis=1) / n_inputs + b) for one in (x, y))
        for rows in _arrays.slices(len(x), max(1, _PAIRS // max(1, len(y)))):
            c = w * (x[rows] @ y.T) / n_inputs + b
            p = np.broadcast_to(squares[rows, None], c.shape)
            r = np.broadcast_to(right[None], c.shape)
            part = expand(layer, widths, State(p, c, r, (c, p, r) if tangent else None))
            result.bias[rows], result.variance[rows] = part.bias, part.variance
    if not (np.all(np.isfinite(result.bias)) and np.all(np.isfinite(result.variance))):
        raise ValueError(
            "X or Y has rows whose fourth powers are no floats after some layer: scale the rows"
        )
    return result


def _layer_of(layer: Layer, weight: float, bias: float) -> Callable[[State], Local]:
    """Return the expansion of a layer of maxout or of units of degree 1; else ValueError."""
    moments: Callable[[Any], Moments]
    if isinstance(layer, Maxout):
        moments = functools.partial(maxout_moments, q=layer.q)
    elif layer.second is not None:
        sides = layer.activation.sides()
        moments = functools.partial(sided_moments, right=sides.right, left=sides.left)
    else:
        raise ValueError(
            f"{layer.activation.title} has no expansion in 1/width here, which maxout and units of "
            "degree 1 have, such as relu: take the mean of gram(X) over many seeds"
        )
    return functools.partial(of_degree_one, moments, weight, bias)


def _host_rows(rows: Array, name: str, n_inputs: int) -> Any:
    """Return checked rows as float64 on the host."""
    _arrays.require_matrix(rows, name=name)
    if rows.shape[1] != n_inputs:
        raise ValueError(f"{name} has {rows.shape[1]} columns; the map takes {n_inputs}")
    return np.asarray(_arrays.to_host(rows), dtype=np.float64)
