"""Cases of Theorem 2 and its relatives: drawn excess risks beside the bounds for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from mehler import exact
from mehler.bounds import Bound, maxout
from mehler.statements import Context, Evidence, Plot, Series
from mehler.verify import intervals

from ..._violations import Case, hold_bounds
from ._excess_risk import Drawn, Law, draw_risks

Bounding = Callable[..., Bound]
# Chance that a plotted interval for a quantile misses it.
_PLOTTED = 1e-3


@dataclass(frozen=True)
class Setting:
    """A random distribution of data, and the sizes at which excess risks are drawn, in all pairs.

    `failure`: total failure probabilities at which bounds are evaluated. Points have norms between
    `radius` and half of it.
    """

    n_inputs: int
    pool_size: int
    n_features: tuple[int, ...]
    n_samples: tuple[int, ...]
    failure: tuple[float, ...] = (0.2, 0.05)
    radius: float = 1.0
    loss_bound: float = 1.0

    def law(self, seed: int) -> Law:
        """Return the law: eight points, of length 1 unless a radius is given."""
        rng = np.random.Generator(np.random.Philox(seed))
        law = Law.at_random(rng, 8, self.n_inputs)
        if self.radius == 1:
            return law
        lengths = self.radius * rng.uniform(0.5, 1, law.size)
        return Law(law.points * lengths[:, None], law.label_mean)

    @property
    def scale(self) -> float:
        """C: half of what keeps functions to the ramp's linear part on the average."""
        return 0.5 / (self.radius * math.sqrt(exact.sigma2(self.pool_size)))

    @property
    def loss(self) -> dict[str, float]:
        """What the bounds need of the ramp and the box."""
        return {"scale": self.scale, "lipschitz": self.loss_bound / 2, "pool_size": self.pool_size}


@dataclass(frozen=True)
class Draws:
    """The draws of one setting, and the law that they are of."""

    setting: Setting
    law: Law
    drawn: Drawn

    @property
    def sizes(self) -> Iterator[tuple[int, int]]:
        """All pairs (m, N)."""
        return iter(self.drawn.excess)

    @property
    def n_draws(self) -> int:
        """How often each was drawn."""
        return int(next(iter(self.drawn.excess.values())).size)


def drawn_settings(
    context: Context, quick: tuple[Setting, ...], full: tuple[Setting, ...]
) -> tuple[Draws, ...]:
    """Draw all settings of the level; the checks of a statement share them.

    Half of what the check may err goes into the intervals for E|b|.
    """
    settings, n_draws = (quick, 10_000) if context.quick else (full, 20_000)
    share = context.false_alarm / 2 / len(settings)
    return tuple(
        _draw(setting, context.seed_for(f"setting {i}"), n_draws, share)
        for i, setting in enumerate(settings)
    )


@lru_cache(maxsize=32)
def _draw(setting: Setting, seed: int, n_draws: int, false_alarm: float) -> Draws:
    law = setting.law(seed)
    drawn = draw_risks(
        np.random.Generator(np.random.Philox(seed + 2**32)),
        law,
        pool_size=setting.pool_size,
        scale=setting.scale,
        n_features=setting.n_features,
        n_samples=setting.n_samples,
        n_draws=n_draws,
        false_alarm=false_alarm,
        loss_bound=setting.loss_bound,
    )
    return Draws(setting, law, drawn)


def free_bound(bound: Bounding, draws: Draws, m: int, n: int, failure: float) -> Bound:
    """Evaluate the dimension-free theorem at a total chance of failure."""
    return bound(
        n_features=m,
        n_samples=n,
        delta=failure / 3,
        radius=draws.law.radius,
        loss_bound=draws.setting.loss_bound,
        **draws.setting.loss,
    )


def paper_bound(bound: Bounding, draws: Draws, m: int, n: int, failure: float) -> Bound:
    """Evaluate the theorem in the paper's shape at a total chance of failure."""
    return bound(
        n_features=m,
        n_samples=n,
        delta=failure / 4,
        radius=draws.setting.radius,
        loss_bound=draws.setting.loss_bound,
        **draws.law.geometry,
        **draws.setting.loss,
    )


