"""Lemma 4: what approximating by m units adds to the risk."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mehler.bounds import Bound, maxout
from mehler.statements import Check, Context, Evidence, Plot, Series, Statement
from mehler.verify import intervals

from ..._dedent import prose
from ..._violations import Case, hold_bounds
from ..._worlds import hold_worlds
from . import _approximation_flaws as flaws
from . import _tight_worlds as worlds
from ._risk_cases import Draws, Setting, drawn_settings, observed_series

Bounding = Callable[..., Bound]

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


def dimension_free(context: Context, *, bound: Bounding = maxout.approximation_risk) -> Evidence:
    """Count how often the best function of the box adds more than the bound."""
    return _hold(context, bound, free_bound, "dimension-free")


def paper_shape(
    context: Context, *, bound: Bounding = maxout.approximation_risk_by_dimension
) -> Evidence:
    """Count how often it adds more than the repaired bound of the paper's shape."""
    return _hold(context, bound, paper_bound, "paper's shape")


def in_expectation(context: Context, *, bound: Bounding = maxout.approximation_risk) -> Evidence:
    """Hold the mean of what is added against L times the root mean square distance."""
    context.ledger.spend(f"{STATEMENT.id}: in expectation", context.false_alarm)
    all_draws = _draws(context)
    share = context.false_alarm / 2 / len(all_draws)
    found = []
    for draws in all_draws:
        # Where the promise is smallest.
        m = max(draws.setting.n_features)
        added = draws.drawn.best[m]
        promised = bound(n_features=m, **draws.setting.loss).value
        low, high = intervals.betting(added, -1.0, 1.0, share)
        found.append((high / promised, low / promised, added.mean() / promised, m))
    high, low, seen, m = max(found)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            "mean added risk over the bound in expectation, at most 1 (largest of "
            f"{len(found)} settings: $m = {m}$)"
        ),
        observed=seen,
        interval=(low, high),
        upper=1.0,
        false_alarm=context.false_alarm,
        n_features=m * all_draws[0].drawn.best[all_draws[0].setting.n_features[0]].size,
        method="bounded samples (betting), union bound over the settings",
        assumptions=("draws are independent",),
    )


def tight(
    context: Context,
    *,
    bound: Bounding = maxout.approximation_risk,
    by_dimension: Bounding = maxout.approximation_risk_by_dimension,
) -> Evidence:
    """Hold the bounds where they are tight: a box that falls short of where the loss ends."""

    def free(*, radius: float, **options: Any) -> Bound:
        return bound(**options)

    def covered(*, radius: float, **options: Any) -> Bound:
        return by_dimension(**options)

    return hold_worlds(
        [
            *worlds.falls_short(free, worlds.FREE[3], samples=False),
            *worlds.falls_short(covered, worlds.PAPER[3], samples=False),
            worlds.falls_short_mean(free),
        ],
        form="proved",
        claim="risk that the best function of the box adds, one input",
    )


def free_bound(bound: Bounding, draws: Draws, m: int, failure: float) -> Bound:
    """Evaluate the dimension-free lemma at a chance of failure."""
    return bound(n_features=m, delta=failure, **draws.setting.loss)


def paper_bound(bound: Bounding, draws: Draws, m: int, failure: float) -> Bound:
    """Evaluate the lemma in the paper's shape at a total chance of failure."""
    return bound(n_features=m, delta=failure / 2, **draws.law.geometry, **draws.setting.loss)


def added_cases(context: Context, evaluate: Callable[..., Bound], bound: Bounding) -> list[Case]:
    """Return a case for every setting, number of units and chance of failure."""
    return [
        Case(
            drawn=added,
            bound=evaluate(bound, draws, m, failure),
            where={"d": draws.setting.n_inputs, "q": draws.setting.pool_size, "m": m},
        )
        for draws in _draws(context)
        for m, added in draws.drawn.best.items()
        for failure in draws.setting.failure
    ]


