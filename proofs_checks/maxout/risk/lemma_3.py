"""Check bounds of how well m maxout units approximate a function f of infinitely many.

This is Lemma 3 of the maxout paper (Mroueh, Rennie, Goel 2015). A unit is phi(x, W) = max_j <w_j,
x> with q normal weights W of density p. f is the mean of a(W) phi(x, W), |a| <= C (alpha = a p in
formulas). The box has the functions sum alpha_l phi(x, W_l) of m drawn units with |alpha_l| <= C/m;
the Monte Carlo function, alpha_l = a(W_l)/m, is one of them. Distances are in L2 over the inputs.
The published bound holds with a constant for sets that are not tiny, and is false for two near
points. Ours, in the paper's shape or dimension-free, are compared with draws, and with instances:
settings where the distance's law is computed.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special, stats

from mehler import exact, verify
from mehler.bounds import Bound, maxout
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import Bounding, Case, compare_instances, compare_with_bounds, compute
from ..._plots import plot, quantile_points
from .. import _published
from . import _instances as instances
from ._risks import Law, block_sizes
from .lemma_2 import DELTA, NORM_CONSTANT, POOL, near_points, plain_sets, words_of

# Accelerated gradient steps from the Monte Carlo function to the nearest function of the box.
_STEPS = 12


def signed_values(rho: Any, pool_size: int) -> Any:
    """Compute f / C, a(W) = C sign <w_1, u>, at correlations (n,) of points with the direction u.

    It is right to 1e-8 for q <= 64.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    steps, step_weights = np.polynomial.legendre.leggauss(40)
    t = np.asarray(rho)[:, None] * (steps + 1) / 2
    inside = special.ndtr(np.sqrt(1 - t * t)[..., None] * nodes) ** (pool_size - 1) @ weights
    return math.sqrt(2 / math.pi) * np.asarray(rho) / 2 * (inside @ step_weights)


@dataclass(frozen=True)
class Approximations:
    """L2 distances (n_draws,) from f, over equally likely points, of independent draws of m units.

    `monte_carlo` is the Monte Carlo function, `best` the best function found in the box, an upper
    bound of the best one there is; `norm` is that of f.
    """

    monte_carlo: Any
    best: Any
    norm: float


def mean_square(pool_size: int, norm: float, n_features: int) -> float:
    """Compute E |f^ - f|^2 of the Monte Carlo function f^ for C = 1, with |f| = `norm`.

    Its terms are independent, and |f_1| = |phi|.
    """
    return float((exact.sigma2(pool_size) - norm**2) / n_features)


def draw_approximations(
    rng: np.random.Generator,
    points: Any,
    *,
    pool_size: int,
    n_features: int,
    scale: float,
    n_draws: int,
) -> Approximations:
    """Draw distances of m units from the f of a random direction u, see `signed_values`."""
    n, d = points.shape
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    f = (scale * signed_values(np.clip(points @ u, -1, 1), pool_size)).astype(np.float32)
    columns = np.concatenate([points.T, u[:, None]], axis=1).astype(np.float32)
    first, best = [], []
    for block in block_sizes(n_draws, n_features * max(n, d)):
        winner = rng.standard_normal((block * n_features, d), dtype=np.float32) @ columns
        signs = np.where(winner[:, n] < 0, np.float32(-1), np.float32(1)).reshape(block, -1, 1)
        phi = winner[:, :n]
        for _ in range(pool_size - 1):
            weights = rng.standard_normal((block * n_features, d), dtype=np.float32)
            phi = np.maximum(phi, weights @ columns[:, :n])
        phi = phi.reshape(block, n_features, n) * np.float32(scale / n_features)
        start, end = _descend(phi, signs, f)
        first.append(start)
        best.append(end)
    return Approximations(
        np.concatenate(first), np.concatenate(best), float(np.sqrt((f.astype(float) ** 2).mean()))
    )


