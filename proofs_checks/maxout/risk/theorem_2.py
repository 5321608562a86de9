"""Theorem 2: excess risk of the empirical minimiser over the box of m units."""

from __future__ import annotations

import itertools
import math
from typing import Any

from mehler.bounds import maxout, printed
from mehler.statements import Check, Context, Evidence, Statement
from mehler.verify import intervals

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

FREE, PAPER = worlds.FREE[2], worlds.PAPER[2]

# Pools of 1 and 4: a table of the exact kernel for each other one would cost as much as the draws.
_QUICK = (
    Setting(3, 4, (10, 20, 40), (50, 400, 3200)),
    Setting(10, 4, (20,), (1000,)),
    Setting(6, 1, (25,), (100,)),
)
_FULL = (
    Setting(3, 4, (10, 20, 40, 80, 160, 320), (50, 200, 800, 3200, 12800)),
    Setting(3, 2, (50, 800), (200, 4000)),
    Setting(3, 8, (50, 800), (200, 4000)),
    Setting(10, 8, (50, 400), (200, 4000)),
    Setting(10, 64, (50,), (200, 4000)),
    Setting(30, 4, (100,), (1000,), failure=(0.5, 0.02)),
    Setting(6, 1, (25, 250), (100, 10_000), failure=(0.5, 0.02)),
)


def draws_of(context: Context) -> tuple[Draws, ...]:
    """Draw all settings of the level."""
    return drawn_settings(context, _QUICK, _FULL)


def over_the_box(context: Context, *, c_prime: float = 2.0) -> Evidence:
    """Hold what is proved of the excess over the box against the theorem's own display.

    Without the approximation term the proved bound is one of the excess over the best function of
    the box, at a smaller chance of failure (see the proof): it is compared with the print, at the
    least m that the condition allows, for sets whose diameter is at least 1/sqrt(d).
    """
    found = []
    for q, k, spread, size, delta, epsilon, n in itertools.product(
        (1, 2, 64), (1, 5), (1.0, 40.0), (0.1, 100.0), (0.5, 1e-3, 1e-12), (1e-3, 0.5), (1, 10**6)
    ):
        needed = c_prime / epsilon**2 * (k * math.log(spread / delta) + math.log(q + 1))
        sizes: dict[str, Any] = {
            "n_features": max(1, math.ceil(needed)),
            "n_samples": n,
            "pool_size": q,
            "scale": size,
            "lipschitz": 1.0,
            "delta": delta,
        }
        proved = maxout.excess_risk(**sizes)
        # spread is D sqrt(d), at d = 400.
        stated = printed.maxout.theorem_2(
            epsilon=epsilon,
            c_prime=c_prime,
            c=0.5,
            loss_at_zero=0.0,
            n_inputs=400,
            dimension=k,
            diameter=spread / 20,
            **sizes,
        )
        found.append(((proved["statistical"] + proved["confidence"]) / stated.value, q, k, delta))
    worst, q, k, delta = max(found)
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            rf"the display of Section 3, over the box, with $C' = {c_prime:g}$: what is proved of "
            f"that excess over what is printed, at most 1 (largest of {len(found)}: $q = {q}$, "
            rf"$d_{{\mathcal M}} = {k}$, $\delta = {delta:g}$)"
        ),
        observed=worst,
        interval=(worst * (1 - 1e-12), worst * (1 + 1e-12)),
        upper=1.0,
        method="formulas, evaluated",
    )


