"""Check bounds of a linear classifier's error rate on features, by margins at its training rows.

A margin is the cosine between the weights and a row's features, times the label 1 or -1. Bounds
(after Langford and Shawe-Taylor 2002, Maurer 2004) hold for weights learnt from these rows. A row
of margin t counts in them by P(g > scale t - threshold), g normal: thresholds are chosen without
the rows, the scale by any look at them. They are compared with computed risks, and with draws.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from mehler.bounds import Bound, Term
from mehler.bounds import margin as bounds
from mehler.statements import Context, Evidence, check

from .._comparisons import Bounding, Case, Instance, compare_instances, compare_with_bounds

_DELTA = 0.1
# Orthonormal rows to draw from: so many that no row is drawn twice, or drawn again later.
_ROWS = 1e40


def memorised(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of weights that are 1 at N drawn orthonormal rows, < 0 at all others.

    All labels are 1. Each drawn row has the margin N^(-1/2); a fresh row is another one, and its
    class is wrong. Two drawn rows are equal with a chance of at most N^2 over twice `_ROWS`.
    """
    n = 10**12
    risk = 1 - n / _ROWS
    for length, threshold in ((0.01, 0.0), (0.1, 0.0), (0.01, 1.0)):
        root = math.sqrt(n)
        promised = bound(
            n, margin=1 / root, delta=0.01, scale=length * root, thresholds=(threshold,)
        )
        name = f"memorised, length {length:g}, threshold {threshold:g}"
        yield Instance(name, (risk, risk), promised.total)


def coin(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row, a coin for its label, and the weight 1: errors are binomial.

    The chance of so few errors that the bound is below the true risk must be at most delta.
    """
    n = 10**4
    for delta, chance in ((1e-290, 0.5), (1e-30, 0.5), (1e-290, 0.3)):

        def fails(errors: int, delta: float = delta, chance: float = chance) -> bool:
            options = {"scale": 6.0, "thresholds": (3.0,)}
            limit = bound(n, margin=1.0, below=errors / n, delta=delta, **options)
            return limit.total < chance

        # Bisect for the largest number of errors at which the bound is below the risk.
        low, high = -1, n
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fails(middle) else (low, middle)
        failure = float(stats.binom(n, chance).cdf(low)) if low >= 0 else 0.0
        name = f"a coin of {chance:g}, delta = {delta:g}"
        yield Instance(name, (failure, failure), delta)


@check("features.margin", form="printed", name="weights learnt in draws", pays=True)
def over_draws(context: Context, *, bound: Bounding = bounds.error_rate) -> Evidence:
    """Count how often the risk of learnt weights exceeds its bound."""
    n_draws = 500 if context.quick else 20_000
    settings = ((2, 100, 0.0), (10, 60, 0.0), (3, 100, 0.2))
    cases = [
        Case(draws=_ratios(context, bound, n_draws, *case), bound=_UNIT, where={"setting": case})
        for case in settings
    ]
    claim = f"risk over its bound exceeds 1 with probability at most {_DELTA:g}"
    return compare_with_bounds(
        claim, cases, context.false_alarm, n_features=sum(d for d, _, _ in settings)
    )


# Risks over their bounds are the draws, so that 1 is what they may exceed.
_UNIT = Bound(
    statement="features.margin",
    form="proved",
    quantity="risk over its bound",
    terms=(Term("ratio", 1.0),),
    probability=1 - _DELTA,
)


def _ratios(context: Context, bound: Bounding, n_draws: int, d: int, n: int, flipped: float) -> Any:
    """Return risks over their bounds, of weights that are the mean of rows times labels.

    Rows are normal; a label is the sign of the first entry, flipped with the chance `flipped`. So
    the risk follows from this chance and the angle between the weights and the first axis.
    """
    rng = context.rng(f"drawn/{d}/{n}")
    ratios = np.empty(n_draws)
    for k in range(n_draws):
        rows = rng.standard_normal((n, d))
        y = np.sign(rows[:, 0]) * np.where(rng.random(n) < flipped, -1, 1)
        w = y @ rows
        t = y * (rows @ w) / (np.linalg.norm(w) * np.linalg.norm(rows, axis=1))
        angle = np.arccos(np.clip(w[0] / np.linalg.norm(w), -1, 1))
        risk = flipped + (1 - 2 * flipped) * angle / np.pi
        scale = 1.5 / np.quantile(np.abs(t), 0.2)
        ratios[k] = risk / bound(t, delta=_DELTA, scale=scale, thresholds=(0.5,)).total
    return ratios


@check("features.margin", form="printed", name="memorised rows")
def tight(context: Context, *, bound: Bounding = bounds.error_rate_separated) -> Evidence:
    """Compare the bound with the computed risk of memorised rows."""
    return compare_instances("probability of a wrong class", *memorised(bound))


@check("features.margin", form="printed", name="labels of a coin")
def confident(context: Context, *, bound: Bounding = bounds.error_rate_separated) -> Evidence:
    """Compare the bound's chance of failure with the exact one, where labels are coins."""
    return compare_instances("chance that the risk exceeds its bound", *coin(bound))