def _descend(phi: Any, signs: Any, f: Any) -> tuple[Any, Any]:
    """Return distances of the Monte Carlo function, with these signs, and of the nearest found."""
    rows = phi.transpose(0, 2, 1)
    # The trace bounds the largest eigenvalue.
    step = 1 / (phi.astype(float) ** 2).sum(axis=(1, 2))[:, None, None].astype(np.float32)
    inside = ahead = signs
    gap = gap_ahead = np.matmul(rows, signs) - f[:, None]
    start = best = _length(gap)
    for k in range(_STEPS):
        iterate = np.clip(ahead - step * np.matmul(phi, gap_ahead), -1, 1)
        gap_next = np.matmul(rows, iterate) - f[:, None]
        best = np.minimum(best, _length(gap_next))
        weight = np.float32(k / (k + 3))
        ahead = iterate + weight * (iterate - inside)
        gap_ahead = gap_next + weight * (gap_next - gap)
        inside, gap = iterate, gap_next
    return start, best


def _length(gap: Any) -> Any:
    return np.sqrt((gap.astype(float) ** 2).mean(axis=(1, 2)))


Sizes = dict[str, Any]

_SCALE = 0.5


@dataclass(frozen=True)
class Setting:
    """A random set of points on the sphere, a random f, and the m at which it is approximated."""

    n_inputs: int
    pool_size: int
    n_features: tuple[int, ...]
    n_points: int = 8
    failure: tuple[float, ...] = (0.2, 0.05)


_QUICK = (Setting(3, 4, (10, 20, 40)), Setting(10, 2, (20,)), Setting(5, 1, (10,)))
_FULL = (
    Setting(3, 4, (10, 20, 40, 80, 160), failure=(0.5, 0.1, 0.02)),
    Setting(10, 8, (50, 200), 16),
    Setting(3, 2, (20, 200), 16),
    Setting(20, 64, (20,)),
    Setting(100, 4, (50,)),
    Setting(5, 1, (10, 100), failure=(0.5, 0.02)),
)


def nearest_bound(bound: Bounding, law: Law, sizes: Sizes, failure: float) -> Bound:
    """Evaluate our dimension-free bound for the nearest function of the box."""
    return bound(delta=failure, **sizes)


def monte_carlo_bound(bound: Bounding, law: Law, sizes: Sizes, failure: float) -> Bound:
    """Evaluate our dimension-free bound for the Monte Carlo function."""
    return bound(delta=failure, function="monte-carlo", **sizes)


def paper_bound(bound: Bounding, law: Law, sizes: Sizes, failure: float) -> Bound:
    """Evaluate our bound in the paper's shape, which is for the Monte Carlo function."""
    return bound(delta=failure / 2, **sizes, **law.geometry)


@check("maxout.lemma-3", form="proved", name="nearest function", pays=True)
def nearest(context: Context, *, bound: Bounding = maxout.approximation) -> Evidence:
    """Count how often the nearest function of the box is farther from f than its bound."""
    return _compare(context, nearest_bound, bound)


@check("maxout.lemma-3", form="proved", name="Monte Carlo function", pays=True)
def monte_carlo(context: Context, *, bound: Bounding = maxout.approximation) -> Evidence:
    """Count how often the Monte Carlo function is farther from f than its bound."""
    return _compare(context, monte_carlo_bound, bound)


@check("maxout.lemma-3", form="proved", name="paper's shape", pays=True)
def paper_shape(context: Context, *, bound: Bounding = maxout.approximation) -> Evidence:
    """Count how often the Monte Carlo function is farther than our bound in the paper's shape."""
    return _compare(context, paper_bound, bound)


