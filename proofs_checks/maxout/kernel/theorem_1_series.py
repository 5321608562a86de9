"""Check the power series of the chance that two rows of correlation rho have equal maxout codes.

A code D is the index of the largest of q projections; kappa_q(rho) = P(D = D') = sum a_i rho^i. The
maxout paper (Mroueh, Rennie, Goel 2015), Theorem 1 and Lemma 1, states a_0, a_1, a_2 by moments
h_i(q) of the largest normal with Hermite polynomials, the signs of all a_i and their sums. They are
compared with integrals, with certified enclosures, and the series with drawn codes.
"""

import importlib.util
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import zeta

from mehler import MaxoutCodes, exact
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import compute
from ..._measured_products import Draw, Estimates, compare_with_claims, measure_collisions, points
from ..._plots import plot

Coefficients = Callable[[int, int], Any]
Collision = Callable[[float, int], Any]
Ends = Callable[[int, int], list[tuple[Any, Any]]]

_RHO = (-0.8, -0.4, 0.0, 0.4, 0.8)
_TERMS = 48
_SHARED = 64
_DIGITS = 20


@lru_cache(maxsize=32)
def coefficients_of(q: int, n: int) -> Any:
    """Return a_0 ... a_(n-1), at least 64 of which are computed and cached at a time."""
    if n < _SHARED:
        return coefficients_of(q, _SHARED)[:n]
    return exact.collision_coefficients(q, n)


def printed_coefficients(q: int) -> tuple[float, ...]:
    """Return a_0, a_1 and (for q > 2) a_2 by the published formulas in h_1 and h_2."""
    first = (1 / q, exact.hermite_moment(1, q) ** 2 / (q - 1))
    if q == 2:
        return first
    return (*first, q * exact.hermite_moment(2, q) ** 2 / ((q - 1) * (q - 2)))


@check("maxout.theorem-1-series", form="printed", name="first coefficients, two routes")
def first_three(
    context: Context, *, coefficients: Coefficients = exact.collision_coefficients
) -> Evidence:
    """Compare a_0, a_1, a_2 as published with a double integral over two normals."""
    pools = (2, 3, 4, 8, 64) if context.quick else (2, 3, 4, 5, 8, 16, 64, 256, 1024, 10**5)
    # The coefficients are good to 1e-13, h_1 and h_2 to 1e-13 (relative to h_2 above 1); as
    # a_1, a_2 < 0.4, each formula keeps that to twice 1e-13.
    slack = 3e-13
    gaps = [
        (float(a - b), q, i)
        for q in pools
        for i, (a, b) in enumerate(zip(coefficients(q, 3), printed_coefficients(q), strict=False))
    ]
    worst, q, i = max(gaps, key=lambda gap: abs(gap[0]))
    claim = (
        "$a_0, a_1, a_2$ from $h_1, h_2$ agree with the expansion of $P(D = D')$ "
        f"(largest difference of {len(gaps)}: $a_{i}$ at $q = {q}$)"
    )
    method = "one-dimensional moments against a double integral, with their error bounds"
    return compute(claim, worst, slack, exact=0.0, resolution=1e-12, method=method)


@check("maxout.theorem-1-series", form="printed", name="first coefficients, enclosed")
def first_three_enclosed(context: Context, *, ends: Ends | None = None) -> Evidence:
    """Compare enclosures of a_0, a_1, a_2 with published formulas of enclosed h_1 and h_2."""
    import mpmath

    gaps = []
    with mpmath.workdps(200):  # rounding far below the radius of any ball
        for q in (3, 4, 8) if context.quick else (3, 4, 5, 8, 16, 64):
            unit = mpmath.mpf(1)
            first, second = (moment_ends(i, q) for i in (1, 2))  # positive, so squares are in order
            formulas = [
                (unit / q, unit / q),
                tuple(h * h / (q - 1) for h in first),
                tuple(q * h * h / ((q - 1) * (q - 2)) for h in second),
            ]
            gaps += [
                (low - formula_high, high - formula_low, q, i)
                for i, ((low, high), (formula_low, formula_high)) in enumerate(
                    zip((ends or coefficient_ends)(q, 3), formulas, strict=True)
                )
            ]
        low, high, q, i = max(gaps, key=lambda gap: max(gap[0], -gap[1]))
    return Evidence.from_interval(
        claim=(
            "$a_0, a_1, a_2$ minus the printed formulas is 0 "
            f"(closest to failing of {len(gaps)}: $a_{i}$ at $q = {q}$)"
        ),
        observed=float((low + high) / 2),
        exact=0.0,
        interval=(float(low), float(high)),
        resolution=1e-15,
        method=_method(),
    )


