"""Theorem 2: excess risk of the empirical minimiser over the box of m units."""

from __future__ import annotations

import itertools
import math
from typing import Any

from mehler.bounds import maxout, printed
from mehler.statements import Context, Evidence, check
from mehler.verify import intervals

from ..._worlds import hold_worlds
from . import _tight_worlds as worlds
from ._risk_cases import (
    Bounding,
    Draws,
    Setting,
    drawn_settings,
    free_bound,
    hold_risks,
    paper_bound,
)

FREE, PAPER = worlds.FREE[2], worlds.PAPER[2]

# Pools of 1 and 4: a table of the exact kernel for each other one would cost as much as the draws.
_QUICK = (
    Setting(3, 4, (10, 20, 40), (50, 400, 3200)),
    Setting(10, 4, (20,), (1000,)),
    Setting(6, 1, (25,), (100,)),
)
_FULL = (
    Setting(3, 4, (10, 20, 40, 80, 160, 320), (50, 200, 800, 3200, 12800)),
    Setting(3, 2, (50, 800), (200, 4000)),
    Setting(3, 8, (50, 800), (200, 4000)),
    Setting(10, 8, (50, 400), (200, 4000)),
    Setting(10, 64, (50,), (200, 4000)),
    Setting(30, 4, (100,), (1000,), failure=(0.5, 0.02)),
    Setting(6, 1, (25, 250), (100, 10_000), failure=(0.5, 0.02)),
)


def draws_of(context: Context) -> tuple[Draws, ...]:
    """Draw all settings of the level."""
    return drawn_settings(context, _QUICK, _FULL)


@check("maxout.theorem-2", form="printed", name="over the box, as stated")
def over_the_box(context: Context, *, c_prime: float = 2.0) -> Evidence:
    """Hold what is proved of the excess over the box against the theorem's own display.

    Without the approximation term the proved bound is one of the excess over the best function of
    the box, at a smaller chance of failure (see the proof): it is compared with the print, at the
    least m that the condition allows, for sets whose diameter is at least 1/sqrt(d).
    """
    found = []
    for q, k, spread, size, delta, epsilon, n in itertools.product(
        (1, 2, 64), (1, 5), (1.0, 40.0), (0.1, 100.0), (0.5, 1e-3, 1e-12), (1e-3, 0.5), (1, 10**6)
    ):
        needed = c_prime / epsilon**2 * (k * math.log(spread / delta) + math.log(q + 1))
        sizes: dict[str, Any] = {
            "n_features": max(1, math.ceil(needed)),
            "n_samples": n,
            "pool_size": q,
            "scale": size,
            "lipschitz": 1.0,
            "delta": delta,
        }
        proved = maxout.excess_risk(**sizes)
        # spread is D sqrt(d), at d = 400.
        stated = printed.maxout.theorem_2(
            epsilon=epsilon,
            c_prime=c_prime,
            c=0.5,
            loss_at_zero=0.0,
            n_inputs=400,
            dimension=k,
            diameter=spread / 20,
            **sizes,
        )
        found.append(((proved["statistical"] + proved["confidence"]) / stated.value, q, k, delta))
    worst, q, k, delta = max(found)
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            rf"the display of Section 3, over the box, with $C' = {c_prime:g}$: what is proved of "
            f"that excess over what is printed, at most 1 (largest of {len(found)}: $q = {q}$, "
            rf"$d_{{\mathcal M}} = {k}$, $\delta = {delta:g}$)"
        ),
        observed=worst,
        interval=(worst * (1 - 1e-12), worst * (1 + 1e-12)),
        upper=1.0,
        method="formulas, evaluated",
    )


