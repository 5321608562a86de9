"""Check bounds of how large a maxout unit gets over all inputs: Lemma 2 of the maxout paper.

A unit is phi(x) = max <w_j, x> over q normal weights w_j. The published bound (Mroueh, Rennie, Goel
2015) is false for two near points, and holds with a constant C_1 for inputs of diameter D of at
least d^(-1/2), d columns and a doubling dimension k of at least 1. Ours are in the paper's shape,
by these numbers, or dimension-free, by Gaussian concentration. They are compared with draws and
with exact laws. Two steps of the published proof are refuted by computed chances.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats

from mehler.bounds import Bound, maxout
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import Bounding, Case, compare_with_bounds, compute
from ..._plots import plot, quantile_points
from .. import _published
from ._risks import Law, block_sizes, units

# The proof of Lemma 2 is for q > 1; with q = 2 a unit is distributed like |g| in size.
POOL = 2
DELTA = 0.01
INPUTS = 400
# The constant c of the inequality that the paper quotes for norms of Gaussian vectors.
NORM_CONSTANT = 0.5
_COMPLEXITY = 1e-12  # the number under the published root at two near points, just above 0
_rule = functools.cache(np.polynomial.legendre.leggauss)


def near_points() -> dict[str, Any]:
    """Return the published formulas' arguments for two points that are very near each other.

    Lemma 2 then bounds |phi| by nearly 0, Lemma 3 promises that one unit represents every function,
    and Theorem 2 asks for no unit at all. All inputs may be equal to one of the points.
    """
    distance = math.exp(_COMPLEXITY) * DELTA / ((POOL + 1) * math.sqrt(INPUTS))
    return {"n_inputs": INPUTS, "dimension": 1, "diameter": distance}


def plain_sets() -> Iterator[dict[str, Any]]:
    """Yield arguments of published formulas: pool sizes, sets with D >= d^(-1/2), d = 400."""
    for q, k, spread, delta in itertools.product(
        (1, 2, 3, 64, 10**6), (1, 5, 300), (1.0, 1.5, 40.0), (0.5, 0.1, 1e-12)
    ):
        yield {
            "pool_size": q,
            "delta": delta,
            "n_inputs": INPUTS,
            "dimension": k,
            "diameter": spread / math.sqrt(INPUTS),
        }


def words_of(sizes: dict[str, Any]) -> str:
    """Name a setting of `plain_sets` in a claim."""
    return (
        f"$q = {sizes['pool_size']}$, $d_{{\\mathcal M}} = {sizes['dimension']}$, "
        f"$\\delta = {sizes['delta']:g}$"
    )


# The constant with which the proved bound implies the lemma for such sets and delta <= 1/2.
CONSTANT = 5.0


@check("maxout.lemma-2", form="proved", name="as published, with a constant")
def with_constant(context: Context, *, c1: float = CONSTANT) -> Evidence:
    """Compare the proved bound of one unit with the published one where D sqrt(d) >= 1."""
    ratios = [
        (
            maxout.supremum(**sizes).value
            / _published.lemma_2(**sizes, c1=c1, c=NORM_CONSTANT)["supremum"],
            words_of(sizes),
        )
        for sizes in plain_sets()
    ]
    worst, where = max(ratios)
    claim = (
        rf"the lemma with $C_1 = {c1:g}$ where $D\sqrt d \ge 1$: proved over published bound, at "
        f"most 1 (largest of {len(ratios)}: {where})"
    )
    return compute(claim, worst, 1e-12, relative=True, upper=1.0, method="formulas, evaluated")


# Doubling dimensions of the unit spheres of R^1, R^2, R^3: two points, six arcs of 60 degrees,
# and 19 to 32 caps of 30 degrees.
SUBSPHERES = {1: 1, 2: 3, 3: 5}


def failure(value: float, r: int, weights: int) -> float:
    """Return the chance that the largest of so many chi_r variables exceeds a value, if tiny too.

    It is the law of the largest |phi| over the unit sphere of a subspace of r dimensions: with P
    the projection on it phi(x) >= |P w_j| at x = P w_j / |P w_j|, and |phi| <= max_j |P w_j|.
    """
    tail = float(stats.chi.sf(value, r))
    return 1.0 if tail == 1 else -math.expm1(weights * math.log1p(-tail))


def quantile(probability: float, r: int, weights: int) -> float:
    """Return the quantile of the largest of so many chi_r variables."""
    return float(stats.chi.isf(-math.expm1(math.log(probability) / weights), r))


def mean(r: int, weights: int) -> float:
    """Return the mean of the largest of so many chi_r variables, to 1e-10."""
    end = math.sqrt(r) + math.sqrt(2 * math.log(weights)) + 9
    nodes, node_weights = _rule(400)
    t = (nodes + 1) * end / 2
    # P(chi_r > t), from which 1 - P(chi_r <= t)^n follows without cancellation.
    tail = special.gammaincc(r / 2, t * t / 2)
    with np.errstate(divide="ignore"):
        beyond = -np.expm1(weights * np.log1p(-tail))
    return float(node_weights @ beyond * end / 2)


def draw_suprema(
    rng: np.random.Generator, points: Any, pool_size: int, n_features: int, n_draws: int
) -> Any:
    """Return the largest |phi| over the points and over m units, shape (n_draws,)."""
    blocks = block_sizes(n_draws, n_features * max(points.shape))
    return np.concatenate(
        [
            np.abs(units(rng, points, pool_size, (block, n_features))).max(axis=(1, 2))
            for block in blocks
        ]
    )


@dataclass(frozen=True)
class Points:
    """A random set of points on the sphere, and the sizes at which suprema over it are drawn."""

    n_points: int
    n_inputs: int
    pool_size: int
    n_features: int
    delta: tuple[float, ...]


_QUICK = (
    Points(8, 3, 4, 20, (0.2, 0.02)),
    Points(16, 20, 8, 2, (0.05,)),
    Points(30, 2, 2, 5, (0.5, 0.01)),
)
_FULL = (
    Points(8, 3, 4, 200, (0.5, 0.2, 0.02)),
    Points(64, 20, 16, 20, (0.2, 0.02)),
    Points(300, 2, 2, 5, (0.5, 0.02)),
    Points(2, 784, 64, 1, (0.2, 0.02)),
    Points(32, 100, 4, 10, (0.2, 0.02)),
    Points(1, 5, 1, 1000, (0.5, 0.02)),
)


def of_paper(bound: Bounding, where: Points, law: Law, delta: float) -> Bound:
    """Evaluate our bound in the paper's shape, by a covering of the inputs."""
    return bound(
        pool_size=where.pool_size, n_features=where.n_features, delta=delta, **law.geometry
    )


