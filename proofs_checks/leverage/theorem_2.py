"""Theorem 2 and Lemma 3: distance of the Gram of rows from that of their distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.bounds import Bound, printed
from mehler.statements import Context, Evidence, Plot, Series, check

from .._violations import Case, hold_bounds
from ._cosine_pool import Waves, spread_of

_RIDGE, _DELTA, _BOUND = 0.05, 0.2, 2**0.5
# Rows with a Delta of at most 1/2, as the paper requires: 0.42 and 0.30.
ENOUGH = (4000, 8000)
Spread = Callable[..., Bound]


def lemma_3(n_scored: int, **options: Any) -> Bound:
    """Evaluate Lemma 3 for features of at most the root of 2."""
    return printed.leverage.lemma_3(n_scored, feature_bound=_BOUND, **options)


@check("leverage.theorem-2", form="restored", name="the Gram of rows", pays=True)
def gram(context: Context, *, spread: Spread = lemma_3) -> Evidence:
    """Hold the relative error of the Gram against Lemma 3."""
    world = Waves(context.rng("pool"), 16)
    d = float(world.scores(_RIDGE).sum())
    n = 200 if context.quick else 20_000
    cases = []
    for rows in ENOUGH[:1] if context.quick else ENOUGH:
        rng = context.rng(f"rows {rows}")
        drawn = [spread_of(world.gram, world.estimated_gram(rng, rows), _RIDGE) for _ in range(n)]
        bound = spread(rows, ridge=_RIDGE, degrees_of_freedom=d, delta=_DELTA)
        cases.append(Case(drawn=drawn, bound=bound, where={"N_0": rows}))
    return hold_bounds(
        cases,
        form="restored",
        claim=(
            r"$(1-\Delta)(G+\lambda) \preceq \hat G+\lambda \preceq (1+\Delta)(G+\lambda)$ fails "
            r"with probability at most $\delta$"
        ),
        false_alarm=context.false_alarm,
        n_features=16 * n * len(cases),
        plots=(_plot(context, world, d),),
    )


def _plot(context: Context, world: Waves, d: float) -> Plot:
    counts = np.array([500, 1000, 2000, 4000, 8000])
    rng = context.rng("plot")
    n = 15 if context.quick else 500
    seen = [
        np.quantile(
            [spread_of(world.gram, world.estimated_gram(rng, int(rows)), _RIDGE) for _ in range(n)],
            1 - _DELTA,
        )
        for rows in counts
    ]
    promised = [
        lemma_3(int(rows), ridge=_RIDGE, degrees_of_freedom=d, delta=_DELTA).value
        for rows in counts
    ]
    x = np.log10(counts)
    some = np.isfinite(promised)
    return Plot(
        title="The Gram of rows: bound and observation",
        x_label="log10 of the number of rows",
        y_label="log10 of the relative error",
        series=(
            Series(label="bound", x=x[some], y=np.log10(np.asarray(promised)[some])),
            Series(label="80 % quantile", x=x, y=np.log10(seen)),
        ),
        caption="Both fall as the root of the number of rows; the bound begins below 1.",
    )


@check("leverage.theorem-2", form="restored", name="Lemma 3 from Theorem 2")
def unnormalised(context: Context, *, scale: float = 1.0) -> Evidence:
    """Compare the two ways to count: with and without 1/M_0."""
    world = Waves(context.rng("pool"), 16)
    size = world.k.size
    rng = context.rng("two ways")
    worst = 1.0
    for _ in range(5 if context.quick else 100):
        seen = world.estimated_gram(rng, 500)
        plain = spread_of(world.gram, seen, _RIDGE)
        large = spread_of(size * world.gram, size * seen, scale * size * _RIDGE)
        worst = max(worst, large / plain, plain / large)
    return Evidence.exact_comparison(
        form="restored",
        claim=r"the Gram times $M_0$ at the ridge $M_0\lambda$ has the same relative error: ratio, "
        "farthest from 1",
        observed=worst,
        exact=1.0,
        interval=(worst - 1e-9, worst + 1e-9),
        method="computed, with its rounding",
    )
