"""What is wrong with the print of Lemma 2, in numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy import stats

from mehler.bounds import Bound, maxout
from mehler.statements import Context, Evidence
from proofs_checks.maxout._near_points import DELTA, NORM_CONSTANT, POOL, near_points
from proofs_checks.maxout._suprema import failure


def _norm_promise(d: int) -> float:
    """2 exp(-c epsilon^2 d) at epsilon = 1/2, with the c that the quoted inequality holds with."""
    return 2 * math.exp(-NORM_CONSTANT * d / 4)


def sum_of_norms(context: Context, *, each: float = 0.75) -> Evidence:
    """Compute how often |w_D(x)| + |w_D(z)| exceeds 1.5 sqrt(d), for q = 1: nearly always."""
    # For q = 1 both winners are the same weight: the sum exceeds it when |w| > 0.75 sqrt(d).
    found = [
        (float(stats.chi.sf(each * math.sqrt(d), d)), _norm_promise(d), d) for d in (20, 100, 400)
    ]
    return _exceeded(
        "sum of two norms",
        r"$P(\|w_{D(x)}\| + \|w_{D(z)}\| > 1.5\sqrt d) \le 2e^{-d/8}$, $q = 1$",
        found,
    )


def union_over_the_pool(context: Context, *, weights: int = 1024) -> Evidence:
    """Compute how often the longest of q weights exceeds 1.5 sqrt(d)."""
    d = 20
    chance = failure(1.5 * math.sqrt(d), d, weights)
    return _exceeded(
        "union over the pool",
        rf"$P(\max_j\|w_j\| > 1.5\sqrt d) \le 2e^{{-d/8}}$, $q = {weights}$",
        [(chance, _norm_promise(d), d)],
    )


def _exceeded(check: str, claim: str, found: list[tuple[float, float, int]]) -> Evidence:
    """Report the probability that exceeds its promise by most."""
    chance, promised, d = max(found, key=lambda one: one[0] - one[1])
    return Evidence.bound_comparison(
        form="printed",
        check=check,
        claim=f"{claim}, $d = {d}$",
        observed=chance,
        interval=(chance * (1 - 1e-9), min(1.0, chance * (1 + 1e-9))),
        upper=promised,
        method="chi distribution, computed",
    )


def single_point(context: Context, *, delta: float = 1e-6) -> Evidence:
    """Evaluate the print on one point, where it does not depend on delta."""
    bound = maxout.lemma_2(
        pool_size=1,
        delta=delta,
        n_inputs=400,
        dimension=0,
        diameter=0.0,
        form="printed",
        c1=4.0,
        c=NORM_CONSTANT,
    )
    return _above(
        "a single point",
        f"one input, $q = 1$, $\\delta = {delta:g}$, $C_1 = 4$: chance of exceeding the printed "
        f"bound {bound.value:.3g}, which is the same for every $\\delta$",
        bound,
        stats.norm.sf,
    )


def two_near_points(
    context: Context, *, tail: Callable[[float], float] = stats.norm.sf
) -> Evidence:
    """Evaluate the print on two points so near that it bounds everything by 0."""
    bound = maxout.lemma_2(
        pool_size=POOL, delta=DELTA, form="printed", c1=1e3, c=NORM_CONSTANT, **near_points()
    )
    return _above(
        "two near points",
        r"two inputs at distance $\delta/((q+1)\sqrt d)$, $C_1 = 1000$: chance of exceeding the "
        f"printed bound {bound.value:.2g}, at least",
        bound,
        tail,
    )


def _above(check: str, claim: str, bound: Bound, tail: Callable[[float], float]) -> Evidence:
    """Compare P(|g| > bound) with the promised failure; one input and q = 1 are enough."""
    chance = float(2 * tail(bound.value))
    return Evidence.bound_comparison(
        form="printed",
        check=check,
        claim=claim,
        observed=chance,
        interval=(chance * (1 - 1e-9), min(1.0, chance * (1 + 1e-9))),
        upper=1 - bound.probability,
        method="normal distribution, computed",
    )