def concentrated(bound: Bounding, where: Points, law: Law, delta: float) -> Bound:
    """Evaluate our bound by Gaussian concentration, with a union bound for the mean."""
    return bound(
        pool_size=where.pool_size,
        n_features=where.n_features,
        delta=delta,
        mean_sup=math.sqrt(2 * math.log(2 * where.n_points * where.pool_size)),
    )


@check("maxout.lemma-2", form="proved", name="paper's shape", pays=True)
def paper_shape(context: Context, *, bound: Bounding = maxout.supremum) -> Evidence:
    """Count how often the largest of m units exceeds our bound in the paper's shape."""
    return _compare(context, bound, of_paper, (_plot(context),))


@check("maxout.lemma-2", form="proved", name="dimension-free", pays=True)
def dimension_free(context: Context, *, bound: Bounding = maxout.supremum) -> Evidence:
    """Count how often the largest of m units exceeds our bound by Gaussian concentration."""
    return _compare(context, bound, concentrated, ())


def suprema_cases(
    context: Context, evaluate: Callable[[Bounding, Points, Law, float], Bound], bound: Bounding
) -> list[Case]:
    """Return a case for every set of points and chance of failure."""
    settings, n_draws = (_QUICK, 10_000) if context.quick else (_FULL, 20_000)
    cases = []
    for i, where in enumerate(settings):
        rng = context.rng(f"points {i}")
        law = Law.at_random(rng, where.n_points, where.n_inputs)
        suprema = draw_suprema(rng, law.points, where.pool_size, where.n_features, n_draws)
        cases += [
            Case(
                draws=suprema,
                bound=evaluate(bound, where, law, delta),
                where={"d": where.n_inputs, "q": where.pool_size, "m": where.n_features},
            )
            for delta in where.delta
        ]
    return cases