def dimension_free(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Count how often the dimension-free bound is exceeded."""
    claim = "excess risk below the dimension-free bound"
    return hold_risks(context, draws_of, free_bound, bound, claim)


def paper_shape(context: Context, *, bound: Bounding = maxout.excess_risk_by_dimension) -> Evidence:
    """Count how often the repaired bound of the paper's shape is exceeded."""
    claim = "excess risk below the paper-shaped bound"
    return hold_risks(context, draws_of, paper_bound, bound, claim)


def in_expectation(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Hold the mean excess risk against the bound of the expectation."""
    context.ledger.spend(f"{STATEMENT.id}: in expectation", context.false_alarm)
    found = []
    all_draws = draws_of(context)
    share = context.false_alarm / 2 / len(all_draws)
    for draws in all_draws:
        # Where the promise is smallest.
        m, n = max(draws.sizes)
        excess = draws.drawn.excess[m, n]
        promised = bound(
            n_features=m, n_samples=n, radius=draws.law.radius, **draws.setting.loss
        ).value
        # An excess risk has values in [-1, 1].
        low, high = intervals.betting(excess, -1.0, 1.0, share)
        found.append((high / promised, low / promised, excess.mean() / promised, m, n))
    high, low, seen, m, n = max(found)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            f"mean excess risk over the bound in expectation, at most 1 (largest of {len(found)} "
            f"settings: $m = {m}$, $N = {n}$)"
        ),
        observed=seen,
        interval=(low, high),
        upper=1.0,
        false_alarm=context.false_alarm,
        n_features=m * all_draws[0].n_draws,
        method="bounded samples (betting), union bound over the settings",
        assumptions=("draws are independent",),
    )


def smaller(
    context: Context,
    *,
    bound: Bounding = maxout.excess_risk,
    by_dimension: Bounding = maxout.excess_risk_by_dimension,
) -> Evidence:
    """Compare the two proved shapes over a grid, at equal chances of failure."""
    found = []
    for q in (1, 2, 4, 64, 10**6):
        for m in (1, 100, 10**6):
            for failure in (0.9, 0.1, 1e-6):
                for k in (0, 5):
                    sizes: dict[str, Any] = {
                        "n_features": m,
                        "n_samples": 1000,
                        "pool_size": q,
                        "scale": 1.0,
                        "lipschitz": 1.0,
                    }
                    free = bound(delta=failure / 3, **sizes)
                    paper = by_dimension(
                        delta=failure / 4,
                        n_inputs=100,
                        dimension=k,
                        diameter=1.0,
                        **sizes,
                    )
                    found.append((paper["approximation"] / free["approximation"], q, m, failure))
    least, q, m, failure = min(found)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"approximation term of the paper's shape over the dimension-free one, at least "
            f"$2\\sqrt 2$ (least of {len(found)}: $q = {q}$, $m = {m}$, failure {failure:g})"
        ),
        observed=least,
        interval=(least * (1 - 1e-12), least * (1 + 1e-12)),
        lower=2 * math.sqrt(2),
        method="formulas, evaluated",
    )


def tight(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Hold the bounds where they are tight: a wrong sign, inputs learnt by heart, few units."""
    return hold_worlds(
        [
            *worlds.wrong_sign(bound, FREE),
            worlds.learnt_by_heart(bound, FREE),
            *worlds.falls_short(bound, FREE),
            worlds.learnt_by_heart_mean(bound),
            worlds.falls_short_mean(bound, n_samples=worlds.ENDLESS**2),
        ],
        form="proved",
        claim="excess risk with linear units",
    )


def tight_paper(context: Context, *, bound: Bounding = maxout.excess_risk_by_dimension) -> Evidence:
    """Hold the paper's shape in the same worlds."""
    return hold_worlds(
        [
            *worlds.wrong_sign(bound, PAPER),
            worlds.learnt_by_heart(bound, PAPER),
            *worlds.falls_short(bound, PAPER),
        ],
        form="proved",
        claim="excess risk with linear units",
    )


STATEMENT = Statement(
    id="maxout.theorem-2",
    source="Mroueh, Rennie, Goel (2015), Theorem 2 and Appendix B",
    place=prose("""
        Section 3, Theorem 2, and the end of Appendix B; our copy, lines 143 to 147, 416 to 420 and
        477 to 481
        """),
    hypotheses=prose(r"""
        Samples on the unit sphere with labels -1 and 1; a loss from $\mathbb R$ to $[0, 1]$ that is
        $L$-Lipschitz; $\varepsilon \in (0, 1)$, $\delta > 0$; $m$ as large as the condition asks,
        with a numeric constant $C'$ without value, and $c$ likewise. The theorem's display compares
        with the best function of the box, the one at the end of its proof, and the text after the
        theorem, with the best of the infinite class.
        """),
    title="Theorem 2: learning with random maxout features",
    expected="refuted, repaired",
    ground=prose(r"""
        The display of Section 3, over the box, *holds* with $C' = 2$ for sets of diameter at least
        $1/\sqrt d$. What is refuted is the display at the end of Appendix B, over the infinite
        class: at two points of the sphere at distance $\delta/((q+1)\sqrt d)$ the condition is met
        by one unit, whatever $C'$, and the bound fails with probability 0.575. And McDiarmid's
        inequality in the weights, by a computed mean.
        """),
    printed=(
        r"m \ge \frac{C'}{\varepsilon^2}\left(d_{\mathcal M}\log\frac{D\sqrt d}{\delta} + "
        r"\log(q+1)\right) \implies \mathcal E_V(\hat f_N) - \min \mathcal E_V \le "
        r"\frac{4LC\sigma(q) + 2|V(0)| + 2\sqrt{2\log(1/\delta)}}{\sqrt N} + "
        r"LC\varepsilon\left(1 + \sqrt{2\log(1/\delta)}\right)"
    ),
    printed_text=prose(r"""
        With probability $1 - 3\delta - 2e^{-cd/4}$. The minimum is over the box $\hat{\mathcal F}$
        of $m$ units in the theorem, over the infinite class $\mathcal F$ at the end of its proof
        and in the text after it. Both are checked; the first holds with a constant, the second is
        refuted. $D$ is the diameter of the set of inputs and $d_{\mathcal M}$ its doubling
        dimension.
        """),
    proved=(
        r"\mathcal E_V(\hat f_N) - \inf_{\mathcal F}\mathcal E_V \le \frac{2LCR}{\sqrt N}"
        r"\left(\sigma(q) + \sqrt{\tfrac{2\log(1/\delta)}{m}}\right) + "
        r"B\sqrt{\tfrac{2\log(1/\delta)}{N}} + \frac{LCR}{\sqrt m}\left(\sigma(q) + "
        r"\sqrt{2\log(1/\delta)}\right)"
    ),
    proved_text=prose(r"""
        With probability $1 - 3\delta$, for every $m$, $N$, $q$, $d$, every loss with values in $[0,
        B]$, and $R^2 = E|x|^2$; in expectation $LCR\,\sigma(q)(2/\sqrt N + 1/\sqrt m)$. Neither the
        dimension nor a term in $|V(0)|$ is needed. In the paper's shape the last term is
        $\frac{LC\,M_\delta}{\sqrt m}(1 + \sqrt{2\log(1/\delta)})$ with $M_\delta =
        4R\sqrt{d_{\mathcal M}\log^+(2D\sqrt d/R) + \log(2mq/\delta)}$, and the probability $1 -
        4\delta$.
        """),
    flaw=prose(r"""
        Over $\mathcal F$. The condition on $m$ can be empty: for two inputs at distance
        $\delta/((q+1)\sqrt d)$ its right side is 0, yet one unit is farther from $\mathcal F$ than
        the bound with probability 0.575. McDiarmid's inequality is applied in the weights with
        differences $2/N$, but a new weight changes the class: the supremum moves by a multiple of
        $1/\sqrt N$ on the average. With the minimum over $\hat{\mathcal F}$ the last term has no
        purpose. The factors and the levels of confidence change between the lines, and $C'$ and $c$
        have no values.
        """),
    proof=prose(r"""
        Let $f \in \mathcal F$ and $\tilde f$ its nearest function in $\hat{\mathcal F}$, which
        depends on the weights only. The excess is at most $G + L\|\tilde f - f\|$ with $G =
        \sup_{\hat{\mathcal F}}(\mathcal E - \hat{\mathcal E}) + (\hat{\mathcal E} - \mathcal
        E)(\tilde f)$. Given the weights, one sample moves $G$ by at most $2B/N$ (McDiarmid), and
        $EG \le 2L\,\mathcal R_N$ by contraction without absolute values, where $\mathcal R_N \le
        \frac{C}{\sqrt N}\frac1m\sum_\ell \|\phi(\cdot, W^\ell)\|$. This average is a $R/\sqrt
        m$-Lipschitz function of Gaussian weights with mean at most $\sigma(q)R$, and so
        concentrates. The distance is Lemma 3 (maxout.lemma-3). Three events of probability
        $\delta$. Over the box take its best function for $\tilde f$: two events and no distance. If
        $D\sqrt d \ge 1$ and $d_{\mathcal M} \ge 1$, the printed condition with $C' = 2$ gives $m
        \ge 2\log(1/\delta)$, so that the root in the first term is at most $1 \le \sigma(q)$: the
        printed display.
        """),
    note=prose("""
        Excess risks are drawn where everything is exact: finitely many inputs and a ramp loss that
        stays in its linear part.
        """),
    checks=(
        Check(form="printed", name="over the box, as stated", run=over_the_box),
        Check(form="printed", name="the condition on m", run=flaws.printed_condition),
        Check(form="printed", name="McDiarmid in the weights", run=flaws.bounded_difference),
        Check(form="proved", name="dimension-free", run=dimension_free),
        Check(form="proved", name="paper's shape", run=paper_shape),
        Check(form="proved", name="in expectation", run=in_expectation),
        Check(form="proved", name="which shape is smaller", run=smaller),
        Check(form="proved", name="worlds where it is tight", run=tight),
        Check(form="proved", name="worlds where it is tight, paper's shape", run=tight_paper),
    ),
)
