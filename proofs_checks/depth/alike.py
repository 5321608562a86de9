"""Depth makes rows alike: the correlation of maxout layers, its fixed point and its rate."""

from __future__ import annotations

import math
from collections.abc import Callable

from mehler import exact
from mehler.statements import Check, Context, Evidence, Statement

from .._dedent import prose
from .._worlds import World, hold_worlds
from ._correlations import ERROR, angle_after, gaps, layer_gap

_POOLS = (2, 3, 4, 16, 64, 1024)
_RHO = (-1.0, -0.6, 0.0, 0.4, 0.9, 0.999)
Gap = Callable[[float, int], float]


def most(rho: float, q: int) -> float:
    """Return the promised upper bound of 1 - C(rho)."""
    return (1.0 - rho) / float(exact.sigma2(q))


def least(rho: float, q: int) -> float:
    """Return the promised lower bound of 1 - C(rho)."""
    return float(exact.collision_probability(rho, q)) * most(rho, q)


def angle_most(theta: float, depth: int) -> float:
    """Return the promised upper bound of the angle after so many layers of pools of two."""
    return 3 * math.pi / (depth + 3 * math.pi / theta)


def above(context: Context, *, bound: Gap = most) -> Evidence:
    """Hold one layer's 1 - C against (1 - rho)/sigma^2."""
    worlds = [
        World(f"q = {q}, rho = {rho:g}", _about(layer_gap(rho, q)), bound(rho, q))
        for q in _POOLS
        for rho in _RHO
    ]
    claim = r"$1 - C(\rho) \le (1 - \rho)/\sigma^2(q)$"
    return hold_worlds(worlds, form="printed", claim=claim)


def below(context: Context, *, bound: Gap = least) -> Evidence:
    """Hold the lower bound, which with the upper one makes 1/sigma^2 the slope at 1."""
    worlds = [
        World(f"q = {q}, rho = {rho:g}", (value, value), layer_gap(rho, q) + ERROR)
        for q in _POOLS
        for rho in _RHO
        if (value := bound(rho, q)) > 0
    ]
    claim = r"$1 - C(\rho) \ge \kappa_q(\rho)(1 - \rho)/\sigma^2(q)$"
    return hold_worlds(worlds, form="printed", claim=claim)


def deep(
    context: Context, *, rate: Callable[[int], float] = lambda q: 1 / exact.sigma2(q)
) -> Evidence:
    """Hold the exponential rate against networks of up to ten layers."""
    worlds = []
    for q in (3, 4, 16):
        depths = tuple(range(1, 11))
        found = [1.0, *gaps(q, depths, 1.0, 0.0)]
        worlds += [
            World(f"q = {q}, layer {k}", _about(found[k]), rate(q) * found[k - 1]) for k in depths
        ]
    claim = r"$1 - \rho_{l+1} \le (1 - \rho_l)/\sigma^2(q)$ in networks"
    return hold_worlds(worlds, form="printed", claim=claim)


def pools_of_two(
    context: Context, *, bound: Callable[[float, int], float] = angle_most
) -> Evidence:
    """Hold the polynomial rate of pools of two, from three starts."""
    worlds = []
    for theta in (0.02, math.pi / 2, math.pi):
        for depth in (1, 10, 1000) if context.quick else (1, 10, 100, 1000, 10_000):
            angle = angle_after(theta, 2, depth)
            # 1 - rho is good to 1e-14.
            slack = 2e-14 / angle
            name = f"angle {theta:.3g}, {depth} layers"
            worlds.append(World(name, (angle - slack, angle + slack), bound(theta, depth)))
    claim = r"$\theta_l \le 3\pi/(l + 3\pi/\theta_0)$ for $q = 2$"
    return hold_worlds(worlds, form="printed", claim=claim)


