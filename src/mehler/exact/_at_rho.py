"""Expectations of one pair of units as plain functions of an array of correlations.

The route is chosen here: closed forms for q <= 2, whose kernel needs relative accuracy at
rho = -1, else the table of the pool size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mehler import _arrays
from mehler.exact import _moments, _table, closed_form
from mehler.exact._validate import check_pool, check_rho


def apply(function: Callable[[Any, int], Any], rho: Any, q: int) -> Any:
    """Validate, evaluate, and return a number for a number and an array for an array."""
    q = check_pool(q)
    values = function(check_rho(rho), q)
    return values if _arrays.is_array(rho) else closed_form.scalar_if_scalar(values)


def collision(rho: _arrays.Array, q: int) -> _arrays.Array:
    if q <= 2:
        return closed_form.collision_on_array(rho, q)
    xp = _arrays.array_namespace(rho)
    # Rounding of the table may leave [0, 1].
    return xp.clip(_table.evaluate(_table.pool_table(q).kappa, rho), 0.0, 1.0)


def kernel(rho: _arrays.Array, q: int) -> _arrays.Array:
    if q <= 2:
        return closed_form.kernel_on_array(rho, q)
    return _table.evaluate(_table.pool_table(q).kernel, rho)


def second_moment(rho: _arrays.Array, q: int) -> _arrays.Array:
    return 1 + 2 * rho * rho if q == 1 else _table.evaluate(_table.pool_table(q).second, rho)


def centred(rho: _arrays.Array, q: int) -> _arrays.Array:
    return kernel(rho, q) - _moments.max_moment(1, q) ** 2


def centred_variance(rho: _arrays.Array, q: int) -> _arrays.Array:
    if q == 1:
        return 1 + rho * rho
    return _table.evaluate(_table.pool_table(q).centred_second, rho) - centred(rho, q) ** 2
