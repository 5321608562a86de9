"""The verdict of the worst pair, from one interval per pair."""

from __future__ import annotations

import math

import numpy as np

from mehler._words import be, counted
from mehler.verify._verdict import OUTLIERS, Status, Verdict
from mehler.verify.pairwise._betting import OutOfBounds
from mehler.verify.pairwise._measurement import FLOOR, Measurement, MeasurementSpec
from mehler.verify.pairwise._pair_table import pair_table
from mehler.verify.sampling._pairs import Pairs

_INDEPENDENCE = {
    "independent features": "draws and the features of a draw are independent and alike",
    "independent units": "draws and the units of a draw are independent and alike",
    "independent stretches of units": "draws are independent, and units of a draw as far apart as "
    "the map says; pairs of units at equal distances are alike",
    "independent draws": "draws from different seeds are independent",
}


def out_of_bounds(found: OutOfBounds, pairs: Pairs) -> Measurement:
    """Return the measurement cut short by a sample outside the declared bounds."""
    nothing = np.full(pairs.n, np.nan)
    value = nothing.copy()
    value[found.pair] = found.value / pairs.unit[found.pair]
    return Measurement(
        observed=value,
        low=nothing,
        high=nothing,
        n_draws=found.n_draws,
        n_looks=pairs.n,
        detectable=math.inf,
        needed=0,
        method="bounded (range)",
        assumptions=(),
    )


def verdict_of_worst_pair(
    plan: MeasurementSpec,
    measured: Measurement,
    name: str,
    broken: OutOfBounds | None,
    *,
    with_table: bool = False,
) -> Verdict:
    """Compare every pair's interval with its claim and report the worst pair."""
    pairs, source = plan.pairs, plan.source
    off = np.abs(measured.observed - pairs.claim)
    excess = np.maximum(measured.low - pairs.claim, pairs.claim - measured.high)
    # A deviation too small to refute adds to the width, so that the claim lies within.
    width = measured.high - measured.low + np.maximum(excess, 0.0)
    outside = (excess > 0.0) & (off >= plan.floor)
    refuted = outside & measured.may_refute
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
    elif refuted.any():
        with np.errstate(invalid="ignore"):  # ends may be infinite
            far = np.where(refuted, excess / (measured.high - measured.low), -1.0)
        status, worst = "refuted", int(np.argmax(far))
    elif outside.any() or not (width <= plan.resolution).all():
        status = "inconclusive"
        worst = int(np.argmax(np.where(outside, np.inf, width)))
        reason = _open(plan, measured, float(width[worst]), n_features)
    else:
        worst = int(np.argmax(off / np.maximum(0.5 * width, 1e-300)))
        if excess[worst] > 0.0:
            reason = (
                "Equal to rounding."
                if off[worst] <= plan.rounding
                else f"The deviation is less than {FLOOR:.3g} of the resolution, which refutes "
                "nothing."
            )
    inside = measured.low[worst] <= measured.observed[worst] <= measured.high[worst]
    if not reason and not inside:
        reason = OUTLIERS
    table = None
    if with_table:
        table = pair_table(plan, measured, refuted | ~finite, outside, width, worst, status)
    unit = float(pairs.unit[worst])
    place = pairs.place(worst)
    observed, exact, low, high = (
        float(value[worst]) * unit
        for value in (measured.observed, pairs.claim, measured.low, measured.high)
    )
    if measured.found is not None:
        found, unit = measured.found, 1.0
        place["form"] = found.form
        observed, exact, low, high = found.observed, found.claim, found.low, math.inf
    return Verdict(
        status=status,
        check=name,
        claim=f"E<phi(x), phi(y)> = k(x, y) at {counted(pairs.n, 'pair')}",
        observed=observed,
        exact=exact,
        interval=(low, high),
        n_features=n_features,
        n_draws=measured.n_draws,
        n_looks=measured.n_looks,
        false_alarm=plan.false_alarm,
        resolution=plan.resolution,
        detectable=measured.detectable,
        miss=plan.miss,
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
    )


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
    clock, missing = plan.clock, max(0, measured.needed - n_features)
    if clock.over:
        pace = missing / n_features * clock.seconds
        parts.append(
            f"The time limit of {clock.limit:.3g} s was over"
            + (f"; at this pace about {pace:.3g} s more would decide." if missing else ".")
        )
    drawn = f"{counted(n_features, 'feature')} {be(n_features, past=True)} drawn"
    drawn += f" (max_features={plan.max_features})." if plan.max_features else "."
    parts.append(
        (f"About {counted(measured.needed, 'feature')} would decide; " if missing else "") + drawn
    )
    return " ".join(parts)
