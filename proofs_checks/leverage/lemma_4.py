"""Lemma 4: from the Gram of rows to the scores, and the step that discards the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.statements import RESTORED_HOLDS, Check, Context, Evidence, Statement

from .._dedent import prose
from ._cosine_pool import Waves, scores_of, spread_of

_RIDGE = 0.05
_ROUNDING = 1e-9
Bound = Callable[[float, Any], Any]


def in_between(spread: float, tau: Any) -> Any:
    """Compute Delta/(1 - Delta) ridge [(G + ridge)^-1]_ii."""
    return spread / (1 - spread) * (1 - tau)


def _ratios(context: Context, bound: Bound) -> tuple[Any, Any, float]:
    """Return errors of scores over their bound at the spread of each draw, spreads, last step."""
    worst, spreads, ends = 0.0, [], []
    for size in (6, 16):
        world = Waves(context.rng(f"pool {size}"), size)
        tau = world.scores(_RIDGE)
        smallest = float(np.linalg.eigvalsh(world.gram)[0])
        rng = context.rng(f"rows {size}")
        for rows in (100, 400, 1600):
            for _ in range(20 if context.quick else 1000):
                seen = world.estimated_gram(rng, rows)
                spread = spread_of(world.gram, seen, _RIDGE)
                if spread >= 0.5:
                    continue
                off = np.abs(scores_of(seen, _RIDGE) - tau)
                worst = max(worst, float(np.max(off / bound(spread, tau))))
                spreads.append(spread)
                last = 2 * spread * _RIDGE / (smallest + _RIDGE)
                ends.append(float(np.max(in_between(spread, tau))) / last)
    return worst, spreads, max(ends)


def scores(context: Context, *, bound: Bound = in_between) -> Evidence:
    """Hold the errors of all scores against the bound, draw by draw."""
    worst, spreads, _ = _ratios(context, bound)
    return Evidence.bound_comparison(
        form="restored",
        claim=(
            r"$|\hat\tau_i-\tau_i| \le \frac\Delta{1-\Delta}\lambda[(G+\lambda)^{-1}]_{ii}$ at the "
            rf"$\Delta$ that was drawn: largest share of the bound, {len(spreads)} draws with "
            r"$\Delta < \frac12$"
        ),
        observed=worst,
        interval=(worst - _ROUNDING, worst + _ROUNDING),
        upper=1.0,
        method="computed, with its rounding",
    )


def last_step(context: Context, *, factor: float = 1.0) -> Evidence:
    """Hold the first bound against the second."""
    _, _, end = _ratios(context, in_between)
    end *= factor
    return Evidence.bound_comparison(
        form="restored",
        claim=(
            r"$\frac\Delta{1-\Delta}\lambda[(G+\lambda)^{-1}]_{ii} \le "
            r"\frac{2\Delta\lambda}{\lambda_{\min}(G)+\lambda}$ for $\Delta \le \frac12$: largest "
            "ratio"
        ),
        observed=end,
        interval=(end - _ROUNDING, end + _ROUNDING),
        upper=1.0,
        method="computed, with its rounding",
    )


STATEMENT = Statement(
    id="leverage.lemma-4",
    source="Shahrampour, Kolouri (2019), Lemma 4",
    place=prose(
        "Section VI-B, Lemma 4, equation (17); our copy, lines 395 to 415, without the formulas"
    ),
    copy="lost",
    hypotheses=prose(r"""
        Those of Lemma 3 (leverage.theorem-2), used only through its conclusion: the Gram of the
        rows is within a factor $1 \pm \Delta$ of that of their law, ridge included, $\Delta \le
        \frac12$.
        """),
    title="Lemma 4: errors of the scores",
    expected=RESTORED_HOLDS,
    ground=prose(r"""
        Draw by draw, at the $\Delta$ that was drawn, in pools of waves whose Gram is known; draws
        with $\Delta \ge \frac12$ are left out, as the lemma does.
        """),
    printed=(
        r"|\hat T_{ii} - T_{ii}| \le "
        r"\frac{\Delta}{1-\Delta}\lambda\left[(G+\lambda)^{-1}\right]_{ii} \le "
        r"\frac{2\Delta\lambda}{\lambda_{\min}(G)+\lambda}"
    ),
    printed_text=prose(r"""
        If the Gram of the rows is within a factor $1 \pm \Delta$ of that of their law, ridge
        included, and $\Delta \le 1/2$.
        """),
    proof=prose(r"""
        $\hat\tau_i-\tau_i = \lambda[(G+\lambda)^{-1}-(\hat G+\lambda)^{-1}]_{ii}$, and inverses of
        ordered operators are ordered the other way: $(\hat G+\lambda)^{-1}$ is between
        $\frac1{1+\Delta}$ and $\frac1{1-\Delta}$ times $(G+\lambda)^{-1}$. The last step takes the
        largest eigenvalue of the inverse for its entry, and $1-\Delta \ge \frac12$.
        """),
    note=prose(r"""
        Stop before the last step: $\lambda[(G+\lambda)^{-1}]_{ii} = 1-\tau_i$, without any
        eigenvalue. The last bound is above 1 wherever $\lambda_{\min}$ is at the level of rounding,
        and no score is.
        """),
    checks=(
        Check(form="restored", name="scores from the spread", run=scores),
        Check(form="restored", name="the last step", run=last_step),
    ),
)
