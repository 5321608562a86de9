"""Uniform error of any map on a set, by the slopes of its products."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mehler.bounds import Bound, Term, kernel_error
from mehler.statements import Context, Evidence, check

from .._violations import Case, hold_bounds
from .._worlds import hold_worlds
from ._uniform_sets import errors, group_errors, of_group, settings
from .worlds import _uniform as worlds

Bounding = Callable[..., Bound]
_DELTA, _TEMPLATES = 0.05, 20
_METHODS = ("net", "chaining")


def _draws(context: Context) -> int:
    return 1000 if context.quick else 20_000


def known_before(m: int, *, delta: float, n_inputs: int, diameter: float, second: float) -> Bound:
    """Return Claim 1 of Rahimi and Recht with 66 for 2^8, for m pairs; `second` is E |w|^2."""
    low, high = 1e-9, 1e9
    for _ in range(200):
        eps = math.sqrt(low * high)
        log_chance = math.log(66 * second * (diameter / eps) ** 2)
        log_chance -= m * eps**2 / (4 * (n_inputs + 2))
        low, high = (low, eps) if log_chance <= math.log(delta) else (eps, high)
    return Bound(
        statement="features.uniform",
        form="printed",
        quantity="largest error of the kernel, all pairs of the set",
        terms=(Term("deviation", high),),
        probability=1 - delta,
    )


@check("features.uniform", form="printed", name="the known form", pays=True)
def printed(context: Context, *, bound: Bounding = known_before) -> Evidence:
    """Count violations of the known form by pairs of cosine and sine."""
    cases = []
    for one in settings(quick=context.quick):
        if one.block == 2:
            found = bound(
                one.m,
                delta=_DELTA,
                n_inputs=one.rows.shape[1],
                diameter=one.known["diameter"],
                second=one.known["slope"][1],
            )
            drawn = errors(context, one, _draws(context))
            cases.append(Case(drawn=drawn, bound=found, where={"map": one.name, "m": one.m}))
    return hold_bounds(
        cases,
        form="printed",
        claim="the largest error of pairs over a grid of a set keeps the known bound",
        false_alarm=context.false_alarm,
        n_features=_draws(context) * 600,
    )


@check("features.uniform", form="proved", name="draws of many maps", pays=True)
def drawn(context: Context, *, bound: Bounding = kernel_error.uniform_by_slope) -> Evidence:
    """Count violations of both methods, by maps with and without a bound."""
    cases = []
    for one in settings(quick=context.quick):
        found = errors(context, one, _draws(context))
        for method in _METHODS:
            limit = bound(one.m, delta=_DELTA, method=method, **one.known)
            where: dict[str, Any] = {"map": one.name, "m": one.m, "method": method}
            cases.append(Case(drawn=found, bound=limit, where=where))
    found = group_errors(context, _TEMPLATES, _draws(context))
    limit = of_group(bound, _TEMPLATES, _DELTA)
    cases.append(Case(drawn=found, bound=limit, where={"map": "group", "m": _TEMPLATES}))
    return hold_bounds(
        cases,
        form="proved",
        claim=(
            "the largest error over a grid of a set keeps its bounds: cosines of several spectra, "
            "group-invariant features, rectified and centred maxout units"
        ),
        false_alarm=context.false_alarm,
        n_features=_draws(context) * 600,
    )


@check("features.uniform", form="proved", name="rows that know nothing of each other")
def tight(context: Context, *, bound: Bounding = kernel_error.uniform_by_slope) -> Evidence:
    """Hold the bound for rows that know nothing of each other."""
    return hold_worlds(
        [
            *worlds.one_row(bound),
            *worlds.one_square(bound),
            *worlds.many_rows(bound),
            *worlds.rows_and_a_coin(bound),
        ],
        form="proved",
        claim="largest error over a set",
    )


@check("features.uniform", form="proved", name="one unit that is steep at one row")
def tight_slopes(context: Context, *, bound: Bounding = kernel_error.uniform_by_slope) -> Evidence:
    """Hold the bound for one unit that is steep at one row of very many."""
    return hold_worlds(
        [*worlds.a_row_of_each(bound), *worlds.a_rare_row(bound)],
        form="proved",
        claim="largest error over a set, one unit",
    )
