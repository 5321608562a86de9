"""Variances of the estimates at one size: from groups of draws, proved to grow, or none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._plural import counted
from mehler.verify._arguments import CheckOptions
from mehler.verify._verdict import FLOOR, Status, Verdict
from mehler.verify.intervals import known_variance
from mehler.verify.intervals._design import features_needed
from mehler.verify.sampling._choose_source import GROUP, DrawGroups
from mehler.verify.sampling._pairs import Pairs
from mehler.verify.sampling._sources import call, estimate
from mehler.verify.undeclared._nonnegative import Ratio, ratios

# Groups of the pilot, and the safety factor on its scatter.
PILOT, SAFETY = 48, 2.0


class VarianceAtSize:
    """Grouped draws of one size and their estimates."""

    def __init__(
        self, draw: Callable[[int, int], Any], m: int, pairs: Pairs, seed: int, stream: int
    ) -> None:
        self.m, self.pairs, self.seed, self.stream = m, pairs, seed, stream
        self.draw: Callable[[int], Any] = lambda word: draw(word, m)
        z = call(self.draw(DrawGroups(self.draw, seed, GROUP, stream=stream).seed(0)), pairs.left)
        if z.shape[1] != m:
            raise ValueError(
                f"draw(seed, {m}) has {counted(z.shape[1], 'feature')}: sizes must be what "
                f"was asked for"
            )
        self.eps = float(np.finfo(z.dtype).eps) if z.dtype.kind == "f" else 0.0

    def groups(self, n: int, *, stream: int) -> Any:
        """Return estimates at the pairs, shape (n, GROUP, pairs)."""
        bundles = DrawGroups(self.draw, self.seed, GROUP, stream=self.stream + stream)
        return self.estimates(bundles, 0, n)

    def estimates(self, bundles: DrawGroups, start: int, stop: int) -> Any:
        """Return the estimates of groups start to stop - 1."""
        return np.array(
            [
                [self.pairs.pick(estimate(phi, self.pairs, self.m)) for phi in bundles[k]]
                for k in range(start, stop)
            ]
        )

    def is_fixed(self, n: int) -> bool:
        """Whether the first n draws have the same nonzero features."""
        bundles = DrawGroups(self.draw, self.seed, GROUP, stream=self.stream)
        first, *rest = (call(self.draw(bundles.seed(k)), self.pairs.left) for k in range(n))
        return bool(np.any(first)) and all(np.array_equal(first, each) for each in rest)

    def slack(self, groups: Any) -> Any:
        """Return how far rounding of a sum of m products may move an estimate."""
        return 8.0 * math.sqrt(self.m) * self.eps * np.abs(groups).max(axis=(0, 1))

    def spread(self, groups: Any, weights: Any) -> Any:
        """Return m times the weighted variance of every group."""
        return self.m * groups.var(axis=1, ddof=1) @ weights


def weights_of(groups: Any, m: int) -> Any:
    """Return weights of about 1 over each pair's variance, 0 for constant pairs."""
    variance = m * groups.var(axis=1, ddof=1).mean(axis=0)
    keep = variance > 1e-12 * variance.max()
    return np.where(keep, 1.0 / np.where(keep, variance, 1.0), 0.0) / keep.sum()


def plan_of(pilot: Any, asked: CheckOptions, floor: float) -> tuple[float, int]:
    """Return a bound on the variance of one group's spread, and the number of groups needed."""
    centre = max(float(pilot.mean()), floor)
    bound = max(SAFETY * float(pilot.var(ddof=1)), floor * floor)
    # The relative width of R's interval is about twice that of either variance.
    width = 0.45 * asked.resolution * centre
    return bound, features_needed(bound, width, 0.5 * asked.false_alarm, 0.5 * asked.miss)


def ends_of(x: Any, bound: float, false_alarm: float) -> tuple[float, float]:
    if x.size <= 2.0 * math.log(4.0 / false_alarm):
        return -math.inf, math.inf
    return known_variance(x, bound, 0.5 * false_alarm)


# Most pairs of draws of either size; then a suspicion is left open.
_MOST = 20_000


def proved_growth(
    asked: CheckOptions, sides: list[VarianceAtSize], weights: Any, max_draws: int | None
) -> Ratio | None:
    """Return a ratio whose guaranteed lower bound exceeds 1, or None."""
    # Groups of two draws decide with fewer draws than larger ones.
    kept = [DrawGroups(side.draw, side.seed, 2, stream=side.stream) for side in sides]

    def more(start: int, stop: int) -> tuple[Any, Any]:
        a, b = (
            side.spread(side.estimates(bundles, start, stop), weights)
            for side, bundles in zip(sides, kept)
        )
        return a, b

    most = _MOST if max_draws is None else min(_MOST, max_draws // 2)
    for ratio in ratios(more, asked.false_alarm, of=2, most=most):
        if ratio.low > 1.0 and ratio.observed - 1.0 >= FLOOR * asked.resolution:
            return ratio
    return None


def unmoved(
    asked: CheckOptions,
    sides: list[VarianceAtSize],
    pilots: list[Any],
    sizes: tuple[int, int],
    seed: int,
) -> Verdict:
    """Refute features that are the same for every seed; leave equal estimates open."""
    shown = float(pilots[0].flat[0])
    # Equal estimates are no evidence: cosine-sine features have length 1 in every draw, and events
    # may be rare. Features that agree in every bit are evidence.
    fixed = sides[0].is_fixed(GROUP)
    status: Status = "refuted" if fixed else "inconclusive"
    return asked.verdict(
        status=status,
        claim="estimates vary over seeds, with a variance that falls as 1/n_features",
        observed=0.0,
        exact=1.0,
        interval=(0.0, 0.0) if fixed else (0.0, math.inf),
        n_features=PILOT * GROUP * (sides[0].m + sides[1].m),
        n_draws=2 * PILOT * GROUP,
        n_intervals=2,
        detectable=sizes[1] / sizes[0] - 1.0 if fixed else math.inf,
        method="equality of features" if fixed else "equality of estimates",
        assumptions=("random features differ from seed to seed",),
        where={"sizes": f"{sizes[0]}, {sizes[1]}", "estimate": shown},
        seeds={"seed": seed},
        reason="All seeds gave the same features: the seed is ignored, or nothing is random."
        if fixed
        else "All seeds gave the same estimates at all pairs, though not the same features: give "
        "rows at which estimates vary.",
    )
