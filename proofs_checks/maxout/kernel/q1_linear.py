"""Pool size 1: maxout features are random projections, and their kernel is linear."""

from __future__ import annotations

from collections.abc import Callable

from mehler import MaxoutFeatures
from mehler.statements import Check, Context, Evidence, Plot, Series, Statement

from ..._dedent import prose
from ..._measured_products import Draw, Measured, measure, points
from ..._simultaneous import hold_against

_RHO = (-1.0, -0.6, -0.2, 0.0, 0.3, 0.8, 1.0)


def measured_kernel(
    context: Context,
    *,
    draw: Draw = MaxoutFeatures.draw,
    kernel: Callable[[float, int], float] = lambda rho, q: rho,
) -> Evidence:
    """Hold the correlation against products of units with a single weight."""
    context.ledger.spend(f"{STATEMENT.id}: linear kernel", context.false_alarm)
    width = 0.03 if context.quick else 0.01
    measured = measure(
        context,
        draw,
        1,
        _RHO,
        # Var(g g') of two standard normals of correlation rho.
        variance=[1 + rho**2 for rho in _RHO],
        width=[width] * len(_RHO),
        false_alarm=context.false_alarm,
    )
    return hold_against(
        measured,
        measured.claimed(kernel),
        resolution=width,
        form="printed",
        claim=r"for $q = 1$, $E\,h(x)h(z) = \langle x, z\rangle$",
        plots=(_plot(measured),),
    )


def _plot(measured: Measured) -> Plot:
    return Plot(
        title="Pool size 1",
        x_label="correlation of x and z",
        y_label="kernel of unit vectors",
        series=(Series(label="linear kernel", x=(-1, 1), y=(-1, 1)), points("measured", measured)),
        caption="With one weight a unit there is nothing to choose from: a random projection.",
    )


STATEMENT = Statement(
    id="maxout.q1-linear",
    source="Mroueh, Rennie, Goel (2015), Section 3, remarks after Theorem 2",
    place="Section 3, after Theorem 2; our copy, line 151",
    hypotheses="$q = 1$, weights of the law $N(0, I_d)$.",
    title="Pool size 1 gives the linear kernel",
    expected="holds",
    ground="Mean products of units with one weight, measured against the inner product.",
    printed=r"q = 1: \quad K(x,z) = \langle x,z\rangle",
    printed_text="With one weight a unit the features are random projections.",
    proof=prose(r"""
        $E\langle w,x\rangle\langle w,z\rangle = x^\top E[ww^\top]z = \langle x,z\rangle$ for $w
        \sim N(0, I)$. Both forms of Theorem 1 agree here: $h_1(1) = 0$, $\sigma^2(1) = 1$ and
        $\kappa_1 = 1$. For unit vectors a product has variance $1 + \rho^2$.
        """),
    checks=(
        Check(
            form="printed",
            name="products of projections against the inner product",
            run=measured_kernel,
        ),
    ),
)
