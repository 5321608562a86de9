"""Moments of features of finite widths: one layer to second order, and layers in turn."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.features.deep._layers import Elementwise, Layer, Maxout
from mehler.features.deep._width_moments import (
    PARALLEL,
    Moments,
    maxout_moments,
    sided_moments,
)


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


def symmetric(like: Any, size: int, entries: dict[tuple[int, int], Any]) -> Any:
    """Return symmetric matrices with these entries, for the pairs of `like`."""
    out = np.zeros((*like.shape, size, size))
    for (i, j), value in entries.items():
        out[..., i, j] = out[..., j, i] = value
    return out


# Pairs per block: 30 MB of what one layer with tangents keeps of them.
_PAIRS = 1 << 14


def of_rows(
    limit: Any, widths: tuple[int, ...], X: Any, Y: Any, n_inputs: int, *, tangent: bool
) -> FiniteWidth:
    """Expand the Gram of rows of a map with the limit of a DeepKernel."""
    x = _host_rows(X, "X", n_inputs)
    y = x if Y is None else _host_rows(Y, "Y", n_inputs)
    w, b = limit.weight_variance, limit.bias_variance
    for name, rows in (("X", x), ("Y", y)):
        if b == 0.0 and not np.all(np.any(rows, axis=1)):
            raise ValueError(
                f"{name} has a row of zeros, which has no correlation without biases: leave it out"
            )
    layer = _layer_of(limit.layer, w, b)
    found = FiniteWidth(*(np.empty((len(x), len(y))) for _ in range(2)))
    with np.errstate(all="ignore"):
        squares, right = ((w * np.sum(one**2, axis=1) / n_inputs + b) for one in (x, y))
        for rows in _arrays.slices(len(x), max(1, _PAIRS // max(1, len(y)))):
            c = w * (x[rows] @ y.T) / n_inputs + b
            p = np.broadcast_to(squares[rows, None], c.shape)
            r = np.broadcast_to(right[None], c.shape)
            part = expand(layer, widths, State(p, c, r, (c, p, r) if tangent else None))
            found.bias[rows], found.variance[rows] = part.bias, part.variance
    if not (np.all(np.isfinite(found.bias)) and np.all(np.isfinite(found.variance))):
        raise ValueError(
            "X or Y has rows whose fourth powers are no floats after some layer: scale the rows"
        )
    return found


def _layer_of(layer: Layer, weight: float, bias: float) -> Callable[[State], Local]:
    """Return the expansion of a layer of maxout or of units of degree 1; else ValueError."""
    moments: Callable[[Any], Moments]
    if isinstance(layer, Maxout):
        moments = functools.partial(maxout_moments, q=layer.q)
    elif layer.second is not None:
        assert isinstance(layer, Elementwise)
        sides = layer.activation.sides()
        moments = functools.partial(sided_moments, right=sides.right, left=sides.left)
    else:
        assert isinstance(layer, Elementwise)
        raise ValueError(
            f"{layer.activation.title} has no expansion in 1/width here, which maxout and units of "
            "degree 1 have, such as relu: take the mean of gram(X) over many seeds"
        )
    return functools.partial(of_degree_one, moments, weight, bias)


def _host_rows(rows: Any, name: str, n_inputs: int) -> Any:
    """Return checked rows as float64 on the host."""
    _arrays.require_matrix(rows, name=name)
    if rows.shape[1] != n_inputs:
        raise ValueError(f"{name} has {rows.shape[1]} columns; the map takes {n_inputs}")
    return np.asarray(_arrays.to_host(rows), dtype=np.float64)
