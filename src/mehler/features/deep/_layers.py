"""Layers of deep kernels and networks, and products of their rows."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mehler import _arrays
from mehler.exact import (
    collision_slope,
    evaluate_at_angle,
    kernel_at,
    pool_table,
    second_moment_at,
    sigma2,
)
from mehler.exact.activations import Activation, Pairs, arc_cosine
from mehler.features._correlation import SplitRows, gaussian_pairs
from mehler.features.maxout._maxout import largest
from mehler.features.projections._base import products

# Pairs per block: 512 KiB of float64 an array.
_PAIRS = 1 << 16


def over_pairs(
    function: Callable[[Pairs], list[_arrays.Array]], x: _arrays.Array, y: _arrays.Array | None
) -> list[_arrays.Array]:
    """Apply a function of the pairs of rows, (n, k), that makes matrices of their shape."""
    xp, symmetric = _arrays.array_namespace(x), y is None
    n, k = x.shape[0], (x if y is None else y).shape[0]
    if _arrays.namespace_name(xp) != "numpy" or n * k <= _PAIRS:
        found = function(gaussian_pairs(x, y))
        return [0.5 * (one + xp.matrix_transpose(one)) for one in found] if symmetric else found
    out: list[Any] = []
    left = SplitRows(x)
    right = left if y is None else SplitRows(y)
    for rows in _arrays.slices(n, max(1, _PAIRS // k)):
        columns = slice(rows.start, k) if symmetric else slice(0, k)
        found = function(left[rows].paired(right[columns], diagonal=symmetric))
        out = out or [np.empty((n, k)) for _ in found]
        for whole, values in zip(out, found, strict=True):
            whole[rows, columns] = values
            if symmetric:
                square = whole[rows, rows]
                square[...] = 0.5 * (square + square.T)
                whole[rows.stop :, rows] = values[:, rows.stop - rows.start :].T
    return out


Moment = tuple[_arrays.Array, _arrays.Array]

# Errors of the tables, relative: stated by exact.maxout_kernel and exact.collision_probability.
_TABLE = {"float64": 1e-13, "float32": 1e-5}
_ROUNDINGS = 64.0


class Layer(Protocol):
    """A layer: E a(u) a(v) of its units for Gaussian pairs, with an error, and of derivatives."""

    @property
    def second(self) -> float | None:
        """E a(g)^2 if the unit is homogeneous of degree 1, else None."""

    @property
    def growth(self) -> int:
        """The degree of homogeneous units, at least 1."""

    def moment(self, pairs: Pairs) -> Moment:
        """Compute the expected product of a unit."""

    def slope(self, pairs: Pairs) -> Moment:
        """Compute the expected inner product of the unit's gradients."""

    def gaps(self, pairs: Pairs) -> tuple[_arrays.Array, _arrays.Array]:
        """Compute 1 - c and 1 + c for the correlation c of a unit of degree 1, relatively exact."""

    def units(self, xp: Any, rows: _arrays.Array, weights: _arrays.Array) -> _arrays.Array:
        """Evaluate units on rows (n, d), by weights (q, d, m)."""


@dataclass(frozen=True)
class Maxout:
    """The largest of q projections with weights and biases of their own."""

    q: int
    growth = 1

    @functools.cached_property
    def second(self) -> float:
        """E max^2."""
        return sigma2(self.q)

    def moment(self, pairs: Pairs) -> Moment:
        """Compute s_x s_y K_q(rho)."""
        scale = pairs.x_scale * pairs.y_scale
        if self.q == 1:
            value = scale * pairs.rho
            if pairs.differentiable:
                value = _arrays.graft(value, pairs.product)
        elif self.q == 2:
            value = 2.0 * scale * arc_cosine(pairs.rho, pairs.near, pairs.far, 1)
        else:
            table = pool_table(self.q)
            value = scale * self._at_angle(pairs, table.kernel, self._collision)
        if self.q > 1 and pairs.differentiable:
            # At a row of zeros nothing but the linear part has a derivative.
            linear = pairs.xp.where(scale == 0.0, pairs.product, pairs.xp.zeros_like(value))
            value = value + linear / self.q
        return value, self._relative(pairs) * self.second * scale * pairs.xp.ones_like(value)

    def slope(self, pairs: Pairs) -> Moment:
        """Compute kappa_q(rho): the gradients agree where the argmax does."""
        value = self._collision(pairs.rho, pairs.near, pairs.far)
        return value, self._relative(pairs) * pairs.xp.ones_like(value)

    def gaps(self, pairs: Pairs) -> tuple[_arrays.Array, _arrays.Array]:
        """Compute 1 -+ K(rho)/K(1)."""
        if self.q == 1:
            return pairs.near, pairs.far
        if self.q == 2:
            near = arc_gap(pairs.near, pairs.far, 1.0, 1.0 / math.pi)
            return near, 1.0 + 2.0 * arc_cosine(pairs.rho, pairs.near, pairs.far, 1)
        table, theta = pool_table(self.q), angle_of(pairs.near, pairs.far)
        near = pairs.near * evaluate_at_angle(table.gap, theta) / self.second
        return near, 2.0 - near

    def units(self, xp: Any, rows: _arrays.Array, weights: _arrays.Array) -> _arrays.Array:
        """Take the largest projection of each pool."""
        return largest(xp, products(xp, rows, weights))

    def variance(self, pairs: Pairs) -> _arrays.Array:
        """Compute the variance of the product of a unit at two rows."""
        if self.q == 1:
            spread = 1.0 + pairs.rho * pairs.rho
        else:
            kernel = kernel_at(pairs.rho, self.q)
            spread = second_moment_at(pairs.rho, self.q) - kernel * kernel
        return (pairs.x_scale * pairs.y_scale) ** 2 * spread

    def _collision(
        self, rho: _arrays.Array, near: _arrays.Array, far: _arrays.Array
    ) -> _arrays.Array:
        if self.q == 1:
            return _arrays.array_namespace(rho).ones_like(rho)
        if self.q == 2:
            return 2.0 * arc_cosine(rho, near, far, 0)
        table = pool_table(self.q)

        def value(rho: _arrays.Array, near: _arrays.Array, far: _arrays.Array) -> _arrays.Array:
            found = evaluate_at_angle(table.kappa, angle_of(near, far))
            return _arrays.array_namespace(rho).clip(found, 0.0, 1.0)

        def slope(rho: _arrays.Array, *_: _arrays.Array) -> _arrays.Array:
            return collision_slope(rho, self.q)

        return _arrays.with_derivative(value, slope, rho, near, far)

    def _at_angle(self, pairs: Pairs, pieces: Any, slope: Any) -> _arrays.Array:
        return _arrays.with_derivative(
            lambda rho, near, far: evaluate_at_angle(pieces, angle_of(near, far)),
            slope,
            pairs.rho,
            pairs.near,
            pairs.far,
        )

    def _relative(self, pairs: Pairs) -> float:
        return (
            _ROUNDINGS * pairs.eps if self.q <= 2 else _TABLE[_arrays.dtype_name(pairs.rho.dtype)]
        )