def _hold(context: Context, bound: Bounding, evaluate: Callable[..., Bound], name: str) -> Evidence:
    context.ledger.spend(f"{STATEMENT.id}: {name}", context.false_alarm)
    cases = added_cases(context, evaluate, bound)
    return hold_bounds(
        cases,
        form="proved",
        claim="risk that the best function of the box adds to that of $f^*$, below the bound",
        false_alarm=context.false_alarm,
        n_features=max(case.where["m"] for case in cases) * cases[0].drawn.size,
        plots=(_plot(_draws(context)[0]),) if evaluate is free_bound else (),
    )


def _plot(draws: Draws, failure: float = 0.05) -> Plot:
    sizes = draws.setting.n_features
    x = [math.log10(m) for m in sizes]

    def curve(label: str, evaluate: Callable[..., Bound], bound: Bounding) -> Series:
        y = [math.log10(evaluate(bound, draws, m, failure).value) for m in sizes]
        return Series(label=label, x=x, y=y)

    return Plot(
        title="Risk that approximating adds, over the number of units",
        x_label="log10 of the number of units m",
        y_label="log10 of the added risk",
        series=(
            curve("paper's shape", paper_bound, maxout.approximation_risk_by_dimension),
            curve("dimension-free", free_bound, maxout.approximation_risk),
            observed_series(
                "95% quantile of the draws", x, [draws.drawn.best[m] for m in sizes], 1 - failure
            ),
        ),
        caption=(
            f"d = {draws.setting.n_inputs}, q = {draws.setting.pool_size}, total chance of failure "
            f"{failure:g}. In these draws errors average out in the linear part of the loss."
        ),
    )


STATEMENT = Statement(
    id="maxout.lemma-4",
    source="Mroueh, Rennie, Goel (2015), Lemma 4 (Appendix B)",
    place="Appendix B, Lemma 4; our copy, lines 404 to 412",
    hypotheses=prose(r"""
        Those of Lemma 3, and a loss from $\mathbb R$ to $[0, 1]$ that is $L$-Lipschitz, labels -1
        and 1.
        """),
    title="Lemma 4: the risk of approximation",
    expected="refuted, repaired",
    ground=prose("""
        The two points of Lemma 2 with label 1, $q = 2$ and a ramp loss that stays in its linear
        part: one unit adds more risk than the print, as good as 0, with probability 0.575.
        """),
    printed=(
        r"\mathcal E_V(\hat f) \le \mathcal E_V(f) + L C C_1\sqrt{\frac{d_{\mathcal M}"
        r"\log\frac{D\sqrt d}{\delta} + \log(q+1)}{m}}\left(1 + \sqrt{2\log(1/\delta)}\right)"
    ),
    printed_text=prose(r"""
        For each $f$ of the infinite class there is such a $\hat f$ in the box of $m$ units, with
        probability at least $1 - 2\delta - 2e^{-cd/4}$: $L$ times the bound of Lemma 3.
        """),
    proved=(
        r"\min_{\hat{\mathcal F}}\mathcal E_V - \mathcal E_V(f) \le \frac{LCR}{\sqrt m}"
        r"\left(\sigma(q) + \sqrt{2\log(1/\delta)}\right)"
    ),
    proved_text=prose(r"""
        With probability at least $1 - \delta$; in expectation $LCR\,\sigma(q)/\sqrt m$. Likewise
        $L$ times each other bound of Lemma 3.
        """),
    flaw=prose("""
        The step from the distance to the risk is right; what it starts from is not
        (maxout.lemma-3). Two near inputs of label 1: the printed bound is 0, and one unit adds risk
        with probability 0.575.
        """),
    proof=prose(r"""
        $\mathcal E_V(\hat f) - \mathcal E_V(f) \le E|V(y\hat f(x)) - V(yf(x))| \le L\,E|\hat f(x) -
        f(x)| \le L\,\|\hat f - f\|$, by the Lipschitz condition, $|y| = 1$ and Cauchy and Schwarz.
        Then Lemma 3.
        """),
    checks=(
        Check(form="printed", name="two near points", run=flaws.added_risk),
        Check(form="proved", name="dimension-free", run=dimension_free),
        Check(form="proved", name="paper's shape", run=paper_shape),
        Check(form="proved", name="in expectation", run=in_expectation),
        Check(form="proved", name="worlds where it is tight", run=tight),
    ),
)