def risk_cases(
    all_draws: Sequence[Draws],
    evaluate: Callable[[Bounding, Draws, int, int, float], Bound],
    bound: Bounding,
) -> list[Case]:
    """Return a case for every size and chance of failure of every setting."""
    return [
        Case(
            drawn=draws.drawn.excess[m, n],
            bound=evaluate(bound, draws, m, n, failure),
            where={"d": draws.setting.n_inputs, "q": draws.setting.pool_size, "m": m, "N": n},
        )
        for draws in all_draws
        for m, n in draws.sizes
        for failure in draws.setting.failure
    ]


def hold_risks(
    context: Context,
    draws_of: Callable[[Context], tuple[Draws, ...]],
    evaluate: Callable[[Bounding, Draws, int, int, float], Bound],
    bound: Bounding,
    claim: str,
) -> Evidence:
    """Compare excess risks with one of the bounds; plot the first setting beside the free one."""
    draws = draws_of(context)
    cases = risk_cases(draws, evaluate, bound)
    return hold_bounds(
        cases,
        form="proved",
        claim=claim,
        false_alarm=context.false_alarm,
        n_features=max(case.where["m"] for case in cases) * draws[0].n_draws,
        plots=risk_plots(draws[0]) if evaluate is free_bound else (),
    )


def quantile_interval(drawn: Any, probability: float) -> tuple[float, float]:
    """Return order statistics around a quantile, by the binomial law of how many lie below it."""
    ordered = np.sort(np.asarray(drawn, dtype=float))
    low, high = intervals.binomial(round(probability * ordered.size), ordered.size, _PLOTTED)
    return (
        float(ordered[math.floor(low * (ordered.size - 1))]),
        float(ordered[math.ceil(high * (ordered.size - 1))]),
    )


def observed_series(label: str, x: Any, drawn: Sequence[Any], level: float) -> Series:
    """Return quantiles of draws with their intervals, on a logarithmic scale of y."""
    ends = np.log10([quantile_interval(one, level) for one in drawn])
    return Series(
        label=label,
        kind="points",
        x=x,
        y=np.log10([np.quantile(one, level) for one in drawn]),
        y_low=ends[:, 0],
        y_high=ends[:, 1],
    )


def risk_plots(draws: Draws, failure: float = 0.1) -> tuple[Plot, Plot]:
    """Bound and observation over m at the largest N, and over N at the largest m."""
    setting = draws.setting
    over_m = [(m, max(setting.n_samples)) for m in setting.n_features]
    over_n = [(max(setting.n_features), n) for n in setting.n_samples]
    return (
        _plot(draws, failure, over_m, 0, "number of features m"),
        _plot(draws, failure, over_n, 1, "number of samples N"),
    )


def _plot(
    draws: Draws,
    failure: float,
    sizes: list[tuple[int, int]],
    axis: int,
    name: str,
) -> Plot:
    x = [math.log10(size[axis]) for size in sizes]
    setting = draws.setting
    fixed = f"N = {sizes[0][1]:,}" if axis == 0 else f"m = {sizes[0][0]:,}"

    def curve(label: str, evaluate: Callable[..., Bound], bound: Bounding) -> Series:
        y = [math.log10(evaluate(bound, draws, m, n, failure).value) for m, n in sizes]
        return Series(label=label, x=x, y=y)

    return Plot(
        title=f"Excess risk over the {name}",
        x_label=f"log10 of the {name}",
        y_label="log10 of the excess risk",
        series=(
            curve("paper's shape", paper_bound, maxout.excess_risk_by_dimension),
            curve("dimension-free", free_bound, maxout.excess_risk),
            observed_series(
                f"{1 - failure:.0%} quantile of the draws",
                x,
                [draws.drawn.excess[size] for size in sizes],
                1 - failure,
            ),
        ),
        caption=(
            f"d = {setting.n_inputs}, q = {setting.pool_size}, {fixed}, total chance of failure "
            f"{failure:g}: both bounds hold; the dimension-free one is the smaller, and both are "
            "far above what happens."
        ),
    )
