"""The recursion of pairs through layers, the errors that go with it, and critical variances."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from mehler import _arrays
from mehler._validate import require_integer
from mehler.exact import LARGEST_POOL, sigma2
from mehler.exact.activations import Pairs
from mehler.features import _correlation
from mehler.features.deep._layers import Layer


@dataclass(frozen=True, eq=False)
class Step:
    """What a layer makes of its pairs: covariances, and products of gradients.

    With the errors of its formulas, at exact inputs.
    """

    covariance: _arrays.Array
    covariance_error: _arrays.Array
    slope: _arrays.Array | None
    slope_error: _arrays.Array | None


@dataclass(frozen=True, eq=False)
class Following:
    """The pairs of the next layer, and the relative errors of the formulas of their scales."""

    pairs: Pairs
    x_error: _arrays.Array
    y_error: _arrays.Array


def first(x: _arrays.Array, y: _arrays.Array | None, weight: float, bias: float) -> Pairs:
    """Return the pairs of the first layer, whose fan-in is the number of columns."""
    other = None if y is None else scaled(y, weight, bias)
    return _correlation.gaussian_pairs(scaled(x, weight, bias), other)


def scaled(rows: _arrays.Array, weight: float, bias: float) -> _arrays.Array:
    """Scale rows, and append the bias, so that products of rows are covariances."""
    rows = rows * (weight / rows.shape[1]) ** 0.5
    if bias == 0.0:
        return rows
    xp = _arrays.array_namespace(rows)
    return xp.concat([rows, bias**0.5 * xp.ones_like(rows[:, :1])], axis=1)


def step(layer: Layer, pairs: Pairs, weight: float, bias: float, *, tangent: bool) -> Step:
    """Go from the pre-activations of one layer to the covariances of the next."""
    value, error = layer.moment(pairs)
    slope, slope_error = layer.slope(pairs) if tangent else (None, None)
    return Step(weight * value + bias, weight * error, slope, slope_error)


def following(
    layer: Layer, pairs: Pairs, covariance: _arrays.Array, weight: float, bias: float
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


def gap_error(
    layer: Layer, pairs: Pairs, at: Step, after: Following, weight: float
) -> _arrays.Array:
    """Bound the error of the formula of the next 1 - rho, at exact inputs."""
    near = after.pairs.near
    if layer.second is not None:
        # Gaps: products, and the unit's own.
        size = weight * layer.second * divisor(pairs.x_scale * pairs.y_scale)
        return (at.covariance_error / size + 16.0 * pairs.eps) * near
    own = at.covariance_error / divisor(after.pairs.x_scale * after.pairs.y_scale)
    error = own + after.x_error + after.y_error + 4.0 * pairs.eps
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


def _scale(layer: Layer, pairs: Pairs, scale: _arrays.Array, weight: float, bias: float) -> Any:
    """Return the standard deviations of rows in the next layer, and their relative error."""
    one = pairs.xp.ones_like(scale)
    value, error = layer.moment(Pairs(one, 0.0 * one, 2.0 * one, scale, scale))
    variance = weight * value + bias
    positive = variance > 0.0
    root = pairs.xp.where(positive, variance, one) ** 0.5
    relative = 0.5 * weight * error / pairs.xp.where(positive, variance, one)
    return pairs.xp.where(positive, root, pairs.xp.zeros_like(root)), relative + 4.0 * pairs.eps


def _gaps(pairs: Pairs, covariance: _arrays.Array, x: _arrays.Array, y: _arrays.Array) -> Any:
    """Return 1 - rho and 1 + rho by subtraction; equal rows stay equal."""
    xp = pairs.xp
    rho = xp.clip(covariance / divisor(x * y), -1.0, 1.0)
    same = (pairs.near == 0.0) & (pairs.x_scale == pairs.y_scale) & (x * y > 0.0)
    near = xp.where(same, xp.zeros_like(rho), 1.0 - rho)
    return near, xp.where(same, 2.0 * xp.ones_like(rho), 1.0 + rho)


def _with_derivative(pairs: Pairs, covariance: _arrays.Array) -> Pairs:
    """Return pairs with the derivatives of their covariance."""
    if not _arrays.differentiable(covariance, pairs.x_scale, pairs.y_scale):
        return dataclasses.replace(pairs, covariance=covariance)
    plain = covariance / divisor(pairs.x_scale * pairs.y_scale)
    rho, near, far = (
        _arrays.graft(_arrays.constant(value), on)
        for value, on in ((pairs.rho, plain), (pairs.near, -plain), (pairs.far, plain))
    )
    return Pairs(rho, near, far, pairs.x_scale, pairs.y_scale, covariance=covariance)


def gap_pairs(near: _arrays.Array, far: _arrays.Array, x: _arrays.Array, y: _arrays.Array) -> Pairs:
    """Return pairs of these gaps: the smaller one has the digits."""
    xp = _arrays.array_namespace(near)
    rho = xp.clip(xp.where(near < far, 1.0 - near, far - 1.0), -1.0, 1.0)
    return Pairs(rho, near, far, x, y)


def divisor(x: _arrays.Array) -> _arrays.Array:
    """Return x, and 1 instead of 0."""
    xp = _arrays.array_namespace(x)
    return xp.where(x > 0.0, x, xp.ones_like(x))


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of pairs: of 1 - rho, and of both scales relative to them."""

    near: _arrays.Array
    x: _arrays.Array
    y: _arrays.Array


