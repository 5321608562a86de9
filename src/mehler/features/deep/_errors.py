"""Errors that go through the layers: each input of a layer is moved by its error, in turn."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from mehler import _arrays
from mehler.exact.activations import Pairs
from mehler.features.deep._layers import Layer
from mehler.features.deep._recursion import Step, divisor, following, gap_error, gap_pairs, step


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of pairs: of 1 - rho, and of both scales relative to them."""

    near: _arrays.Array
    x: _arrays.Array
    y: _arrays.Array


def first(pairs: Pairs, n_columns: int) -> Errors:
    """Bound the rounding of the first layer: angles to a few eps, norms as sums of squares."""
    eps = pairs.eps
    near = 8.0 * eps * pairs.near**0.5 + (4.0 + n_columns) * eps**1.5
    # Equal rows are exact.
    near = pairs.xp.where(pairs.near == 0.0, pairs.xp.zeros_like(near), near)
    scale = 0.5 * (n_columns + 8) * eps
    return Errors(near, scale + 0.0 * pairs.x_scale, scale + 0.0 * pairs.y_scale)


def of_product(pairs: Pairs, errors: Errors) -> _arrays.Array:
    """Bound the error of s_x s_y rho."""
    return pairs.x_scale * pairs.y_scale * (errors.x + errors.y + errors.near + 4.0 * pairs.eps)


def after(
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
