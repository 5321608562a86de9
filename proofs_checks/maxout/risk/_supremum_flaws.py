"""What is wrong with the print of Lemma 2, in numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy import stats

from mehler.bounds import Bound, printed
from mehler.statements import Context, Evidence, check

from ._approximation_flaws import DELTA, NORM_CONSTANT, POOL, near_points
from ._suprema import failure


def _norm_promise(d: int) -> float:
    """Compute 2 exp(-c epsilon^2 d) at epsilon = 1/2, with the c of the quoted inequality."""
    return 2 * math.exp(-NORM_CONSTANT * d / 4)


@check("maxout.lemma-2", form="printed", name="sum of two norms")
def sum_of_norms(context: Context, *, each: float = 0.75) -> Evidence:
    """Compute how often |w_D(x)| + |w_D(z)| exceeds 1.5 sqrt(d): nearly always."""
    # It does when all q weights are longer than 0.75 sqrt(d), and not when all are shorter.
    found = []
    for d in (20, 100, 400):
        one = float(stats.chi.sf(each * math.sqrt(d), d))
        found.append((one**POOL, min(1.0, POOL * one), _norm_promise(d), d))
    low, high, promised, d = max(found, key=lambda one: one[0] - one[2])
    return _exceeded(
        rf"$P(\|w_{{D(x)}}\| + \|w_{{D(z)}}\| > 1.5\sqrt d) \le 2e^{{-d/8}}$, $q = {POOL}$, "
        rf"$d = {d}$",
        (low, high),
        promised,
    )


@check("maxout.lemma-2", form="printed", name="union over the pool")
def union_over_the_pool(context: Context, *, weights: int = 1024) -> Evidence:
    """Compute how often the longest of q weights exceeds 1.5 sqrt(d)."""
    d = 20
    chance = failure(1.5 * math.sqrt(d), d, weights)
    return _exceeded(
        rf"$P(\max_j\|w_j\| > 1.5\sqrt d) \le 2e^{{-d/8}}$, $q = {weights}$, $d = {d}$",
        (chance, chance),
        _norm_promise(d),
    )


def _exceeded(claim: str, chance: tuple[float, float], promised: float) -> Evidence:
    """Hold a probability, between two numbers, against what the proof says of it."""
    low, high = chance
    return Evidence.bound_comparison(
        form="printed",
        claim=claim,
        observed=low,
        interval=(low * (1 - 1e-9), min(1.0, high * (1 + 1e-9))),
        upper=promised,
        method="chi distribution, computed",
    )


def printed_at_near_points() -> Bound:
    """Return the printed bound of two near points."""
    return printed.maxout.lemma_2(
        pool_size=POOL, delta=DELTA, c1=1e3, c=NORM_CONSTANT, **near_points()
    )


@check("maxout.lemma-2", form="printed", name="two near points")
def two_near_points(
    context: Context, *, tail: Callable[[float], float] = stats.norm.sf
) -> Evidence:
    """Evaluate the print on two points so near that it bounds everything by 0."""
    bound = printed_at_near_points()
    # At one of the two a unit has the size of |g|: see `near_points`.
    chance = float(2 * tail(bound.value))
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            rf"two inputs at distance $\delta/((q+1)\sqrt d)$, $q = {POOL}$, $C_1 = 1000$: chance "
            f"of exceeding the printed bound {bound.value:.2g}, at least"
        ),
        observed=chance,
        interval=(chance * (1 - 1e-9), min(1.0, chance * (1 + 1e-9))),
        upper=1 - bound.probability,
        method="normal distribution, computed",
    )
