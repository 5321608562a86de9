"""Bets that a mean of nonnegative samples is larger than claimed; they assume nothing else.

For X >= 0 of mean at most q and stakes 0 <= s < 1, the wealth prod (1 + s (X_i/q - 1)) is a
nonnegative supermartingale, whatever the law, and so is its mean over a grid of stakes: by Ville's
inequality it ever reaches 1/alpha with probability at most alpha. What these bets detect is in
docs/guarantees.md.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler.verify._certificate import Statistics
from mehler.verify.intervals._measurement import Evidence

FORMS = "squared lengths (betting)"

# Fractions of the wealth staked; the best of them grows within 1/8 of the optimal rate.
_STAKES = 0.96 * 0.5 ** np.arange(11)[:, None]

# Factors multiplied before taking the logarithm, the dominant cost; none if one is so large.
_TOGETHER, _LARGE = 8, 1e30
# Elements of the largest temporary, over the number of stakes, and of samples that wait for bets.
_BLOCK, _WAITING = 1 << 16, 1 << 16


class Excess:
    """Wealth of bets against upper bounds on means of nonnegative samples; `claims` > 0, (n,)."""

    def __init__(self, claims: NDArray[np.float64]) -> None:
        self.claims = np.asarray(claims, dtype=np.float64)
        self.log_wealths = np.zeros((_STAKES.size, self.claims.size))
        self.sum, self.n = np.zeros(self.claims.size), 0

    def add(self, samples: Array) -> None:
        """Bet on one draw's nonnegative samples, shape (n,), or on those of many, (draws, n)."""
        samples = np.atleast_2d(samples)
        step = _TOGETHER * max(1, _BLOCK // (_TOGETHER * self.claims.size))
        for start in range(0, len(samples), step):
            gains = samples[start : start + step] / self.claims - 1.0
            if not gains.max() < _LARGE:
                self.log_wealths += np.log1p(_STAKES[:, None] * gains).sum(axis=1)
                continue
            rest = np.zeros((-len(gains) % _TOGETHER, self.claims.size))
            groups = np.concatenate([gains, rest]).reshape(-1, _TOGETHER, self.claims.size)
            # Eight factors of at least 1 - 0.96 neither under- nor overflow.
            products = (1.0 + _STAKES[:, None, None] * groups).prod(axis=2)
            self.log_wealths += np.log(products).sum(axis=1)
        self.sum += samples.sum(axis=0)
        self.n += len(samples)

    @property
    def mean(self) -> Any:
        return self.sum / max(1, self.n)

    @property
    def log_wealth(self) -> Any:
        return np.logaddexp.reduce(self.log_wealths, axis=0) - math.log(_STAKES.size)

    def lower_ends(self, level: float) -> Any:
        """Return lower confidence bounds on means whose wealth has reached exp(level)."""
        # 1 + s (Q/(r q) - 1) >= (1 + s (Q/q - 1))/r for r >= 1, so the wealth against the claim r q
        # is at least that against q over r^n.
        gain = np.maximum(self.log_wealth - level, 0.0)
        return self.claims * np.exp(gain / max(1, self.n))


class SquaredLengths(Excess):
    r"""Bets that squared lengths are larger than claimed: each, or sums and differences of pairs.

    `pairs`, shape (2, means) or (1, means), are what a certificate calls the means; with two rows
    the bets are on \|u + v\|^2, then on \|u - v\|^2. `forms` names a form by its sign.
    """

    def __init__(
        self, claims: Array, pairs: NDArray[np.int64], rounding: float, forms: str
    ) -> None:
        self._exact = np.maximum(claims, 0.0)
        # For equal rows the difference is 0 up to rounding.
        super().__init__(self._exact + 4.0 * rounding)
        self._pairs, self._forms, self._sound = pairs, forms, True
        self.n_bets = int(self.claims.size)
        self._waiting: list[tuple[Array, Array]] = []

    def bet(self, values: Array, size: Array) -> None:
        """Bet on squared lengths, shape (draws, bets), of sums of `size`, shape (draws, means)."""
        self._waiting.append((values, size))
        if len(self._waiting) * np.size(values) >= _WAITING:
            self._is_valid()

    def _is_valid(self) -> bool:
        """Bet on all samples that wait; return whether there are bets, and they are valid."""
        if self._waiting:
            values, size = map(np.concatenate, zip(*self._waiting))
            self._waiting = []
            slack = 4.0 * (self.claims - self._exact)
            slack = slack + 1e-9 * np.concatenate([np.abs(size)] * len(self._pairs), axis=1)
            # A map's own gram need not be an inner product; then these bets are invalid.
            self._sound = self._sound and not (values < -slack).any()
            self.add(np.maximum(values, 0.0))
        return self._sound and self.n > 0

    def _best(self, floor: float, level: float = -math.inf) -> int | None:
        """Return the direction of most wealth among those at a level and off by a floor."""
        # The deviation of a form is twice that of a kernel entry.
        wealth = self.log_wealth
        some = (wealth >= level) & (0.5 * (self.mean - self._exact) >= floor)
        if level > -math.inf and not some.any():
            return None
        return int(np.argmax(np.where(some, wealth, -np.inf)))

    def evidence(self, level: float, floor: float) -> Evidence | None:
        """Return the direction of most wealth if it reached exp(level) and is off by `floor`."""
        best = self._best(floor, level) if self._is_valid() else None
        if best is None:
            return None
        mean, low = self.mean[best], self.lower_ends(level)[best]
        is_difference, k = divmod(best, self._pairs.shape[1])
        form, claim = self._forms.format("+-"[is_difference]), self._exact[best]
        return Evidence(k, form, float(mean), float(claim), float(low))

    def statistics(self, floor: float) -> tuple[Statistics, ...]:
        """Return the direction of most wealth among those off by `floor`, if bets are valid."""
        best = self._best(floor) if self._is_valid() else None
        if best is None:
            return ()
        is_difference, k = divmod(best, self._pairs.shape[1])
        tests = {
            "pair": self._pairs[:, [k]],
            "sign": [-1 if is_difference else 1],
            "claim": self._exact[[best]],
            "sum": self.sum[[best]],
            "bet": self.claims[[best]],
            "log_wealths": self.log_wealths[:, [best]],
        }
        plan = {"n": self.n, "count": self.n_bets, "shared": True}
        return (Statistics("squared lengths", plan, tests),)
