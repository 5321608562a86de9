"""Check pool size 1 of the maxout paper: units are random projections, and their kernel linear.

The mean product of a unit at two rows (Mroueh, Rennie, Goel 2015, Section 3) is measured, and
compared with the inner product of the rows.
"""

from collections.abc import Callable

from mehler import MaxoutFeatures
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._measured_products import Draw, Estimates, compare_with_claims, measure, points
from ..._plots import plot

_RHO = (-1.0, -0.6, -0.2, 0.0, 0.3, 0.8, 1.0)


@check(
    "maxout.q1-linear",
    form="printed",
    name="products of projections against the inner product",
    pays=True,
)
def measured_kernel(
    context: Context,
    *,
    draw: Draw = MaxoutFeatures.draw,
    kernel: Callable[[float, int], float] = lambda rho, q: rho,
) -> Evidence:
    """Compare the correlation of two rows with measured products of such units."""
    width = 0.03 if context.quick else 0.01
    estimates = measure(
        context,
        draw,
        1,
        _RHO,
        # Var(g g') of two standard normals of correlation rho.
        variance=[1 + rho**2 for rho in _RHO],
        width=[width] * len(_RHO),
        false_alarm=context.false_alarm,
    )
    claim = r"for $q = 1$, $E\,h(x)h(z) = \langle x, z\rangle$"
    return compare_with_claims(
        estimates, estimates.claimed(kernel), claim, resolution=width, plots=(_plot(estimates),)
    )


def _plot(estimates: Estimates) -> Plot:
    return plot(
        "Pool size 1",
        "correlation of x and z",
        "kernel of unit vectors",
        Series(label="linear kernel", x=(-1, 1), y=(-1, 1)),
        points("measured", estimates),
        caption="With one weight a unit there is nothing to choose from: a random projection.",
    )
