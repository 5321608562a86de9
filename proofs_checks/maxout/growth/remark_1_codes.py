"""Check how often argmax codes of two rows agree, and how fast that falls with the pool size q.

A digit of a code is the index of the largest of q random projections. By Remark 1 of the maxout
paper (Mroueh, Rennie, Goel 2015) d_H, the fraction of digits that differ, has the mean 1 - kappa_q,
where kappa_q(rho) is the chance that a digit agrees at rows of correlation rho. It is compared with
draws, its exponent log kappa_q/log(1/q) with a limit, and its values at finite q with our bounds.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from mehler import MaxoutCodes, _arrays, exact
from mehler.bounds import Bound, Term
from mehler.bounds.lower import LowerBound
from mehler.statements import Context, Evidence, Plot, Series, check
from mehler.verify import intervals

from ..._comparisons import compute
from ..._measured_products import (
    Draw,
    Estimates,
    compare_with_claims,
    draws,
    measure_collisions,
    points,
)
from ..._plots import plot

_RHO = (-0.8, -0.4, 0.0, 0.25, 0.5, 0.75, 0.95)


def _width(context: Context) -> float:
    return 0.015 if context.quick else 0.01


def _estimates(context: Context, draw: Draw) -> Estimates:
    pools = (4, 16) if context.quick else (2, 3, 4, 8, 64)
    return measure_collisions(context, draw, pools, _RHO, _width(context))


@check("maxout.remark-1-codes", form="printed", name="agreement of codes against kappa", pays=True)
def similarity(
    context: Context,
    *,
    draw: Draw = MaxoutCodes.draw,
    collision: Callable[[float, int], Any] = exact.collision_probability,
) -> Evidence:
    """Compare kappa_q with the fraction of digits on which codes agree."""
    estimates = _estimates(context, draw)
    claim = r"$E\,d_H(C(x), C(z)) = 1 - \kappa_q$"
    plots = (_plot(estimates),)
    return compare_with_claims(
        estimates, estimates.claimed(collision), claim, resolution=_width(context), plots=plots
    )


@check("maxout.remark-1-codes", form="printed", name="closer rows agree more often", pays=True)
def sensitivity(context: Context, *, draw: Draw = MaxoutCodes.draw) -> Evidence:
    """Check that closer rows agree more often, at each step between measured correlations."""
    estimates = _estimates(context, draw)
    # From one correlation to the next, where kappa is not near 0.
    steps = [
        (
            estimates.low[i + 1] - estimates.high[i],
            estimates.high[i + 1] - estimates.low[i],
            estimates.mean[i + 1] - estimates.mean[i],
            i,
        )
        for i in range(len(estimates.rho) - 1)
        if 0 <= estimates.rho[i] < estimates.rho[i + 1]
    ]
    low, high, gain, i = min(steps)
    return Evidence.from_interval(
        claim=(
            "collisions are more frequent at the larger correlation (least gain of "
            f"{len(steps)} steps: $q = {estimates.pool_size[i]}$, $\\rho$ from "
            f"{estimates.rho[i]:g} to {estimates.rho[i + 1]:g})"
        ),
        observed=gain,
        interval=(low, high),
        lower=0.0,
        false_alarm=estimates.false_alarm,
        n_features=estimates.n_units[i],
        method=estimates.method,
        assumptions=("digits of a code are independent",),
    )


def _plot(estimates: Estimates) -> Plot:
    rho = np.cos(np.linspace(np.pi, 0, 121))
    pools = sorted(set(estimates.pool_size))
    curves = [Series(label=f"q = {q}", x=rho, y=exact.collision_probability(rho, q)) for q in pools]
    return plot(
        "Agreement of argmax codes",
        "correlation of x and z",
        "share of equal digits",
        *curves,
        *(points(f"measured, q = {q}", estimates.only(q)) for q in pools),
        caption="Larger pools make codes more selective, with a square-root cusp at correlation 1.",
    )


Limit = Callable[[float], float]


def limiting_exponent(rho: float) -> float:
    """Compute the limit of log kappa_q / log(1/q)."""
    return (1 - rho) / (1 + rho)


def exponent_ends(rho: float, log_q: float) -> tuple[float, float]:
    """Return bounds of log kappa_q / log(1/q), each by the best of many heights a.

    If a digit agrees then one projection exceeds a on the average of both rows, or a maximum is
    below a (`never`). It agrees if one projection exceeds a at both rows, and no other does.
    """
    root = math.sqrt(2 * log_q)
    a = np.linspace(0.02, 1.4, 400) * root
    q = math.exp(log_q)
    with np.errstate(over="ignore"):
        never = math.log(2) + q * special.log_ndtr(a)
    both = log_q + special.log_ndtr(-2 * a / math.sqrt(2 * (1 + rho)))
    upper = float(np.logaddexp(never, both).min())
    # P(g > a, g' > a) by the trapezoid rule from above a, whose first point counts half.
    step = 1 / 64
    t = a[:, None] + step * np.arange(1200)[None, :]
    spread = math.sqrt((1 - rho) * (1 + rho))
    log_density = special.log_ndtr((rho * t - a[:, None]) / spread) - t * t / 2
    log_density[:, 0] -= math.log(2)
    tail = special.logsumexp(log_density, axis=1) + math.log(step / math.sqrt(2 * math.pi))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        others = np.log1p(-np.minimum(1.0, np.exp(log_q + math.log(2) + special.log_ndtr(-a))))
    lower = float((log_q + tail + others).max())
    return -upper / log_q, -lower / log_q


@check("maxout.remark-1-codes", form="proved", name="the exponent")
def exponent(context: Context, *, limit: Limit = limiting_exponent) -> Evidence:
    """Compare the limit of the exponent with proved bounds at an enormous pool size."""
    log_q = 300 * math.log(10)
    differences = []
    for rho in (0.0, 0.25, 0.5, 0.75, 0.9):
        low, high = (end - limit(rho) for end in exponent_ends(rho, log_q))
        differences.append((max(low, -high), low, high, rho))
    _, low, high, rho = max(differences)
    return Evidence.from_interval(
        claim=(
            r"$\log\kappa_q/\log\frac1q \to \frac{1-\rho}{1+\rho}$: proved bounds of the "
            rf"difference at $q = 10^{{300}}$ (least margin at $\rho = {rho:g}$)"
        ),
        observed=(low + high) / 2,
        exact=0.0,
        interval=(low, high),
        # Either end pays up to 2 log log q for its height and for the density's factor 1/a, and
        # constants: 0.047 together.
        resolution=5 * math.log(log_q) / log_q,
        method="bounds of the proof, evaluated",
    )


@check("maxout.remark-1-codes", form="proved", name="the exponent of finite pools")
def exponent_at_pools(
    context: Context, *, collision: Callable[[float, int], Any] = exact.collision_probability
) -> Evidence:
    """Compare the exponent of kappa_q with the same bounds at finite pool sizes."""
    places = []
    for q in (8, 1024, 10**6):
        for rho in (0.0, 0.5, 0.75, 0.9):
            low, high = exponent_ends(rho, math.log(q))
            value = -math.log(float(collision(rho, q))) / math.log(q)
            places.append(((value - low) / (high - low), q, rho))
    place, q, rho = max(places, key=lambda row: abs(row[0] - 0.5))
    claim = (
        r"$\log\kappa_q/\log\frac1q$ lies between its bounds: place between them "
        rf"(nearest to an end: $q = {q}$, $\rho = {rho:g}$)"
    )
    return compute(
        claim, place, 1e-9, lower=0.0, upper=1.0, method="quadrature with its error bound"
    )


def as_independent(kappa: float) -> float:
    """Return the chance that two digits both agree, if they are independent."""
    return kappa**2


@check("maxout.remark-1-codes", form="proved", name="digits are independent", pays=True)
def digits(
    context: Context,
    *,
    draw: Draw = MaxoutCodes.draw,
    both: Callable[[float], float] = as_independent,
) -> Evidence:
    """Count how often two neighbouring digits of a code both agree."""
    q, rho, n = 4, 0.8, 1_000_000 if context.quick else 4_000_000
    x = np.array([[1.0, 0.0]])
    z = np.array([[rho, math.sqrt(1 - rho * rho)]])
    count = n_pairs = 0
    for phi in draws(draw, 2, q, 1, 2 * n, context.seed_for("digits"), context.like(), {}):
        same = _arrays.to_host(phi(context.asarray(x)) == phi(context.asarray(z)))[0]
        pairs = same[: same.size // 2 * 2].reshape(-1, 2)
        count, n_pairs = count + int(pairs.all(axis=1).sum()), n_pairs + len(pairs)
    low, high = intervals.binomial(count, n_pairs, context.false_alarm)
    return Evidence.from_interval(
        claim=(
            r"two digits both agree with probability $\kappa_q^2$, so that $\mathrm{Var}(d_H) = "
            rf"\kappa_q(1-\kappa_q)/m$; $q = {q}$, $\rho = {rho:g}$"
        ),
        observed=count / n_pairs,
        exact=both(float(exact.collision_probability(rho, q))),
        interval=(low, high),
        # Twice the reach of Hoeffding's interval, within which Clopper and Pearson's lies.
        resolution=2 * math.sqrt(math.log(2 / context.false_alarm) / (2 * n_pairs)),
        false_alarm=context.false_alarm,
        n_features=2 * n_pairs,
        method=f"Clopper-Pearson interval for {n_pairs} pairs of digits",
        assumptions=("pairs of digits are independent",),
    )


@check("maxout.remark-1-codes", form="proved", name="Hoeffding's tail")
def hoeffding(context: Context, *, rate: float = 2.0) -> Evidence:
    """Compare Hoeffding's bound of deviations of d_H with exact binomial tails."""
    worst, where = -math.inf, (0, 0.0, 0.0)
    for m in (100, 10_000):
        for kappa in (0.5, 0.2):
            for t in np.linspace(0.5, 18.0, 36) / math.sqrt(m) / 2:
                tail = stats.binom.logsf(math.ceil(m * (kappa + t)) - 1, m, kappa)
                low = stats.binom.logcdf(math.floor(m * (kappa - t)), m, kappa)
                gap = float(np.logaddexp(tail, low)) - math.log(2) + rate * m * t * t
                worst, where = max((worst, where), (gap, (m, kappa, float(t))))
    m, kappa, t = where
    claim = (
        r"$\log P(|d_H - (1-\kappa_q)| \ge t) - \log 2 + 2mt^2$, at most 0 (largest at "
        rf"$m = {m}$, $\kappa = {kappa:g}$, $t = {t:.2g}$)"
    )
    return compute(claim, worst, 1e-6, upper=0.0, method="binomial tails, computed")


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)


