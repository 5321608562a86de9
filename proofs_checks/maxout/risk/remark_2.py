"""Remark 2: inputs of norm at most R, a loss of at most B."""

from __future__ import annotations

import math
from collections.abc import Callable

from mehler import exact
from mehler.bounds import maxout, printed
from mehler.statements import Check, Context, Evidence, Statement

from ..._dedent import prose
from ..._worlds import hold_worlds
from . import _risk_flaws as flaws
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


def dimension_free(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Count how often the dimension-free bound with R and B is exceeded."""
    return hold_risks(context, draws_of, free_bound, bound, _CLAIM)


def paper_shape(context: Context, *, bound: Bounding = maxout.excess_risk_by_dimension) -> Evidence:
    """Count how often the paper-shaped bound with R and B is exceeded."""
    return hold_risks(context, draws_of, paper_bound, bound, _CLAIM)


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


STATEMENT = Statement(
    id="maxout.remark-2",
    source="Mroueh, Rennie, Goel (2015), Remark 2",
    place="Section 3, Remark 2, part 1; our copy, line 153",
    hypotheses=prose(r"""
        Inputs of norm at most $R$; a loss of absolute value at most $B$; otherwise those of Theorem
        2, whose right-hand side is multiplied by $RB$. The checks have all mass on one $x$ of the
        set $\{x, -x\}$, $q = 2$, and $m$ as large as the condition asks with $C' = 16$.
        """),
    title="Remark 2: bounded inputs and losses",
    expected="refuted, repaired",
    ground=prose("""
        $R = 10^{-6}$: the excess over the best function of the box exceeds the print in 0.45 per
        cent of samples, for 0.03 promised, by a binomial distribution. $B = 10^{-3}$: the excess
        over the infinite class, as the end of Appendix B has it, exceeds it in about half of all
        draws.
        """),
    printed=(
        r"\sup_{x}\|x\| \le R,\; |V| \le B \implies \mathcal E_V(\hat f_N) - \min\mathcal E_V "
        r"\le R\,B \times \left(\text{right-hand side of Theorem 2}\right)"
    ),
    printed_text=prose("""
        For inputs of norm at most $R$ and losses of at most $B$, the whole right-hand side of
        Theorem 2 is multiplied by $RB$.
        """),
    proved=(
        r"\mathcal E_V(\hat f_N) - \inf_{\mathcal F}\mathcal E_V \le R\cdot\frac{2LC}{\sqrt N}"
        r"\left(\sigma(q) + \sqrt{\tfrac{2\log(1/\delta)}{m}}\right) + "
        r"B\cdot\sqrt{\tfrac{2\log(1/\delta)}{N}} + R\cdot\frac{LC}{\sqrt m}\left(\sigma(q) + "
        r"\sqrt{2\log(1/\delta)}\right)"
    ),
    proved_text=prose(r"""
        With probability at least $1 - 3\delta$: the terms in $LC$ are multiplied by $R$, the
        confidence term by $B$. $R$ may be the root mean square norm.
        """),
    flaw=prose(r"""
        Too small where $R < 1$ or $B < 1$. Since $\phi(Rx) = R\,\phi(x)$, inputs of length $R$ with
        a box of $C/R$ are the same problem as inputs of length 1 with $C$, but the printed
        confidence term shrinks with $R$. A loss that is multiplied by $B$ has its Lipschitz
        constant multiplied too, so that the print counts $B$ twice in the terms with $L$.
        """),
    proof=prose(r"""
        In the proof of Theorem 2 (maxout.theorem-2), lengths enter through $E_W\phi(x, W)^2 =
        \sigma^2(q)|x|^2$ and through the Lipschitz constant $|x|$ of $W \mapsto \phi(x, W)$, only
        in the terms with $LC$; the range of the loss enters only in McDiarmid's differences $2B/N$.
        """),
    note=prose(r"""
        The second part of the remark, that a finite set has dimension at most
        $\lceil\log_2|\mathcal M|\rceil$, so that $m = O(N\log N\log d)$ features are enough for
        $N^\alpha$ points, is right given Theorem 2; by its repair $m = \sigma^2(q)N$ are.
        """),
    checks=(
        Check(form="printed", name="R below 1", run=flaws.short_inputs),
        Check(form="printed", name="B below 1", run=flaws.small_losses),
        Check(form="proved", name="dimension-free", run=dimension_free),
        Check(form="proved", name="paper's shape", run=paper_shape),
        Check(form="proved", name="worlds where it is tight", run=tight),
        Check(form="proved", name="a finite set, as the second part says", run=finite_sets),
        Check(form="proved", name="a finite set, by the repair", run=by_the_repair),
    ),
)
