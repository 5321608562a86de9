"""From samples to a verdict: a `Task` of claimed means, a `Measurement` of each, and a report."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._plural import be, counted
from mehler.verify._arguments import CheckOptions
from mehler.verify._maps import Clock
from mehler.verify._sources import KERNEL_UNIT, Finding, Source
from mehler.verify._verdict import (
    FLOOR,
    MOST_ROWS,
    Comparison,
    PairTable,
    Statistics,
    Status,
    Verdict,
    interval_text,
    short,
)


class Task:
    """Claimed means to test by samples of a source, at the error rates of a check's options.

    Each of `n` means has an error rate of `rate`; no deviation below `floor` refutes. Intervals may
    be `width` wide before `rounding` of features widens both ends; all are in the source's units.
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
            rounding = f"the rounding of the features ({2 * self.rounding:.3g})"
            text = f"resolution={self.resolution:.3g} is finer than {rounding}"
            raise ValueError(f"{text}: ask for a coarser one, or for float64 features")

    def affordable(self, samples: int) -> int:
        """Return the number of draws that so many samples take, at most `max_features` ones."""
        n_draws, most = -(-samples // self.source.per_draw), self.options.max_features
        return n_draws if most is None else min(n_draws, most // self.source.n_features)

    def item(self, k: int, total: float) -> Any:
        self.clock.foresee(k, total, self.resolution, self.options.name)
        return self.draws[k]


@dataclass(frozen=True)
class ExcessLength:
    """A squared length, of formula `form`, whose mean exceeds its claim even at its bound `low`."""

    mean: int
    form: str
    observed: float
    claim: float
    low: float


@dataclass(frozen=True)
class Measurement:
    """Sample means and intervals [low, high], in units of the source.

    `may_refute` marks the means whose interval has the stated error rate. `unless` is what must be
    true for a refuted claim to be right; `note`, why an outcome is open and what to do; `need`, how
    many draws would decide, 0 if unknown; `statistics`, the certificate's, first of the intervals.
    """

    observed: Array
    low: Array
    high: Array
    detectable: float
    method: str
    assumptions: tuple[str, ...] = ()
    n_draws: int = 0
    n_intervals: int = 1
    need: int = 0
    may_refute: Any = True
    excess_length: ExcessLength | None = None
    unless: str = ""
    note: str = ""
    statistics: tuple[Statistics, ...] = ()


def cut_short(task: Task, finding: Finding) -> Measurement:
    """Return the measurement of a deterministic refutation, which has no intervals."""
    nothing = np.full(task.n, math.nan)
    observed = nothing.copy()
    observed[finding.mean] = finding.value / float(task.source.unit[finding.mean])
    more: dict[str, Any] = {"n_draws": finding.n_draws, "n_intervals": task.n, **finding.more}
    return Measurement(observed, nothing, nothing, math.inf, finding.method, **more)


def of_samples(
    x: Array, ends: Any, detectable: float, method: str, assumption: str, statistics: Statistics
) -> Measurement:
    """Return the measurement with interval `ends`, of samples (n, means), n fixed before them."""
    (low, high), rest = ends, (detectable, method, (assumption,))
    return Measurement(x.mean(axis=0), low, high, *rest, statistics=(statistics,))


# From the best outcome of a pair to the worst.
_STATUSES: tuple[Status, ...] = ("holds", "inconclusive", "refuted")


def conclude(
    task: Task,
    measurement: Measurement,
    claim: str,
    *,
    certain: Finding | None = None,
    remark: str = "",
    pilot: int = 0,
    with_table: bool = False,
) -> Verdict:
    """Report on the worst mean; `pilot` counts draws made before, `remark` is for refutations."""
    source, options = task.source, task.options
    means, lows, highs = measurement.observed, measurement.low, measurement.high
    ends, finite = (lows, highs), np.isfinite(means)
    comparison = Comparison(means, source.claim, *ends, task.resolution, measurement.may_refute)
    n_draws = measurement.n_draws + pilot
    status: Status = "refuted"
    reason, length = "", measurement.excess_length
    if certain is not None:
        worst, reason = certain.mean, certain.reason
    elif not finite.all():
        worst = int(np.flatnonzero(~finite)[0])
        reason = "The map returned features that are not finite."
    elif length is not None:
        worst, reason = length.mean, remark
    else:
        status, worst = comparison.status, comparison.worst
        if status == "refuted":
            unless = f"Unless {measurement.unless}, the claim is wrong." * bool(measurement.unless)
            reason = f"{unless} {remark}".strip()
        elif status == "inconclusive":
            reason = open_reason(task, measurement, comparison, n_draws)
        elif comparison.excess[worst] > 0.0:
            reason = f"The deviation is less than {FLOOR:.3g} of the resolution, which refutes "
            reason += "nothing."
            if comparison.deviation[worst] <= task.rounding:
                reason = "Equal to rounding."
    if not reason and not lows[worst] <= means[worst] <= highs[worst]:
        # Catoni's interval tracks the bulk of the samples, so it can exclude their mean.
        reason = "The samples' mean lies outside the interval: their variance is larger than "
        reason += "declared, or a few of them are very large."
    unit, place = float(source.unit[worst]), source.place(worst)
    values = (float(value[worst]) * unit for value in (means, source.claim, *ends))
    observed, exact, low, high = values
    of_kernel = source.unit_name == KERNEL_UNIT
    if source.unit_name and not of_kernel:
        place["relative_to"] = unit
    if length is not None:
        place["form"], unit = length.form, 1.0
        observed, exact, low, high = length.observed, length.claim, length.low, math.inf
    rare = f"not that {measurement.unless}" if measurement.unless else ""
    rounding_text = f"rounding moves no mean by more than {task.rounding:.2g} {source.unit_name}"
    assumptions = [source.independence, rare, *measurement.assumptions]
    assumptions += [rounding_text if task.rounding else "", source.ignored]
    return options.verdict(
        status=status,
        claim=claim,
        observed=observed,
        exact=exact,
        interval=(low, high),
        n_features=(n_draws or 1) * source.n_features,
        n_draws=n_draws,
        n_intervals=measurement.n_intervals,
        detectable=measurement.detectable,
        method=f"{measurement.method}, {source.name}".removesuffix(", "),
        assumptions=tuple(filter(None, assumptions)),
        scale=unit if of_kernel else 1.0,
        where=place,
        seeds={"seed": task.draws.root, "first_draw": task.draws.seed(0)} if task.draws else {},
        reason=reason,
        table=_table(task, measurement, comparison, worst, status) if with_table else None,
        statistics=_statistics(task, measurement),
    )


def _table(
    task: Task, measurement: Measurement, comparison: Comparison, worst: int, status: Status
) -> PairTable:
    """Return the pairs, the worst first: refuted ones, open ones, then the farthest off."""
    source: Any = task.source
    pairs, unit, ends = source.pairs, source.unit, (measurement.low, measurement.high)
    open_ = comparison.outside | ~(comparison.width <= task.resolution)
    refuted = comparison.refuted | ~np.isfinite(measurement.observed)
    rank = np.where(refuted, 2, np.where(open_, 1, 0))
    # Evidence need not be an interval: a squared length, a sample out of bounds.
    rank[worst] = max(rank[worst], _STATUSES.index(status))
    # One pair decides; that others are not decided is no outcome of theirs.
    names = ["holds", "not decided" if status == "refuted" else "inconclusive", "refuted"]
    deviation = measurement.observed - source.claim
    ranks = np.lexsort((-np.nan_to_num(np.abs(deviation), nan=np.inf), -rank))
    order = [worst, *(int(k) for k in ranks if k != worst)][:MOST_ROWS]
    indices = tuple((int(pairs.first[k]), int(pairs.second[k])) for k in order)
    rows = tuple(
        (
            f"{i}, {j}",
            *(short(float(x[k] * unit[k])) for x in (source.claim, measurement.observed)),
            interval_text(*(float(end[k] * unit[k]) for end in ends)),
            f"{deviation[k]:+.3g}",
            names[rank[k]] + " by bets" * (measurement.excess_length is not None and k == worst),
        )
        for k, (i, j) in zip(order, indices)
    )
    counts = {name: int((rank == k).sum()) for k, name in enumerate(names)}
    return PairTable(indices, rows, dict(reversed(counts.items())))


def _statistics(task: Task, measurement: Measurement) -> tuple[Statistics, ...]:
    if not measurement.statistics or measurement.statistics[0].method == "beyond range":
        return measurement.statistics
    first, *others = measurement.statistics
    plan, tests = task.source.certificate_data()
    tests |= {"claim": task.source.claim, "low": measurement.low, "high": measurement.high}
    return replace(first, plan={**first.plan, **plan}, tests={**tests, **first.tests}), *others


def open_reason(task: Task, measurement: Measurement, comparison: Comparison, n_draws: int) -> str:
    """Return why no mean decides, and what would; no coarser resolution where a mean is off."""
    source, options, clock = task.source, task.options, task.clock
    deviates, width = bool(comparison.outside.any()), float(comparison.width[comparison.worst])
    parts = [measurement.note] if measurement.note else []
    if not width <= task.resolution:
        wide = f"is {width:.3g} wide" + f" in units of {source.unit_name}" * bool(source.unit_name)
        wide = wide if math.isfinite(width) else "is unbounded at so few samples"
        parts.append(f"The interval {wide}, more than the resolution {task.resolution:.3g}.")
    if source.counted_in == "sample":
        about = f"About {counted(measurement.need, 'sample')} would decide it."
        coarser = "" if measurement.note else "Take a coarser resolution, or more samples."
        return " ".join([*parts, about if measurement.need else coarser]).rstrip()
    if clock.over:
        parts.append(f"The time limit of {clock.limit:.3g} s was over.")
    # A plan made before the samples says how many decide; few samples, cut short, do not.
    by_plan = measurement.method.startswith("known variance") or not clock.over
    grows = by_plan and measurement.need > n_draws
    ratio = math.sqrt(measurement.need / n_draws) if grows else width / task.resolution
    resolution = 1.5 * ratio * task.resolution  # a second run may be slower
    m, n_features = source.n_features, n_draws * source.n_features
    size_text = f"{counted(n_features, 'feature')} {be(n_features, past=True)} drawn"
    size_text += f" (max_features={options.max_features})." if options.max_features else "."
    if grows:
        kind = source.counted_in
        amount = counted(measurement.need * (m if kind == "feature" else 1), kind)
        size_text = f"About {amount} would decide; {size_text}"
    if clock.over or not (grows or measurement.note):
        coarse = clock.over and resolution < 1.0
        ways = [f"take resolution={resolution:.2g}" if coarse else "take a coarser resolution"]
        ways.append(f"allow {'a longer time_limit' if clock.over else 'more draws'}")
        parts.append(f"To decide it, {', or '.join(ways[deviates:])}.")
    parts.append(size_text)
    return " ".join(parts)
