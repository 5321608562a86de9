r"""Refutations without a declaration: what events too rare to be seen would have to carry.

No test decides a mean without an assumption (Bahadur and Savage 1956). Let gaps Y = X - c have mean
0 under the claim, and let q be the largest size that \|Y\| exceeds with probability L/n or less,
in n samples fixed in advance. Except with probability 5 exp(-L),

- the largest of n sizes, which is at most M = (sum Y^4)^(1/4), is at least q;
- at most K = e L samples exceed q, since a binomial count of mean L is that large with probability
  exp(-L) at most (Chernoff);
- the mean of Y' = Y 1{\|Y\| <= q} is within sqrt(2 v L/n) + 14 M L/(3 (n - 1)) of its sample mean
  (Maurer and Pontil 2009), v its sample variance, at most (sum (Y - m)^2 + K m^2)/(n - 1) for the
  sample mean m of Y.

The sample means of Y and Y' differ by K M/n at most, so that

    \|E Y'\| >= \|m\| - e L M/n - sqrt(2 v L/n) - 14 M L/(3 (n - 1)).

If the claim is right, this is what events rarer than L/n carry. No moment is assumed to exist.

A refutation is confirmed on fresh draws: as many as the first ones, as the resolution asks for, and
as `SECONDS` allow where drawing is cheap, which makes the events rarer that could excuse the map.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.verify.intervals._bounded import bernstein_half_width
from mehler.verify.nonparametric._kurtosis_test import Inspection

# Seconds that fresh draws may take beyond those that the resolution asks for, and most draws.
SECONDS = 2.0
_MOST = 1 << 20

# Fresh draws suffice once unseen events would have to carry this fraction of the deviation, or at
# so many times the first draws.
_CARRIED, _TIMES = 0.5, 64.0


@dataclass(frozen=True)
class Unseen:
    """Unless events rarer than 1 in `one_in` carry `least` of a mean, its claim is wrong.

    `least` has one value for each mean, in the unit of the samples; where it is not positive, rare
    events need not carry anything.
    """

    one_in: float
    least: Any

    @classmethod
    def of(cls, n: float, sums: Any, rate: float) -> Unseen:
        """Bound the means of n samples, with power sums about the claims, at an error rate."""
        s1, s2, _, s4 = sums
        level = math.log(5.0 / rate)
        mean, largest, many = s1 / n, s4**0.25, math.e * level
        squares = np.maximum(s2 - s1 * mean, 0.0) + many * mean**2
        half = bernstein_half_width(
            math.floor(n), squares / (n - 1.0), 2.0 * largest, 3.0 * math.exp(-level)
        )
        return cls(n / level, np.abs(mean) - many * largest / n - half)

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


def fresh_draws(draws: int, wanted: float, sums: Any, n: int, rate: float, seconds: float) -> int:
    """Return how many fresh draws confirm a refutation after `draws` of n samples in `seconds`.

    `wanted` are the draws that the resolution asks for, `sums` those of the refuted means.
    """
    size, off = float(max(draws, wanted)), np.abs(sums[0]) / n
    while size < _TIMES * draws:
        times = size / draws
        if (Unseen.of(n * times, sums * times, rate).least >= _CARRIED * off).any():
            break
        size *= 1.25
    while 2.0 * size * seconds <= SECONDS * draws and 2.0 * size <= _MOST:
        size *= 2.0
    return math.ceil(size)


def confirmation(
    n: int, sums: Any, rate: float, resolution: float, rounding: float, least: float
) -> tuple[Any, Unseen]:
    """Return which means n fresh samples refute again, so that unseen events carry `least`.

    Also return what these would have to carry.
    """
    if n < 2:
        return np.zeros(sums.shape[1:], dtype=bool), Unseen(0.0, np.zeros(sums.shape[1:]))
    unseen = Unseen.of(n, sums, rate)
    return Inspection(n, sums, rate, 1, resolution, rounding).refuted & (
        unseen.least >= least
    ), unseen
