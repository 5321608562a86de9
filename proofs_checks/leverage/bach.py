"""Proposition 6 (Bach): features sufficient for the whole ball, by leverage or plain sampling."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from mehler.bounds import leverage as bounds
from mehler.statements import RESTORED_HOLDS, Check, Context, Evidence, Plot, Series, Statement
from mehler.verify import intervals

from .._dedent import prose
from .._violations import Case, hold_bounds
from ._circle import Circle

_DELTA = 0.05
_ROUNDING = 1e-9
Features = Callable[..., int]


def cases(context: Context, form: Any, features: Features) -> list[Case]:
    """Return the errors at the promised number of features, by leverage and plainly."""
    world = Circle()
    n = 1000 if context.quick else 20_000
    found = []
    # The library calls the paper's formula, wherever it comes from, the printed one.
    called: Literal["printed", "proved"] = "printed" if form == "restored" else "proved"
    for ridge in (1e-2, 1e-3) if context.quick else (1e-1, 1e-2, 1e-3, 1e-4):
        d = world.degrees(ridge)
        for name, law in (("leverage", world.best(ridge)), ("plain", world.law)):
            ratio = max(world.ratio(ridge, law), d)
            m = features(degrees_of_freedom=d, largest_ratio=ratio, delta=_DELTA, form=called)
            bound = dataclasses.replace(
                bounds.approximation(m, ridge=ridge, degrees_of_freedom=d, form=called),
                probability=1 - _DELTA,
            )
            rng = context.rng(f"{form} {name} {ridge}")
            found.append(
                Case(
                    drawn=world.errors(rng, law, m, ridge, n) * (1 - _ROUNDING),
                    bound=bound,
                    where={"ridge": ridge, "law": name, "M": m},
                )
            )
    return found


def _held(context: Context, form: Any, features: Features, plots: Any = ()) -> Evidence:
    check = f"errors at the {form} number"
    context.ledger.spend(f"{STATEMENT.id}: {check}", context.false_alarm)
    found = cases(context, form, features)
    return hold_bounds(
        found,
        form=form,
        claim=(
            r"with that many features, by leverage or plainly, the error of the ball exceeds "
            r"$4\lambda$ with probability at most $\delta$ (waves on a circle)"
        ),
        false_alarm=context.false_alarm,
        n_features=max(case.where["M"] * case.drawn.size for case in found),
        plots=plots,
    )


def restored(context: Context, *, features: Features = bounds.approximation_features) -> Evidence:
    """Draw Bach's number of features."""
    return _held(context, "restored", features)


def proved(context: Context, *, features: Features = bounds.approximation_features) -> Evidence:
    """Draw the smaller number that is proved here."""
    return _held(context, "proved", features, (_plot(context),))


def fewer(context: Context, *, law: Callable[[Circle, float], Any] = Circle.best) -> Evidence:
    """Draw 137 features by leverage and plainly."""
    ridge, m = 1e-3, 137
    n = 4000 if context.quick else 100_000
    context.ledger.spend(f"{STATEMENT.id}: fewer features", context.false_alarm)
    world = Circle()
    share = context.false_alarm / 2
    found = []
    for name, drawn in (("leverage", law(world, ridge)), ("plain", world.law)):
        reached = world.errors(context.rng(f"fewer {name}"), drawn, m, ridge, n) <= 4 * ridge
        found.append((reached.mean(), *intervals.binomial(int(reached.sum()), n, share)))
    (a, a_low, a_high), (b, b_low, b_high) = found
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"at $\lambda = 10^{-3}$ and $M = 137$, the share of draws that reach $4\lambda$ is "
            "larger by leverage than by plain sampling by at least 1/2"
        ),
        observed=a - b,
        interval=(a_low - b_high, a_high - b_low),
        lower=0.5,
        false_alarm=context.false_alarm,
        n_features=2 * m * n,
        method=f"two Clopper-Pearson intervals, {n} draws each",
        assumptions=("draws are independent",),
    )


def features_needed(rng: np.random.Generator, world: Circle, law: Any, ridge: float, n: int) -> int:
    """Return the least number on a grid of steps of 2 % at which 95 % of n draws reach 4 ridge."""
    m = 8.0
    while True:
        reached = world.errors(rng, law, int(m), ridge, n) <= 4 * ridge
        if reached.mean() >= 0.95:
            return int(m)
        m = max(m * 1.02, m + 1)