def with_biases(context: Context, *, slope: Callable[[float], float] = lambda w: w) -> Evidence:
    """Hold the slope at 1 with biases, sigma_w^2, against the last of many layers."""
    w, q = 0.5, 4
    before, after = gaps(q, (17, 18), w, 1.0)
    ratio = after / before
    # Gaps lose 1e-14; the next term of the map is of the order of their root.
    room = 4e-14 / before + 3 * math.sqrt(before)
    return Evidence.exact_comparison(
        form="printed",
        claim=rf"$1 - \rho$ falls by $\sigma_w^2 = {w}$ a layer with biases, $q = {q}$",
        observed=ratio,
        exact=slope(w),
        interval=(ratio - room, ratio + room),
        resolution=0.05,
        method="computed, with a bound of the next term",
    )


def _about(value: float) -> tuple[float, float]:
    return value - ERROR, value + ERROR


STATEMENT = Statement(
    id="depth.alike",
    source="Ours; for ReLU see Poole and others (2016), Schoenholz and others (2017)",
    place="Ours; we have no copy of other papers on depth",
    copy="none",
    hypotheses=prose(r"""
        Infinite width. Without biases any weight variance, $q \ge 2$ and any start; with biases
        $\sigma_w^2\sigma^2(q) < 1$, so that variances have a limit.
        """),
    title="Depth makes rows alike",
    expected="holds",
    ground=prose(r"""
        One layer for pools to 1024, networks of ten layers, and of a thousand for pools of two.
        """),
    printed=(
        r"\frac{\kappa_q(\rho)}{\sigma^2(q)} \le \frac{1 - C(\rho)}{1 - \rho} \le "
        r"\frac{1}{\sigma^2(q)}, \qquad C = \frac{K_q}{\sigma^2(q)}; \qquad "
        r"q = 2: \quad \theta_l \le \frac{3\pi}{l + 3\pi/\theta_0}"
    ),
    printed_text=prose(r"""
        The correlation of rows after a layer is $C(\rho)$ whatever the weight variance. 1 is its
        only fixed point, with the slope $1/\sigma^2(q)$: pools of 3 and more are ordered, pools
        of two critical, none is chaotic. With biases the slope at 1 is $\sigma_w^2 < 1$.
        """),
    proof=prose(r"""
        $C(1) = 1$ and $C' = \kappa_q/\sigma^2(q)$ with $\kappa_q$ increasing to 1, so that $1 -
        C(\rho) = \int_\rho^1\kappa_q/\sigma^2$ is between the bounds. $\sigma^2(q)$ increases,
        from 1 at $q = 2$; a fixed point below 1 would need $\int_\rho^1\kappa_q =
        (1-\rho)\sigma^2$, but the mean of $\kappa_q$ is below 1. For $q = 2$, $1 - \cos\theta' =
        1 - \cos\theta - (\sin\theta - \theta\cos\theta)/\pi$. With $\psi = \theta/(1+a)$ and $a =
        \theta/(3\pi)$ the claim $\theta' \le \psi$ is $\cos\psi - \cos\theta \le (\sin\theta -
        \theta\cos\theta)/\pi$. The left is at most $(\theta^2 - \psi^2)/2 =
        \frac{\theta^3}{3\pi}\frac{1+a/2}{(1+a)^2} \le \frac{\theta^3}{3\pi}(1 - \frac32a +
        2a^2)$, the right at least $\frac{\theta^3}{3\pi}(1 - \theta^2/10)$, which settles $\theta
        \le 1.29$; above that the difference is at least 0.04 at steps of $10^{-4}$, with a slope
        below 3. Then $1/\theta_{l+1} \ge 1/\theta_l + 1/(3\pi)$, and $l\theta_l \to 3\pi$ as the
        increments tend to $1/(3\pi)$. With biases $\rho' = (\sigma_w^2vK_q(\rho) + \sigma_b^2)/v$
        at the fixed variance $v$, of slope $\sigma_w^2\kappa_q(1)$.
        """),
    checks=(
        Check(form="printed", name="one layer from above", run=above),
        Check(form="printed", name="one layer from below", run=below),
        Check(form="printed", name="ten layers", run=deep),
        Check(form="printed", name="a thousand layers of pools of two", run=pools_of_two),
        Check(form="printed", name="the slope with biases", run=with_biases),
    ),
)
