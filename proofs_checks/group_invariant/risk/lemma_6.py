"""Lemma 6: the largest difference of true and empirical risk over all small weights.

Mroueh, Voinea and Poggio (2015) bound it, with probability 1 - delta over N samples, for sums of
group-invariant features of m random vectors with weights of at most C/m, and a loss of Lipschitz
constant L; [-s, s] is the features' window. The bound, lost in our text and restored as that of
functions of at most C, is refuted by an instance. Ours, with s C, and the *Rademacher complexity*
in it, E sup |mean of random signs times f(x_i)|, are compared with draws on permuted sequences.
"""

import math
from typing import Any

import numpy as np
from scipy.stats import binom

from mehler import GroupInvariantFeatures
from mehler.bounds import Bound, Term
from mehler.features.groups import SignFlips
from mehler.statements import Context, Evidence, check
from mehler.verify import intervals

from ..._comparisons import Case, compare_ratios, compare_with_bounds, compute
from .._shared import unit_rows
from .._tokens import BINS, WINDOW, fitted

_DELTA = 0.05
_SETTINGS = ((10, 50), (30, 200))
# Few samples, so that draws vary little about their mean.
_SMALL = ((10, 10), (30, 20))
_COINS = 10_000


@check("group-invariant.lemma-6", form="restored", name="labels by a coin")
def coins(context: Context, *, delta: float = 1e-15) -> Evidence:
    """Compute how often the restored bound fails: equal weights, labels by a coin."""
    s, n = 1.99, 8
    options: Any = {"n_templates": 5, "n_bins": n, "rule": "paper", "templates": "redraw"}
    options |= {"epsilon": s - 1, "window": s, "seed": context.seed_for("coins")}
    phi = GroupInvariantFeatures.draw(2, group=SignFlips(2), **options)
    # C = 1: all weights 1/m. With x the group has -x, so that this is the same at every row.
    reached = phi(unit_rows(context, 3, 2)) @ np.full(phi.n_features, math.sqrt(s / n / 5))
    largest = float(reached.min())
    # V(u) = max(0, V(0) - u), V(0) the function's value: not negative, and linear where it matters.
    limit = (4 * s + 2 * largest + math.sqrt(0.5 * math.log(1 / delta))) / math.sqrt(_COINS)
    heads = math.floor(0.5 * _COINS * (1 + limit / largest))
    chance = 2 * float(binom.sf(heads, _COINS, 0.5))
    claim = (
        rf"$V(u) = \max(0, V(0) - u)$, $y$ a coin, $s = {s}$, $n = {n}$, $N = {_COINS}$: "
        "the risks differ by more than the bound with probability at most "
        rf"$\delta$ = {delta:g}"
    )
    method = "binomial distribution, with its rounding"
    return compute(claim, chance, chance * 1e-9, upper=delta, method=method)


@check("group-invariant.lemma-6", form="proved", name="Rademacher complexity", pays=True)
def rademacher(context: Context, *, window: float = WINDOW) -> Evidence:
    """Compare the mean Rademacher complexity with 2 s C over the root of N."""
    n_draws = 400 if context.quick else 20_000
    rows = []
    for m, n in _SMALL:
        averages = fitted(context, m, n, n_draws).rademacher * math.sqrt(n) / (2 * window)
        # One sample moves the supremum by 4 s/N at most, one template by 2 s/m: Efron and Stein.
        variance = (WINDOW / window) ** 2 * (1 + n / (4 * m))
        rate = context.false_alarm / len(_SMALL)
        low, high = intervals.known_variance(averages, variance, rate)
        rows.append((low, float(averages.mean()), high, n_draws * m * (2 * BINS + 1)))
    claim = r"$\mathfrak R_N$ over its bound $2sC/\sqrt N$"
    method = "known variance (Catoni), the variance by Efron and Stein"
    return compare_ratios(claim, rows, context.false_alarm, method=method)


def gap_bound(n: int, *, window: float = WINDOW, delta: float = _DELTA) -> Bound:
    """Bound the largest |true - empirical risk|, L = C = 1: the complexity and a deviation."""
    root = math.sqrt(n)
    return Bound(
        statement="group-invariant.lemma-6",
        form="proved",
        quantity="largest difference of true and empirical risk",
        terms=(
            Term("statistical", 4 * window / root),
            Term("confidence", 4 * window * math.sqrt(math.log(2 / delta) / (2 * n))),
        ),
        probability=1 - delta,
    )


@check("group-invariant.lemma-6", form="proved", name="largest difference of risks", pays=True)
def gaps(context: Context, *, bound: Any = gap_bound) -> Evidence:
    """Count how often true and empirical risk differ by more than the bound."""
    n_draws = 500 if context.quick else 20_000
    claim = (
        r"$\sup|\mathcal E - \hat{\mathcal E}|$ exceeds the bound with probability at most "
        r"$\delta$"
    )
    n_features = n_draws * sum(m for m, _ in _SETTINGS) * (2 * BINS + 1)
    cases = [
        Case(draws=fitted(context, m, n, n_draws).gap, bound=bound(n), where={"m": m, "N": n})
        for m, n in _SETTINGS
    ]
    return compare_with_bounds(claim, cases, context.false_alarm, n_features=n_features)
