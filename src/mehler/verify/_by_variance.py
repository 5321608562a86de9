"""Intervals of all pairs at a declared variance: planned before the data, one look."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.verify._design import detectable_effect, features_needed
from mehler.verify._enclosure import Enclosure
from mehler.verify._influence import crossing
from mehler.verify._plan import Measurement, Plan
from mehler.verify._sources import BLOCK, power_sums
from mehler.verify._verdict import KNOWN_VARIANCE
from mehler.verify.intervals._known_variance import catoni_tuning


def by_known_variance(plan: Plan, variance: Any) -> Measurement:
    """Take one look at the n planned from the variance of one feature product, per pair."""
    pairs, source = plan.pairs, plan.source
    rate, miss = plan.false_alarm / pairs.n, plan.miss / pairs.n
    # Any upper bound will do. The floor keeps constant products apart from rounding and costs
    # nothing: features_needed asks for hundreds of samples however small the variance.
    floor = (plan.width / 20.0) ** 2
    per_sample = np.maximum(variance * (source.per_draw / source.n_features), floor)
    worst = float(per_sample.max())
    # 3 % more than needed: the enclosure by power sums is that much wider, or less.
    planned = math.ceil(1.03 * features_needed(worst, plan.width, rate, miss))
    n_draws = plan.affordable(planned)
    n = n_draws * source.per_draw

    everything = np.arange(pairs.n)
    sums, kept = np.zeros((4, pairs.n)), []
    keep = n * pairs.n <= BLOCK
    for k in range(n_draws):
        if keep:
            kept.append(source.samples(plan.draws[k], everything))
            sums += power_sums(kept[-1])
        else:
            sums += source.sums(plan.draws[k])

    def columns(chosen: Any) -> Any:
        if keep:
            return np.concatenate([block[:, chosen] for block in kept])
        return np.concatenate([source.samples(plan.draws[k], chosen) for k in range(n_draws)])

    tuned = [catoni_tuning(n, float(v), rate) for v in per_sample]
    a, level = np.array([scale for scale, _ in tuned]), tuned[0][1]
    low, high = _catoni(plan, columns, n, sums, a, level)
    return Measurement(
        observed=sums[0] / n,
        low=low - plan.rounding,
        high=high + plan.rounding,
        n_draws=n_draws,
        n_looks=pairs.n,
        detectable=detectable_effect(n, worst, rate, plan.miss) + plan.rounding,
        needed=-(-planned // source.per_draw) * source.n_features,
        method=KNOWN_VARIANCE,
        assumptions=("the declared variance is not too small",),
    )


def _catoni(
    plan: Plan, columns: Callable[[Any], Any], n: int, sums: Any, a: Any, level: float
) -> tuple[Any, Any]:
    """Enclose every pair's interval, and compute those exactly where the enclosure is too wide.

    The decisions are those of the exact interval: only pairs whose claim is inside for certain
    are not looked at again.
    """
    claim, enclosure = plan.pairs.claim, Enclosure(n, sums, a)
    low, high = enclosure.interval(level)
    observed = enclosure.mean
    if not np.isfinite(observed).all():
        return low, high
    outside = (claim < low - plan.rounding) | (claim > high + plan.rounding)
    if outside.any():
        return low, high
    least, most = enclosure.score_range(claim)
    sure = (most <= level) & (least >= -level)
    could_be_narrow = 2.0 * level / (a * n) <= plan.width
    again = np.flatnonzero(~sure | ((high - low > plan.width) & could_be_narrow))
    # The most suspicious first: one refuted pair decides.
    again = again[np.argsort(-np.abs((observed - claim) * a)[again])]
    step = max(1, BLOCK // n)
    for start in range(0, again.size, step):
        chosen = again[start : start + step]
        samples = columns(chosen)
        for x, p in zip(np.ascontiguousarray(samples.T), chosen):
            low[p], high[p] = (crossing(x, float(a[p]), end) for end in (level, -level))
        gone = (claim < low - plan.rounding) | (claim > high + plan.rounding)
        if gone.any():
            break
    return low, high
