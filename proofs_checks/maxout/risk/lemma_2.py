"""Lemma 2: how large a maxout unit gets over the whole set of inputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.bounds import Bound, maxout
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._violations import Case, hold_bounds
from ._excess_risk import Law
from ._risk_cases import observed_series
from ._suprema import SUBSPHERES, draw_suprema, failure, mean, quantile

Bounding = Callable[..., Bound]


@dataclass(frozen=True)
class Points:
    """A random set of points on the sphere, and the sizes at which suprema over it are drawn."""

    n_points: int
    n_inputs: int
    pool_size: int
    n_features: int
    delta: tuple[float, ...]


_QUICK = (
    Points(8, 3, 4, 20, (0.2, 0.02)),
    Points(16, 20, 8, 2, (0.05,)),
    Points(30, 2, 2, 5, (0.5, 0.01)),
)
_FULL = (
    Points(8, 3, 4, 200, (0.5, 0.2, 0.02)),
    Points(64, 20, 16, 20, (0.2, 0.02)),
    Points(300, 2, 2, 5, (0.5, 0.02)),
    Points(2, 784, 64, 1, (0.2, 0.02)),
    Points(32, 100, 4, 10, (0.2, 0.02)),
    Points(1, 5, 1, 1000, (0.5, 0.02)),
)


def of_paper(bound: Bounding, where: Points, law: Law, delta: float) -> Bound:
    """Evaluate the lemma in the paper's shape."""
    return bound(
        pool_size=where.pool_size, n_features=where.n_features, delta=delta, **law.geometry
    )


def concentrated(bound: Bounding, where: Points, law: Law, delta: float) -> Bound:
    """Evaluate it by Gaussian concentration, the mean by a union bound over the points."""
    return bound(
        pool_size=where.pool_size,
        n_features=where.n_features,
        delta=delta,
        mean_sup=math.sqrt(2 * math.log(2 * where.n_points * where.pool_size)),
    )


@check("maxout.lemma-2", form="proved", name="paper's shape", pays=True)
def paper_shape(context: Context, *, bound: Bounding = maxout.supremum_by_dimension) -> Evidence:
    """Count how often the repaired bound is exceeded by the largest of m units."""
    return _hold(context, bound, of_paper, (_plot(context),))


@check("maxout.lemma-2", form="proved", name="dimension-free", pays=True)
def dimension_free(context: Context, *, bound: Bounding = maxout.supremum) -> Evidence:
    """Count how often the bound by Gaussian concentration is exceeded."""
    return _hold(context, bound, concentrated, ())


def suprema_cases(
    context: Context,
    evaluate: Callable[[Bounding, Points, Law, float], Bound],
    bound: Bounding,
) -> list[Case]:
    """Return a case for every set of points and chance of failure."""
    settings, n_draws = (_QUICK, 10_000) if context.quick else (_FULL, 20_000)
    cases = []
    for i, where in enumerate(settings):
        rng = context.rng(f"points {i}")
        law = Law.at_random(rng, where.n_points, where.n_inputs)
        drawn = draw_suprema(rng, law.points, where.pool_size, where.n_features, n_draws)
        cases += [
            Case(
                drawn=drawn,
                bound=evaluate(bound, where, law, delta),
                where={"d": where.n_inputs, "q": where.pool_size, "m": where.n_features},
            )
            for delta in where.delta
        ]
    return cases


def _hold(
    context: Context,
    bound: Bounding,
    evaluate: Callable[[Bounding, Points, Law, float], Bound],
    plots: tuple[Plot, ...],
) -> Evidence:
    cases = suprema_cases(context, evaluate, bound)
    return hold_bounds(
        cases,
        form="proved",
        claim=r"$\max_\ell \sup_x |\phi(x, W^\ell)|$ over random points below the bound",
        false_alarm=context.false_alarm,
        n_features=max(case.where["m"] for case in cases) * cases[0].drawn.size,
        plots=plots,
    )


@check("maxout.lemma-2", form="proved", name="on spheres of subspaces")
def on_subspheres(
    context: Context,
    *,
    bound: Bounding = maxout.supremum,
    by_dimension: Bounding = maxout.supremum_by_dimension,
    mean_of: Callable[..., float] = mean,
) -> Evidence:
    """Compute the exact chance of failure of both shapes on spheres of subspaces."""
    found = []
    # A ball of r dimensions needs at most 5^r balls of half its radius; there the covering counts.
    for r, k in {**SUBSPHERES, 400: 400 * math.log2(5)}.items():
        for q in (1, 4, 64, 1024):
            centre = mean_of(r, q)
            for m in (1, 30, 1000):
                for delta in (0.9, 0.1, 1e-3, 1e-9):
                    sizes: dict[str, Any] = {"pool_size": q, "n_features": m, "delta": delta}
                    bounds = [
                        by_dimension(**sizes, n_inputs=d, dimension=k, diameter=2.0)
                        for d in (r, 100, 10**6)
                    ]
                    bounds.append(bound(**sizes, mean_sup=centre))
                    found += [(failure(one.value, r, q * m) / delta, r, q, m) for one in bounds]
    share, r, q, m = max(found)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            "exact chance of failure over the promised $\\delta$, at most 1 (largest of "
            f"{len(found)}: sphere of a subspace of {r} dimensions, $q = {q}$, $m = {m}$)"
        ),
        observed=share,
        interval=(share * (1 - 1e-6), share * (1 + 1e-6)),
        upper=1.0,
        method="chi distribution, computed",
    )


def _plot(context: Context) -> Plot:
    """Plot bound and observation over m, on the great circle of 10 dimensions."""
    r, d, q, delta = 2, 10, 4, 0.01
    m = np.asarray([1, 3, 10, 30, 100, 300, 1000])
    x = np.log10(m)
    few = [1, 10, 100]
    rng = context.rng("plotted draws")
    drawn = [np.sqrt(-2 * np.log1p(-(rng.random(10_000) ** (1 / (q * one))))) for one in few]
    paper = [
        maxout.supremum_by_dimension(
            pool_size=q, n_features=int(one), delta=delta, n_inputs=d, dimension=3, diameter=2.0
        ).value
        for one in m
    ]
    free = [
        maxout.supremum(pool_size=q, n_features=int(one), delta=delta, mean_sup=mean(r, q)).value
        for one in m
    ]
    return Plot(
        title="Largest value of m units over a great circle",
        x_label="log10 of the number of units m",
        y_label="log10 of the supremum",
        series=(
            Series(label="paper's shape", x=x, y=np.log10(paper)),
            Series(label="dimension-free", x=x, y=np.log10(free)),
            Series(
                label="99% quantile, exact",
                x=x,
                y=np.log10([quantile(1 - delta, r, q * int(one)) for one in m]),
            ),
            observed_series("99% quantile, drawn", np.log10(few), drawn, 1 - delta),
        ),
        caption=(
            "d = 10, q = 4, failure 0.01 for all units at once. Gaussian concentration is within "
            "a factor of 1.5; the covering costs a factor of about 4."
        ),
    )
