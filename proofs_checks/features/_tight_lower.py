"""Worlds where lower bounds are held against probabilities that are computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

from mehler.bounds import Bound

from .._worlds import World

Bounding = Callable[..., Bound]


def squares(bound: Bounding) -> Iterator[World]:
    """Equal rows and linear units: the error is that of a mean of m squares."""
    for m in (10, 1000, 10**6):
        for failure in (0.3, 1e-3, 1e-12):
            for known in ({"pool_size": 1}, {"variance": 2.0, "third": 3.1}):
                value = bound(m, delta=failure, **known).value
                name = f"squares, m = {m:.0e}, chance {failure:g}, {next(iter(known))}"
                yield World(name, (failure, failure), _of_squares(m, value))


def codes(bound: Bounding) -> Iterator[World]:
    """Codes: the chance of an error is a sum of binomial probabilities."""
    for m, share in ((20, 0.3), (1000, 0.05)):
        count = np.arange(m + 1)
        law = stats.binom(m, share).pmf(count)
        for failure in (0.3, 1e-3):
            value = bound(m, delta=failure, collision=share).value
            reached = abs(count / m - share) >= value * (1 - 1e-9)
            yield World(f"codes, m = {m}", (failure, failure), float(law[reached].sum()))


def lengths(bound: Bounding) -> Iterator[World]:
    """Orthonormal rows and linear units: N independent means of squares, and other pairs."""
    for n, m in ((5, 100), (1000, 10**4), (10**6, 10**6)):
        for failure in (0.3, 1e-3):
            value = bound(m, n_samples=n, delta=failure, pool_size=1).value
            chance = -math.expm1(n * math.log1p(-_of_squares(m, value)))
            name = f"{n} rows, m = {m:.0e}, chance {failure:g}"
            yield World(name, (failure, failure), chance)


def packing(bound: Bounding) -> Iterator[World]:
    """A set of 2^k orthonormal vectors."""
    for k in (3, 9.5):
        value = bound(10**4, dimension=k, delta=0.3, pool_size=1).value
        chance = -math.expm1(2 ** int(k) * math.log1p(-_of_squares(10**4, value)))
        yield World(f"2^{int(k)} rows", (0.3, 0.3), chance)


def majority(bound: Bounding) -> Iterator[World]:
    """One row, targets of a biased coin, and the learner that takes the majority.

    It has the least mean risk under the two laws together, and the same under each.
    """
    for n in (1, 10, 301):
        away = np.linspace(1e-4, 0.4999, 2000)
        count = np.arange(n + 1)[:, None]
        wrong = np.where(count < n / 2, 1.0, np.where(count == n / 2, 0.5, 0.0))
        mean = (wrong * stats.binom(n, 0.5 + away).pmf(count)).sum(axis=0)
        # E|g| = sqrt(2/pi) at q = 1, and the loss is steep 3.
        best = float(np.max(4 * away * mean)) * 3 * 0.5 * math.sqrt(2 / math.pi)
        value = bound(n, pool_size=1, scale=0.5, lipschitz=3.0).value
        yield World(f"{n} samples", (value, value), best * (1 + 1e-3))


def distinct_rows(bound: Bounding) -> Iterator[World]:
    """A feature for each of four rows, three of them drawn once: the fourth is missing."""
    ridge = 0.7
    value = bound(3, ridge=ridge, eigenvalues=np.ones(4)).value
    gram = np.diag([4 / 3, 4 / 3, 4 / 3, 0.0])
    error = float(np.linalg.norm(gram - np.eye(4), 2) / (1 + ridge))
    yield World("three of four rows", (value, value), error * (1 + 1e-12))


def one_direction(bound: Bounding) -> Iterator[World]:
    """One row of squared length 0.5 and linear units: the error is that of a mean of squares.

    The ridge is a half too, so that it and the row's length count alike.
    """
    for m, block in ((1000, 1), (2 * 10**6, 2)):
        for failure in (0.3, 1e-3):
            known = {"ridge": 0.5, "mean": 0.5, "variance": 0.5, "third": 3.1, "block": block}
            value = bound(m, delta=failure, **known).value
            name = f"one row, m = {m:.0e}, chance {failure:g}"
            # (K_m - K)/(K + ridge) is half of what a mean of squares is off by.
            yield World(name, (failure, failure), _of_squares(m // block, 2 * value))


def _of_squares(m: int, value: float) -> float:
    law = stats.chi2(m)
    return float(law.sf(m * (1 + value)) + law.cdf(m * (1 - value)))