@check("maxout.theorem-1-series", form="printed", name="sign of the coefficients")
def non_negative(context: Context, *, ends: Ends | None = None) -> Evidence:
    """Check the signs of a_0 ... a_8, by the lowest end of their enclosures."""
    enclose = ends or coefficient_ends
    pools = (3, 8) if context.quick else (3, 4, 5, 8, 16, 64)
    # For q = 2 the even coefficients vanish, and no enclosure can show the sign of 0.
    values = [(low, high, q, i) for q in pools for i, (low, high) in enumerate(enclose(q, 9))]
    low, high, q, i = min(values)
    return Evidence.from_interval(
        claim=f"$a_i(q) \\ge 0$ (lowest of {len(values)}: $a_{i}$ at $q = {q}$)",
        observed=float((low + high) / 2),
        # Outwards: the nearest float may lie inside.
        interval=(math.nextafter(low, -math.inf), math.nextafter(high, math.inf)),
        lower=0.0,
        method=_method(),
    )


def coefficient_ends(q: int, n: int) -> list[tuple[Any, Any]]:
    """Return ends of a_0 ... a_(n-1), from certified balls where python-flint is installed."""
    if _flint():
        from mehler.exact import certified

        balls = certified.collision_coefficients(q, n)
        return [(ball.value - ball.radius, ball.value + ball.radius) for ball in balls]
    import mpmath

    error = mpmath.mpf(10) ** -_DIGITS
    return [(a - error, a + error) for a in exact.collision_coefficients(q, n, dps=_DIGITS)]


def moment_ends(i: int, q: int) -> tuple[Any, Any]:
    """Return the lower and upper end of h_i(q), in the same way."""
    if _flint():
        from mehler.exact import certified

        ball = certified.hermite_moment(i, q)
        return ball.value - ball.radius, ball.value + ball.radius
    import mpmath

    error = mpmath.mpf(10) ** -_DIGITS
    value = exact.hermite_moment(i, q, dps=_DIGITS)
    return value - error, value + error


def _flint() -> bool:
    return importlib.util.find_spec("flint") is not None


def _method() -> str:
    return "certified balls" if _flint() else f"multiprecision, {_DIGITS} digits"


@check("maxout.theorem-1-series", form="printed", name="sums of the coefficients")
def sums(context: Context, *, collision: Collision = exact.collision_probability) -> Evidence:
    """Compare enclosures of the sums of all, even and odd coefficients with 1, 1/2 and 1/2.

    With no a_i negative, kappa(r) is at most the sum and the sum at most 1 for every r < 1, and
    (kappa(r) - kappa(-r))/2 is at most the odd half; next to r = 1 this closes in.
    """
    rho, error = 1 - 1e-10, 1e-13  # kappa is good to the second
    enclosures = []
    for q in (2, 3, 8, 64) if context.quick else (2, 3, 4, 5, 8, 16, 64, 1024, 10**6):
        right, left = float(collision(rho, q)), float(collision(-rho, q))
        even, odd = (right + left) / 2, (right - left) / 2
        enclosures += [
            (right - error, 1.0, 1.0, f"all, $q = {q}$"),
            (even - error, 1 - odd + error, 0.5, f"even, $q = {q}$"),
            (odd - error, 1 - even + error, 0.5, f"odd, $q = {q}$"),
        ]
    low, high, claimed, name = max(
        enclosures, key=lambda row: (max(row[0] - row[2], row[2] - row[1], 0), row[1] - row[0])
    )
    return Evidence.from_interval(
        claim=f"all $a_i$ sum to 1, the even and the odd ones to 1/2 each (widest: {name})",
        observed=(low + high) / 2,
        exact=claimed,
        interval=(low, max(low, high)),
        resolution=1e-3,
        method="Abel's theorem: kappa at 1 - 1e-10 and its mirror enclose the sums",
        assumptions=("no coefficient is negative",),
    )


