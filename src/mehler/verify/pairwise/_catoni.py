"""Catoni intervals for all pairs at a declared variance, at sizes planned before the data."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler.verify._certificate import MOST_STORED, Statistics, samples_of
from mehler.verify._verdict import KNOWN_VARIANCE
from mehler.verify.intervals._known_variance import (
    CatoniPowerSums,
    catoni_tuning,
    crossing,
    detectable_effect,
    features_needed,
)
from mehler.verify.pairwise._measurement import Measurement, MeasurementSpec
from mehler.verify.sampling._sources import BLOCK, power_sums

# Early inspections are at the last size over powers of _STEP and share _EARLY of the error rate.
_STEP, _EARLY = 1.3, 0.25


def catoni_intervals(plan: MeasurementSpec, variance: Array) -> Measurement:
    """Test at growing sizes up to the one planned from the variance of one feature product.

    Early inspections, at a quarter of the error rate, refute gross deviations long before that.
    """
    pairs, source = plan.pairs, plan.source
    rate, miss = (1.0 - _EARLY) * plan.false_alarm / pairs.n, plan.miss / pairs.n
    # Any upper bound will do. The floor separates constant products from rounding and costs
    # nothing: features_needed returns hundreds of samples however small the variance.
    floor = (plan.width / 20.0) ** 2
    per_sample = np.maximum(variance * (source.per_draw / source.n_features), floor)
    worst = float(per_sample.max())
    # 3 % more than needed, since the enclosure by power sums is up to that much wider.
    planned = math.ceil(1.03 * features_needed(worst, plan.width, rate, miss))
    n_draws = plan.affordable(planned)
    last = n_draws * source.per_draw
    early = _early(plan, last)

    everything = np.arange(pairs.n)
    sums, kept = np.zeros((4, pairs.n)), []
    keep = last * pairs.n <= BLOCK
    drawn, refuted = 0, None

    def of_draw(phi: Any) -> Any:
        """Return the samples of a draw, or their power sums, about the claims."""
        if keep:
            return source.samples(phi, everything) - pairs.claim
        return source.sums(phi, pairs.claim)

    with plan.results(of_draw, 0, n_draws) as results:
        for result in results:
            if keep:
                kept.append(result)
            sums += power_sums(result) if keep else result
            drawn += 1
            if drawn in early and drawn < n_draws:
                refuted = _refuted_early(plan, sums, drawn, per_sample, early[drawn][1])
            if refuted is not None or plan.clock.over:
                break
    n = drawn * source.per_draw

    def columns(chosen: NDArray[np.int64]) -> Any:
        if keep:
            return np.concatenate([block[:, chosen] for block in kept])
        samples = [source.samples(plan.draws[k], chosen) for k in range(drawn)]
        return np.concatenate(samples) - pairs.claim[chosen]

    exact: dict[int, Any] = {}
    if refuted is not None:
        low, high = refuted
    else:
        # Tuned for the last inspection, Catoni's score is a supermartingale at the earlier ones
        # too.
        a = np.array([catoni_tuning(last, float(v), rate)[0] for v in per_sample])
        cost = math.log(2.0 / rate)
        low, high, exact = _catoni(plan, columns, n, sums, a, cost * (1.0 + n / last))
    return Measurement(
        observed=pairs.claim + sums[0] / max(1, n),
        low=pairs.claim + low - plan.rounding,
        high=pairs.claim + high + plan.rounding,
        n_draws=drawn,
        n_intervals=pairs.n * (1 + len(early)),
        detectable=detectable_effect(max(1, n), worst, rate, plan.miss) + plan.rounding,
        needed=-(-planned // source.per_draw) * source.n_features,
        method=KNOWN_VARIANCE,
        assumptions=("the declared variance is not too small",),
        statistics=(
            Statistics(
                "catoni",
                {"look": early[drawn][0] if refuted is not None else 0, "planned": last},
                {
                    "n": n,
                    "sums": sums,
                    "block": source.per_draw,
                    "variance": per_sample,
                    "samples": samples_of(exact, pairs.n),
                },
            ),
        ),
    )


def statistics_of_samples(
    x: Array, claim: Array, variance: Array, rate: float, ends: Array, *, pilot: bool = False
) -> Statistics:
    """Return what decides on means of samples, shape (n, means), with `ends`, shape (2, means).

    Where samples are too many to be stored, the ends are those that their power sums enclose.
    """
    n, count = x.shape
    samples = samples_of(dict(enumerate((x - claim).T)), count)
    sums = power_sums(x - claim)
    a, level = np.sqrt(2.0 * math.log(2.0 / rate) / (n * variance)), 2.0 * math.log(2.0 / rate)
    if samples[0] is None and n > 2.0 * level:
        ends = claim + np.array(CatoniPowerSums(n, sums, a).interval(level))
    return Statistics(
        "catoni",
        {"look": None, "planned": n, "pilot": pilot},
        {
            "claim": claim,
            "low": ends[0],
            "high": ends[1],
            "n": n,
            "sums": sums,
            "variance": variance,
            "samples": samples,
        },
    )


def _early(plan: MeasurementSpec, last: int) -> dict[int, tuple[int, float]]:
    """Return number and error rate per pair of the early inspections, by their draw counts."""
    excluded: dict[int, tuple[int, float]] = {}
    share = _EARLY * plan.false_alarm / plan.pairs.n
    for k in range(1, 200):
        size, paid = last / _STEP**k, share / (k * (k + 1.0))
        # With fewer samples Catoni's interval or its enclosure is vacuous.
        if size < 4.0 * math.log(2.0 / paid):
            break
        excluded.setdefault(math.ceil(size / plan.source.per_draw), (k, paid))
    return excluded


def _refuted_early(
    plan: MeasurementSpec,
    sums: NDArray[np.float64],
    drawn: int,
    per_sample: NDArray[np.float64],
    rate: float,
) -> tuple[Any, Any] | None:
    """Return intervals of the deviations if one of them excludes 0 for certain, else None."""
    n = drawn * plan.source.per_draw
    tuned = [catoni_tuning(n, float(v), rate) for v in per_sample]
    enclosure = CatoniPowerSums(n, sums, np.array([scale for scale, _ in tuned]))
    low, high = enclosure.interval(tuned[0][1])
    if not np.isfinite(enclosure.mean).all():
        return low, high
    outside = (low > plan.rounding) | (high < -plan.rounding)
    off = np.abs(enclosure.mean) >= plan.floor
    return (low, high) if (outside & off).any() else None


def _catoni(
    plan: MeasurementSpec,
    columns: Callable[[Any], Any],
    n: int,
    sums: NDArray[np.float64],
    a: NDArray[np.float64],
    level: float,
) -> tuple[Any, Any, dict[int, Any]]:
    """Enclose intervals of all deviations; compute those exactly that may exclude the claim, 0.

    Also return the samples of the exact ones, as far as a certificate stores them.
    """
    exact: dict[int, Any] = {}
    if n <= 2.0 * level:
        return np.full(plan.pairs.n, -np.inf), np.full(plan.pairs.n, np.inf), exact
    enclosure = CatoniPowerSums(n, sums, a)
    low, high = enclosure.interval(level)
    observed = enclosure.mean
    if not np.isfinite(observed).all():
        return low, high, exact
    off = np.abs(observed) >= plan.floor
    outside = (low > plan.rounding) | (high < -plan.rounding)
    # Samples are not kept, so exact intervals would need new draws, and time is over.
    if (outside & off).any() or plan.clock.over:
        return low, high, exact
    least, most = enclosure.score_range(0.0)
    sure = (most <= level) & (least >= -level)
    could_be_narrow = 2.0 * level / (a * n) <= plan.width
    again = np.flatnonzero(~sure | ((high - low > plan.width) & could_be_narrow))
    # Most suspicious pairs first, since one refuted pair decides.
    again = again[np.argsort(-np.abs(observed * a)[again])]
    step = max(1, BLOCK // n)
    for start in range(0, again.size, step):
        chosen = again[start : start + step]
        samples = columns(chosen)
        for x, p in zip(np.ascontiguousarray(samples.T), chosen):
            low[p], high[p] = (crossing(x, float(a[p]), end) for end in (level, -level))
            if (len(exact) + 1) * n <= MOST_STORED:
                exact[int(p)] = x
        gone = (low > plan.rounding) | (high < -plan.rounding)
        if (gone & off).any():
            break
    return low, high, exact
