"""Corollary 5: how wrong leverage scores and probabilities are if estimated from N_0 rows.

G is the Gram matrix of a pool of M_0 features, tau = diag G (G + ridge)^-1 are their scores, d is
their sum, q = tau/d the probabilities of a draw. Shahrampour and Kolouri (2019) bound errors of q
by Delta, the relative error of G, and its smallest eigenvalue; ours, of tau and q, need no
eigenvalue. They are compared with estimates from drawn rows, and in instances of exact chances.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.bounds import Bound
from mehler.bounds import leverage as bounds
from mehler.statements import Context, Evidence, Plot, check

from .._comparisons import Case, compare_instances, compare_with_bounds, compute
from . import _instances as extremal
from . import _published
from ._instances import Waves, pool, scores_of
from .theorem_2 import ENOUGH, plot_over_rows

_RIDGE, _DELTA, _BOUND = 0.05, 0.2, 2**0.5
Error = Callable[..., Bound]
# For features of at most the root of 2.
corollary_5: Error = functools.partial(_published.corollary_5, feature_bound=_BOUND)


def _draws(context: Context) -> tuple[Waves, list[tuple[int, list[Any]]]]:
    """Return a pool of features, and draws of their scores, diag G (G + ridge)^-1, by N_0 rows."""
    waves = Waves(context.rng("pool"), 16)
    n = 200 if context.quick else 20_000
    scores_by_rows = []
    for rows in ENOUGH[:1] if context.quick else ENOUGH:
        rng = context.rng(f"rows {rows}")
        scores_by_rows.append((rows, [waves.estimated(rng, rows, _RIDGE) for _ in range(n)]))
    return waves, scores_by_rows


def _probabilities(context: Context, claim: str, error: Any) -> Evidence:
    waves, scores_by_rows = _draws(context)
    tau = waves.scores(_RIDGE)
    d = float(tau.sum())
    cases = []
    for rows, scores in scores_by_rows:
        gaps = [float(np.abs(t / t.sum() - tau / d).sum()) for t in scores]
        cases.append(
            Case(draws=gaps, bound=error(rows, waves, d), where={"N_0": rows, "ridge": _RIDGE})
        )
    n_features = sum(16 * len(scores) for _, scores in scores_by_rows)
    return compare_with_bounds(claim, cases, context.false_alarm, n_features=n_features)


@check("leverage.corollary-5", form="restored", name="Corollary 5", pays=True)
def restored(context: Context, *, error: Callable[..., Bound] = corollary_5) -> Evidence:
    """Compare errors of q with the paper's bound, restored from its words."""

    def at(rows: int, waves: Waves, d: float) -> Bound:
        smallest = float(np.linalg.eigvalsh(waves.gram)[0])
        return error(rows, smallest=smallest, ridge=_RIDGE, degrees_of_freedom=d, delta=_DELTA)

    return _probabilities(
        context,
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


@check("leverage.corollary-5", form="proved", name="Corollary 5, unequal scores")
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
    claim = (
        "Corollary 5 promises less than 0.25 where probabilities differ by a factor of "
        rf"{tau.max() / tau.min():.1f}: $N_0 = 10^8$ rows buy a small $\Delta$"
    )
    return compute(claim, bound, 1e-9, relative=True, upper=0.25, method="formulas, evaluated")


@check("leverage.corollary-5", form="proved", name="probabilities from rows", pays=True)
def probabilities(context: Context, *, error: Error = bounds.probability_error) -> Evidence:
    """Compare errors of q with our bound, without the smallest eigenvalue."""

    def at(rows: int, waves: Waves, d: float) -> Bound:
        return error(
            rows,
            pool_size=waves.k.size,
            ridge=_RIDGE,
            degrees_of_freedom=d,
            delta=_DELTA,
            feature_bound=_BOUND,
        )

    return _probabilities(
        context,
        r"$\sum_i|\hat q_i - q_i| \le 2\Delta'(M_0-d)/d$ fails with probability at most $\delta$",
        at,
    )


@check("leverage.corollary-5", form="proved", name="scores from rows", pays=True)
def scores(context: Context, *, error: Error = bounds.score_error) -> Evidence:
    """Compare errors of single scores with our bound."""
    waves, scores_by_rows = _draws(context)
    tau = waves.scores(_RIDGE)
    sizes = {
        "ridge": _RIDGE,
        "degrees_of_freedom": float(tau.sum()),
        "delta": _DELTA,
        "feature_bound": _BOUND,
    }
    cases = [
        Case(
            draws=[float(np.max(np.abs(t - tau) / (1 - tau))) for t in sample],
            bound=error(rows, **sizes),
            where={"N_0": rows},
        )
        for rows, sample in scores_by_rows
    ]
    claim = (
        r"$|\hat\tau_i-\tau_i| \le \Delta'(1-\tau_i)$ for all $i$ fails with probability at "
        r"most $\delta$"
    )
    n_features = sum(16 * len(sample) for _, sample in scores_by_rows)
    plots = (_plot(context, waves, sizes),)
    return compare_with_bounds(
        claim, cases, context.false_alarm, n_features=n_features, plots=plots
    )


@check("leverage.corollary-5", form="proved", name="uniform at a small ridge")
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
    claim = (
        r"$\frac{1}{1+\varepsilon} \le M_0q_i \le 1+\varepsilon$ whenever $\lambda \le "
        r"\varepsilon\lambda_{\min}(G)$: largest $|\log M_0q_i|/\log(1+\varepsilon)$"
    )
    return compute(claim, worst, 1e-9, upper=1.0)


def _plot(context: Context, waves: Waves, sizes: dict[str, float]) -> Plot:
    rng, n = context.rng("plot"), 20 if context.quick else 1000
    tau = waves.scores(_RIDGE)

    def largest(rows: int) -> float:
        return float(np.max(np.abs(waves.estimated(rng, rows, _RIDGE) - tau) / (1 - tau)))

    return plot_over_rows(
        "Scores from rows: bound and observation",
        "largest error over 1 minus the score",
        (250, 500, 1000, 2000, 4000, 8000),
        lambda rows: [largest(rows) for _ in range(n)],
        lambda rows: bounds.score_error(rows, **sizes),
        "The bound is vacuous below some number of rows, and loose above it.",
    )


@check("leverage.corollary-5", form="proved", name="scores, where it is tight")
def tight_scores(context: Context, *, error: Error = bounds.score_error) -> Evidence:
    """Compare the error of one score where it is nearest to its bound."""
    return compare_instances("error of one score over one minus it", *extremal.one_score(error))


@check("leverage.corollary-5", form="proved", name="probabilities, where it is tight")
def tight_probabilities(context: Context, *, error: Error = bounds.probability_error) -> Evidence:
    """Compare the errors of two probabilities where they are nearest to their bound."""
    return compare_instances(
        "sum of the errors of two probabilities", *extremal.two_probabilities(error)
    )
