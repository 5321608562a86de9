"""Theorem 1 and Corollary 5: risk with estimated scores, at fixed and at free Delta."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.bounds import Bound, Term
from mehler.bounds import leverage as bounds
from mehler.statements import RESTORED_HOLDS, Check, Context, Evidence, Plot, Series, Statement

from .._dedent import prose
from .._violations import Case, hold_bounds
from .._worlds import hold_worlds
from . import _tight_worlds as worlds
from ._cosine_pool import Waves, scores_of
from ._enumerate_draws import pool
from .theorem_2 import ENOUGH

_RIDGE, _DELTA, _BOUND = 0.05, 0.2, 2**0.5
Error = Callable[..., Bound]


def corollary_5(
    n_samples: int,
    *,
    smallest: float,
    ridge: float,
    degrees_of_freedom: float,
    delta: float,
    feature_bound: float = _BOUND,
) -> Bound:
    """Compute 4 Delta ridge/lambda_min, Delta from the number of rows."""
    spread = bounds.score_error(
        n_samples,
        ridge=ridge,
        degrees_of_freedom=degrees_of_freedom,
        delta=delta,
        feature_bound=feature_bound,
    ).value
    error = spread / (1 + spread)
    return Bound(
        statement="leverage.theorem-1",
        form="printed",
        quantity="sum of errors of the probabilities",
        terms=(Term("estimation", 4 * error * ridge / smallest),),
        probability=1 - delta,
    )


def _draws(context: Context) -> tuple[Waves, list[tuple[int, list[Any]]]]:
    """Return a pool, and scores estimated from N_0 rows, again and again."""
    world = Waves(context.rng("pool"), 16)
    n = 200 if context.quick else 20_000
    found = []
    for rows in ENOUGH[:1] if context.quick else ENOUGH:
        rng = context.rng(f"rows {rows}")
        found.append((rows, [world.estimated(rng, rows, _RIDGE) for _ in range(n)]))
    return world, found


def _probabilities(context: Context, form: Any, check: str, claim: str, error: Any) -> Evidence:
    context.ledger.spend(f"{STATEMENT.id}: {check}", context.false_alarm)
    world, found = _draws(context)
    tau = world.scores(_RIDGE)
    d = float(tau.sum())
    cases = []
    for rows, drawn in found:
        off = [float(np.abs(t / t.sum() - tau / d).sum()) for t in drawn]
        cases.append(
            Case(drawn=off, bound=error(rows, world, d), where={"N_0": rows, "ridge": _RIDGE})
        )
    return hold_bounds(
        cases,
        form=form,
        claim=claim,
        false_alarm=context.false_alarm,
        n_features=sum(16 * len(drawn) for _, drawn in found),
    )


def restored(context: Context, *, error: Callable[..., Bound] = corollary_5) -> Evidence:
    """Hold errors of the probabilities against Corollary 5."""

    def at(rows: int, world: Waves, d: float) -> Bound:
        smallest = float(np.linalg.eigvalsh(world.gram)[0])
        return error(rows, smallest=smallest, ridge=_RIDGE, degrees_of_freedom=d, delta=_DELTA)

    return _probabilities(
        context,
        "restored",
        "Corollary 5",
        r"$\sum_i|\hat q_i - q_i| \le 4\Delta\lambda/\lambda_{\min}(G)$ fails with probability at "
        r"most $\delta$, with the $\Delta$ that so many rows buy",
        at,
    )


def two_sizes() -> tuple[Any, float]:
    """Return eigenvalues of G for ten orthogonal features of two sizes, and a ridge.

    Cosines of ten frequencies, five of them divided by 10: |phi|^2 is 1/2 or 1/200. The ridge is
    nine times the smaller eigenvalue, and below the larger one, the norm of G.
    """
    gram = np.repeat([0.5, 0.005], 5) / 10
    return gram, float(9 * gram.min())


def far_from_plain(context: Context, *, rows: int = 10**8) -> Evidence:
    """Evaluate Corollary 5 where probabilities differ by a factor of 9, with many rows."""
    gram, ridge = two_sizes()
    tau = gram / (gram + ridge)
    bound = corollary_5(
        rows,
        smallest=float(gram.min()),
        ridge=ridge,
        degrees_of_freedom=float(tau.sum()),
        delta=0.05,
        feature_bound=1.0,
    ).value
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            "Corollary 5 promises less than 0.25 where probabilities differ by a factor of "
            rf"{tau.max() / tau.min():.1f}: $N_0 = 10^8$ rows buy a small $\Delta$"
        ),
        observed=bound,
        interval=(bound * (1 - 1e-9), bound * (1 + 1e-9)),
        upper=0.25,
        method="formulas, evaluated",
    )


def probabilities(context: Context, *, error: Error = bounds.probability_error) -> Evidence:
    """Hold errors of the probabilities against the bound without the smallest eigenvalue."""

    def at(rows: int, world: Waves, d: float) -> Bound:
        return error(
            rows,
            pool_size=world.k.size,
            ridge=_RIDGE,
            degrees_of_freedom=d,
            delta=_DELTA,
            feature_bound=_BOUND,
        )

    return _probabilities(
        context,
        "proved",
        "probabilities from rows",
        r"$\sum_i|\hat q_i - q_i| \le 2\Delta'(M_0-d)/d$ fails with probability at most $\delta$",
        at,
    )


def scores(context: Context, *, error: Error = bounds.score_error) -> Evidence:
    """Hold errors of single scores against their bound."""
    context.ledger.spend(f"{STATEMENT.id}: scores from rows", context.false_alarm)
    world, found = _draws(context)
    tau = world.scores(_RIDGE)
    known = {
        "ridge": _RIDGE,
        "degrees_of_freedom": float(tau.sum()),
        "delta": _DELTA,
        "feature_bound": _BOUND,
    }
    cases = [
        Case(
            drawn=[float(np.max(np.abs(t - tau) / (1 - tau))) for t in drawn],
            bound=error(rows, **known),
            where={"N_0": rows},
        )
        for rows, drawn in found
    ]
    return hold_bounds(
        cases,
        form="proved",
        claim=(
            r"$|\hat\tau_i-\tau_i| \le \Delta'(1-\tau_i)$ for all $i$ fails with probability at "
            r"most $\delta$"
        ),
        false_alarm=context.false_alarm,
        n_features=sum(16 * len(drawn) for _, drawn in found),
        plots=(_plot(context, world, known),),
    )


def uniform(context: Context, *, factor: float = 1.0) -> Evidence:
    """Compute scores where the ridge is small against the smallest eigenvalue."""
    rng = context.rng("small ridges")
    worst = 0.0
    for size in (3, 5, 8) * (4 if context.quick else 200):
        phi = pool(rng, 40, size, spread=3.0)
        gram = phi.T @ phi / (40 * size)
        smallest = float(np.linalg.eigvalsh(gram)[0])
        for eps in (1.0, 0.3, 0.05):
            tau = scores_of(gram, factor * eps * smallest)
            ratio = np.abs(np.log(size * tau / tau.sum())).max() / np.log1p(eps)
            worst = max(worst, float(ratio))
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"$\frac{1}{1+\varepsilon} \le M_0q_i \le 1+\varepsilon$ whenever $\lambda \le "
            r"\varepsilon\lambda_{\min}(G)$: largest $|\log M_0q_i|/\log(1+\varepsilon)$"
        ),
        observed=worst,
        interval=(worst - 1e-9, worst + 1e-9),
        upper=1.0,
        method="computed, with its rounding",
    )


def _plot(context: Context, world: Waves, known: dict[str, float]) -> Plot:
    counts = np.array([250, 500, 1000, 2000, 4000, 8000])
    n = 20 if context.quick else 1000
    tau = world.scores(_RIDGE)
    rng = context.rng("plot")
    seen = [
        np.quantile(
            [
                np.max(np.abs(world.estimated(rng, int(rows), _RIDGE) - tau) / (1 - tau))
                for _ in range(n)
            ],
            1 - _DELTA,
        )
        for rows in counts
    ]
    promised = np.array([bounds.score_error(int(rows), **known).value for rows in counts])
    some = np.isfinite(promised)
    x = np.log10(counts)
    return Plot(
        title="Scores from rows: bound and observation",
        x_label="log10 of the number of rows",
        y_label="log10 of the largest error over 1 minus the score",
        series=(
            Series(label="bound", x=x[some], y=np.log10(promised[some])),
            Series(label="80 % quantile", x=x, y=np.log10(seen)),
        ),
        caption="The bound promises nothing below some number of rows, and is loose above it.",
    )


def tight_scores(context: Context, *, error: Error = bounds.score_error) -> Evidence:
    """Hold the error of one score where it is nearest to its bound."""
    return hold_worlds(
        [*worlds.one_score(error)], form="proved", claim="error of one score over one minus it"
    )


def tight_probabilities(context: Context, *, error: Error = bounds.probability_error) -> Evidence:
    """Hold the errors of two probabilities where they are nearest to their bound."""
    return hold_worlds(
        [*worlds.two_probabilities(error)],
        form="proved",
        claim="sum of the errors of two probabilities",
    )


STATEMENT = Statement(
    id="leverage.theorem-1",
    source="Shahrampour, Kolouri (2019), Theorem 1 and Corollary 5",
    place=prose(
        "Section III, Theorem 1, and Section VI-B, Corollary 5; our copy, lines 251 to 265 and 423 "
        "to 439, without the formulas"
    ),
    copy="lost",
    hypotheses=prose(r"""
        Features of absolute value at most 1; a loss that is Lipschitz in the prediction (for the
        theorem); independent rows; $\lambda \le \|G\|$; $0 < \Delta \le \frac12$, any one that the
        number of rows buys. The checks have $\sqrt2\cos$ at $\lambda$, which are $\cos$ at
        $\lambda/2$.
        """),
    title="Theorem 1: what estimated scores promise (the verdict is Corollary 5's)",
    expected=RESTORED_HOLDS,
    ground=prose("""
        Corollary 5 alone is checked: errors of the probabilities in draws of rows, where the Gram
        is known. The theorem's own bound has no legible constant, and its proof is cut off.
        """),
    printed=(
        r"E R(\hat f) - \min_{F_K}R \le E_1 + E_2 + E_3, \quad E_3 \ni E_\omega\frac{\Delta\lambda}"
        r"{\lambda_{\min}(G)}, \qquad \sum_i|\hat q_i - q_i| \le "
        r"\frac{4\Delta\lambda}{\lambda_{\min}(G)}"
    ),
    printed_text=prose("""
        The third error term pays for scores that are estimated; it comes from Corollary 5 on the
        right.
        """),
    proved=(
        r"|\hat\tau_i - \tau_i| \le \Delta'(1-\tau_i), \quad \sum_i|\hat q_i - q_i| \le "
        r"2\Delta'\frac{M_0-d}{d}, \quad \Delta' = \frac{\Delta}{1-\Delta}; \qquad "
        r"\lambda \le \varepsilon\lambda_{\min}(G) \Rightarrow "
        r"\frac{1}{1+\varepsilon} \le M_0q_i \le 1+\varepsilon"
    ),
    proved_text=prose(r"""
        The errors of scores without the smallest eigenvalue; and what a bound with it asks for. At
        fixed $\Delta$ it is small only where sampling by scores is nearly plain sampling. But
        $\Delta$ is free, at the cost of rows: it is as small as one likes for $N_0$ of the order of
        $\Delta^{-2}$.
        """),
    proof=prose(r"""
        With $(1-\Delta)(G+\lambda) \le \hat G+\lambda \le (1+\Delta)(G+\lambda)$, from the matrix
        Bernstein inequality, $\hat\tau_i-\tau_i = \lambda[(G+\lambda)^{-1} - (\hat
        G+\lambda)^{-1}]_{ii}$ lies between $-\Delta'$ and $\Delta'$ times $1-\tau_i$, whose sum is
        $M_0-d$. If $\lambda \le \varepsilon\lambda_{\min}$, all $\tau_i$ lie in
        $[1/(1+\varepsilon), 1)$, so their ratios to the mean are within $1+\varepsilon$.
        """),
    note=prose("""
        The verdict is that of Corollary 5, not of the theorem. With probabilities that differ
        9-fold and $N_0 = 10^8$ rows it promises 0.238; with $10^6$ rows it exceeds 2, which the sum
        never does. For a bound that does not need the smallest eigenvalue, from the pool to the
        test risk, see `mehler.bounds.leverage.risk`.
        """),
    checks=(
        Check(form="restored", name="Corollary 5", run=restored),
        Check(form="proved", name="Corollary 5, unequal scores", run=far_from_plain),
        Check(form="proved", name="probabilities from rows", run=probabilities),
        Check(form="proved", name="scores from rows", run=scores),
        Check(form="proved", name="uniform at a small ridge", run=uniform),
        Check(form="proved", name="scores, where it is tight", run=tight_scores),
        Check(form="proved", name="probabilities, where it is tight", run=tight_probabilities),
    ),
)