@check("maxout.lemma-3", form="proved", name="mean square", pays=True)
def in_mean_square(
    context: Context, *, mean: Callable[[int, float, int], float] = mean_square
) -> Evidence:
    """Compare the mean squared distance of the Monte Carlo function with its exact value."""
    setting, _, samples = _samples(context)[0]
    m = setting.n_features[-1]
    approximations = samples[-1]
    truth = mean(setting.pool_size, approximations.norm / _SCALE, m) * _SCALE**2
    verdict = verify.check_mean(
        approximations.monte_carlo**2,
        truth,
        variance=_variance_bound(setting.pool_size, approximations.norm / _SCALE, m) * _SCALE**4,
        false_alarm=context.false_alarm,
        resolution=truth / 2,
    )
    return Evidence.from_verdict(
        verdict,
        claim=(
            r"$E\|\hat f - f\|^2 = (C^2\sigma^2(q) - \|f\|^2)/m$ "
            f"($q = {setting.pool_size}$, $m = {m}$)"
        ),
    )


@check("maxout.lemma-3", form="proved", name="extremal instances")
def tight(
    context: Context,
    *,
    bound: Bounding = maxout.approximation,
    by_dimension: Bounding = maxout.approximation,
) -> Evidence:
    """Compare our bounds with exact chances where they are nearly equal."""
    return compare_instances(
        "distance from $f$, one input",
        *instances.nearest_falls_short(bound, instances.FREE[3]),
        *instances.random_signs(bound, instances.FREE[3], function="monte-carlo"),
        *instances.random_signs(by_dimension, instances.PAPER[3]),
        *instances.mean_square_of_signs(bound),
    )


@check("maxout.lemma-3", form="proved", name="Bernstein's inequality, inverted")
def bernstein(context: Context, *, bound: Bounding = maxout.approximation) -> Evidence:
    """Insert our bound for the Monte Carlo function into the inequality that it comes from.

    P(|mean| >= v) <= 2 exp(-m v^2 / (2 (b^2 + b v))) with b = (2 sigma + 1) C R: at the bound the
    exponent must be at least log(2/delta). R = 1 is the norm of inputs.
    """
    ratios = []
    for q in (1, 4, 64):
        b = (2 * math.sqrt(exact.sigma2(q)) + 1) * _SCALE
        for m in (1, 10, 10**4, 10**10):
            for delta in (0.5, 1e-3, 1e-30, 1e-290):
                sizes = {"n_features": m, "pool_size": q, "scale": _SCALE, "delta": delta}
                v = bound(function="monte-carlo", **sizes).total
                exponent = m * v**2 / (2 * (b**2 + b * v))
                ratios.append((math.log(2 / delta) / exponent, q, m, delta))
    worst, q, m, delta = max(ratios)
    claim = (
        r"$\log(2/\delta)$ over the exponent of Bernstein's inequality at the bound, at most 1 "
        rf"(largest of {len(ratios)}: $q = {q}$, $m = {m:g}$, $\delta = {delta:g}$)"
    )
    return compute(claim, worst, 1e-12, relative=True, upper=1.0, method="formulas, evaluated")


def _variance_bound(q: int, norm: float, m: int) -> float:
    """Bound the variance of the squared distance, C = 1.

    For a mean of m centred vectors xi it is at most E|xi|^4 / m^3 + 2 (E|xi|^2)^2 / m^2, with
    E|xi|^2 <= sigma^2 and E|xi|^4 <= 8 (E M^4 + |f|^4).
    """
    fourth = 8 * (exact.max_moment(4, q) + norm**4)
    return float(fourth / m**3 + 2 * exact.sigma2(q) ** 2 / m**2)


def _samples(context: Context) -> tuple[tuple[Setting, Law, tuple[Approximations, ...]], ...]:
    settings, n_draws = (_QUICK, 10_000) if context.quick else (_FULL, 20_000)
    return tuple(
        (setting, *_draw(setting, context.seed_for(f"setting {i}"), n_draws))
        for i, setting in enumerate(settings)
    )


@lru_cache(maxsize=16)
def _draw(setting: Setting, seed: int, n_draws: int) -> tuple[Law, tuple[Approximations, ...]]:
    rng = np.random.Generator(np.random.Philox(seed))
    law = Law.at_random(rng, setting.n_points, setting.n_inputs)
    return law, tuple(
        draw_approximations(
            rng,
            law.points,
            pool_size=setting.pool_size,
            n_features=m,
            scale=_SCALE,
            n_draws=n_draws,
        )
        for m in setting.n_features
    )


