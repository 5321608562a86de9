"""What is wrong with the prints of Theorem 2 and Remark 2, in numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import special, stats

from mehler.bounds import Bound, printed
from mehler.statements import Context, Evidence, check
from mehler.verify import intervals

from ._approximation_flaws import DELTA, NORM_CONSTANT, POOL, near_points, shortfall_probability

# Any constant does in print: the condition's other factor is as good as 0.
_CONSTANT = 1e6
# Both counterexamples of the remark have all mass on one x of the set {x, -x}, whose doubling
# dimension is 1; any C' does.
_PAIR = {"n_inputs": 400, "dimension": 1}
_PAIR_CONSTANT = 16.0
# Of the ramp, and of the box, so that it stays in its linear part.
_LIPSCHITZ, _SCALE = 0.5, 0.5


def printed_at_near_points() -> Bound:
    """Return the printed bound of two near points, for which one unit is as many as it asks for."""
    return printed.maxout.theorem_2(
        n_features=1,
        n_samples=10**12,
        pool_size=POOL,
        scale=_SCALE,
        lipschitz=_LIPSCHITZ,
        delta=DELTA,
        loss_at_zero=0.5,
        # The condition asks for C'/epsilon^2 times 1e-12 units: for a quarter of one.
        epsilon=2e-3,
        c_prime=_CONSTANT,
        c=NORM_CONSTANT,
        **near_points(),
    )


@check("maxout.theorem-2", form="printed", name="the condition on m")
def printed_condition(
    context: Context, *, probability: Callable[[float], float] = shortfall_probability
) -> Evidence:
    """Let the printed condition ask for nothing: one unit is far from the infinite class."""
    bound = printed_at_near_points()
    seen = probability(bound.value / (_LIPSCHITZ * _SCALE))
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            "excess risk over $\\mathcal F$ of one unit, two near inputs of label 1, $N = 10^{12}$"
            f": chance that it exceeds the printed bound {bound.value:.2g}, against the promised "
            "one"
        ),
        observed=seen,
        interval=(seen - 1e-12, seen + 1e-12),
        upper=1 - bound.probability,
        method="distribution of the half-normal, computed",
    )


@check("maxout.theorem-2", form="printed", name="McDiarmid in the weights")
def bounded_difference(
    context: Context, *, claimed: Callable[[int], float] = lambda n: 2 / n
) -> Evidence:
    r"""Replace a unit by one that is 0: the supremum moves by more than the claimed 2/N."""
    found = [(0.5 * _mean_of_signs(n), claimed(n), n) for n in (100, 1000, 10_000)]
    moved, limit, n = max(found, key=lambda one: one[0] / one[1])
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            r"replacing one $W^\ell$ changes $\sup|\mathcal E - \hat{\mathcal E}|$ by at most "
            f"$2/N$: mean change over the data, one unit with $\\phi(x) = 1$ replaced by 0, "
            f"$N = {n}$"
        ),
        observed=moved,
        interval=(moved * (1 - 1e-10), moved * (1 + 1e-10)),
        upper=limit,
        method="binomial coefficient, computed",
    )


def _mean_of_signs(n: int) -> float:
    """Compute E |mean of n fair signs|, n even: binomial(n, n/2) / 2^n."""
    return math.exp(special.gammaln(n + 1) - 2 * special.gammaln(n / 2 + 1) - n * math.log(2))


def printed_remark(
    *, radius: float, loss_bound: float, delta: float, m: int, n: int, scale: float
) -> Bound:
    """Return Theorem 2 times R B on the set {x, -x}, at the least epsilon that m units serve."""
    complexity = math.log(2 * radius * math.sqrt(_PAIR["n_inputs"]) / delta) + math.log(POOL + 1)
    return printed.maxout.remark_2(
        radius=radius,
        loss_bound=loss_bound,
        n_features=m,
        n_samples=n,
        pool_size=POOL,
        scale=scale,
        lipschitz=loss_bound / 2,
        delta=delta,
        loss_at_zero=loss_bound / 2,
        epsilon=math.sqrt(_PAIR_CONSTANT * complexity / m) * (1 + 1e-9),
        c_prime=_PAIR_CONSTANT,
        c=NORM_CONSTANT,
        diameter=2 * radius,
        **_PAIR,
    )


@check("maxout.remark-2", form="printed", name="R below 1")
def short_inputs(context: Context, *, radius: float = 1e-6) -> Evidence:
    """Compute an excess risk that a short input and a large box leave as it is."""
    delta, m, n, edge = 1e-4, 10**10, 10**4, 2.6 / 100
    # C R = 1/2: the functions are those of a unit input in a box of 1/2, and |phi| is like |g|.
    scale = 0.5 / radius
    bound = printed_remark(radius=radius, loss_bound=1.0, delta=delta, m=m, n=n, scale=scale)
    # With most labels wrong the minimiser takes the wrong sign, and pays C R E[y] mean|g|.
    # E[y] = 2.6 / sqrt(N), so that this happens rarely, and mean|g| is E|g| to Chebyshev's error.
    needed = bound.value / (0.5 * edge)
    gap = math.sqrt(2 / math.pi) - needed
    wrong = float(stats.binom.cdf(n // 2 - 1, n, (1 + edge) / 2))
    rare = min(1.0, (1 - 2 / math.pi) / (m * gap**2))
    low, high = (wrong * (1 - rare), wrong) if gap > 0 else (0.0, wrong * rare)
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            f"one input of length $R = {radius:g}$, $C = 1/(2R)$, $q = 2$, $N = 10^4$, "
            r"$E[y] = 2.6/\sqrt N$: chance that the excess risk over the best function of the "
            f"box exceeds the printed bound {bound.value:.3g}"
        ),
        observed=low,
        interval=(low, high),
        upper=1 - bound.probability,
        method="binomial distribution and Chebyshev's inequality, computed",
    )


@check("maxout.remark-2", form="printed", name="B below 1", pays=True)
def small_losses(context: Context, *, loss_bound: float = 1e-3) -> Evidence:
    """Measure an excess risk that a small loss makes small once, and the print twice."""
    m, scale, n_draws = 200, 0.5, 10_000
    bound = printed_remark(
        radius=1.0, loss_bound=loss_bound, delta=0.01, m=m, n=10**12, scale=scale
    )
    # Units of two weights have the size of |g|.
    sizes = np.abs(context.rng("units").standard_normal((n_draws, m))).mean(axis=1)
    # All labels are 1: the minimiser takes every sign right, whatever the sample.
    excess = loss_bound / 2 * scale * (math.sqrt(2 / math.pi) - sizes)
    count = int((excess > bound.value).sum())
    low, high = intervals.binomial(count, n_draws, context.false_alarm)
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            f"one input of label 1, $B = {loss_bound:g}$, $q = 2$, $m = {m}$, $N = 10^{{12}}$: "
            r"chance that the excess risk over $\mathcal F$ exceeds the printed bound "
            f"{bound.value:.2g}"
        ),
        observed=count / n_draws,
        interval=(low, high),
        upper=1 - bound.probability,
        false_alarm=context.false_alarm,
        n_features=m * n_draws,
        method=f"Clopper-Pearson interval for violations in {n_draws} draws",
        assumptions=("draws are independent",),
    )
