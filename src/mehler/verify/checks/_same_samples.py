"""Samples of the difference of two maps: a pilot from common seeds, then the best way to draw."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._plural import counted
from mehler.verify._verdict import FLOOR
from mehler.verify.nonparametric._kurtosis_test import LEAST, least_samples
from mehler.verify.pairwise._measurement import Clock
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import Pairs, read
from mehler.verify.sampling._sources import (
    BLOCK,
    Repeats,
    Source,
    choose_source,
    estimate,
    estimate_and_lengths,
    power_sums,
)

T = TypeVar("T")


class Side:
    """A draw function with a name, so that errors tell which of the two maps is meant."""

    def __init__(self, name: str, draw: Callable[[int], Any]) -> None:
        if not callable(draw):
            raise TypeError(f"{name}={draw!r} must be callable: seed -> map")
        self.name, self._draw = name, draw
        self.m = 0
        self.eps = 0.0

    def map(self, seed: int) -> Any:
        """Return the map of a seed."""
        return self._draw(seed)

    def features(self, phi: Callable[..., Any], pairs: Pairs) -> Any:
        """Return phi(X), checked for the width and dtype kind of the first draw."""
        z, eps = self._named(read, phi, pairs.left)
        if not self.m:
            self.m, self.eps = z.shape[1], eps
        return z

    def whole(self, phi: Callable[..., Any], pairs: Pairs) -> Any:
        """Return <phi(x), phi(y)> at the pairs."""
        return pairs.pick(self._named(estimate, phi, pairs, self.m))

    def whole_and_lengths(self, phi: Callable[..., Any], pairs: Pairs) -> tuple[Any, Any, Any]:
        """Return <phi(x), phi(y)> at the pairs, and |phi|^2 of the rows of either side."""
        gram, left, right = self._named(estimate_and_lengths, phi, pairs, self.m)
        return pairs.pick(gram), left, right

    def source(self, phi: Callable[..., Any], pairs: Pairs, independent_features: bool) -> Source:
        """Return the samples that the map's declarations allow, in units of the pairs."""
        return self._named(choose_source, phi, pairs, independent_features)

    def _named(self, function: Callable[..., T], *args: Any) -> T:
        try:
            return function(*args)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{self.name}: {error}") from error


# Draws that set the units; draws after which maps that always agreed count as the same.
UNITS, EQUAL = 32, 64

# Rounding of a feature, in units of sqrt(d) eps of the largest in its row.
_ULPS = 64.0

# Least variation over seeds, relative to the difference between maps, for agreement to count.
_TELLING = 16.0


@dataclass(frozen=True)
class Pilot:
    """The pilot draws, which are not reused.

    `pairs` are in units of sqrt(k(x,x) k(y,y)), k(x,x) the mean of |phi(x)|^2 over both maps;
    `products` are whole estimates, shape (2, draws, pairs); `largest` is the largest difference at
    one seed in units of that draw's lengths, or inf; `same_features`: equal to rounding; `finite`:
    no product was NaN or infinite.
    """

    pairs: Pairs
    products: Any
    largest: float
    same_features: bool
    finite: bool

    @property
    def n_draws(self) -> int:
        """Number of seeds drawn."""
        return int(self.products.shape[1])

    def agrees(self, resolution: float) -> bool:
        """Whether the maps agree seed by seed: no products differ by enough to refute.

        Products that hardly vary with the seed are no evidence, unless the features themselves
        agree.
        """
        moves = float(np.max(np.ptp(self.products[0], axis=0)))
        telling = self.same_features or moves > _TELLING * max(self.largest, 1e-12)
        return telling and self.largest <= FLOOR * resolution


