"""Intervals of all pairs when nothing is declared: a pilot, then looks that are paid for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.verify._draws import Draws
from mehler.verify._plan import Measurement, Plan
from mehler.verify._verdict import ASYMPTOTIC
from mehler.verify.intervals._asymptotic import asymptotic_half_width, asymptotic_size

# Most looks, each at its share of the error rate: log(8) on top of log(2/alpha), some 8 % of n.
LOOKS = 8

# Samples of the pilot that plans the looks; it is not used again.
_PILOT = 256


def by_moments(plan: Plan) -> Measurement:
    """Take looks until one decides, at sizes that independent pilot draws have fixed before.

    The sizes grow from the least that an interval is worth, so that a gross defect, whose
    variance may be gross too, is found early, to the planned one and four times that.
    """
    pairs, source = plan.pairs, plan.source
    rate = plan.false_alarm / (pairs.n * LOOKS)
    start = asymptotic_size(rate)

    def half_width(n: int, variance: Any, level: float) -> Any:
        if n < 2:
            return np.full(pairs.n, np.inf)
        return asymptotic_half_width(n, variance, level)

    def size(variance: Any) -> int:
        if not np.isfinite(variance).all():
            return start
        return _least(
            lambda n: float(half_width(n, variance, rate).max()) <= 0.5 * plan.width, start
        )

    pilot = _Moments(plan)
    # A quarter of what is allowed: the pilot is paid from max_features too.
    pilot.extend(
        Draws(plan.draws.draw, plan.draws.root, stream=1),
        min(plan.affordable(_PILOT), plan.affordable(2**52) // 4),
    )
    # 256 samples know a variance to some 10 or 20 per cent.
    planned = size(1.2 * pilot.variance) if pilot.n >= 2 else start

    moments = _Moments(plan)
    for target in _sizes(start, planned):
        n_draws = plan.affordable(target, spent=pilot.n_draws)
        if n_draws == moments.n_draws:
            continue  # the draws taken for the last size, or all that are allowed, cover this one
        moments.extend(plan.draws, n_draws)
        half = half_width(moments.n, moments.variance, rate) + plan.rounding
        low, high = moments.mean - half, moments.mean + half
        outside = (pairs.claim < low) | (pairs.claim > high) | ~np.isfinite(moments.mean)
        if outside.any() or (2.0 * half <= plan.resolution).all():
            break
    seen = half_width(moments.n, moments.variance, plan.miss)
    wanted = size(moments.variance) if moments.n >= 2 else 0
    return Measurement(
        observed=moments.mean,
        low=low,
        high=high,
        n_draws=moments.n_draws,
        n_looks=pairs.n * LOOKS,
        detectable=float(np.max(half + seen)),
        needed=-(-wanted // source.per_draw) * source.n_features,
        method=ASYMPTOTIC,
        assumptions=("the number of samples is large: error rates hold only in the limit",),
    )


def _sizes(start: int, planned: int) -> list[int]:
    """Return at most LOOKS sample sizes: a geometric approach to `planned`, then 2 and 4 times."""
    early = LOOKS - 3
    factor = max(4.0, (planned / start) ** (1.0 / early))
    approach = (round(start * factor**k) for k in range(early))
    return [n for n in approach if n < planned] + [planned, 2 * planned, 4 * planned]


class _Moments:
    """Running mean and unbiased variance of every pair."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._sums = np.zeros((4, plan.pairs.n))
        self.n_draws = 0

    @property
    def n(self) -> int:
        return self.n_draws * self._plan.source.per_draw

    @property
    def mean(self) -> Any:
        return self._sums[0] / self.n

    @property
    def variance(self) -> Any:
        centred = self._sums[1] - self._sums[0] * self.mean
        return np.maximum(centred, 0.0) / max(1, self.n - 1)

    def extend(self, draws: Draws, n_draws: int) -> None:
        for k in range(self.n_draws, n_draws):
            self._sums += self._plan.source.sums(draws[k])
        self.n_draws = n_draws


def _least(enough: Callable[[int], bool], start: int) -> int:
    """Return the least n >= start with enough(n), enough being monotone."""
    high = start
    while not enough(high):
        high *= 2
        if high > 2**52:
            raise ValueError("the resolution needs more than 2^52 samples: ask for a coarser one")
    low = max(start - 1, high // 2) if high > start else start - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
