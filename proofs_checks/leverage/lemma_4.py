"""Lemma 4: errors of leverage scores are bounded by the error of their Gram matrix G.

G is that of a pool, tau = diag G (G + ridge)^-1 are the scores. Estimated from rows, G + ridge is
within factors 1 -+ Delta, the `spread`. Shahrampour and Kolouri (2019) bound errors of tau in two
steps, restored from words: the first is compared with errors in draws, the last with the first, of
which it loses most where the smallest eigenvalue of G is small.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.statements import Context, Evidence, check

from .._comparisons import compute
from ._instances import Waves, scores_of, spread_of

_RIDGE = 0.05
_ROUNDING = 1e-9
Bound = Callable[[float, Any], Any]


def in_between(spread: float, tau: Any) -> Any:
    """Bound errors of scores, first step: Delta/(1 - Delta) ridge [(G + ridge)^-1]_ii."""
    return spread / (1 - spread) * (1 - tau)


def _ratios(context: Context, bound: Bound) -> tuple[Any, Any, float]:
    """Return the largest error over its bound, the draws' spreads, largest first over last step."""
    worst, spreads, ends = 0.0, [], []
    for size in (6, 16):
        waves = Waves(context.rng(f"pool {size}"), size)
        tau = waves.scores(_RIDGE)
        smallest = float(np.linalg.eigvalsh(waves.gram)[0])
        rng = context.rng(f"rows {size}")
        for rows in (100, 400, 1600):
            for _ in range(20 if context.quick else 1000):
                estimate = waves.estimated_gram(rng, rows)
                spread = spread_of(waves.gram, estimate, _RIDGE)
                if spread >= 0.5:
                    continue
                gaps = np.abs(scores_of(estimate, _RIDGE) - tau)
                worst = max(worst, float(np.max(gaps / bound(spread, tau))))
                spreads.append(spread)
                last = 2 * spread * _RIDGE / (smallest + _RIDGE)
                ends.append(float(np.max(in_between(spread, tau))) / last)
    return worst, spreads, max(ends)


@check("leverage.lemma-4", form="restored", name="scores from the spread")
def scores(context: Context, *, bound: Bound = in_between) -> Evidence:
    """Compare the errors of all scores with the bound, draw by draw."""
    worst, spreads, _ = _ratios(context, bound)
    claim = (
        r"$|\hat\tau_i-\tau_i| \le \frac\Delta{1-\Delta}\lambda[(G+\lambda)^{-1}]_{ii}$ at the "
        rf"$\Delta$ that was drawn: largest share of the bound, {len(spreads)} draws with "
        r"$\Delta < \frac12$"
    )
    return compute(claim, worst, _ROUNDING, upper=1.0)


@check("leverage.lemma-4", form="restored", name="the last step")
def last_step(context: Context, *, factor: float = 1.0) -> Evidence:
    """Compare the first step's bound with the last one's."""
    _, _, end = _ratios(context, in_between)
    end *= factor
    claim = (
        r"$\frac\Delta{1-\Delta}\lambda[(G+\lambda)^{-1}]_{ii} \le "
        r"\frac{2\Delta\lambda}{\lambda_{\min}(G)+\lambda}$ for $\Delta \le \frac12$: largest "
        "ratio"
    )
    return compute(claim, end, _ROUNDING, upper=1.0)
