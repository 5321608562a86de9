"""Bets against every mean at once, from four power sums of the samples.

For a stake lambda that is fixed before the samples, prod(1 +- lambda (X_i - m)) is a test
martingale at m = E X, and so is its mean over several stakes. Its logarithm is bounded below by a
polynomial in m,

    log(1 + u) >= u - u^2/2 + u^3/3 - kappa(c) u^4 for u >= -c,  kappa(c) = sum_k c^k / (k + 4),

since the remainder over u^4 is -integral of (1 - t)^3/(1 + t u)^4, which grows with u, and at -c
is -kappa(c). If the lower bound exceeds the threshold, so does the wealth.

A large stake finds gross defects early, a small one wins most in the long run. The wealth is
shared equally by stakes from 3/4 of the largest that the range allows down by powers of 2. The
best of them is within a factor sqrt(2) of the optimal stake and loses at most an eighth of its
growth rate.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_EPS = float(np.finfo(np.float64).eps)

# Largest fraction of the wealth staked on one bet, and the grid of stakes.
STAKE = 0.75
SHARES = STAKE * 0.5 ** np.arange(13)

# Grid of distances from the mean; bisection between grid points follows.
_GRID = np.geomspace(1e-6, 1.0, 61)[:, None]
_HALVINGS = 24


class Wealth:
    """Wealth of bets on many pairs of samples in [low, high], shape (pairs,), from power sums.

    `slack` is how far rounding may move a sample out of its range.
    """

    def __init__(self, low: Any, high: Any, slack: float) -> None:
        self.low, self.high = low, high
        self._reach = high - low + 2.0 * slack
        self.sums = np.zeros((4, *np.shape(self._reach)))
        self.n = 0

    def add(self, n: int, sums: Any) -> None:
        """Add n samples with power sums of shape (4, pairs)."""
        self.n += n
        self.sums = self.sums + sums

    @property
    def mean(self) -> Any:
        """Mean of all samples."""
        return self.sums[0] / self.n

    def log_wealth(self, m: Any, sign: float) -> Any:
        """Return a lower bound on the log wealth at m of bets that X > m (+1) or X < m (-1)."""
        n, mean = self.n, self.mean
        _, s2, s3, s4 = self.sums
        # Subtract the rounding left by cancellation, which must not raise the wealth.
        pad = 64.0 * _EPS
        m2 = np.maximum(s2 - n * mean**2, 0.0) + pad * s2
        m3 = s3 - 3.0 * mean * s2 + 2.0 * n * mean**3
        m4 = s4 - 4.0 * mean * s3 + 6.0 * mean**2 * s2 - 3.0 * n * mean**4
        m4 = np.maximum(m4, 0.0) + pad * (s4 + 6.0 * mean**2 * s2 + n * mean**4)
        d = mean - m
        squares = m2 + n * d**2
        cubes = m3 + 3.0 * m2 * d + n * d**3
        fourths = m4 + 4.0 * m3 * d + 6.0 * m2 * d**2 + n * d**4
        total = np.full(np.shape(squares), -np.inf)
        for share, kappa in zip(SHARES, _KAPPA):
            u = sign * share / self._reach
            log = u * n * d - 0.5 * u**2 * squares + u**3 * cubes / 3.0 - kappa * u**4 * fourths
            total = np.logaddexp(total, log)
        return total - math.log(SHARES.size)

    def ends(self, level: float) -> tuple[Any, Any]:
        """Return an interval containing every m at which no wealth has reached exp(level)."""
        return self._end(level, 1.0), self._end(level, -1.0)

    def _end(self, level: float, sign: float) -> Any:
        # The wealth is monotone in m: once the bound reaches the level at one m, the wealth does
        # at all m beyond, whatever the polynomial does there.
        edge = self.low if sign > 0.0 else self.high
        room = np.maximum(sign * (self.mean - edge), 0.0)
        sure = self.log_wealth(self.mean - sign * room * _GRID, sign) >= level
        first = np.argmax(sure, axis=0)
        far = room * _GRID[first, 0]
        near = np.where(first > 0, room * _GRID[first - 1, 0], 0.0)
        for _ in range(_HALVINGS):
            middle = 0.5 * (near + far)
            reached = self.log_wealth(self.mean - sign * middle, sign) >= level
            near, far = np.where(reached, near, middle), np.where(reached, middle, far)
        return np.where(sure.any(axis=0), self.mean - sign * far, edge)


def _kappa(c: Any) -> Any:
    """Return (-log(1 - c) - c - c^2/2 - c^3/3) / c^4 by its series, for c up to 3/4."""
    total = np.zeros_like(c)
    for k in range(160, -1, -1):
        total = total * c + 1.0 / (k + 4.0)
    return total


_KAPPA = _kappa(SHARES)
