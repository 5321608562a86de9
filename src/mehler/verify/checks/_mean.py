"""check_mean: is the mean of these independent samples as claimed?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._plural import counted
from mehler._validate import (
    require_flag,
    require_mapping,
    require_positive,
    require_probability,
    require_real,
    require_text,
)
from mehler.verify import intervals
from mehler.verify._arguments import CheckOptions, bounds_pair, pay, sample_vector
from mehler.verify._budget import Ledger, passed_to_ledger
from mehler.verify._certificate import Statistics, samples_of
from mehler.verify._verdict import (
    BOUNDED,
    FEW_EFFECTIVE,
    KNOWN_VARIANCE,
    KURTOSIS,
    OUTLIERS,
    Comparison,
    Verdict,
)
from mehler.verify.intervals._known_variance import detectable_effect, features_needed
from mehler.verify.intervals._self_normalised import (
    COARSE,
    FINE,
    SHARE,
    effective_samples,
    half_widths,
    kurtosis_limit,
    samples_wanted,
)
from mehler.verify.nonparametric._kurtosis_test import LEAST
from mehler.verify.pairwise._catoni import statistics_of_samples
from mehler.verify.sampling._sources import power_sums

# Fourth powers of samples between 1/_LARGE and _LARGE, and their sums, are floats.
_LARGE = 2.0**200


@dataclass(frozen=True)
class Measured:
    """An interval for a mean, its detectable effect, and whether its error rate holds."""

    interval: tuple[float, float]
    detectable: float
    method: str
    assumptions: tuple[str, ...]
    may_refute: bool = True
    note: str = ""
    statistics: Statistics | None = None


def reach(centre: float, *ends: tuple[float, float]) -> float:
    """Return the distance from the truth at which a claim surely lies outside the first interval.

    Valid whenever the second interval, which fails with probability `miss`, contains the truth.
    """
    return sum(max(centre - low, high - centre) for low, high in ends)


def nonparametric_interval(
    x: Any, exact: float, false_alarm: float, miss: float, resolution: float
) -> Measured:
    """Measure a mean under a kurtosis bound that grows with the sample size.

    Samples whose own kurtosis is not five times smaller widen the interval and refute nothing,
    since larger ones may not have been seen yet.
    """
    size = float(abs(x).max())
    if size > 0.0 and not 1.0 / _LARGE < size < _LARGE:
        return _in_units(2.0 ** (math.frexp(size)[1] - 1), x, exact, false_alarm, miss, resolution)
    n, centre = x.size, float(x.mean())
    gaps = x - centre
    squares, fourths = float((gaps**2).sum()), float((gaps**4).sum())
    # Samples that differ by rounding only count as constant.
    effective = 0.0
    if squares > n * (1e-15 * size) ** 2:
        effective = float(effective_samples(squares, fourths))
    paid = 0.5 * SHARE * false_alarm
    t = FINE if effective >= samples_wanted(paid, FINE) else COARSE
    wanted = samples_wanted(paid, t)
    widened = math.sqrt(wanted / max(1.0, effective)) if 0.0 < effective < wanted else 1.0

    def ends(rate: float) -> tuple[float, float]:
        cost = math.log(2.0 / ((1.0 - SHARE) * rate))
        half = widened * float(half_widths(n, squares, cost, t, resolution))
        return centre - half, centre + half

    limit = kurtosis_limit(n, paid, t)
    assumptions = [f"the kurtosis of one sample is at most {limit:.4g}"]
    note = ""
    if not effective:
        rarest = min(1.0, -math.log(false_alarm) / n)
        note = (
            f"All {counted(n, 'sample')} agree: an event rarer than {rarest:.2g} could make "
            "the claim right. Declare variance= or bounds=."
        )
    elif effective >= wanted and n < LEAST:
        note = f"The mean is off; fewer than {LEAST} samples refute nothing."
    elif effective < wanted:
        assumptions.append(
            f"{FEW_EFFECTIVE} (as if {counted(max(1, int(effective)), 'sample')}): the "
            f"interval is widened, "
            "holds only in the limit, and refutes nothing"
        )
        note = (
            "The mean is off, but few large samples decide it, and nothing bounds what was not "
            "seen. Declare variance= or bounds=, or take more samples."
        )
    return Measured(
        ends(false_alarm),
        reach(centre, ends(false_alarm), ends(miss)),
        KURTOSIS,
        tuple(assumptions),
        may_refute=effective >= wanted and n >= LEAST,
        note=note,
        statistics=Statistics(
            "self normalised",
            {"look": None, "fixed": False, "rounding": 0.0, "shared": False},
            {"n": [n], "sums": power_sums(x[:, None] - exact)},
        ),
    )


def _in_units(
    unit: float, x: Any, exact: float, false_alarm: float, miss: float, resolution: float
) -> Measured:
    """Measure samples whose squares are no floats, in a unit of their size."""
    # The resolution only says which interval is sought: any number is valid.
    sought = min(max(resolution / unit, 1.0 / _LARGE), _LARGE)
    found = nonparametric_interval(x / unit, exact / unit, false_alarm, miss, sought)
    ends = (unit * found.interval[0], unit * found.interval[1])
    return replace(found, interval=ends, detectable=unit * found.detectable, statistics=None)


@passed_to_ledger
def check_mean(
    samples: Array,
    exact: float,
    *,
    variance: float | None = None,
    bounds: tuple[float, float] | None = None,
    binary: bool = False,
    false_alarm: float = 1e-9,
    resolution: float,
    miss: float = 1e-6,
    ledger: Ledger | None = None,
    name: str = "mean",
    claim: str | None = None,
    where: Mapping[str, Any] | None = None,
    seeds: Mapping[str, Any] | None = None,
) -> Verdict:
    """Check a claimed mean against independent samples, by the sharpest valid interval.

    *refuted* when the interval excludes `exact`, *holds* when it contains it and its full width is
    at most `resolution`, else *inconclusive*.

    Parameters
    ----------
    samples : array, shape (n,)
        Independent samples of a common mean; n fixed before the data.
    exact : float
        The claim.
    variance : float, optional
        An upper bound on the variance of one sample; selects Catoni's interval, for any tails.
    bounds : (low, high), optional
        Range of the samples; selects `intervals.betting`.
    binary : bool
        Whether samples are 0 or 1; selects Clopper-Pearson. With none of the three,
        `intervals.self_normalised` needs a bounded kurtosis: samples of large kurtosis refute
        nothing.
    false_alarm : float
        Probability of refuting a correct claim.
    resolution : float
        Absolute: a claim that is off by more must not hold.
    miss : float
        Miss rate at which the verdict's ``detectable`` is stated.
    ledger : Ledger, optional
        Budget charged `false_alarm` before the test.
    name, claim : str
        Name and claim in the verdict.
    where, seeds : dict, optional
        Copied to the verdict.

    Returns
    -------
    Verdict
        ``observed`` is the sample mean, ``exact`` the claim.

    Raises
    ------
    TypeError, ValueError
        For vacuous calls, among them a resolution not smaller than the range of the samples.

    See Also
    --------
    check_mean_vector : Means of vectors.
    check_covariance : Covariances of vectors.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(3).standard_normal(60_000) ** 2  # mean 1, variance 2
    >>> check_mean(x, 1.0, variance=2.0, resolution=0.1).status
    'holds'
    >>> check_mean(x, 1.1, variance=2.0, resolution=0.1).status
    'refuted'
    """
    name = require_text("name", name, default="mean")
    require_flag("binary", binary)
    x = sample_vector(samples)
    where, seeds = require_mapping("where", where), require_mapping("seeds", seeds)
    if not math.isfinite(require_real("exact", exact)):
        raise ValueError(f"exact={exact!r} must be finite: it is the claimed mean")
    if sum(given is not None for given in (variance, bounds)) + binary > 1:
        raise ValueError("variance, bounds and binary exclude each other: declare one of them")
    variance = None if variance is None else require_positive("variance", variance)
    asked = CheckOptions(
        require_probability("false_alarm", false_alarm),
        require_positive("resolution", resolution),
        require_probability("miss", miss),
        name,
    )
    false_alarm, resolution, miss = asked.false_alarm, asked.resolution, asked.miss
    if binary or bounds is not None:
        low, high = (0.0, 1.0) if bounds is None else bounds_pair(bounds)
        if resolution >= high - low:
            raise ValueError(
                f"resolution={resolution:.6g} is vacuous: the samples' own range is "
                f"[{low:.6g}, {high:.6g}]; give a smaller one"
            )
    pay(ledger, name, false_alarm)

    exact = float(exact)
    seen = _measure(x, exact, variance, bounds, binary, false_alarm, miss, resolution)
    interval, observed = seen.interval, float(x.mean())
    ends = [np.array([each]) for each in interval]
    compared = Comparison(
        np.array([observed]), exact, ends[0], ends[1], resolution, seen.may_refute
    )
    status, width = compared.status, float(compared.width[0])
    reason = ""
    if compared.outside.any():
        reason = seen.note
    elif status == "inconclusive":
        spread = float(x.var()) if variance is None else variance
        needed = features_needed(spread, resolution, false_alarm, miss) if spread > 0 else None
        wide = f"is {width:.3g} wide" if math.isfinite(width) else "is unbounded at so few samples"
        reason = f"The interval {wide}, more than the resolution {resolution:.3g}" + (
            f": about {counted(needed, 'sample')} would decide it." if needed else "."
        )
    if not reason and not interval[0] <= observed <= interval[1]:
        reason = OUTLIERS
    found = seen.statistics
    tests = {"claim": [exact], "low": ends[0], "high": ends[1]}
    return asked.verdict(
        status=status,
        claim=claim or f"the mean is {exact:.6g}",
        observed=observed,
        exact=exact,
        interval=interval,
        n_features=x.size,
        n_draws=0,
        n_intervals=1,
        detectable=seen.detectable,
        method=seen.method,
        assumptions=(
            "the samples are independent, and their number was fixed before",
            *seen.assumptions,
        ),
        where=where,
        seeds=seeds,
        reason=reason,
        statistics=() if found is None else (replace(found, tests={**tests, **found.tests}),),
    )


def _measure(
    x: Any,
    exact: float,
    variance: float | None,
    bounds: tuple[float, float] | None,
    binary: bool,
    false_alarm: float,
    miss: float,
    resolution: float,
) -> Measured:
    n = [x.size]
    if variance is not None:
        ends = intervals.known_variance(x, variance, false_alarm)
        one = np.array([exact]), np.array([variance]), false_alarm, np.array(ends)[:, None]
        return Measured(
            ends,
            detectable_effect(x.size, variance, false_alarm, miss),
            KNOWN_VARIANCE,
            (f"the variance of one sample is at most {variance:.6g}",),
            statistics=statistics_of_samples(x[:, None], *one),
        )
    if binary:
        if not bool(((x == 0) | (x == 1)).all()):
            raise ValueError("binary=True but samples hold values other than 0 and 1: use bounds=")
        ends, seen = (
            intervals.binomial(int(x.sum()), x.size, rate) for rate in (false_alarm, miss)
        )
        method, assumptions = "binomial (Clopper-Pearson)", ("the trials are equally likely",)
        decided = Statistics("binomial", {}, {"n": n, "count": [int(x.sum())]})
    elif bounds is not None:
        ends, seen = (intervals.betting(x, *bounds, rate) for rate in (false_alarm, miss))
        method = BOUNDED
        assumptions = (f"samples lie in [{bounds[0]:.6g}, {bounds[1]:.6g}]",)
        ranges = np.array(bounds, dtype=np.float64)[:, None]
        tests = {"n": n, "range": ranges, "samples": samples_of({0: x}, 1)}
        decided = Statistics("betting", {}, tests)
    else:
        return nonparametric_interval(x, exact, false_alarm, miss, resolution)
    return Measured(
        ends, reach(float(x.mean()), ends, seen), method, assumptions, statistics=decided
    )
