"""From draws to one interval a pair: planned, taken in one look or a few that are paid for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.verify._design import detectable_effect, features_needed
from mehler.verify._draws import Draws
from mehler.verify._enclosure import Enclosure
from mehler.verify._influence import crossing
from mehler.verify._pairs import Pairs
from mehler.verify._sources import BLOCK, Source, power_sums
from mehler.verify.intervals._asymptotic import asymptotic_half_width, asymptotic_size
from mehler.verify.intervals._bounded import bounded_half_width
from mehler.verify.intervals._known_variance import catoni_tuning

# Looks of the routes that learn the variance: at n, 2 n and 4 n.
LOOKS = 3

# Samples of the pilot that plans those routes; it is not used again.
_PILOT = 256


@dataclass(frozen=True)
class Plan:
    """What is asked of the measurement; resolution and claims in units of the pairs."""

    pairs: Pairs
    source: Source
    draws: Draws
    false_alarm: float
    resolution: float
    miss: float
    max_features: int | None

    @property
    def rounding(self) -> float:
        """Allowance for rounded features, added to both ends of every interval.

        Rounding errors of an inner product of d terms add up like independent ones to about
        sqrt(d) eps (Higham and Mary 2019); 8 covers both factors of a product and their sum.
        """
        return 8.0 * math.sqrt(self.pairs.left.host.shape[1]) * self.source.eps

    @property
    def width(self) -> float:
        """Full width that an interval may have before the allowance."""
        width = self.resolution - 2.0 * self.rounding
        if width <= 0.0:
            raise ValueError(
                f"resolution={self.resolution:.3g} is finer than the rounding of the features "
                f"({2 * self.rounding:.3g}): ask for a coarser one, or for float64 features"
            )
        return width

    def affordable(self, samples: int) -> int:
        """Return the draws that give so many samples a pair, or as many as are allowed."""
        n_draws = -(-samples // self.source.per_draw)
        if self.max_features is None:
            return n_draws
        return min(n_draws, self.max_features // self.source.n_features)


@dataclass(frozen=True)
class Measurement:
    """Intervals [low, high] about `observed` for each pair, in units of the pairs."""

    observed: Any
    low: Any
    high: Any
    n_draws: int
    n_looks: int
    detectable: float
    needed: int
    method: str
    assumptions: tuple[str, ...]


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
    low, high, observed = _catoni(plan, columns, n, sums, a, level)
    return Measurement(
        observed=observed,
        low=low - plan.rounding,
        high=high + plan.rounding,
        n_draws=n_draws,
        n_looks=pairs.n,
        detectable=detectable_effect(n, worst, rate, plan.miss) + plan.rounding,
        needed=-(-planned // source.per_draw) * source.n_features,
        method="known variance (Catoni)",
        assumptions=("the declared variance is not too small",),
    )


def _catoni(
    plan: Plan, columns: Callable[[Any], Any], n: int, sums: Any, a: Any, level: float
) -> tuple[Any, Any, Any]:
    """Enclose every pair's interval, and compute those exactly where the enclosure is too wide.

    The decisions are those of the exact interval: only pairs whose claim is inside for certain
    are not looked at again.
    """
    claim, enclosure = plan.pairs.claim, Enclosure(n, sums, a)
    low, high = enclosure.interval(level)
    observed = enclosure.mean.copy()
    if not np.isfinite(observed).all():
        return low, high, observed
    outside = (claim < low - plan.rounding) | (claim > high + plan.rounding)
    if outside.any():
        return low, high, observed
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
            low[p], high[p], observed[p] = (
                crossing(x, float(a[p]), target) for target in (level, -level, 0.0)
            )
        gone = (claim < low - plan.rounding) | (claim > high + plan.rounding)
        if gone.any():
            break
    return low, high, observed


def by_moments(plan: Plan, bounds: tuple[float, float] | None) -> Measurement:
    """Take up to three looks, at n, 2 n and 4 n, with n from the variance of pilot draws.

    The pilot is independent of the looks and the looks are fixed by it, so a third of the error
    rate for each pays for stopping at the first that decides.
    """
    pairs, source = plan.pairs, plan.source
    rate = plan.false_alarm / (pairs.n * LOOKS)
    span = None if bounds is None else (bounds[1] - bounds[0]) / pairs.unit

    def half_width(n: int, variance: Any, level: float) -> Any:
        if span is None:
            return asymptotic_half_width(n, variance, level)
        return bounded_half_width(n, variance, span, level)

    pilot = Draws(plan.draws.draw, plan.draws.root, stream=1)
    n_pilot = -(-_PILOT // source.per_draw)
    spread = _Moments(plan, bounds)
    spread.extend(pilot, n_pilot)
    # A pilot of 256 knows a variance to some 10 to 20 per cent.
    guess = 1.2 * spread.variance
    planned = _least(
        lambda n: bool((2.0 * half_width(n, guess, rate) <= plan.width).all()),
        start=asymptotic_size(rate) if span is None else 2,
    )

    moments = _Moments(plan, bounds)
    for look in range(LOOKS):
        n_draws = plan.affordable(planned * 2**look)
        if n_draws == moments.n_draws:
            break
        moments.extend(plan.draws, n_draws)
        half = half_width(moments.n, moments.variance, rate) + plan.rounding
        low, high = moments.mean - half, moments.mean + half
        outside = (pairs.claim < low) | (pairs.claim > high) | ~np.isfinite(half)
        if outside.any() or (2.0 * half <= plan.resolution).all():
            break
    seen = half_width(moments.n, moments.variance, plan.miss)
    return Measurement(
        observed=moments.mean,
        low=low,
        high=high,
        n_draws=moments.n_draws,
        n_looks=pairs.n * LOOKS,
        detectable=float(np.max(half + seen)),
        needed=-(-planned // source.per_draw) * source.n_features,
        method="asymptotic (normal approximation)"
        if bounds is None
        else "bounded (Hoeffding, empirical Bernstein)",
        assumptions=("the number of samples is large: error rates hold only in the limit",)
        if bounds is None
        else (f"every sample lies in [{bounds[0]:.6g}, {bounds[1]:.6g}]",),
    )


class OutOfBounds(Exception):
    """A sample left the declared range."""

    def __init__(self, pair: int, value: float, n_draws: int) -> None:
        super().__init__(value)
        self.pair, self.value, self.n_draws = pair, value, n_draws


class _Moments:
    """Running mean and unbiased variance of every pair; holds samples against their bounds."""

    def __init__(self, plan: Plan, bounds: tuple[float, float] | None) -> None:
        self._plan, self._bounds = plan, bounds
        self._sums = np.zeros((4, plan.pairs.n))
        self.n_draws = 0

    @property
    def n(self) -> int:
        return self.n_draws * self._plan.source.per_draw

    @property
    def mean(self) -> Any:
        return self._sums[0] / self.n

    @property
    def variance(self) -> Any:
        centred = self._sums[1] - self._sums[0] * self.mean
        return np.maximum(centred, 0.0) / max(1, self.n - 1)

    def extend(self, draws: Draws, n_draws: int) -> None:
        for k in range(self.n_draws, n_draws):
            if self._bounds is None:
                self._sums += self._plan.source.sums(draws[k])
            else:
                self._sums += self._bounded_sums(draws[k], k + 1, self._bounds)
        self.n_draws = n_draws

    def _bounded_sums(self, phi: Any, n_draws: int, bounds: tuple[float, float]) -> Any:
        pairs, source = self._plan.pairs, self._plan.source
        total = np.empty((4, pairs.n))
        step = max(1, BLOCK // source.per_draw)
        for start in range(0, pairs.n, step):
            chosen = np.arange(start, min(start + step, pairs.n))
            samples = source.samples(phi, chosen)
            total[:, chosen] = power_sums(samples)
            values = samples * pairs.unit[chosen]
            slack = self._plan.rounding * pairs.unit[chosen]
            out = (values < bounds[0] - slack) | (values > bounds[1] + slack)
            if out.any():
                row, column = (int(index) for index in np.argwhere(out)[0])
                raise OutOfBounds(start + column, float(values[row, column]), n_draws)
        return total


def _least(enough: Callable[[int], bool], start: int) -> int:
    """Return the least n >= start with enough(n), enough being monotone."""
    high = start
    while not enough(high):
        high *= 2
        if high > 2**52:
            raise ValueError("the resolution needs more than 2^52 samples: ask for a coarser one")
    low = max(start - 1, high // 2) if high > start else start - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
