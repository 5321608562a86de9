"""Uniform error of any map on a set, by the slopes of its products."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mehler.bounds import Bound, Term, kernel_error
from mehler.statements import Check, Context, Evidence, Statement

from .._dedent import prose
from .._violations import Case, hold_bounds
from .._worlds import hold_worlds
from ._uniform_sets import errors, group_errors, of_group, settings
from .worlds import _uniform as worlds

Bounding = Callable[..., Bound]
_DELTA, _TEMPLATES = 0.05, 20
_ROUTES = ("net", "chaining")


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
        statement=STATEMENT.id,
        form="printed",
        quantity="largest error of the kernel, all pairs of the set",
        terms=(Term("deviation", high),),
        probability=1 - delta,
    )


def printed(context: Context, *, bound: Bounding = known_before) -> Evidence:
    """Count violations of the known form by pairs of cosine and sine."""
    context.ledger.spend(f"{STATEMENT.id}: known", context.false_alarm)
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


def drawn(context: Context, *, bound: Bounding = kernel_error.uniform) -> Evidence:
    """Count violations of both routes, by maps with and without a bound."""
    context.ledger.spend(f"{STATEMENT.id}: drawn", context.false_alarm)
    cases = []
    for one in settings(quick=context.quick):
        found = errors(context, one, _draws(context))
        for route in _ROUTES:
            limit = bound(one.m, delta=_DELTA, route=route, **one.known)
            where: dict[str, Any] = {"map": one.name, "m": one.m, "route": route}
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


def tight(context: Context, *, bound: Bounding = kernel_error.uniform) -> Evidence:
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


def tight_slopes(context: Context, *, bound: Bounding = kernel_error.uniform) -> Evidence:
    """Hold the bound for one unit that is steep at one row of very many."""
    return hold_worlds(
        [*worlds.a_row_of_each(bound), *worlds.a_rare_row(bound)],
        form="proved",
        claim="largest error over a set, one unit",
    )


STATEMENT = Statement(
    id="features.uniform",
    source="Ours, after Rahimi and Recht (2007) and Sriperumbudur and Szabo (2015)",
    place="A known result, Claim 1 with the constant of Sutherland and Schneider (2015), as "
    "recalled, and ours; we have no copy of the papers",
    copy="none",
    hypotheses=prose(
        r"""
        Independent units; a set of doubling dimension $k$ and diameter $D$; products with a slope
        $G$, $|F(x,z) - F(x',z')| \le G(|x-x'| + |z-z'|)$ and $\mathbb{E}G^2$ finite. Known: pairs
        of cosine and sine in dimension $d$.
        """
    ),
    title="Uniform error of any map on a set",
    expected="holds",
    ground=prose(
        r"""
        Largest errors over grids of a circle and of a segment, which are at most those over the
        set, in draws of cosines, group-invariant features, rectified and centred maxout units; and
        rows that know nothing of each other, where the error is that of fair coins, computed.
        """
    ),
    printed=(
        r"P\left(\sup_{x,z}|\hat K - K| \ge \varepsilon\right) \le 66\left(\frac{\sigma D}"
        r"{\varepsilon}\right)^2\exp\left(-\frac{m\varepsilon^2}{4(d+2)}\right), \quad "
        r"\sigma^2 = \mathbb{E}|w|^2"
    ),
    printed_text=prose(
        r"""
        For $m$ frequencies, as mended by Sutherland and Schneider; the print has $2^8$ for 66. Its
        rate is $\sqrt{(d\log m)/m}$.
        """
    ),
    proved=(
        r"\sup_{x,z}|\hat K - K| \le \varepsilon_1\left(\frac{\delta}{T_J(T_J+1)}\right) + "
        r"\sum_{i<n}\left(2r_{J+ai}\sqrt{2vu_i} + c_iu_i\right) + 2r_L\left(2\,\mathbb{E}G + "
        r"\sqrt{\frac{1-\delta_L}{m\delta_L}\mathrm{Var}\,G}\right)"
    ),
    proved_text=prose(
        r"""
        With probability $1 - \delta$, for all $J$, $a$ and $n$; $T_j = 2^{kj}$, $r_j = D\min(1,
        2^{1-j})$, $L = J + an$, $\delta_L = 2^{-n-1}\delta$, $\varepsilon_1$ any bound of one pair
        and, at the level $J + a(i+1)$, $mu_i = \log(2^{i+2}T(T+1)/\delta)$. Products in an interval
        of length $b$ have $v = \mathbb{E}G^2$, $c_i = b/3$; others with sub-gamma increments their
        own. The rate is $\sqrt{k/m}$, without $\log m$.
        """
    ),
    proof=prose(
        r"""
        A tree of cells, of which each knows its parent. A union over the pairs of level $J$;
        Bernstein's inequality for increments of pairs that move by $r$, whose second moment is at
        most $4r^2\,\mathbb{E}G^2$, and a union over the pairs of the finer level; below the level
        $L$ the mean of $m$ slopes by Cantelli's inequality.
        """
    ),
    note=prose(
        r"""
        On a circle with frequencies $N(0, I_2)$ and confidence 99 % the bound is $9.3/\sqrt m$ for
        all $m$ beyond $10^7$.
        """
    ),
    checks=(
        Check(form="printed", name="the known form", run=printed),
        Check(form="proved", name="draws of many maps", run=drawn),
        Check(form="proved", name="rows that know nothing of each other", run=tight),
        Check(form="proved", name="one unit that is steep at one row", run=tight_slopes),
    ),
)
