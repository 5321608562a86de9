"""Check which of two functions of the correlation are local: near 0 but for rows close together.

The maxout paper (Mroueh, Rennie, Goel 2015), Section 2.1, says so of the kernel K_q of maxout units
with q projections each; it is wrong. It is true of kappa_q, the chance that one projection is the
largest at both rows. V(q) = sigma^2(q) - h_1(q)^2 is the variance of a unit at a row of length 1,
sigma^2(q) = K_q(1) its mean square and h_1(q) its mean.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import brentq

from mehler import MaxoutFeatures, exact
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import compute
from ..._measured_products import Draw, Estimates, compare_with_claims, measure_pools
from ..._plots import plot
from ._growth import RATED, in_next_order, variance, variance_rate

Kernel = Callable[[float, int], Any]

_WIDTH = 0.02  # of sigma^2: an interval must be narrower
_POOLS = (2, 3, 4, 8, 16, 64, 256, 1024, 10**4, 10**5, 10**6)

# mypy infers no type for a lambda that binds a loop variable: the reason of each ignore[misc].


def variance_of_maximum(q: int) -> float:
    return float(exact.sigma2(q) - exact.max_moment(1, q) ** 2)


def half_angle(function: Callable[[float], float], height: float) -> float:
    """Return the angle of two rows at which an increasing function of correlation has a height."""
    root = brentq(lambda angle: function(math.cos(angle)) - height, 0.0, math.pi, xtol=1e-12)
    return float(root)


def _opposite(context: Context, draw: Draw) -> Estimates:
    pools = (8, 64) if context.quick else (3, 4, 8, 16, 64, 256)
    widths = {q: _WIDTH * exact.sigma2(q) for q in pools}
    return measure_pools(
        context, draw, (-1.0,), widths, lambda q: (exact.maxout_variance(-1.0, q),)
    )


@check("maxout.locality", form="printed", name="the kernel of opposite rows is 0", pays=True)
def far_points_printed(context: Context, *, draw: Draw = MaxoutFeatures.draw) -> Evidence:
    """Compare the published K = 0 with measured products of a unit at opposite rows."""
    estimates = _opposite(context, draw)
    claim = r"$K_q(\rho) \approx 0$ for the points that are farthest apart, $\rho = -1$"
    resolution = _WIDTH * estimates.claimed(lambda rho, q: exact.sigma2(q))
    return compare_with_claims(
        estimates, estimates.claimed(lambda rho, q: 0.0), claim, resolution=resolution
    )


@check("maxout.locality", form="printed", name="the radius of K shrinks")
def radius_printed(context: Context, *, kernel: Kernel = exact.maxout_kernel) -> Evidence:
    """Compare the angle at which K falls to half of its largest value at two pool sizes."""
    wide, narrow = (
        half_angle(lambda rho, q=q: kernel(rho, q) / kernel(1.0, q), 0.5)  # type: ignore[misc]
        if kernel(-1.0, q) < 0.5 * kernel(1.0, q)
        else math.pi
        for q in (2, 64)
    )
    # K is good to 1e-13, and its slope in the angle at these roots is above 0.1.
    error = 1e-11
    claim = (
        "the radius of $K_q$, read as the angle at which it falls to half of $K_q(1)$, "
        "shrinks: at $q = 64$ minus at $q = 2$, where the whole sphere counts as $\\pi$"
    )
    return compute(claim, narrow - wide, error, upper=0.0, method="quadrature with its error bound")


@check("maxout.locality", form="proved", name="the kernel of opposite rows", pays=True)
def far_points_proved(
    context: Context, *, draw: Draw = MaxoutFeatures.draw, kernel: Kernel = exact.maxout_kernel
) -> Evidence:
    """Compare K_q(-1) with measured products of a unit at opposite rows."""
    estimates = _opposite(context, draw)
    claim = r"$E\,h(x)h(-x) = K_q(-1)$, which is near $\sigma^2(q)$"
    resolution = _WIDTH * estimates.claimed(lambda rho, q: exact.sigma2(q))
    return compare_with_claims(
        estimates, estimates.claimed(kernel), claim, resolution=resolution, plots=(_kernel_plot(),)
    )


@check("maxout.locality", form="proved", name="the kernel becomes constant")
def flattening(context: Context, *, kernel: Kernel = exact.maxout_kernel) -> Evidence:
    """Compare the drop of K over the whole sphere with its bound V + 1/q."""
    drops = [
        (float(kernel(1.0, q) - kernel(-1.0, q)) / (variance_of_maximum(q) + 1 / q), q)
        for q in _POOLS
    ]
    # K is good to 1e-13 of sigma^2, at most 25, and V is at least 0.06.
    error = 1e-10
    worst, q = max(drops)
    claim = (
        r"$K_q(1) - K_q(-1) \le V(q) + \frac1q$, which over $\sigma^2$ tends to 0: their ratio "
        f"(largest of {len(drops)}: $q = {q}$)"
    )
    return compute(claim, worst, error, upper=1.0, method="quadrature with its error bound")


@check("maxout.locality", form="proved", name="the radius of kappa")
def half_angle_bounds(
    context: Context, *, collision: Kernel = exact.collision_probability
) -> Evidence:
    """Compare the angle at which kappa falls to 1/2 with both of its bounds."""
    # kappa is good to 1e-13; its slope in the angle at the root is above 0.3.
    error = 1e-11
    places = []
    for q in _POOLS[1:]:  # at q = 2 both bounds are met: kappa_2 is linear in the angle
        low, high = half_angle_interval(q)
        angle = half_angle(lambda rho, q=q: float(collision(rho, q)), 0.5)  # type: ignore[misc]
        places.append(((angle - low) / (high - low), error / (high - low), q))
    place, slack, q = max(places, key=lambda row: abs(row[0] - 0.5))
    claim = (
        r"the angle at which $\kappa_q = \frac12$ lies between $\sqrt\pi/(2h_1)$ and "
        r"$\arccos(1 - 2V)$, at most $\pi/2$: place between them, 0 at the lower one "
        f"(nearest to an end: $q = {q}$)"
    )
    plots = (_angle_plot(),)
    method = "quadrature with its error bound"
    return compute(claim, place, slack, lower=0.0, upper=1.0, method=method, plots=plots)


def half_angle_interval(q: int) -> tuple[float, float]:
    """Return proved bounds for the angle at which kappa_q is 1/2."""
    low = math.sqrt(math.pi) / (2 * exact.max_moment(1, q))
    return low, math.acos(max(0.0, 1 - 2 * variance_of_maximum(q)))


def _kernel_plot() -> Plot:
    rho = np.cos(np.linspace(np.pi, 0, 121))
    return plot(
        "Kernel over its largest value",
        "correlation of x and z",
        "K / σ²",
        *(
            Series(label=f"q = {q}", x=rho, y=exact.maxout_kernel(rho, q) / exact.sigma2(q))
            for q in (2, 4, 8, 64, 1024)
        ),
        caption="The larger the pool, the flatter the kernel: no point is far from any other.",
    )


def _angle_plot() -> Plot:
    pools = np.unique(np.round(np.logspace(math.log10(2), 6, 13))).astype(int)
    angles, centred, lows, highs = [], [], [], []
    for q in (int(size) for size in pools):
        angles.append(half_angle(lambda rho, q=q: exact.collision_probability(rho, q), 0.5))  # type: ignore[misc]
        half = variance_of_maximum(q) / 2
        centred.append(half_angle(lambda rho, q=q: exact.centred_kernel(rho, q), half))  # type: ignore[misc]
        low, high = half_angle_interval(q)
        lows.append(low)
        highs.append(high)
    return plot(
        "How local: angle at half height",
        "pool size",
        "angle in radians",
        Series(label="proved bounds", kind="band", x=pools, y_low=lows, y_high=highs),
        Series(label="collision probability", x=pools, y=angles),
        Series(label="centred kernel", x=pools, y=centred),
        log="x",
        caption="The radius does shrink, for the collision probability and the centred kernel, but "
        "only like one over the root of log q: a thousand times the pool for half the angle.",
    )


@check("maxout.locality", form="proved", name="the rate of V")
def variance_falls(context: Context, *, rate: Callable[[float], float] = variance_rate) -> Evidence:
    """Compare pi^2/(12 log q) with V(q), up to an enormous q."""
    worst, q = max((in_next_order(variance(q) / rate(q) - 1, q), q) for q in RATED)
    claim = (
        r"$V(q) \sim \pi^2/(12\log q)$: the relative error in units of $\log\log q/\log q$, "
        rf"up to $q = 10^{{300}}$ (largest at $q = {q:g}$)"
    )
    return compute(claim, worst, 1e-6, upper=0.4, method="quadrature with its error bound")


@check("maxout.locality", form="proved", name="the slope at equal rows")
def near_one(context: Context, *, collision: Kernel = exact.collision_probability) -> Evidence:
    """Compare 1 - kappa at the angle theta with its bound h_1 theta/sqrt(pi), equal at q = 2."""
    ratios = []
    for q in _POOLS:
        for angle in (1e-3, 0.1, 0.5, 1.0, 2.0, 3.0):
            changes = exact.max_moment(1, q) * angle / math.sqrt(math.pi)
            ratios.append(((1 - float(collision(math.cos(angle), q))) / changes, q, angle))
    worst, q, angle = max(ratios)
    # kappa is good to 1e-13, and the smallest divisor is 5e-4.
    rounding = 5e-10
    claim = (
        r"$1 - \kappa_q(\cos\theta) \le h_1\theta/\sqrt\pi$, an equality for $q = 2$: their "
        rf"ratio (largest of {len(ratios)}: $q = {q}$, $\theta = {angle:g}$)"
    )
    return compute(
        claim, worst, rounding, upper=1.0 + 2 * rounding, method="quadrature with its error bound"
    )
