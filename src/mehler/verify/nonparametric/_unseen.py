r"""Refutations without a declaration: what events too rare to be seen would have to carry.

No test decides a mean without an assumption (Bahadur and Savage 1956). Let gaps Y = X - c have mean
0 under the claim, Z = Y or -Y the one whose sample mean is positive, n samples be fixed in advance,
and q with P(Z < -q) <= L/n <= P(Z <= -q). Except with probability exp(-L) each, on either side,

- some sample is at most -q, so that q <= M = max (-Z_i) <= (sum Y^4)^(1/4);
- bets that V = max(Z, -q) has a mean above theta win less than exp(L) if it has not: for fixed
  stakes s the mean over s of prod (1 + s (V_i - theta)), or 1 where s (q + theta) > 3/4.

V_i >= Z_i, so that with stakes up to 3/(4 (M + theta)) alone, of K fixed ones,

    1/K sum_s exp(s A_1 - s^2 A_2/2 + s^3 A_3/3 - k s^4 A_4) >= exp(L),   A_j = sum (Z_i - theta)^j,

excludes a mean of V up to theta, k as in `intervals.betting` of power sums. If the claim is right,
events Z < -q, rarer than L/n, carry E V, which is theta at least. No moment is assumed to exist.

A refutation is confirmed on fresh draws: as many as the first ones, as the resolution asks for, and
as `SECONDS` allow where drawing is cheap, which makes the events rarer that could excuse the map.
Of samples that were handed in, a number fixed in advance, there are no others: they are inspected
once, and the words are of them all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._plural import counted
from mehler.verify._verdict import FLOOR
from mehler.verify.intervals._bounded import KAPPA, SHARES
from mehler.verify.intervals._self_normalised import BETS
from mehler.verify.nonparametric._kurtosis_test import Inspection

# Seconds that fresh draws may take beyond those that the resolution asks for, and most draws.
SECONDS = 2.0
_MOST = 1 << 20

# Fresh draws suffice once unseen events would have to carry this fraction of the deviation, or at
# so many times the first draws.
_CARRIED, _TIMES = 0.5, 64.0

_HALVINGS = 20
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Unseen:
    """Unless events rarer than 1 in `one_in` carry `least` of a mean, its claim is wrong.

    `least` has one value for each mean, in the unit of the samples; where it is 0, rare events need
    not carry anything.
    """

    one_in: float
    least: Any

    @classmethod
    @np.errstate(over="ignore", under="ignore", invalid="ignore")
    def of(
        cls, n: float, sums: Any, rate: float, scale: float, ends: tuple[Any, Any] | None = None
    ) -> Unseen:
        """Bound the means of n samples, with power sums about the claims, at an error rate.

        `scale` is the order of the deviation of interest, fixed before the samples; `ends` are the
        least and the largest gap, where they are at hand.
        """
        s1, s2, s3, s4 = np.asarray(sums, dtype=np.float64)
        sign, level = np.where(s1 < 0.0, -1.0, 1.0), math.log(4.0 / rate)
        mean, largest = np.abs(s1) / n, s4**0.25
        if ends is not None:
            largest = np.where(s1 < 0.0, ends[1], -np.asarray(ends[0]))
        # Centred sums, with the rounding that cancellation leaves.
        m2 = np.maximum(s2 - n * mean**2, 0.0) + 64.0 * _EPS * s2
        m3 = sign * s3 - 3.0 * mean * s2 + 2.0 * n * mean**3
        m4 = np.maximum(s4 - 4.0 * mean * sign * s3 + 6.0 * mean**2 * s2 - 3.0 * n * mean**4, 0.0)
        m4 = m4 + 64.0 * _EPS * (s4 + 6.0 * mean**2 * s2)
        stakes = (BETS / scale)[(slice(None),) + (None,) * mean.ndim]

        def excluded(theta: Array) -> Any:
            d, s = mean - theta, stakes
            squares, cubes = m2 + n * d**2, m3 + 3.0 * m2 * d + n * d**3
            fourths = m4 + 4.0 * m3 * d + 6.0 * m2 * d**2 + n * d**4
            wealth = s * (n * d - s * (0.5 * squares - s * (cubes / 3.0 - KAPPA[0] * s * fourths)))
            wealth = np.where(s * (largest + theta) <= SHARES[0], wealth, -np.inf)
            return np.logaddexp.reduce(wealth, axis=0) >= level + math.log(BETS.size)

        low, high = np.zeros(mean.shape), mean
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            out = excluded(middle)
            low, high = np.where(out, middle, low), np.where(out, high, middle)
        return cls(n / level, low)

    def text(self, k: int, events: str, unit: str) -> str:
        """Say what events would have to carry for the claim of mean k to be right."""
        return (
            f"{events} rarer than 1 in {_count(self.one_in)} carry at least "
            f"{float(self.least[k]):.2g} of {unit}"
        )


def _count(value: float) -> str:
    """Return a count to two digits, rounded down."""
    step = 10.0 ** max(0, math.floor(math.log10(max(value, 1.0))) - 1)
    return f"{int(value // step * step):,}"


@dataclass(frozen=True)
class Suspicion:
    """A refutation by the first draws, before fresh ones confirm it.

    `sums` are the power sums about the claims, shape (4, means), of `draws` draws with `per_draw`
    samples each; `refuted` is a mask of the means, `rate` the error rate of one of them.
    """

    draws: int
    per_draw: int
    sums: Any
    refuted: Any
    rate: float
    resolution: float

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.draws * self.per_draw

    def until(self, target: float, seconds: float) -> int:
        """Return the draws after which to confirm it, fresh ones included.

        `wanted` are the draws that the resolution asks for, `seconds` those of the first draws.
        """
        sums = self.sums[:, self.refuted]
        size, off = float(max(self.draws, target)), np.abs(sums[0]) / self.n
        while size < _TIMES * self.draws:
            times = size / self.draws
            unseen = Unseen.of(self.n * times, sums * times, self.rate, self.resolution)
            if (unseen.least >= _CARRIED * off).any():
                break
            size *= 1.25
        while 2.0 * size * seconds <= SECONDS * self.draws and 2.0 * size <= _MOST:
            size *= 2.0
        return self.draws + math.ceil(size)

    def confirm(self, look: Inspection, rounding: float) -> Unseen:
        """Refute in `look`, of all draws, what fresh ones refute alone, as many as the first.

        Returns what unseen events have to carry, a floor at least.
        """
        fresh, n = look.sums - self.sums, look.n - self.n
        unseen, confirmed = Unseen(0.0, 0.0 * look.off), False
        if n >= self.n:
            unseen = Unseen.of(n, fresh, self.rate, self.resolution)
            again = Inspection(n, fresh, self.rate, 1, self.resolution, rounding)
            confirmed = again.refuted & (unseen.least >= FLOOR * self.resolution)
        look.confirm(confirmed, n, fresh)
        return unseen

    def unconfirmed(self, draws: int) -> str:
        """Say that fresh draws do not confirm it."""
        fresh = draws - self.draws
        return (
            f"A mean is off in the first {counted(self.draws, 'draw')}, and "
            f"{counted(fresh, 'fresh draw')} {'do' if fresh != 1 else 'does'} not confirm it"
        )
