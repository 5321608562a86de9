"""Worlds where spectral bounds are nearly tight: one row, or a feature for each row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

from mehler.bounds import Bound

from ..._worlds import World

Bounding = Callable[..., Bound]
_FAILURES = (1e-2, 1e-12, 1e-60)
# A probability of binomial tails is right to this part of itself.
_ROUNDING = 1e-9


def one_for_each(bound: Bounding) -> Iterator[World]:
    """A feature is sqrt(n) at one of n rows, drawn uniformly, so that K is the identity.

    Errors are those of n binomial shares over 1 + lambda. Shares are negatively associated, so
    that one of them is off with at least the probability for independent ones.
    """
    n, ridge = 20, 0.5
    for m in (40, 10**4, 10**8):
        for failure in _FAILURES:
            value = bound(
                m, ridge=ridge, delta=failure, eigenvalues=np.ones(n), leverage=n / (1 + ridge)
            ).value
            above, below = shares(m, 1 / n, value * (1 + ridge))
            low = max(-math.expm1(n * math.log1p(-one)) for one in (above, below))
            high = n * (above + below)
            yield World(f"{n} rows, m = {m:.0e}, failure {failure:g}", (low, high), failure)


def one_row(bound: Bounding) -> Iterator[World]:
    """One row, and a feature that is 0 or, rarely, large: sup bounds its leverage.

    The ridge is so large that (K + lambda)^(-1) and 1/lambda hardly differ.
    """
    share, ridge = 1e-3, 1e4
    for m in (10**3, 10**7):
        for failure in _FAILURES:
            value = bound(
                m, ridge=ridge, delta=failure, eigenvalues=np.ones(1), sup=math.sqrt(1 / share)
            ).value
            above, below = shares(m, share, value * (1 + ridge))
            chance = above + below
            yield World(f"one row, m = {m:.0e}, failure {failure:g}", (chance, chance), failure)


def one_square(bound: Bounding) -> Iterator[World]:
    """One row and linear features: a mean of squares of standard normals, without a bound."""
    for m in (1, 30, 10**6):
        for failure in (1e-2, 1e-12, 1e-290):
            value = bound(m, delta=failure, eigenvalues=np.ones(1), lipschitz=1.0).value
            chance = float(stats.chi2.sf(m * (1 + value), m) + stats.chi2.cdf(m * (1 - value), m))
            yield World(f"squares, m = {m:.0e}, failure {failure:g}", (chance, chance), failure)


def one_variance(bound: Bounding) -> Iterator[World]:
    """One row, and a product that is off with the chance of Chebyshev's equality, or nearly."""
    for failure in (0.3, 1e-3):
        value = bound(1, delta=failure, eigenvalues=np.ones(1), variance=np.ones((1, 1))).value
        chance = failure * 1.001
        far = float(1 / math.sqrt(chance) > value)
        yield World(f"chebyshev, failure {failure:g}", (far * chance, far * chance), failure)


def shares(m: int, p: float, t: float) -> tuple[float, float]:
    """Return the probabilities that a binomial share is above (1 + t) p, and below (1 - t) p."""
    law = stats.binom(m, p)
    above = float(law.sf(math.floor(m * p * (1 + t))))
    below = float(law.cdf(math.ceil(m * p * (1 - t)) - 1)) if t < 1 else 0.0
    return above, below
