"""Betting intervals for all pairs of bounded samples, valid at any stopping time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import BOUNDED
from mehler.verify.intervals._bounded import Wealth
from mehler.verify.pairwise._measurement import Measurement, MeasurementSpec
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._sources import BLOCK, power_sums

# Samples of the pilot that plans the inspections, and of the first inspection.
_PILOT = 256

# Most samples, and attempts to find the size that a resolution needs.
_MOST, _ATTEMPTS = 2**52, 12

# Ratio of successive inspection sizes, up to the planned size and beyond it.
_STEP, _LATE_STEP = 1.25, 1.05


class OutOfBounds(Exception):
    """A sample left the declared range."""

    def __init__(
        self, pair: int, value: float, n_draws: int, bounds: tuple[float, float], slack: float
    ) -> None:
        super().__init__(value)
        self.pair, self.value, self.n_draws = pair, value, n_draws
        self.bounds, self.slack = bounds, slack


def betting_intervals(plan: MeasurementSpec, bounds: tuple[float, float]) -> Measurement:
    """Bet until a claim is refuted or all intervals are narrow enough.

    Stakes are fixed in advance, so inspections are free: at the true mean either wealth ever
    reaches 2 pairs/alpha with probability at most alpha/(2 pairs). A pilot only plans when to
    inspect.
    """
    pairs, source = plan.pairs, plan.source
    level = math.log(2.0 * pairs.n / plan.false_alarm)
    low, high = (end / pairs.unit - pairs.claim for end in bounds)

    pilot_draws = Draws(plan.draws.draw, plan.draws.root, stream=1)
    # At most a quarter of max_features, which pays for the pilot too.
    n_pilot = min(plan.affordable(_PILOT), plan.affordable(_MOST) // 4)
    pilot = _Sums(plan, bounds)
    pilot.extend(pilot_draws, 0, n_pilot)

    def width(n: int) -> float:
        """Return the widest interval expected after n samples, extrapolating the moments seen."""
        variance = pilot.variance(low, high)
        future = Wealth(low, high, plan.rounding)
        future.add(n, pilot.scaled(n, variance))
        ends = future.ends(level)
        return float(np.max(ends[1] - ends[0]))

    def size() -> int:
        """Return the sample size expected to be narrow enough, rounded up by some 2 %."""
        if pilot.n < 2 or not np.isfinite(pilot.sums).all():
            return _PILOT
        # Widths fall like 1/sqrt(n), or a little faster.
        spread = math.sqrt(8.0 * level * float(np.max(pilot.variance(low, high))))
        n = max(_PILOT, math.ceil(min((spread / plan.width) ** 2, _MOST)))
        for _ in range(_ATTEMPTS):
            ratio = width(n) / plan.width
            if ratio <= 1.0 and (ratio >= 0.99 or n == _PILOT):
                break
            n = max(_PILOT, math.ceil(n * min(1.005 * ratio**2, 4.0)))
            if n > _MOST:
                raise ValueError(
                    "the resolution needs more than 2^52 samples: ask for a coarser one"
                )
        return n

    # 256 samples estimate a variance to some 10 or 20 per cent, so small steps follow.
    planned = size()
    bets, n_draws = Wealth(low, high, plan.rounding), 0
    most = plan.affordable(_MOST, spent=n_pilot)
    for target in _sizes(planned):
        until = plan.affordable(target, spent=n_pilot)
        if until == n_draws:
            continue  # no new draws at this size: covered by the last one, or budget exhausted
        stage = _Sums(plan, bounds)
        n_draws = stage.extend(plan.draws, n_draws, until)
        bets.add(stage.n, stage.sums)
        pilot.join(stage)
        # The wealth at the claim is cheap; compute the ends only once they may be narrow.
        sides = ((plan.rounding, 1.0), (-plan.rounding, -1.0))
        lost = np.maximum(*(bets.log_wealth(m, sign) for m, sign in sides)) >= level
        off = np.abs(bets.mean) >= plan.floor
        over = bool((lost & off).any()) or not np.isfinite(bets.mean).all() or plan.clock.over
        if not over and target < planned and n_draws < most:
            continue
        ends = bets.ends(level)
        narrow = bool((ends[1] - ends[0] + 2.0 * plan.rounding <= plan.resolution).all())
        if over or narrow:
            break
    missed = bets.ends(math.log(2.0 / plan.miss))
    enough = planned if narrow or lost.any() else size()
    # A claim farther from the truth than both intervals reach lies outside the first interval
    # whenever the second contains the truth, i.e. except with probability `miss`.
    reach = sum(np.maximum(bets.mean - a, b - bets.mean) for a, b in (ends, missed))
    return Measurement(
        observed=pairs.claim + bets.mean,
        low=pairs.claim + ends[0] - plan.rounding,
        high=pairs.claim + ends[1] + plan.rounding,
        n_draws=n_draws,
        n_intervals=pairs.n,
        detectable=float(np.max(reach)) + plan.rounding,
        needed=-(-enough // source.per_draw) * source.n_features,
        method=BOUNDED,
        assumptions=(f"every sample lies in [{bounds[0]:.6g}, {bounds[1]:.6g}]",),
        statistics=(
            Statistics(
                "wealth",
                {},
                {"n": bets.n, "sums": bets.sums, "range": np.stack([low, high])},
            ),
        ),
    )


def _sizes(planned: int) -> list[int]:
    """Return sizes growing by _STEP up to `planned`, then by _LATE_STEP to four times that."""
    early = [round(_PILOT * _STEP**k) for k in range(200)]
    late = [round(planned * _LATE_STEP**k) for k in range(round(math.log(4.0, _LATE_STEP)) + 1)]
    return [*(n for n in early if n < planned), *late]


class _Sums:
    """Power sums of deviations of every pair, checking samples against their bounds."""

    def __init__(self, plan: MeasurementSpec, bounds: tuple[float, float]) -> None:
        self._plan, self._bounds = plan, bounds
        self.sums = np.zeros((4, plan.pairs.n))
        self.n = 0

    def extend(self, draws: Draws, start: int, stop: int) -> int:
        """Add draws start to stop - 1, or fewer if time runs out; return the end reached."""
        with self._plan.results(self._of, start, stop, draws) as results:
            for k, (sums, out) in enumerate(results, start):
                if out:
                    pair, value = out
                    slack = float(self._plan.rounding * self._plan.pairs.unit[pair])
                    raise OutOfBounds(pair, value, k + 1, self._bounds, slack)
                self.sums += sums
                if self._plan.clock.over:
                    stop = k + 1
                    break
        self.n += (stop - start) * self._plan.source.per_draw
        return stop

    def join(self, other: _Sums) -> None:
        """Add the samples of `other`."""
        self.sums = self.sums + other.sums
        self.n += other.n

    def variance(self, low: Array, high: Array) -> Any:
        """Return the variance, shrunk to the largest possible one by the weight of one sample."""
        most = 0.25 * (high - low) ** 2
        if not self.n:
            return most
        centred = np.maximum(self.sums[1] - self.sums[0] ** 2 / self.n, 0.0)
        return (most + centred) / (self.n + 1)

    def scaled(self, n: int, variance: Array) -> Any:
        """Return expected power sums of n samples with the given variance."""
        mean, raw = self.sums[0] / self.n, self.sums / self.n
        # Keep skewness and kurtosis; for nearly constant samples they are rounding.
        ratio = variance / np.maximum(raw[1] - mean**2, 0.01 * variance)
        third = ratio**1.5 * (raw[2] - 3.0 * mean * raw[1] + 2.0 * mean**3)
        fourth = raw[3] - 4.0 * mean * raw[2] + 6.0 * mean**2 * raw[1] - 3.0 * mean**4
        fourth = np.maximum(ratio**2 * fourth, variance**2)
        return n * np.stack(
            [
                mean,
                variance + mean**2,
                third + 3.0 * mean * variance + mean**3,
                fourth + 4.0 * mean * third + 6.0 * mean**2 * variance + mean**4,
            ]
        )

    def _of(self, phi: Callable[..., Any]) -> tuple[Any, tuple[()] | tuple[int, float]]:
        """Return the power sums of a draw, and the first pair and value out of bounds."""
        pairs, source = self._plan.pairs, self._plan.source
        total = np.empty((4, pairs.n))
        step = max(1, BLOCK // source.per_draw)
        for start in range(0, pairs.n, step):
            chosen = np.arange(start, min(start + step, pairs.n))
            samples = source.samples(phi, chosen)
            total[:, chosen] = power_sums(samples - pairs.claim[chosen])
            values = samples * pairs.unit[chosen]
            slack = self._plan.rounding * pairs.unit[chosen]
            out = (values < self._bounds[0] - slack) | (values > self._bounds[1] + slack)
            if out.any():
                row, column = (int(index) for index in np.argwhere(out)[0])
                return total, (start + column, float(values[row, column]))
        return total, ()
