"""Centred maxout: subtracting the mean leaves a linear kernel times a localiser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import MaxoutFeatures, exact
from mehler.statements import Check, Context, Evidence, Plot, Series, Statement
from proofs_checks.maxout._measure import Draw, Measured, measure, points
from proofs_checks.maxout._prose import prose
from proofs_checks.maxout._simultaneous import hold_against

Kernel = Callable[[float, int], Any]

_RHO = (-1.0, -0.6, -0.2, 0.0, 0.2, 0.5, 0.8, 1.0)


def variance_of_maximum(q: int) -> float:
    """V(q) = sigma^2 - h_1^2, the centred kernel at rho = 1."""
    return float(exact.centred_kernel(1.0, q))


def kernel(
    context: Context,
    *,
    draw: Draw = MaxoutFeatures.draw,
    kernel: Kernel = exact.centred_kernel,
) -> Evidence:
    """Hold int_0^rho kappa_q against products of centred units."""
    context.ledger.spend(f"{STATEMENT.id}: kernel", context.false_alarm)
    width = 0.03 if context.quick else 0.015  # in units of V(q)
    pools = (2, 8) if context.quick else (2, 4, 8, 32)
    measured = Measured.join(
        [
            measure(
                context,
                draw,
                q,
                _RHO,
                variance=exact.centred_variance(np.asarray(_RHO), q),
                width=[width * variance_of_maximum(q)] * len(_RHO),
                false_alarm=context.false_alarm / len(pools),
                centred=True,
            )
            for q in pools
        ]
    )
    return hold_against(
        measured,
        measured.claimed(kernel),
        resolution=width * measured.claimed(lambda rho, q: variance_of_maximum(q)),
        form="printed",
        check="mean product of centred units",
        claim=r"$E\,\bar h(x)\bar h(z) = \Vert x\Vert\Vert z\Vert\int_0^\rho\kappa_q$",
        plots=(_plot(measured.only(8)),),
    )


def _plot(measured: Measured) -> Plot:
    q = measured.pool_size[0]
    rho = np.cos(np.linspace(np.pi, 0, 121))
    return Plot(
        title=f"Expected kernel of centred maxout units, q = {q}",
        x_label="correlation of x and z",
        y_label="kernel of unit vectors",
        series=(
            Series(label="int kappa_q", x=rho, y=exact.centred_kernel(rho, q)),
            points("measured", measured),
        ),
        caption="Small and nearly flat between distant rows, steep between close ones: the "
        "locality that the paper is after.",
    )


STATEMENT = Statement(
    id="maxout.centred-kernel",
    source="Ours, for Mroueh, Rennie, Goel (2015), Theorem 1 and Section 2.1",
    place="Ours; nobody prints it",
    copy="none",
    hypotheses=prose(
        r"""
        Independent Gaussian weights; any rows but 0.
        """
    ),
    title="Centred maxout has a locally linear kernel",
    expected="holds",
    ground=prose(
        r"""
        Mean products of centred units, measured.
        """
    ),
    printed=(
        r"\bar h(x) = h(x) - h_1(q)\,\Vert x\Vert: \qquad "
        r"\mathbb{E}\,\bar h(x)\bar h(z) = \Vert x\Vert\,\Vert z\Vert\int_0^\rho\kappa_q(t)\,dt = "
        r"\langle x,z\rangle\,\bar\kappa_q(\rho), \quad "
        r"\bar\kappa_q(\rho) = \sum_{i \ge 0}\frac{a_i(q)}{i+1}\,\rho^i"
    ),
    printed_text=prose(
        r"""
        Subtracting its known mean from a maxout unit leaves exactly a linear kernel times a
        positive definite localiser, the running mean of the collision probability.
        """
    ),
    proof=prose(
        r"""
        $E\,h(x) = h_1\Vert x\Vert$, so the centred kernel is
        $K - h_1^2\Vert x\Vert\Vert z\Vert$, and
        $K_q - h_1^2 = \int_0^\rho\kappa_q$ (maxout.theorem-1-kernel). Integrate the series of
        $\kappa_q$ term by term and divide by $\rho$; its coefficients are not negative, so
        $\bar\kappa_q$ is positive definite on the sphere (Schoenberg). Values:
        $\bar\kappa_q(1) = V(q) = \sigma^2 - h_1^2$, $\bar\kappa_q(0) = 1/q$.
        """
    ),
    note=prose(
        r"""
        The same projections and one subtraction. Centring by the mean over a map's units instead
        of $h_1\Vert x\Vert$ multiplies the expected kernel by $1 - 1/m$.
        """
    ),
    checks=(Check(form="printed", name="mean product of centred units", run=kernel),),
)
