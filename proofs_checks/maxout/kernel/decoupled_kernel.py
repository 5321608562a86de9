"""Check the kernel of decoupled maxout units, which choose by some weights and project by others.

A unit takes the index of its largest of q projections, the winner, and projects by other weights of
that index: fresh ones, or those of the next unit. Its kernel at correlation rho is sigma^2(q) rho
kappa_q(rho), with kappa_q the chance that two rows have the same winner. That is the kernel which
the maxout paper (Mroueh, Rennie, Goel 2015) has for plain units, of mean square sigma^2(q).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import DecoupledMaxoutFeatures, exact, verify
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import compute, run_check
from ..._measured_products import Draw, Estimates, compare_with_claims, measure_pools, points
from ..._plots import plot

_RHO = (-1.0, -0.7, -0.3, 0.0, 0.3, 0.6, 0.9, 1.0)


@check("maxout.decoupled-kernel", form="printed", name="mean product of decoupled units", pays=True)
def kernel(
    context: Context,
    *,
    draw: Draw = DecoupledMaxoutFeatures.draw,
    kernel: Callable[[float, int], Any] = exact.locally_linear_kernel,
) -> Evidence:
    """Compare the kernel with measured products of units with fresh directions."""
    # Width in units of sigma^2(q), which is the kernel at rho = 1, by pool sizes. Pools of q - 1
    # and q + 1 differ by 1.0 and 0.28 from that of 2, by 0.075 and 0.068 from that of 8.
    plan = {2: 0.06, 8: 0.03} if context.quick else dict.fromkeys((2, 4, 8, 32), 0.015)
    widths = {q: width * exact.sigma2(q) for q, width in plan.items()}

    def variance(q: int) -> Any:
        return exact.sigma2(q) ** 2 * exact.decoupled_variance(np.asarray(_RHO), q)

    # Fresh directions: units are then independent.
    estimates = measure_pools(context, draw, _RHO, widths, variance, directions="fresh")
    claim = r"$E\,\tilde h(x)\tilde h(z) = \sigma^2(q)\langle x, z\rangle\kappa_q$"
    resolution = estimates.claimed(lambda rho, q: widths[q])
    plots = (_plot(estimates.only(8)),)
    return compare_with_claims(
        estimates, estimates.claimed(kernel), claim, resolution=resolution, plots=plots
    )


@check("maxout.decoupled-kernel", form="printed", name="directions borrowed from the next unit")
def borrowed(
    context: Context,
    *,
    draw: Draw = DecoupledMaxoutFeatures.draw,
    kernel: Callable[[Any, int], Any] = exact.locally_linear_kernel,
) -> Evidence:
    """Compare it with units that use the next unit's weights: samples are whole draws."""
    q = 4
    rows = context.rng("rows").standard_normal((4, 3))

    def claimed(x: Any, z: Any) -> Any:
        lengths = np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(z, axis=1)
        return lengths * kernel(np.clip(x @ z.T / lengths, -1.0, 1.0), q)

    return run_check(
        context,
        verify.check_kernel,
        lambda seed: draw(3, 1000, q, seed=seed, like=context.like(), directions="next"),
        claimed,
        context.asarray(rows),
        label="borrowed directions",
        resolution=(0.05, 0.02),
        claim=rf"$v^\ell = w^{{\ell+1}}$ keeps the expected kernel, $q = {q}$, all pairs of 4 rows",
    )


def _plot(estimates: Estimates) -> Plot:
    q = estimates.pool_size[0]
    rho = np.cos(np.linspace(np.pi, 0, 121))
    return plot(
        f"Expected kernel of decoupled maxout units, q = {q}",
        "correlation of x and z",
        "kernel of unit vectors",
        Series(label="proved", x=rho, y=exact.locally_linear_kernel(rho, q)),
        Series(label="plain maxout", x=rho, y=exact.maxout_kernel(rho, q)),
        points("measured", estimates),
        caption="Choosing with one set of weights and projecting with another gives the printed "
        "kernel exactly.",
    )


Variance = Callable[..., Any]
_PAIR_RHO = (-0.95, -0.6, -0.2, 0.3, 0.7, 0.95)


def covariance_of_two(rho: float) -> float:
    """Compute the covariance of neighbouring units' products for q = 2, by signs of projections."""
    kappa = 1 - math.acos(rho) / math.pi
    half_lines = (math.sqrt(1 - rho * rho) + rho * (math.pi - math.acos(rho))) / math.pi
    equal, all_pairs = rho * kappa + half_lines, 2 * rho * kappa
    together = kappa / 2 * equal + (1 - kappa) / 2 * (all_pairs - equal)
    return rho * together - (rho * kappa) ** 2


@check("maxout.decoupled-kernel", form="proved", name="covariance of neighbouring units")
def covariance(context: Context, *, variance: Variance = exact.decoupled_variance) -> Evidence:
    """Compare the covariance of neighbouring units for q = 2 with another computation."""
    ratios = [
        float(variance(rho, 2, next_fraction=1.0) - variance(rho, 2)) / 2 / covariance_of_two(rho)
        for rho in _PAIR_RHO
    ]
    worst = max(ratios, key=lambda ratio: abs(ratio - 1))
    claim = (
        r"$\mathrm{Cov}(X_1, X_2) = \rho(1-\rho^2)\kappa_q'(q\kappa_q - 1)/(q(q-1))$, $q = 2$: "
        f"over its value by signs and half-lines, farthest from 1 of {len(_PAIR_RHO)} "
        "correlations"
    )
    return compute(claim, worst, 1e-9, exact=1.0, method="closed forms, with their rounding")


@check("maxout.decoupled-kernel", form="proved", name="variance of a product")
def spread(
    context: Context,
    *,
    draw: Draw = DecoupledMaxoutFeatures.draw,
    variance: Variance = exact.decoupled_variance,
) -> Evidence:
    """Compare the variance of products of units with fresh directions with its formula."""
    q = 4
    x = np.array([[1.0, 0.0]])
    z = np.array([[0.8, 0.6]])

    def claimed(left: Any, right: Any) -> Any:
        return np.full((1, 1), exact.sigma2(q) ** 2 * float(variance(0.8, q)))

    return run_check(
        context,
        verify.check_variance,
        lambda seed: draw(2, 1000, q, seed=seed, like=context.like(), directions="fresh"),
        claimed,
        context.asarray(x),
        context.asarray(z),
        # Relative, and what the number of features follows from: 167,000 at 0.12. The variance
        # without its last factor, 1 + rho^2 kappa (2 - kappa), is 0.36 smaller.
        label="variance",
        resolution=(0.12, 0.05),
        seed=context.seed_for("spread"),
        claim=rf"$m\,\mathrm{{Var}} = \sigma^4(1 + \rho^2\kappa_q(2 - \kappa_q))$, $q = {q}$",
    )
