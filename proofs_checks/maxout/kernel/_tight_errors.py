"""Worlds where bounds of the kernel's error are nearly tight: linear units, endless or single."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from scipy import special, stats

from mehler import exact
from mehler.bounds import Bound

from ..._worlds import World, mean_exceeds

Bounding = Callable[..., Bound]
# So many features that the mean of their products is normal to 1e-8; Chernoff's grid ends there.
MANY = 10**18
# The standardised third absolute moments of g^2 and of a fair coin are 3.1 and 1.
_SQUARES, _COINS = 4.0, 1.0
_FAILURES = (0.3, 1e-3, 1e-6)


def one_pair(bound: Bounding) -> Iterator[World]:
    """Take equal rows and linear units: a mean of squares g^2, whose variance is 2."""
    methods: tuple[dict[str, Any], ...] = (
        {"method": "chernoff", "rho": 1.0},
        {"method": "chernoff"},
        {"method": "sub-gamma"},
    )
    for failure in _FAILURES:
        for known in methods:
            value = bound(MANY, delta=failure, pool_size=1, **known).value
            yield _two_tails(f"squares, {known['method']}", value / math.sqrt(2), failure, _SQUARES)
        value = bound(MANY, delta=failure, sub_gamma=(2.0, 2.0)).value
        yield _two_tails("squares, (2, 2) given", value / math.sqrt(2), failure, _SQUARES)
        value = bound(MANY, delta=failure, width=1.0, method="hoeffding").value
        yield _two_tails("fair coins, hoeffding", 2 * value, failure, _COINS)


def one_square(bound: Bounding) -> Iterator[World]:
    """Take one linear unit and equal rows: its square has a tail that only "tail" pays for."""
    settings: tuple[dict[str, Any], ...] = (
        {"pool_size": 1, "rho": 1.0},
        {"pool_size": 1},
        {"sub_gamma": (2.0, 2.0)},
    )
    for known in settings:
        failure = 1e-300
        value = bound(1, delta=failure, method="sub-gamma", **known).value
        chance = float(special.erfc(math.sqrt((1 + value) / 2)))
        yield World("one square, sub-gamma", (chance, chance * (1 + 1e-9)), failure)


def one_maximum(bound: Bounding) -> Iterator[World]:
    """Take one unit of a pool and equal rows: the square of a maximum, whose law is exact."""
    for q in (2, 16):
        for known in ({"rho": 1.0}, {}):
            failure = 1e-100
            value = bound(1, delta=failure, pool_size=q, method="chernoff", **known).value
            log_below = q * special.log_ndtr(math.sqrt(exact.sigma2(q) + value))
            chance = -math.expm1(float(log_below))
            # Rounding of the logarithm, which is that of 1e-100.
            ends = (chance * (1 - 1e-9), chance * (1 + 1e-9))
            yield World(f"one maximum, chernoff, q = {q}", ends, failure)


def three_values(bound: Bounding) -> Iterator[World]:
    """Take a product that is 0, or far off with the chance of Chebyshev's equality, or nearly."""
    for failure in (0.5, 1e-3):
        value = bound(1, delta=failure, variance=1.0).value
        chance = failure * 1.001
        far = float(1 / math.sqrt(chance) > value)
        yield World("three values, chebyshev", (far * chance, far * chance), failure)


def codes(bound: Bounding) -> Iterator[World]:
    """Compute exact binomial tails for agreements of codes."""
    m = 10**6
    for share in (0.5, 0.3):
        for failure in (1e-3, 1e-15):
            value = bound(m, delta=failure, collision=share, method="binomial").value
            chance = float(
                stats.binom.sf(math.floor(m * (share + value)), m, share)
                + stats.binom.cdf(math.ceil(m * (share - value)) - 1, m, share)
            )
            yield World("codes, binomial", (chance * 0.999, chance), failure)


def many_pairs(bound: Bounding) -> Iterator[World]:
    """Take orthonormal rows and linear units: independent squares on the diagonal, in the limit."""
    n = 1000
    for failure in (1e-2, 1e-3):
        value = bound(MANY, n_rows=n, delta=failure, pool_size=1).value
        yield _any_of(n, "orthonormal rows, all pairs", value, failure)


def a_set(bound: Bounding) -> Iterator[World]:
    """Take a million orthonormal rows, sqrt(2) apart, which 2^20 balls of half that size cover.

    The diagonal alone: what is left of the pairs needs no more.
    """
    n = 2**20
    for failure in (0.5, 0.1):
        value = bound(MANY, pool_size=1, dimension=20, diameter=math.sqrt(2), delta=failure).value
        yield _any_of(n, "orthonormal rows, a set", value, failure)


def _two_tails(name: str, t: float, failure: float, third: float) -> World:
    low, high = mean_exceeds(t * math.sqrt(MANY), MANY, third=third)
    return World(f"{name}, failure {failure:g}", (2 * low, 2 * high), failure)


def _any_of(n: int, name: str, value: float, failure: float) -> World:
    """Return the world of the largest of n independent means of squares."""
    low, high = mean_exceeds(value * math.sqrt(MANY / 2), MANY, third=_SQUARES)
    ends = (-math.expm1(n * math.log1p(-min(2 * one, 1 - 1e-16))) for one in (low, high))
    return World(f"{name}, failure {failure:g}", (next(ends), next(ends)), failure)
