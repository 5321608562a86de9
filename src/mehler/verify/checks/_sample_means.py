"""Intervals for the means of samples of a fixed number, by what is declared of them."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._plural import counted
from mehler.verify import intervals
from mehler.verify._arguments import CheckOptions
from mehler.verify._certificate import Statistics, samples_of
from mehler.verify._verdict import BOUNDED, FEW_EFFECTIVE, FLOOR, KNOWN_VARIANCE, KURTOSIS
from mehler.verify.intervals._known_variance import detectable_effect
from mehler.verify.intervals._self_normalised import (
    COARSE,
    FINE,
    SHARE,
    effective_samples,
    half_widths,
    kurtosis_limit,
    samples_wanted,
)
from mehler.verify.nonparametric._kurtosis_test import FEW
from mehler.verify.nonparametric._unseen import Unseen
from mehler.verify.pairwise._catoni import statistics_of_samples
from mehler.verify.sampling._sources import power_sums

# Fourth powers of samples between 1/_LARGE and _LARGE, and their sums, are floats.
_LARGE = 2.0**200


@dataclass(frozen=True)
class SampleBounds:
    """Bounds on means after n samples without declarations, at an error rate for each mean.

    Per mean: `off`, its distance from the claim, of either sign; `squares`, the sum of squares
    about the mean; `effective`, n over the kurtosis of the samples, 0 where they are constant;
    `unseen`, what rare samples would have to carry. `rounding` bounds that of a mean.
    """

    n: int
    off: Any
    squares: Any
    effective: Any
    unseen: Unseen
    rate: float
    resolution: float
    rounding: float = 0.0

    @property
    def _paid(self) -> float:
        """The rate spent on the sum of squares, at each allowance of two."""
        return 0.5 * SHARE * self.rate

    @functools.cached_property
    def allowance(self) -> Any:
        """The allowance for the sum of squares of each mean."""
        return np.where(self.effective >= samples_wanted(self._paid, FINE), FINE, COARSE)

    @functools.cached_property
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
    def refuted(self) -> Any:
        """Where claims are wrong unless unseen samples carry more than a floor."""
        return (self.effective >= FEW) & (self.unseen.least >= FLOOR * self.resolution)

    def half(self, rate: float) -> Any:
        """Return half widths at an error rate."""
        cost = math.log(2.0 / ((1.0 - SHARE) * rate))
        half = half_widths(self.n, self.squares, cost, self.allowance, self.resolution)
        lack = np.where(self.short, self.wanted / np.maximum(self.effective, 1.0), 1.0)
        return half * np.sqrt(lack) + self.rounding

    @functools.cached_property
    def ends(self) -> tuple[Any, Any]:
        """The interval of each mean about its claim; bets of `unseen` exclude refuted ones."""
        half = self.half(self.rate)
        near = np.where(self.refuted, np.minimum(half, np.abs(self.off) - self.unseen.least), half)
        above = self.off > 0.0
        return (
            self.off - np.where(above, near, half),
            self.off + np.where(above, half, near),
        )


@dataclass(frozen=True)
class SampleMean:
    """An interval for a mean, its detectable effect, and whether its error rate holds."""

    interval: tuple[float, float]
    detectable: float
    method: str
    assumptions: tuple[str, ...]
    may_refute: bool = True
    note: str = ""
    short: bool = False
    statistics: Statistics | None = None


@dataclass(frozen=True)
class Declared:
    """What is declared of samples: a bound on their variance, their range, or that they are 0 or 1.

    One of them or none.
    """

    variance: float | None = None
    bounds: tuple[float, float] | None = None
    binary: bool = False


def interval_of(x: Array, exact: float, declared: Declared, options: CheckOptions) -> SampleMean:
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
    x: Array, exact: float, options: CheckOptions, unit: float = 1.0
) -> SampleMean:
    """Return the interval of a mean of samples in `unit`, without declarations."""
    size = float(abs(x).max())
    if size > 0.0 and not 1.0 / _LARGE < size < _LARGE:
        return _in_units(2.0 ** (math.frexp(size)[1] - 1), x, exact, options)
    n, centre = x.size, float(x.mean())
    gaps = x - centre
    squares, fourths = float((gaps**2).sum()), float((gaps**4).sum())
    # Samples that differ by rounding only count as constant.
    varies = squares > n * (1e-15 * size) ** 2
    effective = float(effective_samples(squares, fourths)) if varies else 0.0
    rate, resolution = options.false_alarm, options.resolution
    sums, ends = power_sums(x[:, None] - exact), np.array([[x.min()], [x.max()]]) - exact
    bounds = SampleBounds(
        n,
        np.array([centre - exact]),
        np.array([squares]),
        np.array([effective]),
        Unseen.of(n, sums, rate, resolution, tuple(ends)),
        rate,
        resolution,
    )
    refuted, half = bool(bounds.refuted[0]), float(bounds.half(rate)[0])
    assumptions = [f"the kurtosis of one sample is at most {float(bounds.limit[0]):.4g}"]
    if bounds.short[0]:
        assumptions.append(
            f"{FEW_EFFECTIVE} (as if {counted(max(1, int(effective)), 'sample')}): the "
            "interval is widened, holds only in the limit, and refutes nothing"
        )
    if refuted:
        unseen = replace(bounds.unseen, least=unit * bounds.unseen.least)
        off = f"the {unit * abs(centre - exact):.2g} by which the mean is off"
        unless = unseen.text(0, "samples", off)
        note, assumptions = f"Unless {unless}, the claim is wrong.", [f"not that {unless}"]
    elif not effective:
        rarest = min(1.0, -math.log(rate) / n)
        note = (
            f"All {counted(n, 'sample')} agree: an event rarer than {rarest:.2g} could make "
            "the claim right. Declare variance= or bounds=."
        )
    else:
        note = (
            "The mean is off, but few large samples decide it, and nothing bounds what was not "
            "seen. Declare variance= or bounds=, or take more samples."
        )
    low, high = (exact + float(end[0]) for end in bounds.ends)
    return SampleMean(
        (low, high),
        half + float(bounds.half(options.miss)[0]),
        KURTOSIS,
        tuple(assumptions),
        may_refute=refuted,
        note=note,
        short=bool(bounds.short[0]),
        statistics=Statistics(
            "self normalised",
            {"look": None, "fixed": False, "rounding": 0.0, "shared": False},
            {"n": [n], "sums": sums, "ends": ends},
        ),
    )


def _in_units(unit: float, x: Array, exact: float, options: CheckOptions) -> SampleMean:
    """Return the interval of samples whose squares are no floats, in a unit of their size."""
    # The resolution only says which interval is sought: any number is valid.
    sought = min(max(options.resolution / unit, 1.0 / _LARGE), _LARGE)
    options = replace(options, resolution=sought)
    scaled = nonparametric_interval(x / unit, exact / unit, options, unit)
    ends = (unit * scaled.interval[0], unit * scaled.interval[1])
    return replace(scaled, interval=ends, detectable=unit * scaled.detectable, statistics=None)
