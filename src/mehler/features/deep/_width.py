"""Moments of features of finite widths: series of what a layer does, and their sums at rows."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.exact.activations import Activation, coefficients
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


# What the last terms may be of the largest, before the sum is called unfinished.
_LEFT = 1e-9
_LAST = 16
_EQUAL = 1e-12


def of_series(
    activation: Activation, weight: float, bias: float, state: State, *, first: int = 0
) -> Local:
    """Return F and its like at the limit; ValueError where the series has not converged.

    `first` is the row of X where the pairs of `state` begin, for that error.
    """
    sums = _Sums(activation, state)
    p, r, w = state.p, state.r, weight
    squares = sums.squares
    product = sums.of(1, 0, 1, 0)
    jacobian = np.zeros((*product.shape, 3, 3))
    jacobian[..., P, P], jacobian[..., R, R] = (w * squares[one][1] for one in (P, R))
    gradient = {
        P: 0.5 * sums.of(1, 2, 1, 0),
        C: sums.of(1, 1, 1, 1),
        R: 0.5 * sums.of(1, 0, 1, 2),
    }
    for i, value in gradient.items():
        jacobian[..., C, i] = w * value
    both = sums.of(1, 2, 1, 2)
    second = {
        (P, P): 0.25 * sums.of(1, 4, 1, 0),
        (R, R): 0.25 * sums.of(1, 0, 1, 4),
        (P, R): 0.25 * both,
        (C, C): both,
        (P, C): 0.5 * sums.of(1, 3, 1, 1),
        (C, R): 0.5 * sums.of(1, 1, 1, 3),
    }
    mean = {P: squares[P][0], R: squares[R][0]}
    together = sums.of(2, 0, 2, 0)
    units = {
        (P, P): squares[P][3] - mean[P] ** 2,
        (R, R): squares[R][3] - mean[R] ** 2,
        (P, R): together - mean[P] * mean[R],
        (C, C): together - product**2,
        (P, C): sums.of(3, 0, 1, 0) - mean[P] * product,
        (C, R): sums.of(1, 0, 3, 0) - mean[R] * product,
    }
    after = State(w * mean[P] + bias, w * product + bias, w * mean[R] + bias)
    hessians = {
        one: w * symmetric(product, 3, {(one, one): squares[one][2] + 0.0 * product})
        for one in (P, R)
    }
    hessians[C] = w * symmetric(product, 3, second)
    equal = (np.abs(state.c - p) <= _EQUAL * p) & (np.abs(r - p) <= _EQUAL * p)
    sums.require_converged(~equal, first)
    return _with_squares(
        Local(after, jacobian, hessians, w**2 * symmetric(product, 3, units)), equal
    )


def _with_squares(found: Local, equal: Any) -> Local:
    """Give the product of equal rows what their square has, which is one integral."""
    found.jacobian[equal, C, :] = found.jacobian[equal, P, :]
    found.hessians[C][equal, ...] = found.hessians[P][equal, ...]
    found.units[equal, ...] = found.units[equal, P, P][:, None, None]
    after = found.after
    product = np.where(equal, after.p, after.c)
    return Local(State(after.p, product, after.r), found.jacobian, found.hessians, found.units)


class _Sums:
    """Expectations of derivatives of powers of the activation, at the pairs of a state."""

    def __init__(self, activation: Activation, state: State) -> None:
        x, z = np.sqrt(state.p), np.sqrt(state.r)
        self._name = activation.title
        self._scales, where = np.unique(np.concatenate([x.ravel(), z.ravel()]), return_inverse=True)
        self._sides = where[: x.size].reshape(x.shape), where[x.size :].reshape(z.shape)
        self._rho = np.clip(state.c / (x * z), -1.0, 1.0)
        self._left = np.zeros(x.shape)

        def power_of(power: int) -> Any:
            return coefficients(lambda t: activation.on_host(t) ** power, self._scales)

        found = {power: power_of(power) for power in (1, 2, 3)}
        self._c = {power: one.c * one.size[:, None] for power, one in found.items()}
        squares = {power: one.second * one.size**2 for power, one in found.items()}
        self._root = {power: one**0.5 for power, one in squares.items()}
        slopes = 0.5 * self._derived(2, 2)[:, 0]
        bends = 0.25 * self._derived(2, 4)[:, 0]
        # Of each side: the mean square, two derivatives of it in the variance, and E a^4.
        self.squares = {
            one: tuple(values[which] for values in (squares[1], slopes, bends, squares[2]))
            for one, which in zip((P, R), self._sides, strict=True)
        }

    def _derived(self, power: int, order: int) -> Any:
        """Return coefficients of a derivative of a power."""
        c = self._c[power]
        k = np.arange(c.shape[1] - order, dtype=np.float64)
        factor = np.prod([k + i for i in range(1, order + 1)], axis=0) ** 0.5
        return c[:, order:] * factor / self._scales[:, None] ** order

    def of(self, power: int, order: int, other_power: int, other_order: int) -> Any:
        """Compute the mean product of two derivatives of powers."""
        left, right = self._derived(power, order), self._derived(other_power, other_order)
        x, z = self._sides
        terms = min(left.shape[1], right.shape[1])
        total, last = np.zeros(self._rho.shape), np.zeros(self._rho.shape)
        # What the product is like, in case that all terms are rounding.
        largest = (self._root[power] / self._scales**order)[x]
        largest = largest * (self._root[other_power] / self._scales**other_order)[z]
        factor = np.ones(self._rho.shape)
        for k in range(terms):
            term = factor * left[x, k] * right[z, k]
            total += term
            size = np.abs(term)
            np.maximum(largest, size, out=largest)
            if k >= terms - _LAST:
                np.maximum(last, size, out=last)
            factor *= self._rho
        self._left = np.maximum(self._left, last / np.where(largest > 0.0, largest, 1.0))
        return total

    def require_converged(self, which: Any, first: int) -> None:
        """Raise if the sums of these pairs, of rows from `first` on, are unfinished."""
        bad = which & (self._left > _LEFT)
        if np.any(bad):
            i, j = (int(one[0]) for one in np.nonzero(bad))
            raise ValueError(
                f"rows {first + i} of X and {j} of Y, of correlation {self._rho[i, j]:.6g} in "
                f"some layer, are too nearly parallel for the series of {self._name}: leave one of "
                "them out"
            )


# Pairs per block: 30 MB of what one layer with tangents keeps of them. Series compute the
# coefficients of all columns anew for each block, so theirs are larger: 270 MB.
_PAIRS, _PAIRS_OF_SERIES = 1 << 14, 1 << 17


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
    most = _PAIRS_OF_SERIES if limit.layer.second is None else _PAIRS
    found = FiniteWidth(*(np.empty((len(x), len(y))) for _ in range(2)))
    with np.errstate(all="ignore"):
        squares, right = ((w * np.sum(one**2, axis=1) / n_inputs + b) for one in (x, y))
        for rows in _arrays.slices(len(x), max(1, most // max(1, len(y)))):
            c = w * (x[rows] @ y.T) / n_inputs + b
            p = np.broadcast_to(squares[rows, None], c.shape)
            r = np.broadcast_to(right[None], c.shape)
            layer = _layer_of(limit.layer, w, b, tangent=tangent, first=rows.start)
            part = expand(layer, widths, State(p, c, r, (c, p, r) if tangent else None))
            found.bias[rows], found.variance[rows] = part.bias, part.variance
    if not (np.all(np.isfinite(found.bias)) and np.all(np.isfinite(found.variance))):
        raise ValueError(
            "X or Y has rows whose fourth powers are no floats after some layer: scale the rows"
        )
    return found


def _layer_of(
    layer: Layer, weight: float, bias: float, *, tangent: bool, first: int
) -> Callable[[State], Local]:
    """Return the expansion of one layer at rows from `first` on; ValueError without one."""
    if isinstance(layer, Maxout):
        moments = functools.partial(maxout_moments, q=layer.q)
        return functools.partial(of_degree_one, moments, weight, bias)
    assert isinstance(layer, Elementwise)
    activation = layer.activation
    if layer.second is not None:
        sides = activation.sides()
        moments = functools.partial(sided_moments, right=sides.right, left=sides.left)
        return functools.partial(of_degree_one, moments, weight, bias)
    if tangent:
        raise ValueError(
            f"{activation.title} has no expansion of tangent features in 1/width here: it is known "
            "for maxout and units of degree 1, such as relu"
        )
    return functools.partial(of_series, activation, weight, bias, first=first)


def _host_rows(rows: Any, name: str, n_inputs: int) -> Any:
    """Return checked rows as float64 on the host."""
    _arrays.require_matrix(rows, name=name)
    if rows.shape[1] != n_inputs:
        raise ValueError(f"{name} has {rows.shape[1]} columns; the map takes {n_inputs}")
    return np.asarray(_arrays.to_host(rows), dtype=np.float64)
