"""Theorem 2 and Lemma 3: distance of the Gram matrix of N_0 rows from its expectation G.

Shahrampour and Kolouri (2019) bound the relative error Delta, the least with which the matrix plus
ridge is within factors 1 -+ Delta of G + ridge. It is compared with draws of rows. They drop a term
of a logarithm, d = tr G (G + ridge)^-1, knowingly: an instance where the bound fails without it.
"""

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

from mehler.bounds import Bound
from mehler.statements import Context, Evidence, Plot, Series, check

from .._comparisons import Case, compare_with_bounds, compute
from .._plots import plot
from . import _published
from ._instances import Waves, spread_of

_RIDGE, _DELTA, _BOUND = 0.05, 0.2, 2**0.5
# Numbers N_0 whose Delta, the relative error, is at most 1/2, as required: 0.42 and 0.30.
ENOUGH = (4000, 8000)
Spread = Callable[..., Bound]
# For features of at most the root of 2.
lemma_3: Spread = functools.partial(_published.lemma_3, feature_bound=_BOUND)


@check("leverage.theorem-2", form="restored", name="the Gram of rows", pays=True)
def gram(context: Context, *, spread: Spread = lemma_3) -> Evidence:
    """Compare the relative error of drawn Gram matrices with Lemma 3's bound."""
    waves = Waves(context.rng("pool"), 16)
    d = float(waves.scores(_RIDGE).sum())
    n = 200 if context.quick else 20_000
    cases = []
    for rows in ENOUGH[:1] if context.quick else ENOUGH:
        rng = context.rng(f"rows {rows}")
        spreads = [spread_of(waves.gram, waves.estimated_gram(rng, rows), _RIDGE) for _ in range(n)]
        bound = spread(rows, ridge=_RIDGE, degrees_of_freedom=d, delta=_DELTA)
        cases.append(Case(draws=spreads, bound=bound, where={"N_0": rows}))
    claim = (
        r"$(1-\Delta)(G+\lambda) \preceq \hat G+\lambda \preceq (1+\Delta)(G+\lambda)$ fails "
        r"with probability at most $\delta$"
    )
    plots = (_plot(context, waves, d),)
    return compare_with_bounds(
        claim, cases, context.false_alarm, n_features=16 * n * len(cases), plots=plots
    )


def plot_over_rows(
    title: str,
    y_label: str,
    counts: Sequence[int],
    draw: Callable[[int], list[float]],
    bound: Callable[[int], Bound],
    caption: str,
) -> Plot:
    """Plot a bound, where it is finite, and the quantile of drawn errors over numbers of rows."""
    quantiles = [np.quantile(draw(rows), 1 - _DELTA) for rows in counts]
    promised = {rows: value for rows in counts if np.isfinite(value := bound(rows).value)}
    return plot(
        title,
        "number of rows",
        y_label,
        Series(label="bound", x=list(promised), y=list(promised.values())),
        Series(label="80% quantile", x=counts, y=quantiles),
        log="xy",
        caption=caption,
    )


def _plot(context: Context, waves: Waves, d: float) -> Plot:
    rng, n = context.rng("plot"), 15 if context.quick else 500
    return plot_over_rows(
        "The Gram of rows: bound and observation",
        "relative error",
        (500, 1000, 2000, 4000, 8000),
        lambda rows: [
            spread_of(waves.gram, waves.estimated_gram(rng, rows), _RIDGE) for _ in range(n)
        ],
        lambda rows: lemma_3(rows, ridge=_RIDGE, degrees_of_freedom=d, delta=_DELTA),
        "Both fall as the root of the number of rows; the bound begins below 1.",
    )


@check("leverage.theorem-2", form="restored", name="Lemma 3 from Theorem 2")
def unnormalised(context: Context, *, scale: float = 1.0) -> Evidence:
    """Compare the two ways to count: with and without 1/M_0."""
    waves = Waves(context.rng("pool"), 16)
    size = waves.k.size
    rng = context.rng("two ways")
    worst = 1.0
    for _ in range(5 if context.quick else 100):
        errors = waves.estimated_gram(rng, 500)
        plain = spread_of(waves.gram, errors, _RIDGE)
        large = spread_of(size * waves.gram, size * errors, scale * size * _RIDGE)
        worst = max(worst, large / plain, plain / large)
    claim = (
        r"the Gram times $M_0$ at the ridge $M_0\lambda$ has the same relative error: ratio, "
        "farthest from 1"
    )
    return compute(claim, worst, 1e-9, exact=1.0)


def of_the_source(d: float, delta: float) -> float:
    """Compute log(16 d/delta), delta the probability of failure."""
    return math.log(16 * d / delta)


def without_the_term(d: float, delta: float) -> float:
    return math.log(16 / delta)


@check("leverage.theorem-2", form="proved", name="without the term that is dropped")
def without_d(
    context: Context, *, logarithm: Callable[[float, float], float] = without_the_term
) -> Evidence:
    """Show that the dropped term is needed: a pool of the rows of a Hadamard matrix.

    Inputs are its n columns, all equally likely; G = I/n, the ridge is 1/n, d = n/2. The error in
    the direction of an input is half of the relative error of its number of rows: at Delta = 1/2 it
    fails where an input occurs more than twice as often as expected. Such numbers are negatively
    associated, so that none is so large with probability (1 - p)^n at most, p that of one.
    """
    n, delta, largest = 2**40, 0.1, 0.5
    rows = math.ceil(8 * n / (3 * largest**2) * logarithm(n / 2, delta))
    p = float(stats.binom.sf(math.floor(2 * rows / n), rows, 1 / n))
    fails = -math.expm1(n * math.log1p(-p))
    return Evidence.from_interval(
        claim=(
            r"with $\log\frac{16}\delta$ for $\log\frac{16d}\delta$ the bound fails with at least"
            r" probability 0.99 ($2^{40}$ features of values 1 and -1, $\lambda = \|G\|$, "
            r"$\Delta = \frac12$, $\delta = 0.1$)"
        ),
        observed=fails,
        interval=(fails * (1 - 1e-6), 1.0),
        lower=0.99,
        method="binomial tail, negative association",
    )
