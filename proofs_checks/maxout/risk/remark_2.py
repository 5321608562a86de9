"""Check risk bounds of maxout features for inputs of norm at most R and losses of at most B.

Theorem 2 of the maxout paper (Mroueh, Rennie, Goel 2015) bounds the excess risk of the minimiser
over N samples and the box, m units with weights of at most C/m, for R = B = 1. By Remark 2 its
bound times R B holds for all R and B. That is true for R, B >= 1 over the box, with a constant C',
and false below 1, by two excess risks. Our bound, whose terms have R or B each, is compared with
draws and computed risks. The remark's second part counts the features for a finite set of inputs.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from scipy import stats

from mehler import exact
from mehler.bounds import Bound, maxout
from mehler.statements import Context, Evidence, check

from ..._comparisons import Bounding, compare_count, compare_instances, compute
from .. import _published
from . import _instances as instances
from ._risks import Setting, compare_risks, drawn_settings, free_bound, paper_bound
from .lemma_2 import NORM_CONSTANT, POOL
from .theorem_2 import over_the_box_ratio

# For R or B below 1 all inputs are one x of {x, -x}, a set of doubling dimension 1; any C' does.
_PAIR = {"n_inputs": 400, "dimension": 1}
_PAIR_CONSTANT = 16.0

FREE = instances.FREE[2]
_CLAIM = "excess risk with inputs of several lengths and a loss in $[0, B]$, below the bound"

_QUICK = (
    Setting(3, 4, (10, 40), (50, 400, 3200), radius=0.1, loss_bound=0.5),
    Setting(3, 4, (20,), (200,), radius=5.0, loss_bound=3.0),
    Setting(10, 1, (25,), (1000,), radius=0.2, loss_bound=10.0),
)
_FULL = (
    Setting(3, 4, (10, 40, 160), (50, 400, 3200), radius=0.1, loss_bound=0.5),
    Setting(10, 8, (50, 200), (200, 4000), radius=5.0, loss_bound=3.0),
    Setting(30, 4, (50,), (1000,), radius=0.2, loss_bound=10.0, failure=(0.5, 0.02)),
    Setting(6, 1, (25, 250), (100, 10_000), radius=30.0, loss_bound=0.01),
)


def features_by_the_repair(n_samples: int, pool_size: int) -> float:
    """Return N sigma^2(q), samples times the mean square of a unit: our bound needs no more."""
    return float(exact.sigma2(pool_size)) * n_samples


draws_of = functools.partial(drawn_settings, quick=_QUICK, full=_FULL)


@check("maxout.remark-2", form="proved", name="R and B at least 1")
def factor_is_enough(
    context: Context, *, c_prime: float = 2.0, least: float = 1.0, loss_range: float = 2.0
) -> Evidence:
    """Compare R B times Theorem 2's published bound with our bound over the box, for R, B >= 1.

    The loss is in [-B, B], an interval of length `loss_range` times B.
    """
    ratios = []
    for radius in (least, 30 * least):
        for loss_bound in (least, 30 * least):
            ratio, where = over_the_box_ratio(
                c_prime, radius=radius, loss_bound=loss_bound, loss_range=loss_range * loss_bound
            )
            ratios.append((ratio, f"$R = {radius:g}$, $B = {loss_bound:g}$, {where}"))
    worst, where = max(ratios)
    claim = (
        rf"the display of Theorem 2 times $RB$, over the box, with $C' = {c_prime:g}$ and "
        r"$|V| \le B$: what is proved of that excess over the published form, at most 1 "
        f"(largest of a grid: {where})"
    )
    return compute(
        claim, worst, 1e-12, relative=True, upper=1.0 + 1e-12, method="formulas, evaluated"
    )


@check("maxout.remark-2", form="proved", name="dimension-free", pays=True)
def dimension_free(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Count how often the excess risk exceeds our dimension-free bound with R and B."""
    return compare_risks(context, draws_of, free_bound, bound, _CLAIM)


