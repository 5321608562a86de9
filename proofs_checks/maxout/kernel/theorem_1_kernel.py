"""Check the kernel of maxout units in Theorem 1: the paper's formula fails, another one holds.

A unit is the largest of q projections; kappa_q(rho) is the chance that the same is the largest at
two rows of correlation rho. The maxout paper (Mroueh, Rennie, Goel 2015) has the kernel sigma^2 rho
kappa_q, we prove h_1^2 + int_0^rho kappa_q, with the mean h_1 and mean square sigma^2 of a unit.
Both are compared with measured mean products.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import MaxoutFeatures, exact
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._measured_products import Draw, Estimates, compare_with_claims, measure, points
from ..._plots import plot

Kernel = Callable[[Any, int], Any]

_RHO = (-0.9, -0.5, 0.0, 0.5, 0.9)
_FINE = (-0.99, -0.7, -0.3, 0.1, 0.7, 0.99)
# Pool sizes q, correlations rho. The kernel of q = 2 tends to 0 at -1: no relative width there.
_QUICK = ((4, _RHO), (32, _RHO))
_FULL = ((2, (0.0, 0.5, 0.9)), (3, _RHO), (4, _FINE), (8, _FINE), (16, _FINE), (64, _FINE))


def width(context: Context, pool_size: Any) -> Any:
    """Return the largest width of an interval, as a fraction of the kernel.

    Small pools take the most units for it. Kernels of the next pool sizes differ by 0.34 from that
    of 4, by 0.012 from that of 32.
    """
    return np.where(context.quick & (np.asarray(pool_size) < 32), 0.02, 0.01)


def measured_kernel(context: Context, draw: Draw = MaxoutFeatures.draw) -> Estimates:
    """Measure K_q at all pool sizes and correlations of the level."""
    plan = _QUICK if context.quick else _FULL
    return Estimates.join(
        [
            measure(
                context,
                draw,
                q,
                rho,
                variance=exact.maxout_variance(np.asarray(rho), q),
                width=width(context, q) * exact.maxout_kernel(np.asarray(rho), q),
                false_alarm=context.false_alarm / len(plan),
            )
            for q, rho in plan
        ]
    )


@check("maxout.theorem-1-kernel", form="printed", name="the printed kernel, measured", pays=True)
def printed(
    context: Context,
    *,
    draw: Draw = MaxoutFeatures.draw,
    kernel: Kernel = exact.locally_linear_kernel,
) -> Evidence:
    """Compare the published kernel with measured products."""
    claim = r"$E\,h(x)h(z) = \sigma^2(q)\langle x,z\rangle\kappa_q$"
    return _compare(context, measured_kernel(context, draw), kernel, claim=claim)


@check("maxout.theorem-1-kernel", form="proved", name="the proved kernel, measured", pays=True)
def proved(
    context: Context, *, draw: Draw = MaxoutFeatures.draw, kernel: Kernel = exact.maxout_kernel
) -> Evidence:
    """Compare the proved kernel with measured products."""
    estimates = measured_kernel(context, draw)
    claim = r"$E\,h(x)h(z) = \Vert x\Vert\Vert z\Vert(h_1^2(q) + \int_0^\rho \kappa_q)$"
    plots = tuple(_plot(estimates, q) for q in sorted(set(estimates.pool_size)))
    return _compare(context, estimates, kernel, claim=claim, plots=plots)


def _compare(context: Context, estimates: Estimates, kernel: Kernel, **texts: Any) -> Evidence:
    widest = width(context, estimates.pool_size) * estimates.claimed(exact.maxout_kernel)
    return compare_with_claims(estimates, estimates.claimed(kernel), resolution=widest, **texts)


def _plot(estimates: Estimates, pool_size: int) -> Plot:
    rho = np.cos(np.linspace(np.pi, 0, 121))
    return plot(
        f"Expected kernel of maxout units, q = {pool_size}",
        "correlation of x and z",
        "kernel of unit vectors",
        Series(label="proved", x=rho, y=exact.maxout_kernel(rho, pool_size)),
        Series(label="printed", x=rho, y=exact.locally_linear_kernel(rho, pool_size)),
        points("measured", estimates.only(pool_size)),
        caption=(
            "The measured points lie on the proved curve, within intervals narrower than two per "
            "cent; the printed curve meets it only at correlation 1."
        ),
    )
