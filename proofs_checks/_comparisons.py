"""Compare a bound with the rate of its violations in draws, and with extremal instances.

A loose bound passes a check by draws even if one of its terms is deleted. Each term therefore has
an extremal instance: a setting in which this term is nearly what happens. The probability or mean
that the bound limits is computed there, not drawn. Other `fields` are `Evidence.from_interval`'s.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scipy import special, stats

from mehler.bounds import Bound
from mehler.statements import BoundCase, Context, Evidence, Plot
from mehler.verify import Verdict, intervals

# A function that returns a bound: that of a theorem, or in tests a wrong one.
Bounding = Callable[..., Bound]


@dataclass(frozen=True, kw_only=True)
class Case:
    """Independent draws (n,) of the quantity that a bound limits, the bound, and the setting.

    A draw renews all that the bound's probability is over. `lower` bounds the same quantile from
    below, if that is known. `where` names the values of the setting in the report.
    """

    draws: Any
    bound: Bound
    where: Mapping[str, Any] = field(default_factory=dict)
    lower: Bound | None = None

    @property
    def promised(self) -> float:
        """Largest violation rate that the bound allows."""
        return 1 - self.bound.probability

    def evaluate(self, false_alarm: float) -> BoundCase:
        """Return violations and looseness, with intervals."""
        return BoundCase.from_draws(
            self.draws,
            bound=self.bound.value,
            probability=self.bound.probability,
            false_alarm=false_alarm,
            lower=None if self.lower is None else self.lower.value,
            where=self.where,
        )


def compare_with_bounds(
    claim: str,
    cases: Sequence[Case],
    false_alarm: float,
    *,
    n_features: int,
    plots: tuple[Plot, ...] = (),
) -> Evidence:
    """Return evidence on whether draws exceed their bounds more often than the bounds allow.

    Binomial intervals hold for all cases together; the worst decides. The report shows `claim`.
    """
    compared = [case.evaluate(false_alarm / len(cases)) for case in cases]
    # The refuted ones first; among the others the one whose interval comes nearest its promise.
    refuted = [row for row in compared if row.promised < row.violation_interval[0]]
    worst = min(refuted or compared, key=lambda row: row.promised - row.violation_interval[1])
    loose = [row.ratio for row in compared]
    evidence = Evidence.from_interval(
        claim=(
            f"{claim}; {len(cases)} settings, bound over observed quantile "
            f"{min(loose):.3g} to {max(loose):.3g}"
        ),
        observed=worst.frequency,
        interval=worst.violation_interval,
        upper=worst.promised,
        false_alarm=false_alarm,
        n_features=n_features,
        method=f"Clopper-Pearson interval for violations in {worst.n_draws} draws",
        assumptions=("draws are independent",),
        plots=plots,
    )
    return replace(evidence, where=worst.where, cases=tuple(compared))


# Berry and Esseen for equal laws, with the constant of Shevtsova (2011).
_BERRY_ESSEEN = 0.4748
# Reports can show neither the infinite ratio of a promise of 0 nor an interval of length 0.
_LARGEST, _ROUNDING = 1e300, 1e-14


@dataclass(frozen=True)
class Instance:
    """An extremal instance: an interval for what happens there, and what its bound promises.

    What happens is a probability or a mean, and must be at most `promised`.
    """

    name: str
    interval: tuple[float, float]
    promised: float

    @property
    def ratio(self) -> tuple[float, float]:
        """Ends of the interval over what is promised."""
        low, high = (
            chance / self.promised if self.promised > 0 else math.inf for chance in self.interval
        )
        return low, high


def compute(
    claim: str, value: float, rounding: float, *, relative: bool = False, **fields: Any
) -> Evidence:
    """Return evidence on whether a computed value is `exact`, or between `lower` and `upper`.

    `rounding` bounds the value's numerical error, in units of the value if `relative`.
    """
    fields = {"method": "computed, with its rounding", **fields}
    ends = (value - rounding, value + rounding)
    if relative:
        ends = (value * (1 - rounding), value * (1 + rounding))
    return Evidence.from_interval(claim=claim, observed=value, interval=ends, **fields)


def run_check(
    context: Context,
    check: Callable[..., Verdict],
    *data: Any,
    label: str,
    claim: str,
    resolution: tuple[float, float],
    plots: tuple[Plot, ...] = (),
    **options: Any,
) -> Evidence:
    """Run a check of `mehler.verify` on independent draws, with the statement's ledger.

    The ledger is the account of false-alarm rates, where `label` names the test, as in its seed;
    `resolution` is the smallest deviation to be detected, at the quick and at the full level.
    """
    verdict = check(
        *data,
        resolution=resolution[0 if context.quick else 1],
        false_alarm=context.false_alarm,
        ledger=context.ledger,
        name=f"{context.statement}: {label}",
        **{"seed": context.seed_for(label), **options},
    )
    return Evidence.from_verdict(verdict, claim=claim, plots=plots)


def compare_ratios(
    claim: str,
    ratios: Sequence[tuple[float, float, float, int]],
    false_alarm: float,
    *,
    method: str,
    plots: tuple[Plot, ...] = (),
) -> Evidence:
    """Compare means over their bounds with 1: (lower end, ratio, upper end, features) of each."""
    low, value, high, n_features = max(ratios, key=lambda ratio: (ratio[0] > 1.0, ratio[2]))
    return Evidence.from_interval(
        claim=f"{claim}, at most 1 (largest of {len(ratios)} settings)",
        observed=value,
        interval=(low, high),
        upper=1.0,
        false_alarm=false_alarm,
        n_features=n_features,
        method=method,
        assumptions=("draws are independent",),
        plots=plots,
    )


def compare_count(
    context: Context, claim: str, count: int, n_draws: int, **fields: Any
) -> Evidence:
    """Compare the probability of an event, by its count in draws, with `lower` in `fields`."""
    return Evidence.from_interval(
        claim=claim,
        observed=count / n_draws,
        interval=intervals.binomial(count, n_draws, context.false_alarm),
        false_alarm=context.false_alarm,
        method=f"Clopper-Pearson interval for {count} of {n_draws} draws",
        assumptions=("draws are independent",),
        **fields,
    )


def compare_instances(claim: str, *instances: Instance) -> Evidence:
    """Return evidence on whether all instances keep their bounds, by the one that is nearest."""
    worst = max(instances, key=lambda row: row.ratio[0])
    low, high = worst.ratio
    return Evidence.from_interval(
        claim=(
            f"{claim}: what happens over what is promised, at most 1 (largest of {len(instances)} "
            f"instances: {worst.name})"
        ),
        observed=min(low, _LARGEST),
        interval=(min(low, _LARGEST) * (1 - _ROUNDING), min(high, _LARGEST) + _ROUNDING),
        upper=1.0,
        method="computed: binomial and normal distributions, with bounds of their errors",
    )


def wrong_majority(
    name: str, excess: Callable[[int, float], float], failures: Sequence[float]
) -> Iterator[Instance]:
    """Yield instances where one row has n = 10^6 labels, 1 or -1, and their majority may be wrong.

    Labels have a mean just above `excess(n, failure)`, the bound; a wrong majority loses as much.
    It occurs with the chance of a binomial tail, and may occur with the chance `failure`.
    """
    n = 10**6
    for failure in failures:
        bias = excess(n, failure)
        low, high = (
            float(stats.binom.cdf((n - 1) // 2, n, (1 + min(1.0, b)) / 2))
            for b in (bias * (1 + 1e-9), bias)
        )
        yield Instance(f"{name}, wrong sign, failure {failure:g}", (low, high), failure)


def mean_exceeds(t: float, n: int, *, third: float = 2.0) -> tuple[float, float]:
    """Return an interval for the chance that a sample's mean exceeds the true one by t/sqrt(n).

    t is in standard deviations; `third` bounds the absolute third standardised moment. The sample
    size n is so large, 10^40, that the Berry-Esseen error is negligible.
    """
    chance, error = float(special.ndtr(-t)), _BERRY_ESSEEN * third / math.sqrt(n)
    return max(0.0, chance - error), chance + error


def widen(interval: tuple[float, float], lost: float) -> tuple[float, float]:
    """Widen an interval for a probability by the chance `lost` that its assumptions fail."""
    return max(0.0, interval[0] - lost), min(1.0, interval[1] + lost)
