"""Bets that a mean of nonnegative samples is larger than claimed; they assume nothing else.

For X >= 0 of mean at most q and stakes 0 <= s < 1, the wealth prod (1 + s (X_i/q - 1))
is a nonnegative supermartingale, whatever the law, and so is its mean over a grid of stakes.

For features u = phi(x) / sqrt(k(x,x)) and v alike, |u|^2, |u + v|^2 and |u - v|^2 are nonnegative,
and the kernel claims their means q: 1 and 2 +- 2 k(x,y) / sqrt(k(x,x) k(y,y)). By Ville's
inequality the wealth ever reaches 1/alpha with probability at most alpha.

A Gram matrix that differs from the claim has an excess in one of these directions unless it is
smaller than the claim on the diagonal: a wrong bandwidth, a lost offset, columns left out at equal
length. A diagonal that is merely too small cannot be refuted without a tail assumption, since an
event too rare to be seen may carry the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array

# Fractions of the wealth staked; the best of them grows within 1/8 of the optimal rate.
_STAKES = 0.96 * 0.5 ** np.arange(11)[:, None]

# Draws multiplied before taking the logarithm, the dominant cost; fewer where one is large.
_TOGETHER, _LARGE = 8, 1e30


class Excess:
    """Wealth of bets against upper bounds on means of nonnegative samples; `claims` > 0, (n,)."""

    def __init__(self, claims: NDArray[np.float64]) -> None:
        self.claims = np.asarray(claims, dtype=np.float64)
        self._log = np.zeros((_STAKES.size, self.claims.size))
        self._product = np.ones_like(self._log)
        self._held = 0
        self._sum = np.zeros(self.claims.size)
        self.n = 0

    def add(self, samples: Array) -> None:
        """Bet on one draw's nonnegative samples, shape (n,), or on those of many, (draws, n)."""
        samples = np.atleast_2d(samples)
        gains = samples / self.claims - 1.0
        for start in range(0, len(gains), _TOGETHER):
            some = gains[start : start + _TOGETHER]
            if len(some) > 1 and some.max() < _LARGE ** (1.0 / len(some)):
                self._fold()
                self._product = (1.0 + _STAKES[:, None] * some).prod(axis=1)
                self._held = len(some)
                continue
            for gain in some:
                self._product *= 1.0 + _STAKES * gain
                self._held += 1
                # Seven factors of at least 1 - 0.96 and a large one neither under- nor overflow.
                if self._held == _TOGETHER or not gain.max() < _LARGE:
                    self._fold()
        self._sum += samples.sum(axis=0)
        self.n += samples.shape[0]

    def _fold(self) -> None:
        self._log += np.log(self._product)
        self._product = np.ones_like(self._log)
        self._held = 0

    @property
    def mean(self) -> Any:
        """Means of the samples so far."""
        return self._sum / max(1, self.n)

    @property
    def log_wealth(self) -> Any:
        """Logarithm of the wealth averaged over all stakes, shape (n,)."""
        self._fold()
        return np.logaddexp.reduce(self._log, axis=0) - math.log(_STAKES.size)

    def statistics(self, chosen: Any = slice(None)) -> dict[str, Any]:
        """Return count, sum, claim of the bets and the log wealth of each stake, of some means."""
        self._fold()
        return {
            "n": self.n,
            "sum": self._sum[chosen],
            "bet": self.claims[chosen],
            "log_wealths": self._log[:, chosen],
        }

    def lower_ends(self, level: float) -> Any:
        """Return lower confidence bounds on means whose wealth has reached exp(level).

        1 + s (Q/(r q) - 1) >= (1 + s (Q/q - 1))/r for r >= 1, so the wealth against the claim r q
        is at least that against q over r^n.
        """
        gain = np.maximum(self.log_wealth - level, 0.0)
        return self.claims * np.exp(gain / max(1, self.n))


@dataclass(frozen=True)
class Found:
    """A direction whose squared length exceeds the claim; `form` is its formula."""

    pair: int
    form: str
    observed: float
    claim: float
    low: float
