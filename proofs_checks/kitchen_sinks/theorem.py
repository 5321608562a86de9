"""The main theorem: the excess risk of weights fitted on random features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.bounds import Bound, kitchen_sinks
from mehler.statements import Context, Evidence, Plot, Series, check

from .._violations import Case, hold_bounds
from .._worlds import hold_worlds
from . import _tight_worlds as worlds
from ._quantiles import quantile_points
from .worlds import _fitted
from .worlds._cosines import Cosines
from .worlds._divided import divided_products
from .worlds._fitted import LIPSCHITZ, Draw, cosine_products
from .worlds._signs import excess_risks

Theorem = Callable[..., Bound]

_SIGNS = 100_000

# name, d, K, N, delta, drawing: where the labels leave doubt, or the excess would be negative.
Setting = tuple[str, int, int, int, float, Draw]


def settings_of(context: Context) -> tuple[Setting, ...]:
    """Return the settings of a level."""
    some: tuple[Setting, ...] = (
        ("cosines", 2, 20, 60, 0.05, cosine_products(Cosines(2, 0.7, 0.5))),
        ("maxout", 3, 30, 80, 0.05, divided_products(3)),
    )
    if context.quick:
        return some
    return (
        *some,
        ("cosines", 3, 50, 200, 0.05, cosine_products(Cosines(3, 1.0, 0.3))),
        ("cosines", 1, 100, 400, 0.01, cosine_products(Cosines(1, 1.0, 0.1))),
        ("cosines", 20, 50, 200, 0.1, cosine_products(Cosines(20, 0.3, 0.2))),
        ("maxout", 2, 50, 200, 0.01, divided_products(2, signal=0.5)),
    )


def cases(
    context: Context, constraint: str, bound: Theorem = kitchen_sinks.excess_risk
) -> list[Case]:
    """Return the excess risks of the minimiser over the box or the ball beside their bounds."""
    fit = {"box": _fitted.box, "ball": _fitted.ball}[constraint]
    n_draws = _draws(context)
    found = []
    for name, d, k, n, delta, draw in settings_of(context):
        products = draw(context.rng(f"{constraint} {name} {d} {k} {n}"), k, n, n_draws)
        found.append(
            Case(
                drawn=fit(products),
                bound=bound(k, n, scale=1.0, lipschitz=LIPSCHITZ, delta=delta),
                where={"features": name, "d": d, "K": k, "N": n, "delta": delta},
            )
        )
    for n, delta in ((101, 0.05), (10_001, 0.05)):
        # Labels whose mean is of the wrong sign in one sample out of nine; both fits are alike.
        drawn = excess_risks(
            context.rng(f"{constraint} constants {n}"), n, _SIGNS, mean=1.2 * n**-0.5
        )
        found.append(
            Case(
                drawn=drawn,
                bound=bound(10**6, n, scale=1.0, lipschitz=LIPSCHITZ, delta=delta),
                where={"features": "constants", "K": 10**6, "N": n, "delta": delta},
            )
        )
    return found


def _draws(context: Context) -> int:
    return 600 if context.quick else 20_000


def _held(context: Context, constraint: str, bound: Theorem, plots: tuple[Plot, ...]) -> Evidence:
    return hold_bounds(
        cases(context, constraint, bound),
        form="proved",
        claim=(
            "the fitted weights have a risk above the best function's by more than the bound with "
            r"probability at most $2\delta$ (cosines, divided maxout units, constants; "
            f"empirical risk minimised over the {constraint})"
        ),
        false_alarm=context.false_alarm,
        n_features=_draws(context) * max(one[2] for one in settings_of(context)),
        plots=plots,
    )


@check("kitchen-sinks.theorem", form="proved", name="excess risk over the box", pays=True)
def box(context: Context, *, bound: Theorem = kitchen_sinks.excess_risk) -> Evidence:
    """Hold exact excess risks of the minimiser over the box against the bound."""
    plots = (_over_features(context), _over_samples(context))
    return _held(context, "box", bound, plots)


@check("kitchen-sinks.theorem", form="proved", name="excess risk over the ball", pays=True)
def ball(context: Context, *, bound: Theorem = kitchen_sinks.excess_risk) -> Evidence:
    """Hold exact excess risks of the minimiser over the ball against the bound."""
    return _held(context, "ball", bound, ())


def _drawn(context: Context, sizes: list[tuple[int, int]]) -> tuple[list[float], list[Any]]:
    """Return bounds and draws on cosines at (K, N), delta = 0.05."""
    n_draws = 200 if context.quick else 1000
    world = Cosines(3, 1.0, 0.3)
    promised, drawn = [], []
    for k, n in sizes:
        products = cosine_products(world)(context.rng(f"plot {k} {n}"), k, n, n_draws)
        drawn.append(_fitted.box(products))
        bound = kitchen_sinks.excess_risk(k, n, scale=1.0, lipschitz=LIPSCHITZ, delta=0.05)
        promised.append(float(np.log10(bound.value)))
    return promised, drawn


def _over_features(context: Context) -> Plot:
    counts = (10, 30, 90) if context.quick else (10, 30, 100, 300)
    promised, drawn = _drawn(context, [(k, 100) for k in counts])
    return _plot("features", "K", "100 samples", np.log10(counts), promised, drawn)


def _over_samples(context: Context) -> Plot:
    counts = (30, 90, 270) if context.quick else (30, 100, 300, 1000)
    promised, drawn = _drawn(context, [(30, n) for n in counts])
    return _plot("samples", "N", "30 features", np.log10(counts), promised, drawn)


def _plot(what: str, letter: str, fixed: str, x: Any, promised: Any, drawn: Any) -> Plot:
    return Plot(
        title=f"Theorem: bound and observation over {letter}, {fixed}",
        x_label=f"log10 of the number of {what}",
        y_label="log10 of the excess risk",
        series=(
            Series(label="bound, delta = 0.05", x=x, y=promised),
            quantile_points("90 % quantile, cosines, d = 3", x, drawn, 0.9),
        ),
        caption=(
            f"With {fixed} the bound levels off where the other term rules; what is observed lies "
            "well below: the labels are not chosen against the features."
        ),
    )


@check("kitchen-sinks.theorem", form="proved", name="worlds where it is tight")
def tight(context: Context, *, bound: Theorem = kitchen_sinks.excess_risk) -> Evidence:
    """Hold the bound where it is tight: a wrong sign, and a box that falls short."""
    return hold_worlds(
        [
            *worlds.wrong_sign(bound),
            *worlds.falls_short(bound),
        ],
        form="proved",
        claim="excess risk of the fitted weights",
    )