@check("maxout.remark-2", form="proved", name="paper's shape", pays=True)
def paper_shape(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Count how often the excess risk exceeds our bound in the paper's shape, with R and B."""
    return compare_risks(context, draws_of, paper_bound, bound, _CLAIM)


@check("maxout.remark-2", form="proved", name="extremal instances")
def tight(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Compare our bound with exact chances where it is nearly equal, R and B small or large."""
    return compare_instances(
        "excess risk with linear units of inputs of length $R$",
        *(
            instance
            for radius, loss_bound in ((1e-2, 3.0), (50.0, 0.1))
            for instance in (
                *instances.wrong_sign(bound, FREE, radius=radius, loss_bound=loss_bound),
                instances.memorised_inputs(bound, FREE, radius=radius, loss_bound=loss_bound),
                *instances.falls_short(bound, FREE, radius=radius, loss_bound=loss_bound),
            )
        ),
    )


@check("maxout.remark-2", form="proved", name="a finite set, as the second part says")
def finite_sets(context: Context, *, dimension: Callable[[float], float] = math.log2) -> Evidence:
    """Compare the number of features that the second part asks for with N log N log d.

    N^alpha points of the sphere, alpha = 2, have dimension log2 N^alpha at most; at
    epsilon = 1/sqrt(N) the printed condition is what Theorem 2 asks for.
    """
    ratios = []
    for n in (10**2, 10**4, 10**8):
        for d in (10, 10**3, 10**6):
            least = _published.theorem_2_condition(
                n**-0.5,
                pool_size=4,
                delta=0.1,
                n_inputs=d,
                dimension=math.ceil(dimension(float(n) ** 2)),
                diameter=2.0,
                c_prime=1.0,
            )
            ratios.append((least / (n * math.log(n) * math.log(d)), n, d))
    worst, n, d = max(ratios)
    claim = (
        r"the printed condition for $N^2$ points is $O(N\log N\log d)$: over "
        rf"$C'N\log N\log d$, at most 8 (largest at $N = {n:g}$, $d = {d:g}$)"
    )
    return compute(claim, worst, 1e-9, relative=True, upper=8.0, method="formulas, evaluated")


@check("maxout.remark-2", form="proved", name="a finite set, by the repair")
def by_the_repair(
    context: Context, *, features: Callable[[int, int], float] = features_by_the_repair
) -> Evidence:
    """Compare our approximation term, for sigma^2 N features, with the rate of the other terms."""
    ratios = []
    for n in (10**2, 10**4, 10**8):
        for q in (1, 4, 64):
            for delta in (0.3, 1e-3, 1e-12):
                bound = maxout.excess_risk(
                    radius=1.0,
                    loss_bound=1.0,
                    n_features=math.ceil(features(n, q)),
                    n_samples=n,
                    pool_size=q,
                    scale=0.5,
                    lipschitz=0.5,
                    delta=delta,
                )
                rate = 0.25 * (1 + math.sqrt(-2 * math.log(delta))) / math.sqrt(n)
                ratios.append((bound["approximation"] / rate, n, q, delta))
    worst, n, q, delta = max(ratios)
    claim = (
        r"with $m = \sigma^2(q)N$ features the approximation term is at most "
        r"$\frac{LC}{\sqrt N}(1 + \sqrt{2\log(1/\delta)})$: ratio "
        rf"(largest at $N = {n:g}$, $q = {q}$, $\delta = {delta:g}$)"
    )
    return compute(claim, worst, 1e-9, upper=1.0 + 2e-9, method="formulas, evaluated")


def printed_remark(
    *, radius: float, loss_bound: float, delta: float, m: int, n: int, scale: float
) -> Bound:
    """Return the published bound times R B on {x, -x}, at the least epsilon that m units allow."""
    complexity = math.log(2 * radius * math.sqrt(_PAIR["n_inputs"]) / delta) + math.log(POOL + 1)
    return _published.remark_2(
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


@check("maxout.remark-2", form="proved", name="R below 1")
def short_inputs(context: Context, *, radius: float = 1e-6) -> Evidence:
    """Compare R B times the bound with an excess risk that does not fall with R: C R is fixed."""
    delta, m, n, edge = 1e-4, 10**10, 10**4, 2.6 / 100
    # C R = 1/2: the functions are those of a unit input in a box of 1/2, and |phi| is like |g|.
    scale = 0.5 / radius
    bound = printed_remark(radius=radius, loss_bound=1.0, delta=delta, m=m, n=n, scale=scale)
    # With most labels wrong the minimiser takes the wrong sign, and pays C R E[y] mean|g|.
    # E[y] = 2.6 / sqrt(N), so that this happens rarely, and mean|g| is E|g| to Chebyshev's error.
    least = bound.value / (0.5 * edge)
    gap = math.sqrt(2 / math.pi) - least
    wrong = float(stats.binom.cdf(n // 2 - 1, n, (1 + edge) / 2))
    rare = min(1.0, (1 - 2 / math.pi) / (m * gap**2))
    low, high = (wrong * (1 - rare), wrong) if gap > 0 else (0.0, wrong * rare)
    return Evidence.from_interval(
        claim=(
            f"one input of length $R = {radius:g}$, $C = 1/(2R)$, $q = 2$, $N = 10^4$, "
            r"$E[y] = 2.6/\sqrt N$: chance that the excess risk over the best function of the "
            f"box exceeds $RB$ times the bound of Theorem 2, {bound.value:.3g}"
        ),
        observed=low,
        interval=(low, high),
        lower=1 - bound.probability,
        method="binomial distribution and Chebyshev's inequality, computed",
    )


@check("maxout.remark-2", form="proved", name="B below 1", pays=True)
def small_losses(context: Context, *, loss_bound: float = 1e-3) -> Evidence:
    """Compare R B times the bound, which falls like B^2, with an excess risk that falls like B."""
    m, scale, n_draws = 200, 0.5, 10_000
    bound = printed_remark(
        radius=1.0, loss_bound=loss_bound, delta=0.01, m=m, n=10**12, scale=scale
    )
    # Units of two weights have the size of |g|.
    sizes = np.abs(context.rng("units").standard_normal((n_draws, m))).mean(axis=1)
    # All labels are 1: the minimiser takes every sign right, whatever the sample.
    excess = loss_bound / 2 * scale * (math.sqrt(2 / math.pi) - sizes)
    count = int((excess > bound.value).sum())
    claim = (
        f"one input of label 1, $B = {loss_bound:g}$, $q = 2$, $m = {m}$, $N = 10^{{12}}$: "
        r"chance that the excess risk over $\mathcal F$ exceeds $RB$ times the bound of "
        f"Theorem 2, {bound.value:.2g}"
    )
    promised, n_features = 1 - bound.probability, m * n_draws
    return compare_count(context, claim, count, n_draws, lower=promised, n_features=n_features)
