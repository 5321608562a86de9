"""Lemma 3: upper and lower bounds for the chance that a template is rejected."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from mehler.statements import RESTORED_HOLDS, Check, Context, Evidence, Statement

from ..._dedent import prose

# Smaller chances are not computed to many digits, or are below every float.
_LEAST = 1e-290


def rejected(d: int, epsilon: float) -> float:
    """Compute P(|n|^2 >= 1 + epsilon), n ~ N(0, I/d)."""
    return float(stats.chi2.sf(d * (1 + epsilon), d))


def _grid(context: Context) -> list[tuple[int, float]]:
    dims: Any = (2, 3, 5, 20, 100, 1000)
    epsilons: Any = (0.01, 0.1, 0.3, 0.7, 1.0)
    if not context.quick:
        dims = (*range(2, 101), 300, 1000, 10_000)
        epsilons = np.linspace(0.01, 1.0, 100)
    return [(int(d), float(e)) for d in dims for e in epsilons]


def _compare(found: list[tuple[float, int, float]], claim: str, upper: bool) -> Any:
    worst, d, epsilon = max(found) if upper else min(found)
    return Evidence.bound_comparison(
        form="restored",
        claim=f"{claim}: difference of logarithms (at $d = {d}$, $\\epsilon = {epsilon:.3g}$)",
        observed=worst,
        interval=(worst - 1e-9, worst + 1e-9),
        upper=0.0 if upper else None,
        lower=None if upper else 0.0,
        method="computed, with its rounding",
    )


def upper_tail(context: Context, *, rate: float = 1 / 8) -> Evidence:
    """Hold the exact chance against exp(-d epsilon^2/8)."""
    found = [
        (math.log(p) + rate * d * e * e, d, e)
        for d, e in _grid(context)
        if (p := rejected(d, e)) > _LEAST
    ]
    return _compare(found, r"$P(\|n\|^2 \ge 1+\epsilon) \le e^{-d\epsilon^2/8}$", upper=True)


def lower_tail(context: Context, *, smallest: int = 2) -> Evidence:
    """Hold the exact chance against Inglot's lower bound, for d from 2."""
    found = [
        (
            math.log(p)
            - math.log(0.5 / math.sqrt(d))
            - 0.5 * (d - 2) * math.log1p(e)
            + 0.5 * d * e,
            d,
            e,
        )
        for d, e in [*_grid(context), *((smallest, e) for e in (0.01, 0.1))]
        if (p := rejected(d, e)) > _LEAST
    ]
    return _compare(
        found,
        r"$P(\|n\|^2 \ge 1+\epsilon) \ge e^{-d\epsilon/2}(1+\epsilon)^{(d-2)/2}/(2\sqrt d)$",
        upper=False,
    )


STATEMENT = Statement(
    id="group-invariant.lemma-3",
    source="Mroueh, Voinea, Poggio (2015), Lemma 3, after Inglot (2010)",
    place=prose(
        "Appendix A, Lemma 3; our copy, lines 147 to 154, without the formula and its range"
    ),
    copy="lost",
    hypotheses=prose(r"""
        $n \sim N(0, I_d/d)$; the range is lost: $0 < \epsilon \le 1$ and $d \ge 2$, where Inglot's
        bound is true.
        """),
    title="Lemma 3: how often a template is rejected",
    expected=RESTORED_HOLDS,
    ground=prose(r"""
        Both restored bounds against the exact tail of chi-square, on a grid of $d$ and $\epsilon$
        in that range.
        """),
    printed=(
        r"\frac{e^{-d\epsilon/2}(1+\epsilon)^{(d-2)/2}}{2\sqrt d} \le "
        r"P\left(\|n\|^2 \ge 1+\epsilon\right) \le e^{-d\epsilon^2/8}, \quad n \sim N(0, I_d/d)"
    ),
    printed_text=prose(r"""
        An upper and a lower bound of the chance that a Gaussian template is too long, for $0 <
        \epsilon \le 1$ and $d \ge 2$.
        """),
    proof=prose(r"""
        Above: Chernoff's bound is $e^{-d(\epsilon - \log(1+\epsilon))/2}$, and $\epsilon -
        \log(1+\epsilon) \ge \epsilon^2/4$ on $(0, 1]$, since the difference vanishes at 0 and its
        derivative $\epsilon(1-\epsilon)/(2(1+\epsilon))$ is not negative. Below: with $u =
        d(1+\epsilon)$ the tail of $\chi_d^2$ is at least
        $\frac{(u/2)^{d/2-1}e^{-u/2}}{\Gamma(d/2)}$ for $d \ge 2$, where the power does not fall,
        and $\Gamma(d/2) \le 2\sqrt d\,(d/2)^{d/2-1}e^{-d/2}$ by Stirling's formula.
        """),
    note=prose(r"""
        The lower bound is false in one dimension: $P(g^2 \ge 1) = 0.317$, less than $1/2$. Where
        the paper speaks of the upper and the lower tail (line 147) it needs two bounds of the upper
        one.
        """),
    checks=(
        Check(form="restored", name="from above", run=upper_tail),
        Check(form="restored", name="from below", run=lower_tail),
    ),
)