@check("maxout.theorem-2", form="proved", name="dimension-free", pays=True)
def dimension_free(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Count how often the dimension-free bound is exceeded."""
    claim = "excess risk below the dimension-free bound"
    return hold_risks(context, draws_of, free_bound, bound, claim)


@check("maxout.theorem-2", form="proved", name="paper's shape", pays=True)
def paper_shape(context: Context, *, bound: Bounding = maxout.excess_risk_by_dimension) -> Evidence:
    """Count how often the repaired bound of the paper's shape is exceeded."""
    claim = "excess risk below the paper-shaped bound"
    return hold_risks(context, draws_of, paper_bound, bound, claim)


@check("maxout.theorem-2", form="proved", name="in expectation", pays=True)
def in_expectation(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Hold the mean excess risk against the bound of the expectation."""
    found = []
    all_draws = draws_of(context)
    share = context.false_alarm / 2 / len(all_draws)
    for draws in all_draws:
        # Where the promise is smallest.
        m, n = max(draws.sizes)
        excess = draws.drawn.excess[m, n]
        promised = bound(
            n_features=m, n_samples=n, radius=draws.law.radius, **draws.setting.loss
        ).value
        # An excess risk has values in [-1, 1].
        low, high = intervals.betting(excess, -1.0, 1.0, share)
        found.append((high / promised, low / promised, excess.mean() / promised, m, n))
    high, low, seen, m, n = max(found)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            f"mean excess risk over the bound in expectation, at most 1 (largest of {len(found)} "
            f"settings: $m = {m}$, $N = {n}$)"
        ),
        observed=seen,
        interval=(low, high),
        upper=1.0,
        false_alarm=context.false_alarm,
        n_features=m * all_draws[0].n_draws,
        method="bounded samples (betting), union bound over the settings",
        assumptions=("draws are independent",),
    )


@check("maxout.theorem-2", form="proved", name="which shape is smaller")
def smaller(
    context: Context,
    *,
    bound: Bounding = maxout.excess_risk,
    by_dimension: Bounding = maxout.excess_risk_by_dimension,
) -> Evidence:
    """Compare the two proved shapes over a grid, at equal chances of failure."""
    found = []
    for q in (1, 2, 4, 64, 10**6):
        for m in (1, 100, 10**6):
            for failure in (0.9, 0.1, 1e-6):
                for k in (0, 5):
                    sizes: dict[str, Any] = {
                        "n_features": m,
                        "n_samples": 1000,
                        "pool_size": q,
                        "scale": 1.0,
                        "lipschitz": 1.0,
                    }
                    free = bound(delta=failure / 3, **sizes)
                    paper = by_dimension(
                        delta=failure / 4,
                        n_inputs=100,
                        dimension=k,
                        diameter=1.0,
                        **sizes,
                    )
                    found.append((paper["approximation"] / free["approximation"], q, m, failure))
    least, q, m, failure = min(found)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"approximation term of the paper's shape over the dimension-free one, at least "
            f"$2\\sqrt 2$ (least of {len(found)}: $q = {q}$, $m = {m}$, failure {failure:g})"
        ),
        observed=least,
        interval=(least * (1 - 1e-12), least * (1 + 1e-12)),
        lower=2 * math.sqrt(2),
        method="formulas, evaluated",
    )


@check("maxout.theorem-2", form="proved", name="worlds where it is tight")
def tight(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Hold the bounds where they are tight: a wrong sign, inputs learnt by heart, few units."""
    return hold_worlds(
        [
            *worlds.wrong_sign(bound, FREE),
            worlds.learnt_by_heart(bound, FREE),
            *worlds.falls_short(bound, FREE),
            worlds.learnt_by_heart_mean(bound),
            worlds.falls_short_mean(bound, n_samples=worlds.ENDLESS**2),
        ],
        form="proved",
        claim="excess risk with linear units",
    )


@check("maxout.theorem-2", form="proved", name="worlds where it is tight, paper's shape")
def tight_paper(context: Context, *, bound: Bounding = maxout.excess_risk_by_dimension) -> Evidence:
    """Hold the paper's shape in the same worlds."""
    return hold_worlds(
        [
            *worlds.wrong_sign(bound, PAPER),
            worlds.learnt_by_heart(bound, PAPER),
            *worlds.falls_short(bound, PAPER),
        ],
        form="proved",
        claim="excess risk with linear units",
    )
