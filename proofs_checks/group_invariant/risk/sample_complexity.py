"""Sample complexity: how many fewer orbits there are than points, if a group moves the points.

Mroueh, Voinea and Poggio (2015) need samples of orbits alone. Points are sequences of tokens, an
orbit has all orders of a sequence. Burnside's formula is compared with a list of all orbits.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from mehler.statements import Context, Evidence, check

from ..._comparisons import compute
from .._tokens import Tokens

_PAPER = Tokens(5, 8)


def burnside(length: int, alphabet: int) -> Fraction:
    """Return the mean number of sequences that a permutation leaves unchanged: alphabet^cycles."""
    # Unsigned Stirling numbers: permutations of `length` places with k cycles.
    cycles = [1]
    for n in range(length):
        cycles = [
            (cycles[k - 1] if k else 0) + n * (cycles[k] if k < len(cycles) else 0)
            for k in range(len(cycles) + 1)
        ]
    fixed = sum(count * alphabet**k for k, count in enumerate(cycles))
    return Fraction(fixed, math.factorial(length))


def by_listing(length: int, alphabet: int) -> int:
    """Return the number of orbits, by sorting every sequence."""
    grid = np.indices((alphabet,) * length).reshape(length, -1).T
    return len(np.unique(np.sort(grid, axis=1), axis=0))


@check("group-invariant.sample-complexity", form="printed", name="the share of orbits")
def shrinks(context: Context, *, tokens: Tokens = _PAPER) -> Evidence:
    """Compute the fraction of orbits among sequences."""
    fraction = len(tokens.representatives) / tokens.alphabet**tokens.length
    claim = r"$|\mathcal X_0| = \alpha|\mathcal X|$ with $0 < \alpha < 1$, sequences of 5 of 8"
    return compute(claim, fraction, 1e-15, lower=0.0, upper=1.0 - 1e-12, method="counted")


@check("group-invariant.sample-complexity", form="proved", name="Burnside's count")
def counted(context: Context, *, formula: Callable[[int, int], Any] = burnside) -> Evidence:
    """Compare Burnside's formula with orbits that are listed."""
    sizes = [(5, 8), (3, 3), (4, 2)]
    if not context.quick:
        sizes += [(n, a) for n in (1, 2, 6) for a in (1, 4, 7)]
    gap = max(abs(float(formula(n, a)) - by_listing(n, a)) for n, a in sizes)
    claim = (
        r"$|\mathcal X_0| = \frac{1}{|G|}\sum_g|\mathrm{Fix}\,g|$: largest difference from "
        f"orbits that are listed, {len(sizes)} sizes, 792 for sequences of 5 of 8"
    )
    return compute(claim, gap, 1e-9, exact=0.0, method="counted")


@check("group-invariant.sample-complexity", form="proved", name="less than the order of the group")
def not_the_order(context: Context, *, order: float = 120.0) -> Evidence:
    """Compare the reduction with the order of the group."""
    reduction = _PAPER.alphabet**_PAPER.length / len(_PAPER.representatives)
    claim = "the reduction is below $|G| = 120$, since the action is not free: 41.4"
    return compute(claim, reduction, 1e-9, upper=order - 1e-6, method="counted")
