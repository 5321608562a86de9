"""Check the chance that maxout codes agree at equal, orthogonal and opposite rows: 1, 1/q and 0.

A code is the index of the largest of q projections, kappa_q(rho) the chance that it is the same at
two rows of correlation rho. The maxout paper (Mroueh, Rennie, Goel 2015), Section 2.1, has these
values; they are compared with draws, and with the integral for kappa_q.
"""

from collections.abc import Callable
from typing import Any

from mehler import MaxoutCodes, exact
from mehler.statements import Context, Evidence, check

from ..._comparisons import compute
from ..._measured_products import Draw, compare_with_claims, measure_collisions

_RHO = (1.0, 0.0, -1.0)


def claimed(rho: float, q: int) -> float:
    """Return the published value at correlation rho."""
    return {1.0: 1.0, 0.0: 1 / q, -1.0: 0.0}[rho]


@check(
    "maxout.special-values",
    form="printed",
    name="codes of equal, orthogonal and opposite rows",
    pays=True,
)
def by_units(
    context: Context,
    *,
    draw: Draw = MaxoutCodes.draw,
    value: Callable[[float, int], float] = claimed,
) -> Evidence:
    """Count codes that agree on equal, orthogonal and opposite rows."""
    # 1/q of pools of 7 and 9 is 0.018 and 0.014 from that of 8, beyond half an interval.
    pools, width = ((2, 8), 0.015) if context.quick else ((2, 3, 4, 8, 64), 0.01)
    collisions = measure_collisions(context, draw, pools, _RHO, width)
    claim = r"$\kappa_q(1) = 1$, $\kappa_q(0) = 1/q$, $\kappa_q(-1) = 0$"
    return compare_with_claims(collisions, collisions.claimed(value), claim, resolution=width)


@check("maxout.special-values", form="printed", name="the three values by quadrature")
def by_formula(
    context: Context, *, collision: Callable[[float, int], Any] = exact.collision_probability
) -> Evidence:
    """Compare the integral for kappa_q with the three values."""
    pools = (2, 3, 4, 8, 64, 1024) if context.quick else (2, 3, 4, 5, 8, 16, 64, 1024, 10**5, 10**6)
    # kappa is good to 1e-13 in absolute terms.
    error = 1e-13
    gaps = [(float(collision(r, q)) - claimed(r, q), r, q) for r in _RHO for q in pools]
    worst, rho, q = max(gaps, key=lambda gap: abs(gap[0]))
    claim = (
        "the Gaussian integral for $\\kappa_q$ takes the printed values "
        f"(largest difference of {len(gaps)}: $q = {q}$, $\\rho = {rho:.0f}$)"
    )
    return compute(
        claim, worst, error, exact=0.0, resolution=1e-12, method="quadrature with its error bound"
    )
