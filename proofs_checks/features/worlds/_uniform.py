"""Worlds where terms of the uniform bound by slopes are nearly what happens, or as near as known.

Rows are 2^k vectors at the distance 1 from each other, of doubling dimension k at most: a ball for
each covers them. A unit h = c^(1/2) + f/c^(1/2) with a large constant c has products c + f(x) +
f(z), up to f(x) f(z)/c; c is left out, as it moves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from scipy import stats

from mehler.bounds import Bound, kernel_error

from ..._worlds import World

Bounding = Callable[..., Bound]
# What f(x) f(z)/c may add.
_LEFT = 1e-9
# A product that all rows share has no slope; the bound asks for a positive one.
_NONE = (1e-150, 1e-300)


def one_row(bound: Bounding) -> Iterator[World]:
    """One row, and products of plus or minus a half: a mean of fair coins."""
    m = 10**6
    for failure in (1e-2, 1e-12, 1e-250):
        known: dict[str, Any] = {"slope": _NONE, "width": 1.0}
        value = bound(m, dimension=0, diameter=1, delta=failure, **known).value
        low, high = (2 * math.exp(one) for one in _log_coins(m, value))
        yield World(f"one row, failure {failure:g}", (low, high), failure)


def one_square(bound: Bounding) -> Iterator[World]:
    """One row and linear units, which centred units of one weight and kitchen sinks may be.

    The error is that of a mean of squares of normals; one square has a tail that "tail" pays for.
    """
    maps = {
        "centred": kernel_error.slope_maxout_centred(1, pool_size=1),
        "sinks": kernel_error.slope_kitchen_sinks(1, lipschitz=1.0, radius=1.0),
    }
    for name, known in maps.items():
        for m, failure in ((10**8, 1e-12), (1, 1e-100)):
            value = bound(m, dimension=0, diameter=1e-12, delta=failure, **known).value
            law = stats.chi2(m)
            chance = float(law.sf(m * (1 + value)) + law.cdf(m * (1 - value)))
            yield World(f"squares, {name}, m = {m:.0e}", (chance, chance), failure)


def many_rows(bound: Bounding) -> Iterator[World]:
    """Fair coins of plus or minus a quarter for f, independent over rows."""
    m = 10**8
    for k in (4, 20):
        for failure in (0.5, 1e-3):
            # f moves by a half over the distance 1.
            known: dict[str, Any] = {"slope": (0.5, 0.25), "width": 1.0}
            value = bound(m, dimension=k, diameter=1, delta=failure, **known).value
            chance = _any(k, 2, _log_coins(m, value))
            yield World(f"2^{k} rows, failure {failure:g}", chance, failure)


def rows_and_a_coin(bound: Bounding) -> Iterator[World]:
    """As before, and a coin of plus or minus 2 that all rows share: a union would pay for it.

    The coin is on one side with the probability one half. Slopes are a half: Bernstein's c of
    increments is a third of that.
    """
    m, k, failure = 10**6, 10_000, 0.4
    known: dict[str, Any] = {"slope": (0.5, 0.25), "width": 5.0, "increments": (0.25, 1 / 6)}
    value = bound(m, dimension=k, diameter=1, delta=failure, **known).value
    low, high = (one / 2 for one in _any(k, 1, _log_coins(m, value)))
    yield World(f"a coin, and 2^{k} rows", (low, high), failure)


def a_row_of_each(bound: Bounding) -> Iterator[World]:
    """One unit, f a half at one row that is drawn of 2^k, else 0: every pair is likely to be right.

    Products of that row are 1 there. The slope is a half, and certain.
    """
    k, failure = 200, 0.5
    known: dict[str, Any] = {"slope": (0.5, 0.25), "variance": 2.0**-k * (1 + _LEFT)}
    value = bound(1, dimension=k, diameter=1, delta=failure, **known).value
    far = float(1 - 2.0**-k > value)
    yield World(f"one row of 2^{k}", (far, far), failure)


def a_rare_row(bound: Bounding) -> Iterator[World]:
    """The same, where f is 0 everywhere but with a small probability."""
    k = 200
    for failure in (1e-2, 1e-6):
        p = failure * 1.0001
        known: dict[str, Any] = {"slope": (p / 2, p / 4), "variance": p * 2.0**-k * (1 + _LEFT)}
        value = bound(1, dimension=k, diameter=1, delta=failure, **known).value
        chance = p * float(1 - 2.0**-k > value)
        yield World(f"rarely one row of 2^{k}, {failure:g}", (chance, chance), failure)


def _log_coins(m: int, t: float) -> tuple[float, float]:
    """Bound log P that the mean of m coins of plus or minus a half is above t.

    Where it leaves the floats: from the next count on, probabilities fall at least like a geometric
    series.
    """
    count = math.floor(m * (0.5 + t)) + 1
    if count > m:
        return -math.inf, -math.inf
    chance = float(stats.binom.sf(count - 1, m, 0.5))
    if chance > 1e-290:
        return math.log(chance) - 1e-9, math.log(chance) + 1e-9
    first = float(stats.binom.logpmf(count, m, 0.5))
    return first, first - math.log1p(-(m - count) / (count + 1))


def _any(k: int, tails: int, log_chance: tuple[float, float]) -> tuple[float, float]:
    """Bound the probability that one of 2^k means is above, or outside where both tails count."""
    # 1 - e^(-Np) <= 1 - (1 - p)^N <= N p.
    low, high = (k * math.log(2) + math.log(tails) + one for one in log_chance)
    return -math.expm1(-math.exp(min(low, 700.0))), min(1.0, math.exp(min(high, 0.0)))
