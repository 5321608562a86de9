"""Worlds in which a bound is nearly tight, where the probability is computed, not drawn.

A loose bound passes a check by draws even if one of its terms is deleted. Each term therefore has
a world in which it dominates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special

from mehler.statements import Evidence
from mehler.statements._evidence import Form

# Berry and Esseen for equal laws, with the constant of Shevtsova (2011).
_BERRY_ESSEEN = 0.4748
# Reports can show neither the infinite ratio of a promise of 0 nor an interval of length 0.
_LARGEST, _ROUNDING = 1e300, 1e-14


@dataclass(frozen=True)
class World:
    """A named world: a certain interval for a probability or mean, and its promised bound."""

    name: str
    happens: tuple[float, float]
    promised: float

    @property
    def ratio(self) -> tuple[float, float]:
        """Ends of the value over its promised bound."""
        low, high = (
            chance / self.promised if self.promised > 0 else math.inf for chance in self.happens
        )
        return low, high


def hold_worlds(worlds: Sequence[World], *, form: Form, claim: str) -> Evidence:
    """Compare values with their promised bounds, and report the nearest world."""
    worst = max(worlds, key=lambda instance: instance.ratio[0])
    low, high = worst.ratio
    return Evidence.bound_comparison(
        form=form,
        claim=(
            f"{claim}: what happens over what is promised, at most 1 (largest of {len(worlds)} "
            f"worlds: {worst.name})"
        ),
        observed=min(low, _LARGEST),
        interval=(min(low, _LARGEST) * (1 - _ROUNDING), min(high, _LARGEST) + _ROUNDING),
        upper=1.0,
        method="computed: binomial and normal distributions, with bounds of their errors",
    )


def mean_exceeds(t: float, n: int, *, third: float = 2.0) -> tuple[float, float]:
    """Bound the probability that a mean of n variables is t/sqrt(n) above its own.

    t is in standard deviations; `third` bounds the absolute third standardised moment. n is so
    large, 10^40, that the Berry-Esseen error is negligible.
    """
    chance, error = float(special.ndtr(-t)), _BERRY_ESSEEN * third / math.sqrt(n)
    return max(0.0, chance - error), chance + error


def at_least(interval: tuple[float, float], lost: float) -> tuple[float, float]:
    """Return an interval for a probability on an event that fails with at most `lost`."""
    return max(0.0, interval[0] - lost), min(1.0, interval[1] + lost)