def _compare(
    context: Context,
    bound: Bounding,
    evaluate: Callable[[Bounding, Points, Law, float], Bound],
    plots: tuple[Plot, ...],
) -> Evidence:
    cases = suprema_cases(context, evaluate, bound)
    claim = r"$\max_\ell \sup_x |\phi(x, W^\ell)|$ over random points below the bound"
    n_features = max(case.where["m"] for case in cases) * cases[0].draws.size
    return compare_with_bounds(
        claim, cases, context.false_alarm, n_features=n_features, plots=plots
    )


@check("maxout.lemma-2", form="proved", name="on spheres of subspaces")
def on_subspheres(
    context: Context,
    *,
    bound: Bounding = maxout.supremum,
    by_dimension: Bounding = maxout.supremum,
    mean_of: Callable[..., float] = mean,
) -> Evidence:
    """Compare delta with the exact chance of failure of our bounds on unit spheres of subspaces."""
    ratios = []
    # A ball of r dimensions needs at most 5^r balls of half its radius; there the covering counts.
    for r, k in {**SUBSPHERES, 400: 400 * math.log2(5)}.items():
        for q in (1, 4, 64, 1024):
            centre = mean_of(r, q)
            for m in (1, 30, 1000):
                for delta in (0.9, 0.1, 1e-3, 1e-9):
                    sizes: dict[str, Any] = {"pool_size": q, "n_features": m, "delta": delta}
                    bounds = [
                        by_dimension(**sizes, n_inputs=d, dimension=k, diameter=2.0)
                        for d in (r, 100, 10**6)
                    ]
                    bounds.append(bound(**sizes, mean_sup=centre))
                    ratios += [
                        (failure(limit.value, r, q * m) / delta, r, q, m) for limit in bounds
                    ]
    share, r, q, m = max(ratios)
    claim = (
        "exact chance of failure over the promised $\\delta$, at most 1 (largest of "
        f"{len(ratios)}: sphere of a subspace of {r} dimensions, $q = {q}$, $m = {m}$)"
    )
    return compute(
        claim, share, 1e-6, relative=True, upper=1.0, method="chi distribution, computed"
    )


def _plot(context: Context) -> Plot:
    """Plot bounds and quantiles over m, on a great circle in 10 dimensions."""
    r, d, q, delta = 2, 10, 4, 0.01
    m = np.asarray([1, 3, 10, 30, 100, 300, 1000])
    few = [1, 10, 100]
    rng = context.rng("plotted draws")
    suprema = [np.sqrt(-2 * np.log1p(-(rng.random(10_000) ** (1 / (q * count))))) for count in few]
    paper = [
        maxout.supremum(
            pool_size=q, n_features=int(count), delta=delta, n_inputs=d, dimension=3, diameter=2.0
        ).value
        for count in m
    ]
    free = [
        maxout.supremum(pool_size=q, n_features=int(count), delta=delta, mean_sup=mean(r, q)).value
        for count in m
    ]
    return plot(
        "Largest value of m units over a great circle",
        "number of units m",
        "supremum",
        Series(label="paper's shape", x=m, y=paper),
        Series(label="dimension-free", x=m, y=free),
        Series(
            label="99% quantile, exact",
            x=m,
            y=[quantile(1 - delta, r, q * int(count)) for count in m],
        ),
        quantile_points("99% quantile, drawn", few, suprema, 1 - delta),
        log="xy",
        caption=(
            "d = 10, q = 4, failure 0.01 for all units at once. Gaussian concentration is within "
            "a factor of 1.5; the covering costs a factor of about 4."
        ),
    )


