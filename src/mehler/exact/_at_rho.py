"""Expectations of one pair of units as plain functions of an array of correlations.

The route is chosen here: closed forms for q <= 2, whose kernel needs relative accuracy at
rho = -1, else the table of the pool size.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from mehler import _arrays
from mehler.exact import _moments, _table, closed_form
from mehler.exact._angle import over_sine
from mehler.exact._validate import ROUNDING, require_pool, require_rho


def apply(function: Callable[[Any, int], Any], rho: Any, q: int) -> Any:
    """Validate, evaluate, and return a number for a number and an array for an array."""
    q = require_pool(q)
    if isinstance(rho, float) and q > 2 and abs(rho) <= 1.0 + ROUNDING["float64"]:
        # Tables serve a number by itself: an array of one would cost ten times as much.
        return function(min(1.0, max(-1.0, float(rho))), q)
    array = require_rho(rho)
    if _arrays.is_chunked(array):
        return array.map_blocks(lambda some: function(some, q), dtype=array.dtype, meta=array._meta)
    values = function(array, q)
    return values if _arrays.is_array(rho) else closed_form.scalar_if_scalar(values)


def collision(rho: _arrays.Array, q: int) -> _arrays.Array:
    if q <= 2:
        return closed_form.collision_on_array(rho, q)
    table = _table.pool_table(q)

    value = functools.partial(probability, table.kappa)
    return _arrays.with_derivative(value, lambda r: collision_slope(r, q), rho)


def probability(pieces: Any, rho: _arrays.Array) -> _arrays.Array:
    """Evaluate a table of probabilities, whose rounding may leave [0, 1]."""
    value = _table.evaluate(pieces, rho)
    if type(value) is float:
        return min(1.0, max(0.0, value))
    return _arrays.array_namespace(rho).clip(value, 0.0, 1.0)


def collision_slope(rho: _arrays.Array, q: int) -> _arrays.Array:
    """Compute the derivative of kappa_q for q >= 3; where it is infinite, 0."""
    return over_root(_table.pool_table(q).kappa_slope, rho)


def over_root(pieces: Any, rho: _arrays.Array) -> _arrays.Array:
    """Divide by sin(theta/2) = sqrt((1 - rho)/2); where that is 0, give 0."""
    xp = _arrays.array_namespace(rho)
    over = (1.0 + rho) ** 0.5 * over_sine(xp, rho)  # 1/sqrt(1 - rho), and 0 at the ends
    over = xp.where(rho > -1.0, over, 0.5**0.5 * xp.ones_like(rho))
    return 2.0**0.5 * over * _table.evaluate(pieces, rho)


def kernel(rho: _arrays.Array, q: int) -> _arrays.Array:
    if q <= 2:
        return closed_form.kernel_on_array(rho, q)
    value = functools.partial(_table.evaluate, _table.pool_table(q).kernel)
    return _arrays.with_derivative(value, lambda r: collision(r, q), rho)


def second_moment(rho: _arrays.Array, q: int) -> _arrays.Array:
    if q == 1:
        return 1 + 2 * rho * rho
    table = _table.pool_table(q)
    return _tabled(table.second, table.second_slope, rho)


def _tabled(value: Any, slope: Any, rho: _arrays.Array) -> _arrays.Array:
    return _arrays.with_derivative(
        functools.partial(_table.evaluate, value), functools.partial(_table.evaluate, slope), rho
    )


def centred(rho: _arrays.Array, q: int) -> _arrays.Array:
    return kernel(rho, q) - _moments.max_moment(1, q) ** 2


def centred_variance(rho: _arrays.Array, q: int) -> _arrays.Array:
    if q == 1:
        return 1 + rho * rho
    table = _table.pool_table(q)
    square = _tabled(table.centred_second, table.centred_second_slope, rho)
    return square - centred(rho, q) ** 2
