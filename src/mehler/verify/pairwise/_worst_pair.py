"""The verdict of the worst pair, from one interval per pair, with a table of the others."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mehler._plural import be, counted
from mehler.verify._arguments import CheckOptions
from mehler.verify._certificate import Statistics, stored
from mehler.verify._verdict import (
    FLOOR,
    KNOWN_VARIANCE,
    MOST_ROWS,
    OUTLIERS,
    Comparison,
    PairRow,
    PairTable,
    Status,
    Verdict,
)
from mehler.verify.pairwise._betting import OutOfBounds
from mehler.verify.pairwise._measurement import Measurement, MeasurementSpec
from mehler.verify.sampling._pairs import Pairs, call

# From the best outcome of a pair to the worst.
_STATUSES: tuple[Status, ...] = ("holds", "inconclusive", "refuted")
# Seeds whose features must all be equal before a draw is said to ignore its seed: all that were
# drawn, within these limits. Features that differ from 0 may be as rare as one draw in hundreds.
_ALIKE = 20, 2300


def pair_table(
    plan: MeasurementSpec,
    measured: Measurement,
    compared: Comparison,
    broken: NDArray[np.bool_],
    worst: int,
    status: Status,
) -> PairTable:
    """Return the pairs, the worst first: refuted ones, open ones, then the farthest off."""
    pairs = plan.pairs
    open_ = compared.outside | ~(compared.width <= plan.resolution)
    rank = np.where(compared.refuted | broken, 2, np.where(open_, 1, 0))
    # Evidence of another form than an interval: a squared length, a sample out of bounds.
    rank[worst] = max(rank[worst], _STATUSES.index(status))
    off = measured.observed - pairs.claim
    ranked = np.lexsort((-np.nan_to_num(np.abs(off), nan=np.inf), -rank))
    order = [worst, *(int(k) for k in ranked if k != worst)][:MOST_ROWS]
    rows = tuple(
        PairRow(
            pair=(int(pairs.first[k]), int(pairs.second[k])),
            exact=float(pairs.claim[k] * pairs.unit[k]),
            measured=float(measured.observed[k] * pairs.unit[k]),
            interval=(
                float(measured.low[k] * pairs.unit[k]),
                float(measured.high[k] * pairs.unit[k]),
            ),
            off=float(off[k]),
            status=_STATUSES[rank[k]],
        )
        for k in order
    )
    counts = {name: int((rank == k).sum()) for k, name in enumerate(_STATUSES)}
    return PairTable(rows, dict(reversed(counts.items())))


def ignored_seed(plan: MeasurementSpec, n_draws: int) -> str:
    """Say so if all draws are the same in every bit, and not 0; nothing otherwise."""
    rows, (least, most) = plan.pairs.left, _ALIKE
    first = np.array(call(plan.draws[0], rows))  # a copy, which no later call overwrites
    n = max(least, min(n_draws, most))
    alike = first.any() and all(np.array_equal(call(plan.draws[k], rows), first) for k in range(n))
    return f"draw ignores its seed: {counted(n, 'seed')} gave the same features" if alike else ""


_INDEPENDENCE = {
    "independent features": "draws and the features of a draw are independent and alike",
    "independent units": "draws and the units of a draw are independent and alike",
    "independent stretches of units": "draws are independent, and units of a draw as far apart as "
    "the map says; pairs of units at equal distances are alike",
    "independent draws": "draws from different seeds are independent",
}


def out_of_bounds(sample: OutOfBounds, pairs: Pairs) -> Measurement:
    """Return the measurement cut short by a sample outside the declared bounds."""
    nothing = np.full(pairs.n, np.nan)
    value = nothing.copy()
    value[sample.pair] = sample.value / pairs.unit[sample.pair]
    return Measurement(
        observed=value,
        low=nothing,
        high=nothing,
        n_draws=sample.n_draws,
        n_intervals=pairs.n,
        detectable=math.inf,
        needed=0,
        method="bounded (range)",
        assumptions=(),
        statistics=(
            Statistics(
                "beyond range",
                {"draw": sample.n_draws - 1},
                {
                    "pair": np.array([[pairs.first[sample.pair]], [pairs.second[sample.pair]]]),
                    "value": [sample.value],
                    "range": np.array(sample.bounds)[:, None],
                    "slack": [sample.slack],
                },
            ),
        ),
    )


def verdict_of_worst_pair(
    plan: MeasurementSpec,
    measured: Measurement,
    options: CheckOptions,
    broken: OutOfBounds | None,
    *,
    with_table: bool = False,
) -> Verdict:
    """Compare every pair's interval with its claim and report the worst pair."""
    pairs, source = plan.pairs, plan.source
    compared = Comparison(
        measured.observed,
        pairs.claim,
        measured.low,
        measured.high,
        plan.resolution,
        measured.may_refute,
    )
    finite = np.isfinite(measured.observed)
    n_features = measured.n_draws * source.n_features
    status: Status = "holds"
    reason = ""
    if broken is not None:
        status, worst = "refuted", broken.pair
        reason = (
            f"A sample {broken.value:.6g} lies outside the declared bounds: "
            "the map or the bounds are wrong."
        )
    elif not finite.all():
        status, worst = "refuted", int(np.flatnonzero(~finite)[0])
        reason = "The map returned features that are not finite."
    elif measured.found is not None:
        status, worst = "refuted", measured.found.pair
    else:
        status, worst = compared.status, compared.worst
        if status == "refuted":
            reason = measured.note
        elif status == "inconclusive":
            reason = _open(plan, measured, float(compared.width[worst]), n_features)
        elif status == "holds" and compared.excess[worst] > 0.0:
            reason = (
                "Equal to rounding."
                if compared.off[worst] <= plan.rounding
                else f"The deviation is less than {FLOOR:.3g} of the resolution, which refutes "
                "nothing."
            )
    inside = measured.low[worst] <= measured.observed[worst] <= measured.high[worst]
    if not reason and not inside:
        reason = OUTLIERS
    table = None
    if with_table:
        table = pair_table(plan, measured, compared, ~finite, worst, status)
    unit = float(pairs.unit[worst])
    place = pairs.place(worst)
    observed, exact, low, high = (
        float(value[worst]) * unit
        for value in (measured.observed, pairs.claim, measured.low, measured.high)
    )
    if measured.found is not None:
        excess, unit = measured.found, 1.0
        place["form"] = excess.form
        observed, exact, low, high = excess.observed, excess.claim, excess.low, math.inf
    rates = replace(options, false_alarm=plan.false_alarm, resolution=plan.resolution)
    return rates.verdict(
        status=status,
        claim=f"E<phi(x), phi(y)> = k(x, y) at {counted(pairs.n, 'pair')}",
        observed=observed,
        exact=exact,
        interval=(low, high),
        n_features=n_features,
        n_draws=measured.n_draws,
        n_intervals=measured.n_intervals,
        detectable=measured.detectable,
        method=f"{measured.method}, {source.name}",
        assumptions=(
            _INDEPENDENCE[source.name],
            *measured.assumptions,
            f"rounding moves no mean by more than {plan.rounding:.2g} sqrt(k(x,x) k(y,y))",
        ),
        scale=unit,
        where=place,
        seeds={"seed": plan.draws.root, "first_draw": plan.draws.seed(0)},
        reason=reason,
        table=table,
        statistics=_statistics(plan, measured),
    )


