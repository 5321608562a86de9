"""What is asked of a measurement, and what comes back: one interval a pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from mehler.verify._draws import Draws
from mehler.verify._pairs import Pairs
from mehler.verify._sources import Source


@dataclass(frozen=True)
class Plan:
    """What is asked of the measurement; resolution and claims in units of the pairs."""

    pairs: Pairs
    source: Source
    draws: Draws
    false_alarm: float
    resolution: float
    miss: float
    max_features: int | None

    @property
    def rounding(self) -> float:
        """Allowance for rounded features, added to both ends of every interval.

        Rounding errors of an inner product of d terms add up like independent ones to about
        sqrt(d) eps (Higham and Mary 2019); 8 covers both factors of a product and their sum.
        """
        return 8.0 * math.sqrt(self.pairs.left.host.shape[1]) * self.source.eps

    @property
    def width(self) -> float:
        """Full width that an interval may have before the allowance."""
        width = self.resolution - 2.0 * self.rounding
        if width <= 0.0:
            raise ValueError(
                f"resolution={self.resolution:.3g} is finer than the rounding of the features "
                f"({2 * self.rounding:.3g}): ask for a coarser one, or for float64 features"
            )
        return width

    def affordable(self, samples: int, spent: int = 0) -> int:
        """Return the draws that give so many samples a pair, or as many as are left."""
        n_draws = -(-samples // self.source.per_draw)
        if self.max_features is None:
            return n_draws
        return min(n_draws, self.max_features // self.source.n_features - spent)


@dataclass(frozen=True)
class Measurement:
    """Sample means and intervals [low, high] for each pair, in units of the pairs."""

    observed: Any
    low: Any
    high: Any
    n_draws: int
    n_looks: int
    detectable: float
    needed: int
    method: str
    assumptions: tuple[str, ...]