def pilot(
    sides: tuple[Side, Side], pairs: Pairs, seeds: Draws, resolution: float, most: int, clock: Clock
) -> Pilot:
    """Draw both maps from common seeds until they differ and units are known."""
    products: list[list[Any]] = []
    lengths = [np.zeros(pairs.left.unit.size), np.zeros(pairs.right.unit.size)]
    largest, same, k = 0.0, True, 0
    while k < (EQUAL if largest <= FLOOR * resolution else UNITS) and k < most:
        if k and clock.over:
            break
        maps = [side.map(seeds.seed(k)) for side in sides]
        a, b = (side.features(phi, pairs) for side, phi in zip(sides, maps))
        same = same and _equal(a, b, max(side.eps for side in sides), pairs.left.host.shape[1])
        drawn = [side.whole_and_lengths(phi, pairs) for side, phi in zip(sides, maps)]
        k += 1
        products.append([gram for gram, _, _ in drawn])
        for total, left, right in zip(lengths, *(each[1:] for each in drawn)):
            total += 0.5 * (left + right)
        if not np.isfinite(products[-1]).all():
            return Pilot(pairs, np.array(products).swapaxes(0, 1), np.inf, False, False)
        scale = _scale(pairs, drawn)
        largest = max(largest, float(np.max(np.abs(drawn[0][0] - drawn[1][0]) / scale)))
    left, right = (np.sqrt(total / k) for total in lengths)
    for unit, side in ((left, "X"), (right, "Y")):
        if not (unit > 0.0).all():
            raise ValueError(
                f"both maps are 0 at row {int(np.argmin(unit))} of {side} in {counted(k, 'draw')}: "
                "the resolution is relative to their size there; leave such rows out"
            )
    rows = replace(pairs.left, unit=left)
    other = rows if pairs.same else replace(pairs.right, unit=right)
    pairs = replace(pairs, left=rows, right=other)
    return Pilot(pairs, np.array(products).swapaxes(0, 1) / pairs.unit, largest, same, True)


def _scale(pairs: Pairs, drawn: list[Any]) -> Any:
    """Return sqrt(|phi(x)|^2 |phi(y)|^2) of this draw, the smaller of the two maps."""
    sizes = [np.sqrt(left[pairs.first] * right[pairs.second]) for _, left, right in drawn]
    return np.maximum(np.minimum(*sizes), np.finfo(float).tiny)


def _equal(a: Array, b: Array, eps: float, n_inputs: int) -> bool:
    if a.shape != b.shape:
        return False
    if a.dtype.kind != "f" and b.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    a, b = a.astype(np.float64), b.astype(np.float64)
    size = np.abs(a).max(axis=1, keepdims=True)
    return bool((np.abs(a - b) <= _ULPS * np.sqrt(n_inputs) * eps * size).all())


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
        self._repeats, self._drawn = Repeats(), 0

    def sums(self, k: int) -> Any:
        """Return power sums of draw k's samples, shape (4, pairs)."""
        seeds = [self._seeds.seed(2 * k)] * 2
        if not self.paired:
            seeds[1] = self._seeds.seed(2 * k + 1)
        maps = [side.map(seed) for side, seed in zip(self._sides, seeds)]
        if self._repeats.so_far:
            features = [side.features(phi, self._pairs) for side, phi in zip(self._sides, maps)]
            self._repeats.add(*features)
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

    def samples(self, maps: Any, chosen: NDArray[np.int64]) -> list[Any]:
        """Return the samples from the units of either map, (per_draw, chosen) each."""
        parts = []
        for source, phi in zip(self._sources or (), maps):
            x = source.samples(phi, chosen)
            each = x.shape[0] // self.per_draw
            x = x[: each * self.per_draw].reshape(self.per_draw, each, -1)
            parts.append(x.mean(axis=1))
        return parts

    @property
    def is_fixed(self) -> bool:
        """Whether either map gave the same nonzero features in every draw."""
        return self._repeats.is_fixed

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

    def add(paired: bool, sources: tuple[Source, Source] | None, variance: Array, per: int) -> None:
        worst = float(np.max(variance, initial=0.0))
        # Roughly, from half widths sqrt(4 c (log(1/rate) + 3.5) v/n) < resolution/2, c = 0.7.
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
        trials = [
            whole.samples([side.map(again.seed(k)) for side in sides], everything)
            for k in range(min(_AGAIN, a.shape[0]))
        ]
        x, y = (np.concatenate(each) for each in zip(*trials))
        # Never with common seeds: unit l of one map may be correlated with any of the other's.
        add(False, sources, x.var(axis=0) + y.var(axis=0), whole.per_draw)
    # Ties go to the first, whole draws from separate seeds.
    _, paired, best = min(ways, key=lambda way: way[0])
    return Differences(sides, pilot.pairs, main, paired, best)


def clipped(sides: tuple[Side, Side], pilot: Pilot, main: Draws) -> Differences:
    """Return differences of estimates clipped far from the bulk, which keeps laws equal."""
    trials = pilot.products.reshape(-1, pilot.pairs.n)
    middle = np.median(trials, axis=0)
    # Eight standard deviations for normal estimates, which are then never clipped.
    reach = _REACH * 1.5 * np.median(np.abs(trials - middle), axis=0)
    reach = np.where(reach > 0.0, reach, 1.0)
    ends = (middle - reach, middle + reach)
    return Differences(sides, pilot.pairs, main, False, None, ends)
