"""Check bounds of how much risk is added where m maxout units approximate a function f*.

This is Lemma 4 of the maxout paper (Mroueh, Rennie, Goel 2015), Lemma 3 times L, the Lipschitz
constant of the loss. The risk is the mean loss of y f(x) for labels y of 1 or -1. f* is the best
function of infinitely many units, each the largest of q projections, with weights of at most C. The
best one of the box approximates it: m drawn units with weights of at most C/m. The published bound
holds with a constant for sets that are not tiny, and is false for two near points. Ours, in the
paper's shape or free of the dimension, are compared with draws, and with computed instances.
"""

from collections.abc import Callable
from typing import Any

from mehler.bounds import Bound, maxout
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import Bounding, Case, compare_instances, compare_with_bounds
from ..._plots import plot, quantile_points
from .. import _published
from . import _instances as instances
from ._risks import Draws, Setting, compare_means, drawn_settings
from .lemma_3 import (
    CONSTANT,
    constant_ratio,
    printed_at_near_points,
    shortfall_evidence,
    shortfall_probability,
)

# Dimension, pool size q, and numbers of units m; there are no samples in this lemma.
_QUICK = (Setting(3, 4, (10, 20, 40), ()), Setting(10, 4, (20,), ()), Setting(6, 1, (25,), ()))
_FULL = (
    Setting(3, 4, (10, 20, 40, 80, 160, 320), (), failure=(0.5, 0.2, 0.02)),
    Setting(10, 8, (50, 400), ()),
    Setting(3, 2, (50, 800), ()),
    Setting(30, 64, (30,), ()),
    Setting(6, 1, (25, 250), (), failure=(0.5, 0.02)),
)


def _draws(context: Context) -> tuple[Draws, ...]:
    return drawn_settings(context, _QUICK, _FULL)


@check("maxout.lemma-4", form="proved", name="dimension-free", pays=True)
def dimension_free(context: Context, *, bound: Bounding = maxout.approximation_risk) -> Evidence:
    """Count how often the best function of the box adds more risk than the dimension-free bound."""
    return _compare(context, bound, free_bound)


@check("maxout.lemma-4", form="proved", name="paper's shape", pays=True)
def paper_shape(context: Context, *, bound: Bounding = maxout.approximation_risk) -> Evidence:
    """Count how often it adds more risk than our bound in the paper's shape."""
    return _compare(context, bound, paper_bound)


@check("maxout.lemma-4", form="proved", name="in expectation", pays=True)
def in_expectation(context: Context, *, bound: Bounding = maxout.approximation_risk) -> Evidence:
    """Compare the mean added risk with our bound of it."""
    means = []
    for draws in _draws(context):
        # Where the promise is smallest.
        m = max(draws.setting.n_features)
        added = draws.risks.best[m]
        promised = bound(n_features=m, **draws.setting.loss).value
        means.append((added, promised, m * added.size))
    return compare_means(context, means, "mean added risk over the bound in expectation")


@check("maxout.lemma-4", form="proved", name="extremal instances")
def tight(
    context: Context,
    *,
    bound: Bounding = maxout.approximation_risk,
    by_dimension: Bounding = maxout.approximation_risk,
) -> Evidence:
    """Compare our bounds with exact chances where they are nearly equal."""

    def free(*, radius: float, **options: Any) -> Bound:
        return bound(**options)

    def both_ways(**options: Any) -> Bound:
        # V(u) = min(1, |u|), whose least risk is that of f = 0.
        return bound(lipschitz=1.0, **options)

    def covered(*, radius: float, **options: Any) -> Bound:
        return by_dimension(**options)

    return compare_instances(
        "risk that the nearest or the Monte Carlo function adds, one input",
        *instances.falls_short(free, instances.FREE[3], samples=False),
        *instances.falls_short(covered, instances.PAPER[3], samples=False),
        instances.falls_short_mean(free),
        # Of the average of the units, the Monte Carlo function.
        *instances.random_signs(both_ways, instances.FREE[3], function="monte-carlo"),
        instances.mean_of_signs(both_ways),
    )


def free_bound(bound: Bounding, draws: Draws, m: int, failure: float) -> Bound:
    """Evaluate our dimension-free bound at a chance of failure."""
    return bound(n_features=m, delta=failure, **draws.setting.loss)


def paper_bound(bound: Bounding, draws: Draws, m: int, failure: float) -> Bound:
    """Evaluate our bound in the paper's shape: each of two events fails with half the chance."""
    return bound(n_features=m, delta=failure / 2, **draws.law.geometry, **draws.setting.loss)


def added_cases(context: Context, evaluate: Callable[..., Bound], bound: Bounding) -> list[Case]:
    """Return a case for every setting, number of units and chance of failure."""
    return [
        Case(
            draws=added,
            bound=evaluate(bound, draws, m, failure),
            where={"d": draws.setting.n_inputs, "q": draws.setting.pool_size, "m": m},
        )
        for draws in _draws(context)
        for m, added in draws.risks.best.items()
        for failure in draws.setting.failure
    ]


def _compare(context: Context, bound: Bounding, evaluate: Callable[..., Bound]) -> Evidence:
    cases = added_cases(context, evaluate, bound)
    claim = "risk that the best function of the box adds to that of $f^*$, below the bound"
    n_features = max(case.where["m"] for case in cases) * cases[0].draws.size
    plots = (_plot(_draws(context)[0]),) if evaluate is free_bound else ()
    return compare_with_bounds(
        claim, cases, context.false_alarm, n_features=n_features, plots=plots
    )


def _plot(draws: Draws, failure: float = 0.05) -> Plot:
    sizes = draws.setting.n_features

    def curve(label: str, evaluate: Callable[..., Bound], bound: Bounding) -> Series:
        y = [evaluate(bound, draws, m, failure).value for m in sizes]
        return Series(label=label, x=sizes, y=y)

    return plot(
        "Risk that approximating adds, over the number of units",
        "number of units m",
        "added risk",
        curve("paper's shape", paper_bound, maxout.approximation_risk),
        curve("dimension-free", free_bound, maxout.approximation_risk),
        quantile_points(
            "95% quantile of the draws", sizes, [draws.risks.best[m] for m in sizes], 1 - failure
        ),
        log="xy",
        caption=(
            f"d = {draws.setting.n_inputs}, q = {draws.setting.pool_size}, total chance of failure "
            f"{failure:g}. In these draws errors average out in the linear part of the loss."
        ),
    )


@check("maxout.lemma-4", form="proved", name="as published, with a constant")
def with_constant(context: Context, *, c1: float = CONSTANT) -> Evidence:
    """Compare our bound of the added risk with the published one."""
    return constant_ratio(maxout.approximation_risk, _published.lemma_4, c1, lipschitz=0.5)


@check("maxout.lemma-4", form="proved", name="false for two near points")
def added_risk(
    context: Context, *, probability: Callable[[float], float] = shortfall_probability
) -> Evidence:
    """Compare the published bound at two near points, nearly 0 for one unit, with exact chances."""
    scale, lipschitz = 0.5, 0.5
    bound = printed_at_near_points(lipschitz, scale)
    return shortfall_evidence(
        r"two inputs at distance $\delta/((q+1)\sqrt d)$, label 1, one unit, $C_1 = 100$: chance "
        f"that every function of the box adds more than the published {bound.value:.2g}, above the "
        "promised one",
        bound,
        probability,
        slope=lipschitz * scale,
    )
