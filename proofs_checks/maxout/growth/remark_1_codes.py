"""Remark 1: the Hamming similarity of argmax codes has expectation kappa_q."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import MaxoutCodes, exact
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._measured_products import Draw, Measured, points
from ..._simultaneous import hold_against
from .._collisions import measure_collisions

_RHO = (-0.8, -0.4, 0.0, 0.25, 0.5, 0.75, 0.95)


def _width(context: Context) -> float:
    return 0.015 if context.quick else 0.01


def _measured(context: Context, draw: Draw) -> Measured:
    pools = (4, 16) if context.quick else (2, 3, 4, 8, 64)
    share = context.false_alarm / len(pools)
    return Measured.join(
        [
            measure_collisions(context, draw, q, _RHO, width=_width(context), false_alarm=share)
            for q in pools
        ]
    )


@check("maxout.remark-1-codes", form="printed", name="agreement of codes against kappa", pays=True)
def similarity(
    context: Context,
    *,
    draw: Draw = MaxoutCodes.draw,
    collision: Callable[[float, int], Any] = exact.collision_probability,
) -> Evidence:
    """Hold kappa_q against the share of digits on which codes agree."""
    measured = _measured(context, draw)
    return hold_against(
        measured,
        measured.claimed(collision),
        resolution=_width(context),
        form="printed",
        claim=r"$E\,d_H(C(x), C(z)) = 1 - \kappa_q$",
        plots=(_plot(measured),),
    )


@check("maxout.remark-1-codes", form="printed", name="closer rows agree more often", pays=True)
def sensitivity(context: Context, *, draw: Draw = MaxoutCodes.draw) -> Evidence:
    """Ask whether closer rows agree more often, at each step between measured correlations."""
    measured = _measured(context, draw)
    # From one correlation to the next, among those where kappa has left 0.
    steps = [
        (
            measured.low[i + 1] - measured.high[i],
            measured.high[i + 1] - measured.low[i],
            measured.mean[i + 1] - measured.mean[i],
            i,
        )
        for i in range(len(measured.rho) - 1)
        if 0 <= measured.rho[i] < measured.rho[i + 1]
    ]
    low, high, gain, i = min(steps)
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            "collisions are more frequent at the larger correlation (least gain of "
            f"{len(steps)} steps: $q = {measured.pool_size[i]}$, $\\rho$ from "
            f"{measured.rho[i]:g} to {measured.rho[i + 1]:g})"
        ),
        observed=gain,
        interval=(low, high),
        lower=0.0,
        false_alarm=measured.false_alarm,
        n_features=measured.n_units[i],
        method=measured.method,
        assumptions=("digits of a code are independent",),
    )


def _plot(measured: Measured) -> Plot:
    rho = np.cos(np.linspace(np.pi, 0, 121))
    pools = sorted(set(measured.pool_size))
    curves = [Series(label=f"q = {q}", x=rho, y=exact.collision_probability(rho, q)) for q in pools]
    return Plot(
        title="Agreement of argmax codes",
        x_label="correlation of x and z",
        y_label="share of equal digits",
        series=(*curves, *(points(f"measured, q = {q}", measured.only(q)) for q in pools)),
        caption="Larger pools make codes more selective, with a square-root cusp at correlation 1.",
    )