def _norm_promise(d: int) -> float:
    """Compute 2 exp(-c epsilon^2 d) at epsilon = 1/2, with the c of the quoted inequality."""
    return 2 * math.exp(-NORM_CONSTANT * d / 4)


@check("maxout.lemma-2", form="proved", name="a gap of the proof: the sum of two norms")
def sum_of_norms(context: Context, *, share: float = 0.75) -> Evidence:
    """Compare the chance that |w_D(x)| + |w_D(z)| > 1.5 sqrt(d), D the argmax, with the proof's."""
    # It is so if all q weights are longer than 0.75 sqrt(d), and not if all are shorter.
    chances = []
    for d in (20, 100, 400):
        longer = float(stats.chi.sf(share * math.sqrt(d), d))
        chances.append((longer**POOL, min(1.0, POOL * longer), _norm_promise(d), d))
    low, high, promised, d = max(chances, key=lambda row: row[0] - row[2])
    return _exceeded(
        rf"$P(\|w_{{D(x)}}\| + \|w_{{D(z)}}\| > 1.5\sqrt d) > 2e^{{-d/8}}$, which the proof has "
        rf"for a bound, $q = {POOL}$, $d = {d}$",
        (low, high),
        promised,
    )


@check("maxout.lemma-2", form="proved", name="a gap of the proof: the union over the pool")
def union_over_the_pool(context: Context, *, weights: int = 1024) -> Evidence:
    """Compare the chance that the longest of q weights exceeds 1.5 sqrt(d) with the proof's."""
    d = 20
    chance = failure(1.5 * math.sqrt(d), d, weights)
    return _exceeded(
        rf"$P(\max_j\|w_j\| > 1.5\sqrt d) > 2e^{{-d/8}}$, which the proof has for a bound, "
        rf"$q = {weights}$, $d = {d}$",
        (chance, chance),
        _norm_promise(d),
    )


def _exceeded(claim: str, chance: tuple[float, float], promised: float) -> Evidence:
    """Compare a probability, between two numbers, with the upper bound that the proof states."""
    low, high = chance
    return Evidence.from_interval(
        claim=claim,
        observed=low,
        interval=(low * (1 - 1e-9), min(1.0, high * (1 + 1e-9))),
        lower=promised,
        method="chi distribution, computed",
    )


def printed_at_near_points() -> Bound:
    """Return the published bound at two near points."""
    return _published.lemma_2(pool_size=POOL, delta=DELTA, c1=1e3, c=NORM_CONSTANT, **near_points())


@check("maxout.lemma-2", form="proved", name="false for two near points")
def two_near_points(
    context: Context, *, tail: Callable[[float], float] = stats.norm.sf
) -> Evidence:
    """Compare the published bound with the exact chance at two near points, where it is nearly 0.

    Only values above 1 count, where the proof is valid.
    """
    bound = printed_at_near_points()
    # At one of the two a unit has the size of |g|: for two weights P(|phi(x)| <= t) = 2 Phi(t) - 1.
    chance = float(2 * tail(max(1.0, bound.value)))
    return Evidence.from_interval(
        claim=(
            rf"two inputs at distance $\delta/((q+1)\sqrt d)$, $q = {POOL}$, $C_1 = 1000$: chance "
            f"of exceeding both 1 (the proof has $t > 1$) and the published bound "
            f"{bound.value:.2g}, above the promised one"
        ),
        observed=chance,
        interval=(chance * (1 - 1e-9), min(1.0, chance * (1 + 1e-9))),
        lower=1 - bound.probability,
        method="normal distribution, computed",
    )