def agree_at_most(rho: float, *, pool_size: int, height: float | None = None) -> Bound:
    """Bound kappa_q(rho) from above, as `exponent_ends`, at the best height or a given one."""
    a, spread = _heights(pool_size, height), math.sqrt((1 + rho) / 2)
    above = pool_size * special.ndtr(-a / spread) if spread > 0 else np.zeros_like(a)
    # What underflows is above 0 still: a bound from above is rounded up.
    below = np.maximum(2 * np.exp(pool_size * special.log_ndtr(a)), np.nextafter(0.0, 1.0))
    best = int(np.argmin(below + above))
    return Bound(terms=(Term("below", below[best]), Term("above", above[best])), trivial=1.0)


def agree_at_least(rho: float, *, pool_size: int, height: float | None = None) -> LowerBound:
    """Bound kappa_q(rho) from below, as `exponent_ends`, at the best height or a given one."""
    a = _heights(pool_size, height)
    both = pool_size * both_above(a, rho)
    others = 0.0 - 2 * pool_size * special.ndtr(-a) * both
    best = int(np.argmax(both + others))
    return LowerBound(terms=(Term("both", both[best]), Term("others", others[best])))


def _heights(q: int, height: float | None) -> Any:
    most = 1.2 * np.sqrt(2 * np.log(q)) + 3
    return np.linspace(0.0, most, 2000) if height is None else np.array([height])


