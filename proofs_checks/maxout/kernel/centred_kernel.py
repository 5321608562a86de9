"""Check the kernel of maxout units less their mean: the integral of the collision probability.

A unit is the largest of q projections, its winner; at a row of length 1 it has the mean h_1 and the
variance V(q). kappa_q(rho) is the chance that rows of correlation rho have the same winner. The
centred kernel, which we add to the maxout paper (Mroueh, Rennie, Goel 2015), is int_0^rho kappa_q.
It is K_q, the kernel of plain units, less h_1^2, and is compared with draws and quadrature. Divided
by rho it is the localiser, small for far rows. A last check centres units by their own mean.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import MaxoutFeatures, _arrays, exact, verify
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import compute
from ..._measured_products import Draw, Estimates, compare_with_claims, measure_pools, points
from ..._plots import plot

Kernel = Callable[[float, int], Any]

# Of ratios: the rule's error where kappa has a singularity in the angle, and kappa's own.
_ROUNDING = 1e-9

_RHO = (-1.0, -0.6, -0.2, 0.0, 0.2, 0.5, 0.8, 1.0)


def variance_of_maximum(q: int) -> float:
    """Compute V(q), the variance of the largest of q normals."""
    return float(exact.centred_kernel(1.0, q))


@check("maxout.centred-kernel", form="printed", name="mean product of centred units", pays=True)
def kernel(
    context: Context, *, draw: Draw = MaxoutFeatures.draw, kernel: Kernel = exact.centred_kernel
) -> Evidence:
    """Compare the centred kernel with measured products of centred units."""
    # Width in units of V(q), by pool sizes. Pools of q - 1 and q + 1 differ by 1.0 and 0.23 from
    # that of 2, by 0.051 and 0.042 from that of 8.
    plan = {2: 0.06, 8: 0.03} if context.quick else dict.fromkeys((2, 4, 8, 32), 0.015)
    widths = {q: width * variance_of_maximum(q) for q, width in plan.items()}

    def variance(q: int) -> Any:
        return exact.centred_variance(np.asarray(_RHO), q)

    estimates = measure_pools(context, draw, _RHO, widths, variance, centred=True)
    claim = r"$E\,\bar h(x)\bar h(z) = \Vert x\Vert\Vert z\Vert\int_0^\rho\kappa_q$"
    resolution = estimates.claimed(lambda rho, q: widths[q])
    plots = (_plot(estimates.only(8)),)
    return compare_with_claims(
        estimates, estimates.claimed(kernel), claim, resolution=resolution, plots=plots
    )


@check("maxout.centred-kernel", form="proved", name="the integral of the collision probability")
def localiser(context: Context, *, kernel: Kernel = exact.centred_kernel) -> Evidence:
    """Compare the kernel with the integral of the collision probability, by Gauss's rule."""
    # kappa has a square root at 1: with t = sin(a) the integrand is smooth.
    nodes, weights = np.polynomial.legendre.leggauss(200)
    ratios = []
    for q in (2, 3, 8, 64):
        for rho in (-1.0, -0.5, 0.1, 0.5, 0.9, 1.0):
            end = np.arcsin(rho)
            angle = end * (nodes + 1) / 2
            kappa = np.asarray(exact.collision_probability(np.sin(angle), q))
            integral = float(end / 2 * (weights @ (kappa * np.cos(angle))))
            ratios.append((float(kernel(rho, q)) / integral, q, rho))
    ratio, q, rho = max(ratios, key=lambda row: abs(row[0] - 1))
    claim = (
        r"$K_q - h_1^2 = \int_0^\rho\kappa_q$, with $\bar\kappa_q(1) = V(q)$ and "
        rf"$\bar\kappa_q(-1) = h_1^2 - K_q(-1)$: ratio, farthest from 1 of {len(ratios)} "
        rf"($q = {q}$, $\rho = {rho:g}$)"
    )
    return compute(claim, ratio, _ROUNDING, exact=1.0, method="Gauss's rule in the angle")


@check("maxout.centred-kernel", form="proved", name="the localiser localises")
def localises(context: Context, *, kernel: Kernel = exact.centred_kernel) -> Evidence:
    """Compare the localiser over its value at 1 with the bound of the proof, 8 h_1^2 kappa_q."""
    ratios = []
    for q in (2, 8, 64, 1024, 10**6):
        for rho in (0.1, 0.5, 0.9):
            ratio = float(kernel(rho, q)) / rho / float(kernel(1.0, q))
            most = 8 * exact.max_moment(1, q) ** 2 * float(exact.collision_probability(rho, q))
            ratios.append((ratio / most, q, rho))
    worst, q, rho = max(ratios)
    claim = (
        r"$\bar\kappa_q(\rho)/\bar\kappa_q(1) \le 8h_1^2\kappa_q(\rho)$, which tends to 0: "
        rf"their ratio (largest of {len(ratios)}: $q = {q}$, $\rho = {rho:g}$)"
    )
    return compute(claim, worst, 1e-9, upper=1.0, method="quadrature with its error bound")


@check("maxout.centred-kernel", form="proved", name="centring by the mean of the units")
def mean_over_units(context: Context, *, share: float = 0.5) -> Evidence:
    """Measure what centring by the mean of two units leaves of the kernel."""
    q, rho, n = 4, 0.6, 260_000 if context.quick else 1_000_000
    x = np.array([[1.0, 0.0]])
    z = np.array([[rho, (1 - rho**2) ** 0.5]])
    phi = MaxoutFeatures.draw(2, 2 * n, q, seed=context.seed_for("two"), like=context.like())
    # With two units, a and b at x, a' and b' at z, the mean product of their deviations is
    # (a - b)(a' - b')/4. The features of a map are divided by the root of their number.
    pairs = [
        _arrays.to_host(phi(context.asarray(row))).reshape(n, 2) * (2 * n) ** 0.5 for row in (x, z)
    ]
    apart = [pair[:, 0] - pair[:, 1] for pair in pairs]
    verdict = verify.check_mean(
        apart[0] * apart[1] / 4,
        share * float(exact.centred_kernel(rho, q)),
        # Deviations have fourth moments of at most 16 times those of a unit.
        variance=exact.max_moment(4, q),
        false_alarm=context.false_alarm,
        # Catoni's interval is 2 sqrt(2 V log(2/alpha)/n) = 0.0595 wide at the quick size.
        resolution=0.06,
        ledger=context.ledger,
        name=f"{context.statement}: mean over units",
    )
    return Evidence.from_verdict(
        verdict,
        claim=r"$E\,\frac1m\sum_l(h_l - \bar h)(h'_l - \bar h') = (1 - \frac1m)(K_q - h_1^2)$, "
        rf"$m = 2$, $q = {q}$",
    )


def _plot(estimates: Estimates) -> Plot:
    q = estimates.pool_size[0]
    rho = np.cos(np.linspace(np.pi, 0, 121))
    return plot(
        f"Expected kernel of centred maxout units, q = {q}",
        "correlation of x and z",
        "kernel of unit vectors",
        Series(label="proved", x=rho, y=exact.centred_kernel(rho, q)),
        points("measured", estimates),
        caption="Small and nearly flat between distant rows, steep between close ones: the "
        "locality that the paper is after.",
    )
