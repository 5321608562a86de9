"""Kernels of deep networks, layer by layer: covariances of pairs of rows, and their errors.

At two rows, the inputs of a layer are Gaussians u, v of standard deviations s_x, s_y (scales) and
correlation rho. `Pairs` hold them, with `near` = 1 - rho and `far` = 1 + rho (gaps), which have
digits that rho loses at nearly equal or opposite rows. A layer, `Maxout` or `Elementwise`, has the
moment E a(u) a(v) of its units a and the slope E a'(u) a'(v) of their gradients. The moment gives
the covariance of the next layer. Units of degree 1, a(c u) = c a(u), compute its gaps directly.
"""

import dataclasses
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_integer
from mehler.exact import (
    LARGEST_POOL,
    collision_slope,
    evaluate_at_angle,
    kernel_at,
    pool_table,
    second_moment_at,
    sigma2,
)
from mehler.exact.activations import Activation, Cache, Pairs, arc_cosine
from mehler.features import _correlation
from mehler.features._correlation import SplitRows, gaussian_pairs

_PAIRS = 1 << 16  # pairs per block: 512 KiB of float64 an array
_FEW = 1 << 10  # rows: of more, a series interpolates


def over_pairs(function: Callable[[Pairs], list[Array]], x: Array, y: Array | None) -> list[Array]:
    """Apply a function of the pairs of rows, (n, k), that makes matrices of their shape."""
    xp, symmetric = _arrays.array_namespace(x), y is None
    n, k = x.shape[0], (x if y is None else y).shape[0]
    if not _arrays.may_be_written(x) or n * k <= _PAIRS:
        matrices = function(gaussian_pairs(x, y))
        if symmetric:
            matrices = [0.5 * (matrix + xp.matrix_transpose(matrix)) for matrix in matrices]
        return matrices
    out: list[Any] = []
    left = SplitRows(x)
    right = left if y is None else SplitRows(y)
    size = max(1, _PAIRS // k)
    if y is not None and size < _FEW:
        # Scales of few rows at a time would cost a quadrature each.
        function(left.paired(right[:1], diagonal=False))
    for rows in _arrays.slices(n, size):
        columns = slice(rows.start, k) if symmetric else slice(0, k)
        matrices = function(left[rows].paired(right[columns], diagonal=symmetric))
        out = out or [np.empty((n, k)) for _ in matrices]
        for whole, values in zip(out, matrices, strict=True):
            whole[rows, columns] = values
            if symmetric:
                square = whole[rows, rows]
                square[...] = 0.5 * (square + square.T)
                whole[rows.stop :, rows] = values[:, rows.stop - rows.start :].T
    return out


Moment = tuple[Array, Array]  # means, and bounds of their errors

# Errors of the tables, relative: stated by exact.maxout_kernel and exact.collision_probability.
_TABLE = {"float64": 1e-13, "float32": 1e-5}
_ROUNDINGS = 64.0


@dataclass(frozen=True)
class Maxout:
    """Units a(g), the largest of q projections g: `second` is E a(g)^2, `growth` the degree."""

    q: int
    growth = 1

    @functools.cached_property
    def second(self) -> float:
        """E max^2."""
        return sigma2(self.q)

    def moment(self, pairs: Pairs) -> Moment:
        """Compute s_x s_y K_q(rho), s the standard deviations of rows, K_q the maxout kernel."""
        scale = pairs.x_scale * pairs.y_scale
        if self.q == 1:
            value = scale * pairs.rho
            if pairs.differentiable:
                value = _arrays.graft(value, pairs.product)
        elif self.q == 2:
            value = 2.0 * scale * arc_cosine(pairs.rho, pairs.near, pairs.far, 1)
        else:
            table = pool_table(self.q)
            value = scale * _arrays.with_derivative(
                lambda rho, near, far: evaluate_at_angle(table.kernel, angle_of(near, far)),
                self._collision,
                pairs.rho,
                pairs.near,
                pairs.far,
            )
        if self.q > 1 and pairs.differentiable:
            # At a row of zeros nothing but the linear part has a derivative.
            linear = pairs.xp.where(scale == 0.0, pairs.product, pairs.xp.zeros_like(value))
            value = value + linear / self.q
        return value, self._relative(pairs) * self.second * scale * pairs.xp.ones_like(value)

    def slope(self, pairs: Pairs) -> Moment:
        """Compute kappa_q(rho), the chance of equal winners: only there gradients agree."""
        value = self._collision(pairs.rho, pairs.near, pairs.far)
        return value, self._relative(pairs) * pairs.xp.ones_like(value)

    def gaps(self, pairs: Pairs) -> tuple[Array, Array]:
        """Compute the gaps 1 -+ K(rho)/K(1); `near` and `far` of pairs are 1 - rho and 1 + rho."""
        if self.q == 1:
            return pairs.near, pairs.far
        if self.q == 2:
            near = arc_gap(pairs.near, pairs.far, 1.0, 1.0 / math.pi)
            return near, 1.0 + 2.0 * arc_cosine(pairs.rho, pairs.near, pairs.far, 1)
        table, theta = pool_table(self.q), angle_of(pairs.near, pairs.far)
        near = pairs.near * evaluate_at_angle(table.gap, theta) / self.second
        return near, 2.0 - near

    def units(self, xp: ModuleType, rows: Array, weights: Array) -> Array:
        return _arrays.products(xp, rows, weights).largest()

    def variance(self, pairs: Pairs) -> Array:
        """Compute the variance of the product of a unit at two rows."""
        if self.q == 1:
            spread = 1.0 + pairs.rho * pairs.rho
        else:
            kernel = kernel_at(pairs.rho, self.q)
            spread = second_moment_at(pairs.rho, self.q) - kernel * kernel
        return (pairs.x_scale * pairs.y_scale) ** 2 * spread

    def _collision(self, rho: Array, near: Array, far: Array) -> Array:
        """Compute kappa_q(rho), the chance that one projection is largest at both rows."""
        if self.q == 1:
            return _arrays.array_namespace(rho).ones_like(rho)
        if self.q == 2:
            return 2.0 * arc_cosine(rho, near, far, 0)
        table = pool_table(self.q)

        def value(rho: Array, near: Array, far: Array) -> Array:
            collision = evaluate_at_angle(table.kappa, angle_of(near, far))
            return _arrays.array_namespace(rho).clip(collision, 0.0, 1.0)

        def slope(rho: Array, *_: Array) -> Array:
            return collision_slope(rho, self.q)

        return _arrays.with_derivative(value, slope, rho, near, far)

    def _relative(self, pairs: Pairs) -> float:
        return (
            _ROUNDINGS * pairs.eps if self.q <= 2 else _TABLE[_arrays.dtype_name(pairs.rho.dtype)]
        )


@dataclass(frozen=True)
class Elementwise:
    """Units that apply an activation to one projection; `caches`: its series, and its slope's."""

    activation: Activation
    caches: tuple[Cache, Cache] | tuple[None, None] = field(default=(None, None), compare=False)

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
        """Compute E a(u) a(v), u and v the normal projections of two rows."""
        return self.activation.moment(pairs, 1, cache=self.caches[0])

    def slope(self, pairs: Pairs) -> Moment:
        """Compute E a'(u) a'(v)."""
        return self.activation.slope.moment(pairs, 1, cache=self.caches[1])

    def gaps(self, pairs: Pairs) -> tuple[Array, Array]:
        """Compute 1 -+ F(rho)/F(1), F = E a(u) a(v), each from the gap that is small with it."""
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

    def units(self, xp: ModuleType, rows: Array, weights: Array) -> Array:
        return self.activation(xp, next(_arrays.products(xp, rows, weights)))


Layer: TypeAlias = Maxout | Elementwise


def angle_of(near: Array, far: Array) -> Array:
    """Compute the angle from both gaps, to relative accuracy at both ends."""
    xp = _arrays.array_namespace(near)
    return 2.0 * xp.atan2(near**0.5, far**0.5)


def arc_gap(near: Array, far: Array, linear: float, bend: float) -> Array:
    r"""Compute linear (1 - cos t) - bend (sin t - t cos t), t the angle of the pair."""
    xp = _arrays.array_namespace(near)
    sine, cosine = (near * far) ** 0.5, 0.5 * (far - near)
    t = xp.atan2(sine, cosine)
    bent = sine - t * cosine
    small = t < 0.5
    bent = _arrays.replaced(small, bent, _bent_near_zero, t)
    return linear * near - bend * bent


def _bent_near_zero(t: Array) -> Array:
    """Compute sin t - t cos t below 1/2; the first neglected term is below 1e-17 of the first."""
    square, series = t * t, 0.0 * t
    for k in range(9, 0, -1):
        series = (2 * k) / math.factorial(2 * k + 1) - series * square
    return series * square * t


@dataclass(frozen=True, eq=False)
class Step:
    """The output of a layer: covariances and products of gradients, with errors."""

    covariance: Array
    covariance_error: Array
    slope: Array | None
    slope_error: Array | None


@dataclass(frozen=True, eq=False)
class Following:
    """The pairs of the next layer, and the relative errors of the formulas of their scales."""

    pairs: Pairs
    x_error: Array
    y_error: Array


def first_pairs(x: Array, y: Array | None, weight: float, bias: float) -> Pairs:
    """Return the pairs of the first layer, whose fan-in is the number of columns."""
    right = None if y is None else inputs(y, weight, bias)
    return _correlation.gaussian_pairs(inputs(x, weight, bias), right)


def inputs(rows: Array, weight: float, bias: float) -> Array:
    """Scale rows, and append the bias, so that products of rows are covariances."""
    rows = rows * (weight / rows.shape[1]) ** 0.5
    if bias == 0.0:
        return rows
    xp = _arrays.array_namespace(rows)
    return xp.concat([rows, bias**0.5 * xp.ones_like(rows[:, :1])], axis=1)


def step(layer: Layer, pairs: Pairs, weight: float, bias: float, *, tangent: bool) -> Step:
    """Return covariances, and slopes for the tangent kernel, that a layer passes to the next."""
    value, error = layer.moment(pairs)
    slope, slope_error = layer.slope(pairs) if tangent else (None, None)
    return Step(weight * value + bias, weight * error, slope, slope_error)


def following(
    layer: Layer, pairs: Pairs, covariance: Array, weight: float, bias: float
) -> Following:
    """Return the pairs of the next layer from those of this one and their covariances."""
    if layer.second is not None:
        x, y, near, far = _of_degree_one(layer, pairs, weight, bias)
        # Scales: the root of a sum of squares.
        x_error = y_error = 4.0 * pairs.eps + 0.0 * pairs.x_scale[:1, :1]
    else:
        (x, x_error), (y, y_error) = (
            _scale(layer, pairs, s, weight, bias) for s in (pairs.x_scale, pairs.y_scale)
        )
        near, far = _gaps(pairs, covariance, x, y)
    return Following(_with_derivative(gap_pairs(near, far, x, y), covariance), x_error, y_error)


def gap_error(layer: Layer, pairs: Pairs, at: Step, after: Following, weight: float) -> Array:
    """Bound the error of the formula of the next 1 - rho, at exact inputs."""
    near = after.pairs.near
    if layer.second is not None:
        # Gaps: products, and the unit's own.
        size = weight * layer.second * divisor(pairs.x_scale * pairs.y_scale)
        return (at.covariance_error / size + 16.0 * pairs.eps) * near
    relative = at.covariance_error / divisor(after.pairs.x_scale * after.pairs.y_scale)
    error = relative + after.x_error + after.y_error + 4.0 * pairs.eps
    return pairs.xp.where(near == 0.0, pairs.xp.zeros_like(near), error)


def _of_degree_one(layer: Layer, pairs: Pairs, weight: float, bias: float) -> Any:
    """Return scales and gaps of the next layer for units of degree 1."""
    near, far = layer.gaps(pairs)
    factor = (weight * (layer.second or 0.0)) ** 0.5
    x, y = factor * pairs.x_scale, factor * pairs.y_scale
    if bias == 0.0:
        return x, y, near, far
    x_all, y_all = (pairs.xp.hypot(s, bias**0.5 * pairs.xp.ones_like(s)) for s in (x, y))
    # Cosines and sines of the angles between the bias and the whole.
    u, v, a, b = x / x_all, y / y_all, bias**0.5 / x_all, bias**0.5 / y_all
    near = u * v * near + (u * b - v * a) ** 2 / (1.0 + u * v + a * b)
    far = u * v * far + (a + b) ** 2 / (1.0 + u * v + a * b)
    return x_all, y_all, near, far


def _scale(layer: Layer, pairs: Pairs, scale: Array, weight: float, bias: float) -> Any:
    """Return the standard deviations of rows in the next layer, and their relative error."""
    ones = pairs.xp.ones_like(scale)
    value, error = layer.moment(Pairs(ones, 0.0 * ones, 2.0 * ones, scale, scale))
    variance = weight * value + bias
    positive = variance > 0.0
    safe = pairs.xp.where(positive, variance, ones)
    root = pairs.xp.where(positive, safe**0.5, 0.0 * ones)
    return root, 0.5 * weight * error / safe + 4.0 * pairs.eps


def _gaps(pairs: Pairs, covariance: Array, x: Array, y: Array) -> Any:
    """Return 1 - rho and 1 + rho by subtraction; equal rows stay equal."""
    xp = pairs.xp
    rho = xp.clip(covariance / divisor(x * y), -1.0, 1.0)
    same = (pairs.near == 0.0) & (pairs.x_scale == pairs.y_scale) & (x * y > 0.0)
    near = xp.where(same, xp.zeros_like(rho), 1.0 - rho)
    return near, xp.where(same, 2.0 * xp.ones_like(rho), 1.0 + rho)


def _with_derivative(pairs: Pairs, covariance: Array) -> Pairs:
    """Return pairs with the derivatives of their covariance."""
    if not _arrays.differentiable(covariance, pairs.x_scale, pairs.y_scale):
        return dataclasses.replace(pairs, covariance=covariance)
    plain = covariance / divisor(pairs.x_scale * pairs.y_scale)
    rho, near, far = (
        _arrays.graft(_arrays.constant(value), on)
        for value, on in ((pairs.rho, plain), (pairs.near, -plain), (pairs.far, plain))
    )
    return Pairs(rho, near, far, pairs.x_scale, pairs.y_scale, covariance=covariance)


def gap_pairs(near: Array, far: Array, x: Array, y: Array) -> Pairs:
    """Return pairs of these gaps: the smaller one has the digits."""
    xp = _arrays.array_namespace(near)
    rho = xp.clip(xp.where(near < far, 1.0 - near, far - 1.0), -1.0, 1.0)
    return Pairs(rho, near, far, x, y)


def divisor(x: Array) -> Array:
    """Return x, and 1 instead of 0."""
    xp = _arrays.array_namespace(x)
    return xp.where(x > 0.0, x, xp.ones_like(x))


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of pairs: of 1 - rho, and of both scales relative to them."""

    near: Array
    x: Array
    y: Array


def first_errors(pairs: Pairs, n_columns: int) -> Errors:
    """Bound the rounding of the first layer: angles to a few eps, norms as sums of squares."""
    eps = pairs.eps
    near = 8.0 * eps * pairs.near**0.5 + (4.0 + n_columns) * eps**1.5
    # Equal rows are exact.
    near = pairs.xp.where(pairs.near == 0.0, pairs.xp.zeros_like(near), near)
    scale = 0.5 * (n_columns + 8) * eps
    return Errors(near, scale + 0.0 * pairs.x_scale, scale + 0.0 * pairs.y_scale)


def product_error(pairs: Pairs, errors: Errors) -> Array:
    """Bound the error of s_x s_y rho."""
    return pairs.x_scale * pairs.y_scale * (errors.x + errors.y + errors.near + 4.0 * pairs.eps)


def errors_after(
    layer: Layer, pairs: Pairs, errors: Errors, at: Step, weight: float, bias: float
) -> tuple[Errors, Array, Any]:
    """Return errors of the next pairs, of their covariance and of the slope, to first order."""
    xp = pairs.xp
    tangent = at.slope is not None
    next_pairs = following(layer, pairs, at.covariance, weight, bias)

    def parts(at: Step, then: Pairs) -> list[Array]:
        values = [at.covariance, then.near, then.x_scale, then.y_scale]
        return values if at.slope is None else [*values, at.slope]

    here = parts(at, next_pairs.pairs)

    def changes(inputs: Pairs) -> list[Any]:
        output = step(layer, inputs, weight, bias, tangent=tangent)
        then = following(layer, inputs, output.covariance, weight, bias).pairs
        there = parts(output, then)
        return [xp.abs(after - before) for before, after in zip(here, there, strict=True)]

    closer, further = (changes(_at_angle(pairs, by)) for by in (-errors.near, errors.near))
    total = [xp.maximum(*sides) for sides in zip(closer, further, strict=True)]
    x, y = pairs.x_scale * (1.0 + errors.x), pairs.y_scale * (1.0 + errors.y)
    by_scales = (
        changes(dataclasses.replace(pairs, covariance=None, x_scale=s, y_scale=t))
        for s, t in ((x, pairs.y_scale), (pairs.x_scale, y), (x, y))
    )
    # The scales of equal rows are one number, and move together.
    same = (pairs.near == 0.0) & (pairs.x_scale == pairs.y_scale)
    total = [
        error + (xp.where(same, both, left + right) if error.shape == same.shape else left + right)
        for error, left, right, both in zip(total, *by_scales, strict=True)
    ]
    covariance, near, x, y, *slope = total
    then = next_pairs.pairs
    near = near + gap_error(layer, pairs, at, next_pairs, weight)
    near = xp.where(then.near == 0.0, xp.zeros_like(near), near)
    x = x / divisor(then.x_scale) + next_pairs.x_error
    y = y / divisor(then.y_scale) + next_pairs.y_error
    slope_error = slope[0] + at.slope_error if slope else None
    return Errors(near, x, y), covariance + at.covariance_error, slope_error


def _at_angle(pairs: Pairs, by: Array) -> Pairs:
    """Return pairs with 1 - rho larger by so much."""
    near, far = (pairs.xp.clip(gap, 0.0, 2.0) for gap in (pairs.near + by, pairs.far - by))
    return gap_pairs(near, far, pairs.x_scale, pairs.y_scale)


def critical_weight_variance(pool_size: int, *, dps: int | None = None) -> Any:
    r"""Compute the weight variance that keeps the mean square of signals in a maxout network.

    .. math:: \sigma_w^2 = 1/\sigma^2(q), \qquad \sigma^2(q) = E\,(\max_{j\le q}g_j)^2

    With weights :math:`N(0, \sigma_w^2/\text{fan-in})` and no biases the mean square of a layer's
    units is the same in every layer, on average over weights exactly and at any width. It is a
    property of maxout alone: ReLU's is 2.

    Parameters
    ----------
    pool_size : int
        Pool size q, 1 to 10^6 in float64.
    dps : int, optional
        Decimal digits; then the result is an mpmath number.

    Returns
    -------
    float or mpmath.mpf
        Relative error at most 1e-13 in float64.

    Notes
    -----
    Gradients shrink by :math:`\sigma_w^2` a layer in mean square, so that for q > 2 no variance
    keeps both: :doc:`/depth`, with the proofs and a table. He and others (2015) for ReLU; Tseran,
    Montufar (2023) for maxout.

    Examples
    --------
    >>> from mehler.features.deep import critical_weight_variance
    >>> round(critical_weight_variance(4), 10)
    0.6446086339
    """
    most = LARGEST_POOL if dps is None else None
    return 1 / sigma2(require_integer("pool_size", pool_size, most=most), dps=dps)
