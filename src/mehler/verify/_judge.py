"""From one interval a pair to one verdict."""

from __future__ import annotations

import math

import numpy as np

from mehler.verify._by_betting import OutOfBounds
from mehler.verify._pairs import Pairs
from mehler.verify._plan import Measurement, Plan
from mehler.verify._verdict import OUTLIERS, Status, Verdict

_INDEPENDENCE = {
    "independent features": "draws and the features of a draw are independent and alike",
    "independent units": "draws and the units of a draw are independent and alike",
    "independent stretches of units": "draws are independent, and units of a draw as far apart as "
    "the map says; pairs of units at equal distances are alike",
    "independent draws": "draws from different seeds are independent",
}


def out_of_bounds(found: OutOfBounds, pairs: Pairs) -> Measurement:
    """Return the measurement that a sample outside the declared bounds cuts short."""
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


def judge(plan: Plan, measured: Measurement, name: str, broken: OutOfBounds | None) -> Verdict:
    """Hold every pair's interval against its claim and report the worst pair."""
    pairs, source = plan.pairs, plan.source
    width = measured.high - measured.low
    half = 0.5 * width
    excess = np.maximum(measured.low - pairs.claim, pairs.claim - measured.high)
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
    elif (excess > 0.0).any():
        status, worst = "refuted", int(np.argmax(excess / np.where(excess > 0.0, half, 1.0)))
    elif not (width <= plan.resolution).all():
        status, worst = "inconclusive", int(np.argmax(width))
        wide = (
            f"is {width[worst]:.3g} wide in units of sqrt(k(x,x) k(y,y))"
            if np.isfinite(width[worst])
            else "is unbounded at so few samples"
        )
        reason = (
            f"The interval {wide}, more than the resolution {plan.resolution:.3g}: "
            + (f"about {measured.needed} features would decide, " if measured.needed else "")
            + f"{n_features} were drawn"
            + (f" (max_features={plan.max_features})." if plan.max_features else ".")
        )
    else:
        worst = int(np.argmax(np.abs(measured.observed - pairs.claim) / half))
    if not reason and not measured.low[worst] <= measured.observed[worst] <= measured.high[worst]:
        reason = OUTLIERS
    unit = float(pairs.unit[worst])
    return Verdict(
        status=status,
        check=name,
        claim=f"E<phi(x), phi(y)> = k(x, y) at {pairs.n} pairs",
        observed=float(measured.observed[worst]) * unit,
        exact=float(pairs.claim[worst]) * unit,
        interval=(float(measured.low[worst]) * unit, float(measured.high[worst]) * unit),
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
        where=pairs.place(worst),
        seeds={"seed": plan.draws.root, "first_draw": plan.draws.seed(0)},
        reason=reason,
    )
