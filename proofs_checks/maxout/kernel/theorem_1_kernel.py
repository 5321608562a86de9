"""Theorem 1, the kernel: not sigma^2 <x, z> kappa_q, but h_1^2 plus the integral of kappa_q."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import MaxoutFeatures, exact
from mehler.statements import Check, Context, Evidence, Plot, Series, Statement

from ..._dedent import prose
from ..._measured_products import Draw, Measured, measure, points
from ..._simultaneous import hold_against

Kernel = Callable[[Any, int], Any]

_RHO = (-0.9, -0.5, 0.0, 0.5, 0.9)
_FINE = (-0.99, -0.7, -0.3, 0.1, 0.7, 0.99)
# Pool sizes and correlations. K_2 tends to 0 at rho = -1, where no relative width can be kept.
_QUICK = ((4, _RHO), (8, _RHO), (32, _RHO))
_FULL = ((2, (0.0, 0.5, 0.9)), (3, _RHO), (4, _FINE), (8, _FINE), (16, _FINE), (64, _FINE))
# Every interval must be narrower than this fraction of K.
_WIDTH = 0.01


def measured_kernel(context: Context, draw: Draw = MaxoutFeatures.draw) -> Measured:
    """Measure K_q at all pool sizes and correlations of the level."""
    plan = _QUICK if context.quick else _FULL
    return Measured.join(
        [
            measure(
                context,
                draw,
                q,
                rho,
                variance=exact.maxout_variance(np.asarray(rho), q),
                width=_WIDTH * exact.maxout_kernel(np.asarray(rho), q),
                false_alarm=context.false_alarm / len(plan),
            )
            for q, rho in plan
        ]
    )


def printed(
    context: Context,
    *,
    draw: Draw = MaxoutFeatures.draw,
    kernel: Kernel = exact.locally_linear_kernel,
) -> Evidence:
    """Hold sigma^2 rho kappa_q against what maxout units give."""
    context.ledger.spend(f"{STATEMENT.id}: printed kernel", context.false_alarm)
    return _compare(
        measured_kernel(context, draw),
        kernel,
        form="printed",
        claim=r"$E\,h(x)h(z) = \sigma^2(q)\langle x,z\rangle\kappa_q$",
    )


def proved(
    context: Context, *, draw: Draw = MaxoutFeatures.draw, kernel: Kernel = exact.maxout_kernel
) -> Evidence:
    """Hold h_1^2 + int_0^rho kappa_q against what maxout units give."""
    context.ledger.spend(f"{STATEMENT.id}: proved kernel", context.false_alarm)
    measured = measured_kernel(context, draw)
    return _compare(
        measured,
        kernel,
        form="proved",
        claim=r"$E\,h(x)h(z) = \Vert x\Vert\Vert z\Vert(h_1^2(q) + \int_0^\rho \kappa_q)$",
        plots=tuple(_plot(measured, q) for q in sorted(set(measured.pool_size))),
    )


def _compare(measured: Measured, kernel: Kernel, **texts: Any) -> Evidence:
    width = _WIDTH * measured.claimed(exact.maxout_kernel)
    return hold_against(measured, measured.claimed(kernel), resolution=width, **texts)


def _plot(measured: Measured, pool_size: int) -> Plot:
    rho = np.cos(np.linspace(np.pi, 0, 121))
    return Plot(
        title=f"Expected kernel of maxout units, q = {pool_size}",
        x_label="correlation of x and z",
        y_label="kernel of unit vectors",
        series=(
            Series(label="proved", x=rho, y=exact.maxout_kernel(rho, pool_size)),
            Series(label="printed", x=rho, y=exact.locally_linear_kernel(rho, pool_size)),
            points("measured", measured.only(pool_size)),
        ),
        caption=(
            "The measured points lie on the proved curve, within intervals narrower than one per "
            "cent; the printed curve meets it only at correlation 1."
        ),
    )


STATEMENT = Statement(
    id="maxout.theorem-1-kernel",
    source="Mroueh, Rennie, Goel (2015), Theorem 1, equations (6) and (8)",
    place=prose("""
        Section 2, Theorem 1, and Appendix A, equations (6) and (8); our copy, lines 65 to 73 and
        229 to 290
        """),
    hypotheses=prose(r"""
        Any $x$ and $z$ of $\mathbb R^d$ (not 0, where $\kappa_q$ is to be defined); $q$ independent
        weights of the law $N(0, I_d)$; independent units. No range of $q$ is named.
        """),
    title="Theorem 1: the expected kernel of a maxout unit",
    expected="refuted, repaired",
    ground=prose(r"""
        Mean products of units of independent Gaussian weights at pairs of correlations from -0.9 to
        0.9 and pools from 4 up: all intervals, narrower than one per cent of the kernel, exclude
        the print. Exactly, at $\rho = 0$ it is 0 and the truth $h_1^2 > 0$.
        """),
    printed=(
        r"K(x,z) = \mathbb{E}\,h(x)h(z) = \sigma^2(q)\,\langle x,z\rangle\,\kappa_q(x,z),"
        r"\quad h(x) = \max_{j \le q}\langle w_j,x\rangle"
    ),
    printed_text=prose("""
        The expected product of two maxout units is the linear kernel, scaled by the second moment
        of the maximum and damped by the probability that both points have the same winning weight.
        """),
    proved=(
        r"K(x,z) = \Vert x\Vert\,\Vert z\Vert\,K_q(\rho), \quad "
        r"K_q(\rho) = h_1(q)^2 + \int_0^\rho \kappa_q(t)\,dt, \quad K_q(1) = \sigma^2(q), \quad "
        r"\rho = \frac{\langle x,z\rangle}{\Vert x\Vert\,\Vert z\Vert}"
    ),
    proved_text=prose(r"""
        The collision probability is the derivative of the kernel, not a factor of it; the constant
        is the squared mean of the maximum. For $q \ge 2$ the printed value is strictly smaller than
        the true one at every $\rho \in (-1, 1)$.
        """),
    flaw=prose(r"""
        Write $M, M'$ for the two maxima and $D, D'$ for their indices. (a) The proof sets $E[MM'
        \mid D \ne D']$ to zero because weights are independent and centred; but a weight that won
        is biased upwards. At $\rho = 0$ the index pair is independent of the pair of maxima, and
        the value is $h_1^2 > 0$ (0.318, 1.060, 2.027 for $q = 2, 4, 8$). (b) The proof puts $E[MM'
        \mid D = D' = 1] = \rho\sigma^2$: it conditions on $w_1$ winning at $x$ and forgets that it
        wins at $z$ too, which biases the part of $\langle w_1, z\rangle$ that is orthogonal to
        $\langle w_1, x\rangle$. (c) That $q$ hyperplanes do not separate $x$ from $z$ is not the
        event $D = D'$, which is about the $q(q-1)/2$ hyperplanes of differences, and only about
        those that border the winning cell.
        """),
    proof=prose(r"""
        By homogeneity let $x, z$ be unit vectors: $M = \max_j g_j$ and $M' = \max_j g'_j$ with
        standard normal vectors $g, g'$ in $q$ dimensions of correlation $\rho$. Let $P_n$ project
        on the $n$-th Gaussian chaos. Mehler's formula $E f(g)f(g') = \sum_n \rho^n \Vert P_n
        f\Vert^2$ holds for square-integrable $f$; a Lipschitz $f$ has $\partial_j P_n f =
        P_{n-1}\partial_j f$ and $\sum_j\Vert\partial_j P_n f\Vert^2 = n\Vert P_n f\Vert^2$, so that
        the formula for the partial derivatives gives $\frac{d}{d\rho} E f(g)f(g') = E\langle\nabla
        f(g), \nabla f(g')\rangle$. For $f = \max$ the gradient is almost everywhere the unit vector
        of the winning index, and the derivative is $P(D = D') = \kappa_q(\rho)$. At $\rho = 0$ the
        maxima are independent: $K_q(0) = h_1^2$. Integrate; at $\rho = 1$ both maxima coincide.
        Strictness, $q \ge 2$. First $\sigma^2 \ge 1$: by parts $\sigma^2 = 1 + q(q-1)\int
        t\varphi(t)^2\Phi(t)^{q-2}dt$, and $\Phi^{q-2}$ does not decrease. For $0 < \rho < 1$,
        $K_q(\rho) = \sigma^2 - \int_\rho^1\kappa_q \ge \sigma^2 - (1-\rho)$ while the print is
        below $\sigma^2\rho$ because $\kappa_q(\rho) < 1$; the difference exceeds
        $(\sigma^2-1)(1-\rho) \ge 0$. For $-1 < \rho \le 0$ the print is at most 0, and $K_q(\rho) >
        K_q(-1) = -E[\max_j g_j \min_j g_j] \ge 0$: for $q = 2$ the mean is $E\,g_1g_2 = 0$, and one
        more variable $g$ changes it by $E[(g-\max)_+\min] - E[(\min-g)_+\max]$, where both terms
        pair a monotone function of the others with one of the opposite or the same direction, so
        that Harris' inequality gives $E[(g-\max)_+\min] \le 0 \le E[(\min-g)_+\max]$.
        """),
    note=prose(r"""
        The two kernels agree at $\rho = 1$, for $q = 1$, and for $q = 2$ at $\rho = -1$. The
        printed kernel is not lost: see maxout.decoupled-kernel.
        """),
    checks=(
        Check(form="printed", name="the printed kernel, measured", run=printed),
        Check(form="proved", name="the proved kernel, measured", run=proved),
    ),
)
