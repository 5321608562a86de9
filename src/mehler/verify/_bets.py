r"""Bets against every mean at once, from four power sums a stage.

A stake lambda that is fixed before a stage makes prod(1 +- lambda (X_i - m)) over the samples of
all stages a martingale at m = E X. Its logarithm is bounded below by a polynomial in m,

    log(1 + u) >= u - u^2/2 + u^3/3 - kappa(c) u^4 for u >= -c,  kappa(c) = sum_k c^k / (k + 4),

since the remainder over u^4 is -integral of (1 - t)^3/(1 + t u)^4, which grows with u, and at -c
is -kappa(c). Where the bound has reached the level the capital has.

The stake that is best for the last look is too small for the first ones, which find gross
defects: the capital is shared by a patient account, whose stakes aim at the last, and an eager
one, whose stakes aim at four times the next (what is best on the whole when sizes double). The
larger of the two, less log 2, bounds the logarithm of their mean.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_EPS = float(np.finfo(np.float64).eps)

# Largest share of the capital at stake in one bet.
STAKE = 0.75

# Distances from the mean that are tried: a grid, then bisection between its neighbours.
_GRID = np.geomspace(1e-6, 1.0, 61)[:, None]
_HALVINGS = 24


class Bets:
    """Capitals of many pairs: each stage adds power sums of its samples and their stakes.

    Parameters
    ----------
    low, high : array, shape (pairs,)
        Range of the samples.
    slack : float
        By how much rounding may take a sample out of it.
    """

    def __init__(self, low: Any, high: Any, slack: float) -> None:
        self.low, self.high = low, high
        self._reach = high - low + 2.0 * slack
        self._patient: list[_Stage] = []
        self._eager: list[_Stage] = []
        self.n = 0
        self._sum = np.zeros_like(low)

    def add(self, n: int, sums: Any, variance: Any, level: float, aim: int) -> None:
        """Add n samples with power sums of shape (4, pairs).

        `variance`, `level` and `aim`, the size of the last look, make the stakes: they must not
        depend on these samples.
        """
        self.n += n
        self._sum = self._sum + sums[0]
        for account, until in ((self._patient, max(aim, self.n)), (self._eager, 4 * self.n)):
            best = np.sqrt(2.0 * level / (until * variance))
            stake = np.minimum(STAKE / self._reach, best)
            account.append(_Stage(n, sums, stake, _kappa(stake * self._reach)))

    @property
    def mean(self) -> Any:
        """Mean of all samples."""
        return self._sum / self.n

    def log_capital(self, m: Any, sign: float) -> Any:
        """Return a lower bound of the logarithm of the capital at m, of bets that X > m (+1)."""
        patient, eager = (
            sum(stage.log_capital(m, sign) for stage in account)
            for account in (self._patient, self._eager)
        )
        return np.maximum(patient, eager) - math.log(2.0)

    def ends(self, level: float) -> tuple[Any, Any]:
        """Return an interval that contains every m at which no capital has reached exp(level)."""
        return self._end(level, 1.0), self._end(level, -1.0)

    def _end(self, level: float, sign: float) -> Any:
        # The capital itself is monotone in m: where the bound has reached the level at one m, it
        # has at all m beyond, whatever the polynomial does there.
        edge = self.low if sign > 0.0 else self.high
        room = np.maximum(sign * (self.mean - edge), 0.0)
        sure = self.log_capital(self.mean - sign * room * _GRID, sign) >= level
        first = np.argmax(sure, axis=0)
        far = room * _GRID[first, 0]
        near = np.where(first > 0, room * _GRID[first - 1, 0], 0.0)
        for _ in range(_HALVINGS):
            middle = 0.5 * (near + far)
            reached = self.log_capital(self.mean - sign * middle, sign) >= level
            near, far = np.where(reached, near, middle), np.where(reached, middle, far)
        return np.where(sure.any(axis=0), self.mean - sign * far, edge)


class _Stage:
    """Centred power sums of one stage's samples, and its stakes."""

    def __init__(self, n: int, sums: Any, stake: Any, kappa: Any) -> None:
        s1, s2, s3, s4 = sums
        mean = s1 / n
        self._n, self._mean, self._stake, self._kappa = n, mean, stake, kappa
        # What cancels leaves rounding of the size of its terms, which must not raise the capital.
        pad = 64.0 * _EPS
        self._m2 = np.maximum(s2 - mean * s1, 0.0) + pad * s2
        self._m3 = s3 - 3.0 * mean * s2 + 2.0 * n * mean**3
        m4 = s4 - 4.0 * mean * s3 + 6.0 * mean**2 * s2 - 3.0 * n * mean**4
        self._m4 = np.maximum(m4, 0.0) + pad * (s4 + 6.0 * mean**2 * s2 + n * mean**4)

    def log_capital(self, m: Any, sign: float) -> Any:
        n, d, u = self._n, self._mean - m, sign * self._stake
        squares = self._m2 + n * d**2
        cubes = self._m3 + 3.0 * self._m2 * d + n * d**3
        fourths = self._m4 + 4.0 * self._m3 * d + 6.0 * self._m2 * d**2 + n * d**4
        return u * n * d - 0.5 * u**2 * squares + u**3 * cubes / 3.0 - self._kappa * u**4 * fourths


def _kappa(c: Any) -> Any:
    """Return (-log(1 - c) - c - c^2/2 - c^3/3) / c^4 by its series, for c up to 3/4."""
    total = np.zeros_like(c)
    for k in range(160, -1, -1):
        total = total * c + 1.0 / (k + 4.0)
    return total