def distance_cases(context: Context, evaluate: Callable[..., Bound], bound: Bounding) -> list[Case]:
    """Return a case for every setting, number of units and chance of failure."""
    return [
        Case(
            draws=approximations.best if evaluate is nearest_bound else approximations.monte_carlo,
            bound=evaluate(
                bound,
                law,
                {"n_features": m, "pool_size": setting.pool_size, "scale": _SCALE},
                failure,
            ),
            where={"d": setting.n_inputs, "q": setting.pool_size, "m": m},
        )
        for setting, law, samples in _samples(context)
        for m, approximations in zip(setting.n_features, samples, strict=True)
        for failure in setting.failure
    ]


def _compare(context: Context, evaluate: Callable[..., Bound], bound: Bounding) -> Evidence:
    cases = distance_cases(context, evaluate, bound)
    claim = r"$\|\hat f - f\|$ below the bound"
    n_features = max(case.where["m"] for case in cases) * cases[0].draws.size
    plots = (_plot(*_samples(context)[0]),) if evaluate is nearest_bound else ()
    return compare_with_bounds(
        claim, cases, context.false_alarm, n_features=n_features, plots=plots
    )


def _plot(setting: Setting, law: Law, samples: tuple[Approximations, ...]) -> Plot:
    failure = 0.05

    def curve(label: str, bound: Bounding, **options: Any) -> Series:
        arguments = {"pool_size": setting.pool_size, "scale": _SCALE, **options}
        y = [bound(n_features=m, **arguments).value for m in setting.n_features]
        return Series(label=label, x=setting.n_features, y=y)

    return plot(
        "Distance from f over the number of units",
        "number of units m",
        "L2 distance",
        curve("paper's shape", maxout.approximation, delta=failure / 2, **law.geometry),
        curve(
            "Monte Carlo function, bound",
            maxout.approximation,
            delta=failure,
            function="monte-carlo",
        ),
        curve("nearest function, bound", maxout.approximation, delta=failure),
        quantile_points(
            "Monte Carlo function, 95% quantile",
            setting.n_features,
            [part.monte_carlo for part in samples],
            1 - failure,
        ),
        quantile_points(
            "nearest function, 95% quantile",
            setting.n_features,
            [part.best for part in samples],
            1 - failure,
        ),
        log="xy",
        caption=f"d = {setting.n_inputs}, q = {setting.pool_size}, total chance of failure "
        f"{failure:g}. All fall like the square root of m; the covering costs most.",
    )


def shortfall_probability(shortfall: float) -> float:
    """Compute P(E|g| - |g| > shortfall), g normal: the chance that a unit falls so short of f.

    With a(W) = C sign(phi), f(x) = C E|phi|, and one unit reaches C |phi| at most. For q = 2 |phi|
    is distributed like |g|: P(|phi| <= t) = P(g <= t)^2 - P(g <= -t)^2 = P(|g| <= t).
    """
    least = math.sqrt(2 / math.pi) - shortfall
    return float(special.erf(least / math.sqrt(2))) if least > 0 else 0.0


# sigma^2 <= 1 + 2 log q <= 2 log(2 (q + 1)), which twice the published root is for delta <= 1/2.
CONSTANT = math.sqrt(2)


def constant_ratio(proved: Bounding, published: Bounding, c1: float, **sizes: Any) -> Evidence:
    """Compare our bound with the published one, with C_1 = `c1`, where D sqrt(d) >= 1."""
    ratios = []
    for where in plain_sets():
        free = {name: where[name] for name in ("pool_size", "delta")}
        for m in (1, 10**6):
            ours = proved(n_features=m, scale=0.5, **free, **sizes).total
            theirs = published(n_features=m, scale=0.5, c1=c1, c=NORM_CONSTANT, **where, **sizes)
            ratios.append((ours / theirs.total, words_of(where)))
    worst, where_worst = max(ratios)
    claim = (
        rf"the lemma with $C_1 = {c1:.4g}$ where $D\sqrt d \ge 1$: proved over published bound, "
        f"at most 1 (largest of {len(ratios)}: {where_worst})"
    )
    return compute(claim, worst, 1e-12, relative=True, upper=1.0, method="formulas, evaluated")


