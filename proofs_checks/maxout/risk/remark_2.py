"""Remark 2: inputs of norm at most R, a loss of at most B."""

from __future__ import annotations

import math
from collections.abc import Callable

from mehler import exact
from mehler.bounds import maxout, printed
from mehler.statements import Context, Evidence, check

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

FREE = worlds.FREE[2]
_CLAIM = "excess risk with inputs of several lengths and a loss in $[0, B]$, below the bound"

_QUICK = (
    Setting(3, 4, (10, 40), (50, 400, 3200), radius=0.1, loss_bound=0.5),
    Setting(3, 4, (20,), (200,), radius=5.0, loss_bound=3.0),
    Setting(10, 1, (25,), (1000,), radius=0.2, loss_bound=10.0),
)
_FULL = (
    Setting(3, 4, (10, 40, 160), (50, 400, 3200), radius=0.1, loss_bound=0.5),
    Setting(10, 8, (50, 200), (200, 4000), radius=5.0, loss_bound=3.0),
    Setting(30, 4, (50,), (1000,), radius=0.2, loss_bound=10.0, failure=(0.5, 0.02)),
    Setting(6, 1, (25, 250), (100, 10_000), radius=30.0, loss_bound=0.01),
)


def features_by_the_repair(n_samples: int, pool_size: int) -> float:
    """Compute sigma^2(q) N."""
    return float(exact.sigma2(pool_size)) * n_samples


def draws_of(context: Context) -> tuple[Draws, ...]:
    """Draw all settings of the level."""
    return drawn_settings(context, _QUICK, _FULL)


@check("maxout.remark-2", form="proved", name="dimension-free", pays=True)
def dimension_free(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Count how often the dimension-free bound with R and B is exceeded."""
    return hold_risks(context, draws_of, free_bound, bound, _CLAIM)


@check("maxout.remark-2", form="proved", name="paper's shape", pays=True)
def paper_shape(context: Context, *, bound: Bounding = maxout.excess_risk_by_dimension) -> Evidence:
    """Count how often the paper-shaped bound with R and B is exceeded."""
    return hold_risks(context, draws_of, paper_bound, bound, _CLAIM)


@check("maxout.remark-2", form="proved", name="worlds where it is tight")
def tight(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Hold the bound where it is tight, for short and long inputs, small and large losses."""
    return hold_worlds(
        [
            world
            for radius, loss_bound in ((1e-2, 3.0), (50.0, 0.1))
            for world in (
                *worlds.wrong_sign(bound, FREE, radius=radius, loss_bound=loss_bound),
                worlds.learnt_by_heart(bound, FREE, radius=radius, loss_bound=loss_bound),
                *worlds.falls_short(bound, FREE, radius=radius, loss_bound=loss_bound),
            )
        ],
        form="proved",
        claim="excess risk with linear units of inputs of length $R$",
    )


@check("maxout.remark-2", form="proved", name="a finite set, as the second part says")
def finite_sets(context: Context, *, dimension: Callable[[float], float] = math.log2) -> Evidence:
    """Hold the features that the second part asks for against N log N log d.

    N^alpha points of the sphere, alpha = 2, have dimension log2 N^alpha at most; at
    epsilon = 1/sqrt(N) the printed condition is what Theorem 2 asks for.
    """
    found = []
    for n in (10**2, 10**4, 10**8):
        for d in (10, 10**3, 10**6):
            needed = printed.maxout.theorem_2_condition(
                n**-0.5,
                pool_size=4,
                delta=0.1,
                n_inputs=d,
                dimension=math.ceil(dimension(float(n) ** 2)),
                diameter=2.0,
                c_prime=1.0,
            )
            found.append((needed / (n * math.log(n) * math.log(d)), n, d))
    worst, n, d = max(found)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"the printed condition for $N^2$ points is $O(N\log N\log d)$: over "
            rf"$C'N\log N\log d$, at most 8 (largest at $N = {n:g}$, $d = {d:g}$)"
        ),
        observed=worst,
        interval=(worst * (1 - 1e-9), worst * (1 + 1e-9)),
        upper=8.0,
        method="formulas, evaluated",
    )


@check("maxout.remark-2", form="proved", name="a finite set, by the repair")
def by_the_repair(
    context: Context, *, features: Callable[[int, int], float] = features_by_the_repair
) -> Evidence:
    """Hold the approximation term with sigma^2 N features against the rate of the others."""
    found = []
    for n in (10**2, 10**4, 10**8):
        for q in (1, 4, 64):
            for delta in (0.3, 1e-3, 1e-12):
                bound = maxout.excess_risk(
                    radius=1.0,
                    loss_bound=1.0,
                    n_features=math.ceil(features(n, q)),
                    n_samples=n,
                    pool_size=q,
                    scale=0.5,
                    lipschitz=0.5,
                    delta=delta,
                )
                rate = 0.25 * (1 + math.sqrt(-2 * math.log(delta))) / math.sqrt(n)
                found.append((bound["approximation"] / rate, n, q, delta))
    worst, n, q, delta = max(found)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"with $m = \sigma^2(q)N$ features the approximation term is at most "
            r"$\frac{LC}{\sqrt N}(1 + \sqrt{2\log(1/\delta)})$: ratio "
            rf"(largest at $N = {n:g}$, $q = {q}$, $\delta = {delta:g}$)"
        ),
        observed=worst,
        interval=(worst - 1e-9, worst + 1e-9),
        upper=1.0 + 2e-9,
        method="formulas, evaluated",
    )