@dataclass(frozen=True)
class Elementwise:
    """An activation of one projection."""

    activation: Activation

    @functools.cached_property
    def second(self) -> float | None:
        """E a(g)^2 of a unit of degree 1."""
        if self.activation.waves or self.activation.degree != 1:
            return None
        sides = self.activation.sides()
        # A layer of zeros has no correlations.
        return 0.5 * (sides.right**2 + sides.left**2) or None

    @property
    def growth(self) -> int:
        """The degree, or 1."""
        return max(1, self.activation.degree or 1)

    def moment(self, pairs: Pairs) -> Moment:
        """Compute E a(u) a(v)."""
        return self.activation.moment(pairs, 1)

    def slope(self, pairs: Pairs) -> Moment:
        """Compute E a'(u) a'(v)."""
        return self.activation.slope.moment(pairs, 1)

    def gaps(self, pairs: Pairs) -> tuple[_arrays.Array, _arrays.Array]:
        """Compute 1 -+ c, each from the gap of the pair that is small with it."""
        sides = self.activation.sides()
        a, b = sides.right, sides.left
        squares, product = 0.5 * (a * a + b * b), a * b
        bend = (a + b) ** 2 / (2.0 * math.pi)
        near, far = pairs.near, pairs.far
        ahead = arc_gap(near, far, squares, bend)  # F(1) - F(rho)
        if product == 0.0:
            return (near := ahead / squares), 2.0 - near
        xp = pairs.xp
        behind = arc_gap(far, near, product, bend)  # F(-1) - F(rho)
        below = far < near
        # F(1) -+ F(-1) = (a -+ b)^2 / 2
        near = xp.where(below, 0.5 * (a - b) ** 2 + behind, ahead)
        far = xp.where(below, 0.5 * (a + b) ** 2 - behind, 2.0 * squares - ahead)
        least = xp.zeros_like(near)
        return xp.maximum(near, least) / squares, xp.maximum(far, least) / squares

    def units(self, xp: Any, rows: _arrays.Array, weights: _arrays.Array) -> _arrays.Array:
        """Apply the activation."""
        return self.activation(xp, next(iter(products(xp, rows, weights))))


def angle_of(near: _arrays.Array, far: _arrays.Array) -> _arrays.Array:
    """Compute the angle from both gaps, to relative accuracy at both ends."""
    xp = _arrays.array_namespace(near)
    return 2.0 * xp.atan2(near**0.5, far**0.5)


def arc_gap(near: _arrays.Array, far: _arrays.Array, linear: float, bend: float) -> _arrays.Array:
    r"""Compute linear (1 - cos t) - bend (sin t - t cos t), t the angle of the pair."""
    xp = _arrays.array_namespace(near)
    sine, cosine = (near * far) ** 0.5, 0.5 * (far - near)
    t = xp.atan2(sine, cosine)
    bent = sine - t * cosine
    small = t < 0.5
    if isinstance(bent, np.ndarray) and bent.ndim:
        # Few pairs are near: NumPy computes the series for them alone.
        if small.any():
            bent[small] = _bent_near_zero(t[small])
    else:
        bent = xp.where(small, _bent_near_zero(t), bent)
    return linear * near - bend * bent


def _bent_near_zero(t: _arrays.Array) -> _arrays.Array:
    """Compute sin t - t cos t below 1/2; the first neglected term is below 1e-17 of the first."""
    square, series = t * t, 0.0 * t
    for k in range(9, 0, -1):
        series = (2 * k) / math.factorial(2 * k + 1) - series * square
    return series * square * t
