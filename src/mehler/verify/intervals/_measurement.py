"""What a method measures, a source of samples at given error rates, and what it returns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler.verify._arguments import CheckOptions
from mehler.verify._certificate import Statistics
from mehler.verify._maps import Clock
from mehler.verify._sources import Finding, Source
from mehler.verify._verdict import FLOOR


class Task:
    """Means of a source of samples against its claims, at the rates and the budget of a check.

    Each of `n` means has an error rate of `rate`; no deviation below `floor` refutes. All are in
    units of the source; `rounding` widens both ends of intervals, of `width` at most before.
    """

    def __init__(
        self, source: Source, draws: Any, options: CheckOptions, clock: Clock | None = None
    ) -> None:
        self.source, self.draws, self.options = source, draws, options
        self.clock, self.n = clock or Clock(), int(source.claim.size)
        self.rate, self.resolution = options.false_alarm / self.n, options.resolution
        self.floor, self.rounding = FLOOR * options.resolution, source.rounding
        self.width = options.resolution - 2.0 * source.rounding

    def require_resolved(self) -> None:
        if self.width <= 0.0:
            rounded = f"the rounding of the features ({2 * self.rounding:.3g})"
            text = f"resolution={self.resolution:.3g} is finer than {rounded}"
            raise ValueError(f"{text}: ask for a coarser one, or for float64 features")

    def affordable(self, samples: int) -> int:
        n_draws, most = -(-samples // self.source.per_draw), self.options.max_features
        return n_draws if most is None else min(n_draws, most // self.source.n_features)

    def draw(self, k: int, total: float) -> Any:
        """Return draw k of about as many as `total`."""
        self.clock.foresee(k, total, self.resolution, self.options.name)
        return self.draws[k]


@dataclass(frozen=True)
class Evidence:
    """A squared length in excess of its claim, which refutes by itself; `form` is its formula."""

    mean: int
    form: str
    observed: float
    claim: float
    low: float


@dataclass(frozen=True)
class Measurement:
    """Sample means and intervals [low, high], in units of the source.

    `may_refute` marks the means whose interval has the error rate stated; `unless` says what would
    excuse a refutation, `note` why an outcome is open and what to do, `needed` how many draws would
    decide, 0 where that is not known; the first of `statistics` is that of the intervals.
    """

    observed: Array
    low: Array
    high: Array
    detectable: float
    method: str
    assumptions: tuple[str, ...] = ()
    n_draws: int = 0
    n_intervals: int = 1
    needed: int = 0
    may_refute: Any = True
    evidence: Evidence | None = None
    unless: str = ""
    note: str = ""
    statistics: tuple[Statistics, ...] = ()


def cut_short(task: Task, found: Finding) -> Measurement:
    """Return the measurement that ends with a finding."""
    nothing = np.full(task.n, math.nan)
    observed = nothing.copy()
    observed[found.mean] = found.value / float(task.source.unit[found.mean])
    more: dict[str, Any] = {"n_draws": found.n_draws, "n_intervals": task.n, **found.more}
    return Measurement(observed, nothing, nothing, math.inf, found.method, **more)


def of_samples(
    x: Array, ends: Any, detectable: float, method: str, assumption: str, statistics: Statistics
) -> Measurement:
    """Return intervals of means, from samples (n, means) of a number that was fixed before."""
    low, high = np.asarray(ends)
    rest = (detectable, method, (assumption,))
    return Measurement(x.mean(axis=0), low, high, *rest, statistics=(statistics,))
