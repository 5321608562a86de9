"""Intervals for the means of samples of a fixed number, by what is declared of them.

Without declarations the kurtosis is bounded by a limit that grows with the number of samples, at
least 20 and five times that of the samples, which refute nothing else. With an allowance t for the
sum of squares the limit is n h(t)/log(1/p): fewer samples need a larger t, at which intervals are
wider. Three allowances share the rate; the largest is for refutations alone.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mehler._plural import counted
from mehler.verify import intervals
from mehler.verify._arguments import CheckOptions
from mehler.verify._certificate import Statistics, samples_of
from mehler.verify._verdict import BOUNDED, FEW_EFFECTIVE, FLOOR, KNOWN_VARIANCE, KURTOSIS
from mehler.verify.intervals._known_variance import detectable_effect
from mehler.verify.intervals._self_normalised import (
    COARSE,
    FINE,
    MARGIN,
    SHARE,
    effective_samples,
    half_widths,
    kurtosis_limit,
    samples_wanted,
)
from mehler.verify.nonparametric._unseen import Unseen
from mehler.verify.pairwise._catoni import statistics_of_samples
from mehler.verify.sampling._sources import power_sums

# Fourth powers of samples between 1/_LARGE and _LARGE, and their sums, are floats.
_LARGE = 2.0**200
# Allowances for the sum of squares, from the shortest interval to the fewest samples.
_GROSS = 0.8
_ALLOWANCES = (FINE, COARSE, _GROSS)
# Least kurtosis limit of a refutation.
_LEAST_LIMIT = 20.0


@dataclass(frozen=True)
class BoundedKurtosis:
    """Half widths of intervals for means after n samples, at an error rate for each mean.

    Per mean: `off`, the distance of the claim; `squares`, the sum of squares about the mean;
    `effective`, n over the kurtosis of the samples, 0 where they are constant. `rounding` bounds
    that of a mean.
    """

    n: int
    off: Any
    squares: Any
    effective: Any
    rate: float
    resolution: float
    rounding: float = 0.0

    @property
    def _paid(self) -> float:
        return SHARE * self.rate / len(_ALLOWANCES)

    @functools.cached_property
    def allowance(self) -> Any:
        """The allowance for the sum of squares of each mean: the coarsest only where it refutes."""
        fine, coarse, gross = (
            np.asarray(self.effective >= samples_wanted(self._paid, t)) for t in _ALLOWANCES
        )
        refutes = self.off > self._plain(_GROSS, self.rate) + self.rounding
        return np.select([fine, ~coarse & gross & refutes], [FINE, _GROSS], COARSE)

    def _plain(self, allowance: Any, rate: float) -> Any:
        cost = math.log(2.0 / ((1.0 - SHARE) * rate))
        return half_widths(self.n, self.squares, cost, allowance, self.resolution)

    @property
    def wanted(self) -> Any:
        """The effective samples that bound the kurtosis."""
        return np.vectorize(samples_wanted)(self._paid, self.allowance)

    @property
    def limit(self) -> Any:
        """The assumed bound on the kurtosis of each mean."""
        return np.vectorize(kurtosis_limit)(self.n, self._paid, self.allowance)

    @property
    def short(self) -> Any:
        """Where few large samples decide the mean; there intervals are widened."""
        return (self.effective > 0.0) & (self.effective < self.wanted)

    @property
    def may_refute(self) -> Any:
        """Where the error rate holds."""
        return (self.effective >= self.wanted) & (self.limit >= _LEAST_LIMIT)

    def half(self, rate: float) -> Any:
        """Return half widths at an error rate."""
        lack = np.where(self.short, self.wanted / np.maximum(self.effective, 1.0), 1.0)
        return self._plain(self.allowance, rate) * np.sqrt(lack) + self.rounding

    @property
    def needed(self) -> int:
        """The number of samples at which the error rate of the worst mean holds."""
        worst = float(np.max(self.n / np.maximum(self.effective, 1.0)))
        limit = kurtosis_limit(self.n, self._paid, _GROSS)
        return math.ceil(self.n * max(MARGIN * worst, _LEAST_LIMIT) / limit)


@dataclass(frozen=True)
class SampleMean:
    """An interval for a mean, its detectable effect, and whether its error rate holds."""

    interval: tuple[float, float]
    detectable: float
    method: str
    assumptions: tuple[str, ...]
    may_refute: bool = True
    note: str = ""
    statistics: Statistics | None = None


@dataclass(frozen=True)
class Declared:
    """What is declared of samples: a bound on their variance, their range, or that they are 0 or 1.

    One of them or none.
    """

    variance: float | None = None
    bounds: tuple[float, float] | None = None
    binary: bool = False


def interval_of(x: Any, exact: float, declared: Declared, options: CheckOptions) -> SampleMean:
    """Return the sharpest valid interval for the mean of samples, shape (n,)."""
    n, rates = x.size, (options.false_alarm, options.miss)
    if declared.variance is not None:
        ends = intervals.known_variance(x, declared.variance, options.false_alarm)
        claim, variance = np.array([exact]), np.array([declared.variance])
        return SampleMean(
            ends,
            detectable_effect(n, declared.variance, *rates),
            KNOWN_VARIANCE,
            (f"the variance of one sample is at most {declared.variance:.6g}",),
            statistics=statistics_of_samples(
                x[:, None], claim, variance, options.false_alarm, np.array(ends)[:, None]
            ),
        )
    if declared.binary:
        if not bool(((x == 0) | (x == 1)).all()):
            raise ValueError("binary=True but samples hold values other than 0 and 1: use bounds=")
        count = int(x.sum())
        ends, miss = (intervals.binomial(count, n, rate) for rate in rates)
        method, assumptions = "binomial (Clopper-Pearson)", ("the trials are equally likely",)
        statistics = Statistics("binomial", {}, {"n": [n], "count": [count]})
    elif declared.bounds is not None:
        low, high = declared.bounds
        ends, miss = (intervals.betting(x, low, high, rate) for rate in rates)
        method, assumptions = BOUNDED, (f"samples lie in [{low:.6g}, {high:.6g}]",)
        tests = {"n": [n], "range": np.array([[low], [high]]), "samples": samples_of({0: x}, 1)}
        statistics = Statistics("betting", {}, tests)
    else:
        return nonparametric_interval(x, exact, options)
    return SampleMean(
        ends, reach(float(x.mean()), ends, miss), method, assumptions, statistics=statistics
    )


def reach(centre: float, *ends: tuple[float, float]) -> float:
    """Return the distance from the truth at which a claim surely lies outside the first interval.

    Valid whenever the second interval, which fails with probability `miss`, contains the truth.
    """
    return sum(max(centre - low, high - centre) for low, high in ends)


def nonparametric_interval(
    x: Any, exact: float, options: CheckOptions, unit: float = 1.0
) -> SampleMean:
    """Return the interval of a mean under a kurtosis limit that grows with the sample size.

    Samples whose own kurtosis is not five times smaller widen the interval and refute nothing,
    since larger ones may not have been seen yet. The samples are in `unit`.
    """
    size = float(abs(x).max())
    if size > 0.0 and not 1.0 / _LARGE < size < _LARGE:
        return _in_units(2.0 ** (math.frexp(size)[1] - 1), x, exact, options)
    n, centre = x.size, float(x.mean())
    gaps = x - centre
    squares, fourths = float((gaps**2).sum()), float((gaps**4).sum())
    # Samples that differ by rounding only count as constant.
    varies = squares > n * (1e-15 * size) ** 2
    effective = float(effective_samples(squares, fourths)) if varies else 0.0
    tails = BoundedKurtosis(
        n, abs(centre - exact), squares, effective, options.false_alarm, options.resolution
    )
    half, half_of_miss = (float(tails.half(rate)) for rate in (options.false_alarm, options.miss))
    assumptions = [f"the kurtosis of one sample is at most {float(tails.limit):.4g}"]
    sums = power_sums(x[:, None] - exact)
    unseen = Unseen.of(
        n, sums, options.false_alarm, options.resolution, (x.min() - exact, x.max() - exact)
    )
    confirmed = bool(unseen.least[0] >= FLOOR * options.resolution)
    if not effective:
        rarest = min(1.0, -math.log(options.false_alarm) / n)
        note = (
            f"All {counted(n, 'sample')} agree: an event rarer than {rarest:.2g} could make "
            "the claim right. Declare variance= or bounds=."
        )
    elif not tails.may_refute and n * MARGIN > _LEAST_LIMIT * effective:
        note = (
            "The mean is off, but few large samples decide it, and nothing bounds what was not "
            f"seen. Declare variance= or bounds=, or take more samples{_enough(tails)}."
        )
    elif not tails.may_refute:
        note = (
            f"The mean is off, but {counted(n, 'sample')} cannot bound the kurtosis by "
            f"{_LEAST_LIMIT:g} at this rate{_enough(tails)}. Declare variance= or bounds=."
        )
    elif not confirmed:
        note = (
            f"The mean is off, but {counted(n, 'sample')} do not bound what rarer ones carry. "
            "Declare variance= or bounds=, or take more samples."
        )
    else:
        unseen = replace(unseen, least=unit * unseen.least)
        off = f"the {unit * abs(centre - exact):.2g} by which the mean is off"
        unless = unseen.text(0, "samples", off)
        note = f"Unless {unless}, the claim is wrong."
        if centre - half > exact or centre + half < exact:
            assumptions = [f"not that {unless}"]
    if tails.short:
        assumptions.append(
            f"{FEW_EFFECTIVE} (as if {counted(max(1, int(effective)), 'sample')}): the "
            "interval is widened, holds only in the limit, and refutes nothing"
        )
    return SampleMean(
        (centre - half, centre + half),
        half + half_of_miss,
        KURTOSIS,
        tuple(assumptions),
        may_refute=bool(tails.may_refute) and confirmed,
        note=note,
        statistics=Statistics(
            "self normalised",
            {"look": None, "fixed": False, "rounding": 0.0, "shared": False},
            {"n": [n], "sums": sums, "confirmed": [int(confirmed)]},
        ),
    )


def _enough(tails: BoundedKurtosis) -> str:
    """Return the samples that would bound the kurtosis, unless few large ones decide it."""
    return f": about {tails.needed} would do" if tails.needed <= 16 * tails.n else ""


def _in_units(unit: float, x: Any, exact: float, options: CheckOptions) -> SampleMean:
    """Return the interval of samples whose squares are no floats, in a unit of their size."""
    # The resolution only says which interval is sought: any number is valid.
    sought = min(max(options.resolution / unit, 1.0 / _LARGE), _LARGE)
    options = replace(options, resolution=sought)
    scaled = nonparametric_interval(x / unit, exact / unit, options, unit)
    ends = (unit * scaled.interval[0], unit * scaled.interval[1])
    return replace(scaled, interval=ends, detectable=unit * scaled.detectable, statistics=None)