def first_errors(pairs: Pairs, n_columns: int) -> Errors:
    """Bound the rounding of the first layer: angles to a few eps, norms as sums of squares."""
    eps = pairs.eps
    near = 8.0 * eps * pairs.near**0.5 + (4.0 + n_columns) * eps**1.5
    # Equal rows are exact.
    near = pairs.xp.where(pairs.near == 0.0, pairs.xp.zeros_like(near), near)
    scale = 0.5 * (n_columns + 8) * eps
    return Errors(near, scale + 0.0 * pairs.x_scale, scale + 0.0 * pairs.y_scale)


def product_error(pairs: Pairs, errors: Errors) -> _arrays.Array:
    """Bound the error of s_x s_y rho."""
    return pairs.x_scale * pairs.y_scale * (errors.x + errors.y + errors.near + 4.0 * pairs.eps)


def errors_after(
    layer: Layer, pairs: Pairs, errors: Errors, at: Step, weight: float, bias: float
) -> tuple[Errors, _arrays.Array, Any]:
    """Return errors of the next pairs, of their covariance and of the slope, to first order."""
    xp = pairs.xp
    tangent = at.slope is not None
    next_pairs = following(layer, pairs, at.covariance, weight, bias)

    def parts(at: Step, then: Pairs) -> list[_arrays.Array]:
        values = [at.covariance, then.near, then.x_scale, then.y_scale]
        return values if at.slope is None else [*values, at.slope]

    here = parts(at, next_pairs.pairs)

    def moved(inputs: Pairs) -> list[Any]:
        other = step(layer, inputs, weight, bias, tangent=tangent)
        then = following(layer, inputs, other.covariance, weight, bias).pairs
        there = parts(other, then)
        return [xp.abs(one - two) for one, two in zip(here, there, strict=True)]

    more, less = moved(_turned(pairs, errors.near)), moved(_turned(pairs, -errors.near))
    total = [xp.maximum(one, two) for one, two in zip(more, less, strict=True)]
    x, y = pairs.x_scale * (1.0 + errors.x), pairs.y_scale * (1.0 + errors.y)
    left, right, both = (
        moved(dataclasses.replace(pairs, covariance=None, x_scale=one, y_scale=two))
        for one, two in ((x, pairs.y_scale), (pairs.x_scale, y), (x, y))
    )
    # The scales of equal rows are one number, and move together.
    same = (pairs.near == 0.0) & (pairs.x_scale == pairs.y_scale)
    total = [
        each + (xp.where(same, together, one + two) if each.shape == same.shape else one + two)
        for each, one, two, together in zip(total, left, right, both, strict=True)
    ]
    covariance, near, x, y, *slope = total
    then = next_pairs.pairs
    own = gap_error(layer, pairs, at, next_pairs, weight)
    near = xp.where(then.near == 0.0, xp.zeros_like(near), near + own)
    return (
        Errors(
            near,
            x / divisor(then.x_scale) + next_pairs.x_error,
            y / divisor(then.y_scale) + next_pairs.y_error,
        ),
        covariance + at.covariance_error,
        slope[0] + at.slope_error if slope else None,
    )


def _turned(pairs: Pairs, by: _arrays.Array) -> Pairs:
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

    See Also
    --------
    mehler.exact.sigma2 : Its inverse.
    mehler.DeepKernel : The kernels of such networks.

    Notes
    -----
    Gradients shrink by :math:`\sigma_w^2` a layer in mean square, so that for q > 2 no variance
    keeps both: :doc:`/depth`, with the proofs and a table up to q = 64.

    References
    ----------
    He and others (2015) for ReLU; Tseran, Montufar (2023) for maxout.

    Examples
    --------
    >>> from mehler.features.deep import critical_weight_variance
    >>> round(critical_weight_variance(4), 10)
    0.6446086339
    """
    most = LARGEST_POOL if dps is None else None
    return 1 / sigma2(require_integer("pool_size", pool_size, most=most), dps=dps)