def _plot(context: Context) -> Plot:
    world, ridge = Circle(), 1e-3
    counts = np.array([25, 50, 75, 100, 137, 200, 300, 400, 463, 600, 800])
    n = 500 if context.quick else 20_000
    series = []
    for name, law in (("by leverage", world.best(ridge)), ("plain", world.law)):
        rng = context.rng(f"plot {name}")
        share = [np.mean(world.errors(rng, law, int(m), ridge, n) <= 4 * ridge) for m in counts]
        series.append(Series(label=name, x=np.log10(counts), y=np.asarray(share)))
    d = world.degrees(ridge)
    promised = bounds.approximation_features(degrees_of_freedom=d, delta=_DELTA)
    at = np.log10([promised, promised])
    series.append(Series(label="promised, by leverage", x=at, y=np.array([0.0, 0.95])))
    return Plot(
        title="Circle, ridge 1e-3: share of draws that reach the whole ball to 4 ridge",
        x_label="log10 of the number of features",
        y_label="share of draws",
        series=tuple(series),
        caption=(
            f"{d:.1f} degrees of freedom: 95 % need about 140 features by leverage and 460 by "
            f"plain sampling; {promised} are promised. Plain sampling needs as many as it takes "
            "to meet the rarest wave that matters."
        ),
    )


STATEMENT = Statement(
    id="leverage.bach",
    source="Shahrampour, Kolouri (2019), Proposition 6, after Bach (2017)",
    place=prose(
        "Section VI-C, Proposition 6, equation (21); our copy, lines 453 to 461, without the "
        "formulas"
    ),
    copy="lost",
    hypotheses=prose(r"""
        Independent features of density $q$ with respect to the base law, the optimised one in the
        proposition; $0 < \delta < 1$, $\lambda > 0$. Eigenvalues 0 are allowed (line 461).
        """),
    title="Features that reach the whole ball of the kernel's space",
    expected=RESTORED_HOLDS,
    ground=prose("""
        Waves on a circle with a Gaussian spectrum, drawn by leverage and plainly, where the error
        of the whole ball is in closed form.
        """),
    printed=(
        r"M \ge 5D\log\frac{16d}{\delta} \;\Rightarrow\; P\left(\sup_{\|f\|_H\le1}"
        r"\inf_{\|\beta\|^2\le4/M}\left\|f - \sum_m\beta_mq_m^{-1/2}\phi_m\right\|^2 \le 4\lambda"
        r"\right) \ge 1-\delta, \qquad D = \sup\frac{s_\lambda}{q}"
    ),
    printed_text=prose(r"""
        That many independent features of density $q$ come near every function of the unit ball,
        with small weights. Sampled by leverage, $D = d(\lambda)$; plainly, $D = \sup s_\lambda$.
        """),
    proved=(
        r"M \ge \frac{32}{9}\left(D + \frac14\right)\log\frac{8d}{\delta} \;\Rightarrow\; "
        r"P\left(\sup_{\|f\|_H\le1}\min_\beta\left\|f - \sum_m\beta_mq_m^{-1/2}\phi_m\right\|^2 "
        r"+ M\lambda\|\beta\|^2 \le 4\lambda\right) \ge 1-\delta"
    ),
    proved_text=prose(r"""
        About two thirds of the features, error and weights bounded together, and no condition on
        $\lambda$.
        """),
    proof=prose(r"""
        With $v_m = (\Sigma+\lambda)^{-1/2}\phi_mq_m^{-1/2}$ and $B = E\,vv^* =
        \Sigma(\Sigma+\lambda)^{-1}$, the operators $(B - v_mv_m^*)/M$ are at most $1/M$ and have
        squares of mean at most $DB/M^2$. By the matrix Bernstein inequality with intrinsic
        dimension their sum is below $3/4$ with probability $1-\delta$, so $\hat\Sigma + \lambda \ge
        (\Sigma+\lambda)/4$; and the minimum is $\lambda\langle f, (\hat\Sigma+\lambda)^{-1}f
        \rangle \le 4\lambda\langle f, (\Sigma+\lambda)^{-1}f\rangle \le 4\lambda$.
        """),
    note=prose(r"""
        The gain is in the number of features that are kept: to know the scores costs as much as
        solving with the whole pool. It needs a fixed kernel, $M \ge 2d$, and $\sup s_\lambda$ far
        above $d$; the page of this statement has measurements of where it does not pay.
        """),
    checks=(
        Check(form="restored", name="errors at the restored number", run=restored),
        Check(form="proved", name="errors at the proved number", run=proved),
        Check(form="proved", name="fewer features", run=fewer),
    ),
)
