"""Samples of the difference of two maps' products, chosen to decide with fewest draws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler.verify.checks.same._pilot import Pilot, Side
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import Pairs
from mehler.verify.sampling._sources import BLOCK, Source, power_sums
from mehler.verify.undeclared._kurtosis_test import LEAST, least_samples

# Pilot draws repeated to see how single units scatter.
_AGAIN = 4

# Clipping point of estimates, in standard deviations of their bulk.
_REACH = 8.0


class Differences:
    """Products of draw_b minus those of draw_a, in units of the pairs: a `Stream`.

    `paired` maps get the same seed. `sources` sample the units of a draw, with means of several
    units of the larger map per unit of the smaller; None for whole estimates. Whole estimates are
    clipped to `ends` if given.
    """

    def __init__(
        self,
        sides: tuple[Side, Side],
        pairs: Pairs,
        seeds: Draws,
        paired: bool,
        sources: tuple[Source, Source] | None,
        ends: tuple[Any, Any] | None = None,
    ) -> None:
        self._ends = ends
        self._sides, self._pairs, self._seeds = sides, pairs, seeds
        self.paired, self._sources = paired, sources
        self.n_means = pairs.n
        self.per_draw = 1 if sources is None else min(each.per_draw for each in sources)
        self.n_features = sum(side.m for side in sides)
        # Rounding of products of d terms, as in check_kernel, on either side.
        d = pairs.left.host.shape[1]
        self.rounding = 8.0 * math.sqrt(d) * sum(side.eps for side in sides)
        self.means = np.zeros((2, pairs.n))
        self._first: list[Any] | None = None
        self._alike, self._drawn = True, 0

    def sums(self, k: int) -> Any:
        """Return power sums of draw k's samples, shape (4, pairs)."""
        seeds = [self._seeds.seed(2 * k)] * 2
        if not self.paired:
            seeds[1] = self._seeds.seed(2 * k + 1)
        maps = [side.map(seed) for side, seed in zip(self._sides, seeds)]
        self._compare(maps)
        self._drawn += 1
        if self._sources is None:
            a, b = (side.whole(phi, self._pairs) for side, phi in zip(self._sides, maps))
            a, b = a / self._pairs.unit, b / self._pairs.unit
            if self._ends is not None:
                a, b = np.clip(a, *self._ends), np.clip(b, *self._ends)
            self.means += np.stack([a, b])
            return power_sums((b - a)[None, :])
        total = np.empty((4, self._pairs.n))
        step = max(1, BLOCK // max(each.per_draw for each in self._sources))
        for start in range(0, self._pairs.n, step):
            chosen = np.arange(start, min(start + step, self._pairs.n))
            a, b = self.samples(maps, chosen)
            self.means[:, chosen] += np.stack([a.mean(axis=0), b.mean(axis=0)])
            total[:, chosen] = power_sums(b - a)
        return total

    def samples(self, maps: Any, chosen: Any) -> list[Any]:
        """Return the samples from the units of either map, (per_draw, chosen) each."""
        found = []
        for source, phi in zip(self._sources or (), maps):
            x = source.samples(phi, chosen)
            each = x.shape[0] // self.per_draw
            x = x[: each * self.per_draw].reshape(self.per_draw, each, -1)
            found.append(x.mean(axis=1))
        return found

    @property
    def is_fixed(self) -> bool:
        """Whether either map gave the same nonzero features in every draw."""
        return (
            self._drawn > 1
            and self._alike
            and all(bool(np.any(each)) for each in self._first or ())
        )

    def _compare(self, maps: list[Any]) -> None:
        if not self._alike:
            return
        features = [side.features(phi, self._pairs) for side, phi in zip(self._sides, maps)]
        if self._first is None:
            self._first = features
        self._alike = all(np.array_equal(a, b) for a, b in zip(features, self._first))

    def place(self, index: int) -> dict[str, Any]:
        """Return the pair of a mean, and the means of either map there."""
        a, b = (float(each[index] * self._pairs.unit[index]) for each in self.means)
        drawn = max(1, self._drawn)
        return {**self._pairs.place(index), "a": a / drawn, "b": b / drawn}


def choose(
    sides: tuple[Side, Side],
    pilot: Pilot,
    draws: tuple[Draws, Draws],
    rate: float,
    resolution: float,
    *,
    independent_features: bool,
) -> Differences:
    """Return the samples that, according to the pilot, decide with fewest draws.

    Common seeds do not change the difference of means. After a small change the two versions'
    estimates are correlated and their difference varies little.
    """
    main, again = draws
    a, b = pilot.products
    ways: list[tuple[float, bool, tuple[Source, Source] | None]] = []

    def add(paired: bool, sources: tuple[Source, Source] | None, variance: Any, per: int) -> None:
        worst = float(np.max(variance, initial=0.0))
        # From half widths sqrt(4 c (log(2/rate) + 3.5) v/n) < resolution/2, c about 0.7.
        needed = max(
            LEAST, least_samples(rate), 11.0 * (3.5 - math.log(rate)) * worst / resolution**2
        )
        ways.append((needed / per, paired, sources))

    add(False, None, a.var(axis=0) + b.var(axis=0), 1)
    if a.shape[0] > 1:
        add(True, None, (b - a).var(axis=0), 1)
    maps = [side.map(again.seed(0)) for side in sides]
    first, second = (
        side.source(phi, pilot.pairs, independent_features) for side, phi in zip(sides, maps)
    )
    if min(first.per_draw, second.per_draw) > 1:
        sources = (first, second)
        whole = Differences(sides, pilot.pairs, main, False, sources)
        everything = np.arange(min(pilot.pairs.n, max(1, BLOCK // first.per_draw)))
        seen = [
            whole.samples([side.map(again.seed(k)) for side in sides], everything)
            for k in range(min(_AGAIN, a.shape[0]))
        ]
        x, y = (np.concatenate(each) for each in zip(*seen))
        # Never with common seeds: unit l of one map may be correlated with any of the other's.
        add(False, sources, x.var(axis=0) + y.var(axis=0), whole.per_draw)
    # Ties go to the first, whole draws from separate seeds.
    _, paired, best = min(ways, key=lambda way: way[0])
    return Differences(sides, pilot.pairs, main, paired, best)


def clipped(sides: tuple[Side, Side], pilot: Pilot, main: Draws) -> Differences:
    """Return differences of estimates clipped far from the bulk, which keeps laws equal."""
    seen = pilot.products.reshape(-1, pilot.pairs.n)
    middle = np.median(seen, axis=0)
    # Eight standard deviations for normal estimates, which are then never clipped.
    reach = _REACH * 1.5 * np.median(np.abs(seen - middle), axis=0)
    reach = np.where(reach > 0.0, reach, 1.0)
    ends = (middle - reach, middle + reach)
    return Differences(sides, pilot.pairs, main, False, None, ends)