@np.errstate(over="ignore")
def both_above(a: Any, rho: float) -> Any:
    """Compute P(g > a, g' > a) for normals of correlation rho, by a sum of positive terms."""
    if rho == -1:
        return np.zeros(a.shape)
    start = math.acos(rho) / 2
    # Where a^2/(2 cos^2 t) has grown by 40; what is left out would only add.
    end = np.arctan(np.sqrt(math.tan(start) ** 2 + 80 / np.maximum(a, 1e-9) ** 2))
    half = (end - start) / 2
    t = start + half[:, None] * (_NODES + 1)
    return half / math.pi * (np.exp(-((a[:, None] / np.cos(t)) ** 2) / 2) @ _WEIGHTS)


# Settings where each term of the two bounds counts. For equal rows, kappa = 1, and a large pool
# terms depend only on t = q P(g > a): 2 exp(-t) + t from above, t - 2 t^2 from below.
_FINITE_POOLS = (2, 4, 64, 1024, 10**6)
_FINITE_RHO = (-0.5, 0.0, 0.5, 0.9, 1.0)
# kappa is known to 1e-13: relative errors need larger ones.
_LEAST_KAPPA = 1e-3


@check("maxout.remark-1-codes", form="proved", name="bounds of finite pools")
def sandwich(
    context: Context,
    *,
    above: Callable[..., Any] = agree_at_most,
    below: Callable[..., Any] = agree_at_least,
    collision: Callable[[float, int], Any] = exact.collision_probability,
) -> Evidence:
    """Compare kappa_q with both of its bounds, at heights of a list and at the best ones."""
    worst, where = -math.inf, (0, 0.0)
    for q in _FINITE_POOLS:
        heights = np.linspace(0.0, 1.2 * math.sqrt(2 * math.log(q)) + 3, 40)
        for rho in _FINITE_RHO:
            kappa = float(collision(rho, q))
            if kappa < _LEAST_KAPPA:
                continue
            for height in (None, *heights.tolist()):
                options = {"pool_size": q, "height": height}
                over = 1 - above(rho, **options).total / kappa
                under = below(rho, **options).total / kappa - 1
                worst, where = max((worst, where), (max(over, under), (q, rho)))
    q, rho = where
    claim = (
        r"$\kappa_q$ less its upper bound, or its lower bound less $\kappa_q$, over $\kappa_q$ "
        rf"(largest at $q = {q}$, $\rho = {rho:g}$)"
    )
    return compute(claim, worst, 1e-9, upper=0.0, method="bounds at many levels, evaluated")
