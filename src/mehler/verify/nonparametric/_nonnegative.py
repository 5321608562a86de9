"""Tests of means of nonnegative samples, such as variances.

Too large by `Excess`, too small by `Unseen` and fresh draws, at half of the error rate each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler.verify._arguments import CheckOptions
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import FLOOR, KURTOSIS, Comparison, Verdict
from mehler.verify.intervals._nonnegative import Excess
from mehler.verify.intervals._self_normalised import effective_samples
from mehler.verify.nonparametric._kurtosis_test import (
    FEW,
    LEAST,
    STEP,
    Means,
    least_samples,
)
from mehler.verify.nonparametric._unseen import Suspicion, Unseen
from mehler.verify.pairwise._measurement import Clock, Measurement, MeasurementSpec
from mehler.verify.pairwise._worst_pair import verdict_of_worst_pair
from mehler.verify.sampling._sources import BLOCK, GROUP, power_sums

BETS = "not negative (betting)"

# First inspection, and the last one relative to the size
# from which a kurtosis can be bounded: _PATIENCE where a sample takes draws of its own, else
# _CHEAP.
_FIRST, _PATIENCE, _CHEAP = 64, 2.0, 16.0

# Relative deviations below this count as constant, which is no evidence of events not seen.
_ROUNDING = 1e-12

# Elements of the largest temporary.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Ends:
    """Intervals of all means at one inspection, in units of the claims, and where they refute.

    `wanted` is the size at which refuting intervals would be narrow, `unseen` what excuses means
    that are smaller than claimed.
    """

    mean: Any
    low: Any
    high: Any
    larger: Any
    smaller: Any
    wanted: float
    unseen: Unseen


class Nonnegative:
    """Tests of nonnegative means against positive `claims`.

    `rate` is the error rate of one mean, `resolution` the order of the deviation of interest.
    """

    def __init__(self, claims: NDArray[np.float64], rate: float, resolution: float) -> None:
        self.claims, self._resolution = np.asarray(claims, dtype=np.float64), resolution
        self._bets, self._rate, self.n = Excess(self.claims), rate, 0
        self.sums = np.zeros((4, self.claims.size))
        self._extremes = np.full((2, self.claims.size), np.inf) * [[1.0], [-1.0]]

    def add(self, samples: Array) -> None:
        """Add samples, shape (count, means)."""
        step = max(1, _BLOCK // (16 * self.claims.size))
        for start in range(0, samples.shape[0], step):
            x = samples[start : start + step]
            self._bets.add(np.maximum(x, 0.0))
            gaps = x - self.claims
            self.sums += power_sums(gaps)
            low, high = self._extremes
            self._extremes = np.stack(
                [np.minimum(low, gaps.min(axis=0)), np.maximum(high, gaps.max(axis=0))]
            )
        self.n += samples.shape[0]

    def statistics(self) -> Statistics:
        """Return what decided: sums about the claims, extremes, and log wealths of the bets."""
        sums = {"sums": self.sums, "ends": self._extremes}
        tests = {"claim": self.claims, **sums, **self._bets.statistics()}
        return Statistics("nonnegative", {}, tests)

    def look(self) -> Ends:
        """Return the intervals at the current size."""
        n, floor = self.n, FLOOR * self._resolution
        means = Means(n, self.sums, self._resolution)
        off = means.off
        low = self._bets.lower_ends(math.log(2.0 / self._rate))
        larger = (low > self.claims) & (off >= floor) | ~np.isfinite(off)
        ends = self._extremes[0], self._extremes[1]
        unseen = Unseen.of(n, self.sums, 0.5 * self._rate, self._resolution, ends)
        varies = means.squares > n * (_ROUNDING * self.claims) ** 2
        few = effective_samples(means.squares, means.fourths) < FEW
        smaller = (off < 0.0) & varies & ~few & (unseen.least >= floor)
        half = np.where(smaller, np.abs(off) - unseen.least, 0.0)
        return Ends(
            mean=self.claims + off,
            low=np.where(low > self.claims, low, 0.0),
            high=np.where(smaller, self.claims + off + half, np.inf),
            larger=larger,
            smaller=smaller,
            wanted=n * (2.0 * float(half.max()) / self._resolution) ** 2,
            unseen=unseen,
        )


def sizes(rate: float, *, cheap: bool) -> list[int]:
    """Return the sample sizes of the inspections, for the error rate of one mean."""
    most = (_CHEAP if cheap else _PATIENCE) * max(LEAST, least_samples(0.25 * rate))
    return [round(_FIRST * STEP**k) for k in range(200) if _FIRST * STEP**k <= most]


@dataclass(frozen=True)
class Refutation:
    """Guaranteed intervals after `draws` draws, and the mask of the means that they refute.

    `larger` where these are larger than claimed; else `unseen` is what excuses them. `note` says
    why a suspicion is not refuted.
    """

    ends: Ends
    draws: int
    refuted: Any
    larger: bool
    worst: int
    statistics: Statistics
    unseen: Unseen | None = None
    note: str = ""

    @property
    def method(self) -> str:
        """The name of the method."""
        return BETS if self.larger else KURTOSIS

    def words(self, samples: str, events: str, unit: str) -> tuple[str, str]:
        """Return the assumption of a refutation, and the sentence on it."""
        if self.unseen is None:
            return f"nothing else: {samples} are not negative", ""
        unless = self.unseen.text(self.worst, events, unit)
        return f"not that {unless}", f"Unless {unless}, the claim is wrong."


def refutation_of(
    claims: Array,
    rate: float,
    resolution: float,
    sample: Callable[[int], Any],
    per_draw: int,
    affordable: Callable[[int], int],
) -> Refutation:
    """Draw until guaranteed intervals refute a claim, or more draws would not help.

    `sample` maps the number of a draw to `per_draw` samples of every mean, `affordable` a number of
    samples to the draws that are allowed for it.
    """
    clock, drawn, tests = Clock(), 0, Nonnegative(claims, rate, resolution)

    def draw_until(until: int) -> Ends:
        nonlocal drawn
        while drawn < until:
            tests.add(sample(drawn))
            drawn += 1
        return tests.look()

    for target in sizes(rate, cheap=per_draw > 1):
        until = affordable(target)
        if until == drawn and drawn:
            continue
        ends = draw_until(until)
        if (ends.larger | ends.smaller).any():
            break
    # Means that are too large first, since refuting them takes no assumption.
    refuted, unseen, note = ends.larger, None, ""
    if not refuted.any() and ends.smaller.any():
        first = Suspicion(drawn, per_draw, tests.sums, ends.smaller, rate, resolution)
        tests = Nonnegative(claims, rate, resolution)
        ends = draw_until(affordable(first.until(ends.wanted / per_draw, clock.seconds) * per_draw))
        refuted = first.refuted & ends.smaller & (drawn >= 2 * first.draws)
        unseen, note = ends.unseen, "" if refuted.any() else f"{first.unconfirmed(drawn)}."
    compared = Comparison(ends.mean, tests.claims, ends.low, ends.high, resolution, refuted)
    return Refutation(
        ends=ends,
        draws=drawn,
        refuted=refuted,
        larger=unseen is None,
        worst=compared.worst,
        statistics=tests.statistics(),
        unseen=unseen,
        note=note,
    )


def with_guarantee(
    whole: MeasurementSpec,
    plan: MeasurementSpec,
    suspected: Measurement,
    options: CheckOptions,
    reason: str,
) -> tuple[Verdict, Refutation | None]:
    """Refute a suspicion based on a pilot only by an interval with a guarantee, else leave it open.

    Samples are variances of groups, in units of their claims. `whole` is the full budget, `plan`
    the part that raised the suspicion, `reason` the text where nothing is refuted. Returns the
    verdict, and what refutes, or None.
    """
    pairs, source, draws = whole.pairs, whole.source, whole.draws
    step = max(1, BLOCK // source.per_draw)

    def sample(k: int) -> Any:
        parts = [
            source.samples(draws[k], np.arange(start, min(start + step, pairs.n)))
            for start in range(0, pairs.n, step)
        ]
        return np.concatenate(parts, axis=1)

    rate = whole.false_alarm / pairs.n
    proof = refutation_of(
        pairs.claim, rate, whole.resolution, sample, source.per_draw, whole.affordable
    )
    if not proof.refuted.any():
        suspected = replace(suspected, may_refute=False, note=proof.note or reason)
        return verdict_of_worst_pair(plan, suspected, options, None), None
    kind = "draws" if source.name == "independent draws" else source.name.split()[-1]
    assumption, note = proof.words("variances of groups", f"groups of {GROUP} {kind}", "V")
    measured = Measurement(
        observed=proof.ends.mean,
        low=proof.ends.low,
        high=proof.ends.high,
        n_draws=proof.draws,
        n_intervals=3 * pairs.n,
        detectable=math.inf,
        needed=0,
        method=proof.method,
        assumptions=(assumption,),
        may_refute=proof.refuted,
        note=note,
        statistics=(proof.statistics,),
    )
    return verdict_of_worst_pair(whole, measured, options, None), proof