@check("maxout.lemma-3", form="proved", name="as published, with a constant")
def with_constant(context: Context, *, c1: float = CONSTANT) -> Evidence:
    """Compare our bound for the nearest function with the published one."""
    return constant_ratio(maxout.approximation, _published.lemma_3, c1)


@check("maxout.lemma-3", form="proved", name="a gap of the proof: the event for all units")
def all_units(
    context: Context, *, share: Callable[[float, int], float] = lambda delta, m: delta
) -> Evidence:
    """Compare the chance that all units keep to a quantile of one unit with the proof's."""
    delta, n_units = 0.01, 1000
    chance = (1 - share(delta, n_units)) ** n_units
    promised = 1 - delta - 2 * math.exp(-NORM_CONSTANT * 400 / 4)
    claim = (
        r"$P(E) < 1 - \delta - 2e^{-cd/4}$, which the proof has from below, for the event $E$ on "
        f"which all {n_units} units are below the {1 - delta:.0%} quantile of one, $d = 400$"
    )
    return compute(
        claim, chance, 1e-9, relative=True, upper=promised, method="independent units, computed"
    )


@check("maxout.lemma-3", form="proved", name="a gap of the proof: the mean given the event")
def conditioned_mean(
    context: Context, *, limit: float = 2.0, unconditional: float = math.sqrt(2 / math.pi)
) -> Evidence:
    r"""Compare f with the mean of a unit given |phi| <= M, equal in the proof: one input, q = 2."""
    # |phi| is distributed like |g|. E[|g| ; |g| <= M] = 2 (phi(0) - phi(M)), over P(|g| <= M).
    inside = 1 - 2 * stats.norm.sf(limit)
    value = 2 * (stats.norm.pdf(0) - stats.norm.pdf(limit)) / inside
    claim = (
        rf"$E[f_\ell \mid E] < f$, where the proof has equality, in units of $C$: one input, "
        rf"$q = 2$, $\alpha/p = C\,\mathrm{{sign}}$, $M = {limit:g}$"
    )
    below = unconditional - 1e-6
    return compute(claim, value, 1e-12, upper=below, method="truncated normal, computed")


def printed_at_near_points(lipschitz: float | None = None, scale: float = 1.0) -> Bound:
    """Return the published bound at two near points: Lemma 3, or 4 with a Lipschitz constant."""
    options: dict[str, Any] = {
        "n_features": 1,
        "pool_size": POOL,
        "scale": scale,
        "delta": DELTA,
        "c1": 100.0,
        "c": NORM_CONSTANT,
        **near_points(),
    }
    if lipschitz is None:
        return _published.lemma_3(**options)
    return _published.lemma_4(lipschitz=lipschitz, **options)


def shortfall_evidence(
    claim: str, bound: Bound, probability: Callable[[float], float], *, slope: float = 1.0
) -> Evidence:
    """Show that one unit falls short by a published bound more often than promised.

    A shortfall of s costs `slope` times s.
    """
    chance = probability(bound.value / slope)
    method = "distribution of the half-normal, computed"
    return compute(claim, chance, 1e-12, lower=1 - bound.probability, method=method)


@check("maxout.lemma-3", form="proved", name="false for two near points")
def two_near_points(
    context: Context, *, probability: Callable[[float], float] = shortfall_probability
) -> Evidence:
    """Compare the published bound at two near points, nearly 0 for one unit, with exact chances."""
    bound = printed_at_near_points()
    return shortfall_evidence(
        r"two inputs at distance $\delta/((q+1)\sqrt d)$, one unit, $C_1 = 100$: chance that no "
        f"function of the box is within the published {bound.value:.2g} of $f$, above the promised "
        "one",
        bound,
        probability,
    )
