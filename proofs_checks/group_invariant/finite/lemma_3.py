"""Lemma 3 (Mroueh, Voinea, Poggio 2015): the chance that a random vector is too long to keep.

The vector is a template n ~ N(0, I/d), rejected if |n|^2 >= 1 + epsilon. The paper's bounds of that
chance from above and from below, restored from Inglot (2010), are compared with its exact value.
"""

import math
from typing import Any

import numpy as np
from scipy import stats

from mehler.statements import Context, Evidence, check

from ..._comparisons import compute

# Smaller probabilities are not computed to many digits, or are below every float.
_LEAST = 1e-290


def rejected(d: int, epsilon: float) -> float:
    """Compute the chance, P(|n|^2 >= 1 + epsilon)."""
    return float(stats.chi2.sf(d * (1 + epsilon), d))


def _grid(context: Context) -> list[tuple[int, float]]:
    dims: Any = (2, 3, 5, 20, 100, 1000)
    epsilons: Any = (0.01, 0.1, 0.3, 0.7, 1.0)
    if not context.quick:
        dims = (*range(2, 101), 300, 1000, 10_000)
        epsilons = np.linspace(0.01, 1.0, 100)
    return [(int(d), float(e)) for d in dims for e in epsilons]


def _compare(gaps: list[tuple[float, int, float]], claim: str, upper: bool) -> Evidence:
    worst, d, epsilon = max(gaps) if upper else min(gaps)
    claim += f": difference of logarithms (at $d = {d}$, $\\epsilon = {epsilon:.3g}$)"
    if upper:
        return compute(claim, worst, 1e-9, upper=0.0)
    return compute(claim, worst, 1e-9, lower=0.0)


@check("group-invariant.lemma-3", form="restored", name="from above")
def upper_tail(context: Context, *, rate: float = 1 / 8) -> Evidence:
    """Compare the exact probability with the paper's upper bound, exp(-d epsilon^2/8)."""
    gaps = [
        (math.log(p) + rate * d * e * e, d, e)
        for d, e in _grid(context)
        if (p := rejected(d, e)) > _LEAST
    ]
    return _compare(gaps, r"$P(\|n\|^2 \ge 1+\epsilon) \le e^{-d\epsilon^2/8}$", upper=True)


@check("group-invariant.lemma-3", form="restored", name="from below")
def lower_tail(context: Context, *, smallest: int = 2) -> Evidence:
    """Compare the exact probability with Inglot's lower bound, for d from 2."""
    gaps = [
        (math.log(2 * math.sqrt(d) * p) - 0.5 * (d - 2) * math.log1p(e) + 0.5 * d * e, d, e)
        for d, e in [*_grid(context), *((smallest, e) for e in (0.01, 0.1))]
        if (p := rejected(d, e)) > _LEAST
    ]
    claim = r"$P(\|n\|^2 \ge 1+\epsilon) \ge e^{-d\epsilon/2}(1+\epsilon)^{(d-2)/2}/(2\sqrt d)$"
    return _compare(gaps, claim, upper=False)
