"""Advise a pool size: for each, the sizes that find near rows at the least cost of a query."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import exact
from mehler._validate import (
    require_integer,
    require_integers,
    require_not_negative,
    require_probability,
    require_real,
)
from mehler.exact import LARGEST_POOL
from mehler.learn._neighbours import _tuning

POOLS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
# Below, collision probabilities in float64 have fewer than four digits, and from 1e-13 on none.
_LEAST_COLLISION = 1e-9
# Candidates for one projection; costs stay finite.
_MOST_PRICE = 1e9


@dataclass(frozen=True, kw_only=True)
class PoolAdvice:
    """Sizes of an index for one pool size, with what they cost.

    Attributes
    ----------
    pool_size : int
        q.
    exponent : float
        Of the hash, as :meth:`MaxoutIndex.exponent`.
    n_digits, n_tables : int
        k and L of least cost.
    n_units : int
        k L, the least number of units of the map.
    n_projections : int
        q k L: what a query costs before any table is looked at.
    recall : float
        Probability that a near row shares a bucket with the query.
    expected_candidates : float
        Expected number of far rows that share one.
    cost : float
        Expected cost of a query, in ranked candidates.

    See Also
    --------
    MaxoutIndex.advise : Where it comes from.

    Examples
    --------
    >>> from mehler import learn
    >>> best = learn.MaxoutIndex.advise(0.9, 0.3, 60_000)[0]
    >>> best.n_units == best.n_digits * best.n_tables
    True
    """

    pool_size: int
    exponent: float
    n_digits: int
    n_tables: int
    n_units: int
    n_projections: int
    recall: float
    expected_candidates: float
    cost: float


def rates(near: Any, far: Any, pool_size: int) -> tuple[float, float]:
    """Return kappa at two cosines, or raise if they are out of order or have no digits."""
    near, far = require_real("near", near), require_real("far", far)
    if not -1 < far < near <= 1:
        raise ValueError(f"near={near!r} and far={far!r} are not cosines with -1 < far < near <= 1")
    p, r = (float(exact.collision_probability(one, pool_size)) for one in (near, far))
    if r < _LEAST_COLLISION:
        raise ValueError(
            f"far={far!r} shares a digit with probability {r:.1g} in pools of {pool_size}, of "
            "which too few digits are known: give a larger one, or smaller pools"
        )
    return (1.0 if near == 1 else p), r


def exponent(p: float, r: float) -> float:
    """Return log p / log r."""
    return 0.0 if p == 1 else math.log(p) / math.log(r)


def advise(
    near: Any, far: Any, n_rows: Any, pool_sizes: Any, recall: Any, projection_cost: Any
) -> list[PoolAdvice]:
    """Return the cheapest sizes for each pool, cheapest pool first."""
    n = require_integer("n_rows", n_rows, most=2**63 - 1)
    pools = sorted(set(require_integers("pool_sizes", pool_sizes, least=2)))
    if not pools:
        raise ValueError("pool_sizes is empty: give some, at least 2 each")
    if pools[-1] > LARGEST_POOL:
        raise ValueError(f"pool_sizes holds {pools[-1]}, which is above {LARGEST_POOL}")
    recall = require_probability("recall", recall)
    price = require_not_negative("projection_cost", projection_cost)
    if price > _MOST_PRICE:
        raise ValueError(f"projection_cost={projection_cost!r} must be at most {_MOST_PRICE:g}")
    found = [(q, *rates(near, far, q)) for q in pools]
    advice = [_cheapest(n, q, p, r, recall, price) for q, p, r in found]
    return sorted(advice, key=lambda one: one.cost)


def _cheapest(n: int, q: int, p: float, r: float, recall: float, price: float) -> PoolAdvice:
    best: PoolAdvice | None = None
    for k in range(1, int(63 / math.log2(q)) + 1):
        count = _tables(p, k, recall)
        fixed = count * (price * q * k + _tuning.LOOK)
        # More digits need more tables: what they cost alone is too much for all that follow.
        if best is not None and fixed >= best.cost:
            break
        many = n * float(_tuning.probability(np.float64(r), k, count))
        if best is None or fixed + many < best.cost:
            best = PoolAdvice(
                pool_size=q,
                exponent=exponent(p, r),
                n_digits=k,
                n_tables=count,
                n_units=k * count,
                n_projections=q * k * count,
                recall=float(_tuning.probability(np.float64(p), k, count)),
                expected_candidates=many,
                cost=fixed + many,
            )
    assert best is not None  # a bucket of one digit is always tried
    return best


def _tables(p: float, digits: int, recall: float) -> int:
    """Return the least L with 1 - (1 - p^k)^L >= recall."""
    if p == 1:
        return 1
    count = max(1, math.ceil(math.log1p(-recall) / math.log1p(-(p**digits))))

    def enough(tables: int) -> bool:
        return bool(_tuning.probability(np.float64(p), digits, tables) >= recall)

    # The quotient is rounded: one table too many or too few where it is an integer.
    if count > 1 and enough(count - 1):
        return count - 1
    return count if enough(count) else count + 1