def _statistics(plan: MeasurementSpec, measured: Measurement) -> tuple[Statistics, ...]:
    """Return the statistics of the intervals with plan, pairs and rows, and the others."""
    if not measured.statistics or measured.statistics[0].method == "beyond range":
        return measured.statistics
    first, *others = measured.statistics
    pairs, source = plan.pairs, plan.source
    how = {
        "source": source.name,
        "draws": measured.n_draws,
        "per_draw": source.per_draw,
        "rounding": plan.rounding,
        "same": pairs.same,
        "X": stored(pairs.left.values),
        "Y": None if pairs.same else stored(pairs.right.values),
        "unit_X": pairs.left.unit,
        "unit_Y": pairs.right.unit,
    }
    where = {
        "pair": np.stack([pairs.first, pairs.second]),
        "unit": pairs.unit,
        "claim": pairs.claim,
        "low": measured.low,
        "high": measured.high,
    }
    return replace(first, plan={**how, **first.plan}, tests={**first.tests, **where}), *others


def _open(plan: MeasurementSpec, measured: Measurement, width: float, n_features: int) -> str:
    """Explain why an outcome is open, and what would decide it."""
    wide = (
        f"is {width:.3g} wide in units of sqrt(k(x,x) k(y,y))"
        if math.isfinite(width)
        else "is unbounded at so few samples"
    )
    parts = [measured.note] if measured.note else []
    if not width <= plan.resolution:
        parts.append(f"The interval {wide}, more than the resolution {plan.resolution:.3g}.")
    if plan.clock.over:
        parts.append(f"The time limit of {plan.clock.limit:.3g} s was over.")
    # The few samples of a check that was cut short do not tell how many more are needed; a plan
    # made before the samples does.
    planned = measured.method == KNOWN_VARIANCE or not plan.clock.over
    missing = planned and measured.needed > n_features
    drawn = f"{counted(n_features, 'feature')} {be(n_features, past=True)} drawn"
    drawn += f" (max_features={plan.max_features})." if plan.max_features else "."
    parts.append(
        (f"About {counted(measured.needed, 'feature')} would decide; " if missing else "") + drawn
    )
    return " ".join(parts)