@check("maxout.theorem-1-series", form="printed", name="partial sums and their tail")
def partial_sums(context: Context, *, coefficients: Coefficients = coefficients_of) -> Evidence:
    """Compare sums of coefficients, and of the tail by their asymptotics, with 1 and 1/2."""
    n = _SHARED if context.quick else 128
    estimates = []
    for q in (3, 8) if context.quick else (3, 4, 5, 8, 16, 64):
        a = np.asarray(coefficients(q, n))
        # a_i = A i^(-3/2) (1 + O(1/i)): an estimate from n terms is off by O(n^(-3/2)), one from
        # n/2 by 2.8 times that, so that their difference exceeds the error of the better one.
        constant = exact.max_moment(1, q) / (math.sqrt(2) * math.pi)
        for name, start, step, claimed in (("all", 0, 1, 1.0), ("even", 0, 2, 0.5)):
            scale = constant * step**-1.5
            fine, coarse = (
                float(a[start:k:step].sum() + scale * zeta(1.5, k // step)) for k in (n, n // 2)
            )
            estimates.append((abs(fine - claimed), fine, abs(fine - coarse), claimed, name, q))
    _, value, error, claimed, name, q = max(estimates, key=lambda row: row[0] / row[2])
    claim = f"$\\sum a_i = 1$, the even half 1/2 (worst: {name} at $q = {q}$, {n} terms)"
    plots = (_decay_plot(),)
    return compute(
        claim,
        value,
        error,
        exact=claimed,
        resolution=1e-2,
        method="partial sum and asymptotic tail; error from half as many terms",
        assumptions=("a_i is asymptotically h_1/(sqrt 2 pi) i^(-3/2) (1 + O(1/i))",),
        plots=plots,
    )


@check("maxout.theorem-1-series", form="printed", name="the series against collisions", pays=True)
def collisions(
    context: Context, *, draw: Draw = MaxoutCodes.draw, coefficients: Coefficients = coefficients_of
) -> Evidence:
    """Compare the series with how often two drawn codes agree."""
    # At rho = 0 pools of 7 and 9 are 0.018 and 0.014 from that of 8, beyond half an interval.
    pools, width = ((3, 8), 0.015) if context.quick else ((2, 3, 4, 8, 64), 0.01)
    estimates = measure_collisions(context, draw, pools, _RHO, width)
    series = {q: np.polynomial.Polynomial(coefficients(q, _TERMS)) for q in pools}
    return compare_with_claims(
        estimates,
        estimates.claimed(lambda rho, q: series[q](rho)),
        resolution=width,
        # Coefficients are not negative and sum to 1: the rest is at most |rho|^48, 2e-5 at 0.8.
        error=np.abs(estimates.rho) ** _TERMS,
        claim=rf"$P(D = D') = \sum_i a_i \rho^i$, {_TERMS} terms",
        plots=(_series_plot(estimates.only(pools[-1]), series[pools[-1]]),),
    )


def _decay_plot() -> Plot:
    order = np.arange(1, 49)
    series = []
    for q in (3, 8):
        a = coefficients_of(q, 49)[1:]
        limit = exact.max_moment(1, q) / (math.sqrt(2) * math.pi)
        series.append(Series(label=f"q = {q}", x=order, y=a * order**1.5 / limit))
    return plot(
        "Coefficients over their asymptotics",
        "order i",
        "coefficient over its asymptotic",
        *series,
        caption="They decay like the power −3/2 of i: a thousand terms leave a tail of per cents.",
    )


def _series_plot(estimates: Estimates, series: Any) -> Plot:
    rho = np.linspace(-1, 1, 121)
    q = estimates.pool_size[0]
    return plot(
        f"Collision probability, q = {q}",
        "correlation of x and z",
        "probability of the same code",
        Series(label="exact", x=rho, y=exact.collision_probability(rho, q)),
        Series(label="first three terms", x=rho, y=series.truncate(3)(rho)),
        Series(label=f"first {_TERMS} terms", x=rho, y=series(rho)),
        points("measured", estimates),
        caption="Forty-eight terms follow the curve up to its square-root cusp at correlation 1.",
    )
