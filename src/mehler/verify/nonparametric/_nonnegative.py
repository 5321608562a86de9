"""Tests of means of nonnegative samples, such as variances.

Three tests share the error rate. `Excess`, at half of it, bets that a mean is larger than claimed,
without assumptions. A mean that is far too small is suspected by `upper_ends` under a bound on two
moments, one that is slightly too small by `Inspection` under a bound on four; each applies only
where the samples' own moments are five times below the bound. A suspicion is refuted only by as
many fresh draws, which suspect it too, unless rare samples carry what `Unseen` says.

The ratio of two such means has a lower bound too: the smaller mean A has an upper confidence bound
U under a bound on two moments. Against the claim B <= U the wealth of bets on the other samples is
no larger than against B <= A, where it is a nonnegative supermartingale if B <= A, so U may come
from the same inspection. Where the means are close, `Inspection` on the differences is more
powerful, under a bounded kurtosis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mehler.verify._certificate import Statistics
from mehler.verify._verdict import FLOOR, KURTOSIS, Comparison, Verdict
from mehler.verify.intervals._nonnegative import Excess, upper_ends
from mehler.verify.intervals._self_normalised import MARGIN
from mehler.verify.nonparametric._kurtosis_test import LEAST, Inspection, least_samples
from mehler.verify.nonparametric._unseen import Suspicion, Unseen
from mehler.verify.pairwise._measurement import Clock, Measurement, MeasurementSpec
from mehler.verify.pairwise._worst_pair import verdict_of_worst_pair
from mehler.verify.sampling._sources import BLOCK, GROUP, power_sums

BETS = "not negative (betting)"

# First inspection, ratio of successive inspections, and the last inspection relative to the size
# from which a kurtosis can be bounded: _PATIENCE where a sample takes draws of its own, else
# _CHEAP.
_FIRST, _STEP, _PATIENCE, _CHEAP = 64, 1.25, 2.0, 16.0

# Relative deviations below this count as constant.
_ROUNDING = 1e-12

# Elements of the largest temporary.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Ends:
    """Intervals of all means at one inspection, and the size at which they would be narrow."""

    mean: Any
    low: Any
    high: Any
    n: int
    wanted: float

    def refuted(self, claims: Any, floor: float) -> Any:
        """Where the interval excludes the claim, by at least the floor."""
        outside = (claims < self.low) | (claims > self.high)
        return (outside & (np.abs(self.mean - claims) >= floor)) | ~np.isfinite(self.mean)


class Nonnegative:
    """Sequential tests of nonnegative means against positive `claims`, at sizes fixed in advance.

    `rate` is the error rate of one mean over all inspections, `resolution` the order of the
    deviation of interest, `of` the number of independent draws per sample.
    """

    def __init__(self, claims: Any, rate: float, resolution: float, *, of: int = 1) -> None:
        self._least = LEAST // of
        self.claims, self._resolution = np.asarray(claims, dtype=np.float64), resolution
        self._bets, self._level = Excess(self.claims), math.log(2.0 / rate)
        self._rate, self._number = 0.25 * rate, 0
        self.sums = np.zeros((4, self.claims.size))
        self._squares = np.zeros(self.claims.size)
        self.n = 0

    def add(self, samples: Any) -> None:
        """Add samples, shape (count, means)."""
        step = max(1, _BLOCK // (16 * self.claims.size))
        for start in range(0, samples.shape[0], step):
            x = samples[start : start + step]
            self._bets.add(np.maximum(x, 0.0))
            self.sums += power_sums(x - self.claims)
            self._squares += (x * x).sum(axis=0)
        self.n += samples.shape[0]

    def statistics(self) -> Statistics:
        """Return what decided: sums about the claims, squares, and log wealths of the bets."""
        plan = {"look": self._number, "least": self._least}
        sums = {"sums": self.sums, "squares": self._squares}
        tests = {"claim": self.claims, **sums, **self._bets.statistics()}
        return Statistics("nonnegative", plan, tests)

    def look(self) -> Ends:
        """Return the intervals at the current size; each inspection pays for itself."""
        self._number += 1
        n, j = self.n, self._number
        mean = self.claims + self.sums[0] / n
        low = self._bets.lower_ends(self._level)
        low = np.where(low > self.claims, low, 0.0)
        near = Inspection(n, self.sums, self._rate, j, self._resolution, 0.0)
        high = np.where(near.may_refute, mean + near.half, np.inf)
        if n >= self._least:
            far = upper_ends(n, mean, self._squares / n, self._rate / (j * (j + 1.0)))
            # Constant samples are no evidence about events not seen.
            varies = near.squares > n * (_ROUNDING * self.claims) ** 2
            high = np.where(varies, np.minimum(high, far), high)
        return Ends(mean, low, high, n, near.wanted(near.may_refute))


def sizes(rate: float, *, cheap: bool) -> list[int]:
    """Return the sample sizes of the inspections, for the error rate of one mean."""
    most = (_CHEAP if cheap else _PATIENCE) * max(LEAST, least_samples(0.25 * rate))
    return [round(_FIRST * _STEP**k) for k in range(200) if _FIRST * _STEP**k <= most]


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
    claims: Any,
    rate: float,
    resolution: float,
    sample: Callable[[int], Any],
    per_draw: int,
    affordable: Callable[[int], int],
    *,
    of: int = 1,
) -> Refutation:
    """Draw until guaranteed intervals refute a claim, or more draws would not help.

    `sample` maps the number of a draw to `per_draw` samples of every mean, `affordable` a number of
    samples to the draws that are allowed for it.
    """
    clock, floor, drawn = Clock(), FLOOR * resolution, 0
    tests = Nonnegative(claims, rate, resolution, of=of)

    def draw_until(tests: Nonnegative, until: int) -> tuple[Ends, Any]:
        nonlocal drawn
        while drawn < until:
            tests.add(sample(drawn))
            drawn += 1
        ends = tests.look()
        return ends, ends.refuted(tests.claims, floor)

    for target in sizes(rate, cheap=per_draw > 1):
        until = affordable(target)
        if until == drawn and drawn:
            continue
        ends, refuted = draw_until(tests, until)
        if refuted.any():
            break
    unseen, note = None, ""
    larger = refuted & ((ends.low > tests.claims) | ~np.isfinite(ends.mean))
    if larger.any():
        # Means that are too large first, since refuting them takes no assumption.
        refuted = larger
    elif refuted.any():
        first = Suspicion(drawn, per_draw, tests.sums, refuted, rate, resolution)
        tests = Nonnegative(claims, rate, resolution, of=of)
        until = first.until(ends.wanted / per_draw, clock.seconds)
        ends, again = draw_until(tests, affordable(until * per_draw))
        unseen = Unseen.of(ends.n, tests.sums, rate, resolution)
        refuted = refuted & again & (ends.high < tests.claims) & (unseen.least >= floor)
        refuted &= drawn >= 2 * first.draws
        note = "" if refuted.any() else f"{first.unconfirmed(drawn)}."
    compared = Comparison(ends.mean, tests.claims, ends.low, ends.high, resolution, refuted)
    return Refutation(
        ends=ends,
        draws=drawn,
        refuted=refuted,
        larger=bool(larger.any()),
        worst=compared.worst,
        statistics=tests.statistics(),
        unseen=unseen,
        note=note,
    )


# Ratio of successive inspection sizes.
_GROWTH = 1.25


@dataclass(frozen=True)
class Ratio:
    """B/A, a guaranteed lower bound of it, and its assumptions."""

    observed: float
    low: float
    n: int
    assumptions: tuple[str, ...]


def ratios(
    more: Callable[[int, int], tuple[Any, Any]], false_alarm: float, *, of: int, most: int
) -> Iterator[Ratio]:
    """Yield lower bounds on B/A at growing sizes up to `most`; all hold except with `false_alarm`.

    `more` maps (start, stop) to independent nonnegative samples of means A and B, each made of `of`
    independent draws.
    """
    a, b, n, number = np.empty(0), np.empty(0), LEAST // of, 1
    while n <= most:
        new = more(a.size, n)
        a, b = np.append(a, new[0]), np.append(b, new[1])
        paid = 0.25 * false_alarm / (number * (number + 1.0))
        observed = float(b.mean() / a.mean())
        upper = float(upper_ends(n, a.mean(), (a * a).mean(), paid))
        low = _exceeds(b, upper, 0.5 * false_alarm)
        kappa = float((a * a).mean() / a.mean() ** 2)
        rests = f"their mean square is at most {MARGIN * kappa:.3g} times their squared mean"
        if low <= 1.0:
            low, rests = max(low, _near(a, b, 0.25 * false_alarm, number)), "their kurtosis is"
            rests += f" at most {MARGIN:g} times that of those seen"
        yield Ratio(observed, low, n, (rests,))
        number, n = number + 1, math.ceil(_GROWTH * n)


def _exceeds(b: Any, upper: float, rate: float) -> float:
    """Return a lower bound on B/U, 0 unless bets against B <= U have won."""
    if not math.isfinite(upper):
        return 0.0
    bets = Excess(np.array([upper]))
    bets.add(b[:, None])
    low = float(bets.lower_ends(-math.log(rate))[0])
    return low / upper if low > upper else 0.0


def _near(a: Any, b: Any, rate: float, number: int) -> float:
    """Return a lower bound on B/A from one on B - A, 0 where the kurtosis is too large."""
    centre = float(a.mean())
    look = Inspection(a.size, power_sums(((b - a) / centre)[:, None]), rate, number, 1.0, 0.0)
    gap = float(look.off[0] - look.half[0])
    return 1.0 + gap if look.may_refute[0] and gap > 0.0 else 0.0


def with_guarantee(
    whole: MeasurementSpec, plan: MeasurementSpec, suspected: Measurement, name: str, reason: str
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
        pairs.claim, rate, whole.resolution, sample, source.per_draw, whole.affordable, of=GROUP
    )
    if not proof.refuted.any():
        suspected = replace(suspected, may_refute=False, note=proof.note or reason)
        return verdict_of_worst_pair(plan, suspected, name, None), None
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
    return verdict_of_worst_pair(whole, measured, name, None), proof
