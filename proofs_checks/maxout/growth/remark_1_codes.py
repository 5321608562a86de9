"""Remark 1: the Hamming similarity of argmax codes has expectation kappa_q."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import MaxoutCodes, exact
from mehler.statements import Check, Context, Evidence, Plot, Series, Statement

from ..._dedent import prose
from ..._measured_products import Draw, Measured, points
from ..._simultaneous import hold_against
from .._collisions import measure_collisions
from . import _hashing as hashing
from . import _sandwich

_RHO = (-0.8, -0.4, 0.0, 0.25, 0.5, 0.75, 0.95)


def _width(context: Context) -> float:
    return 0.015 if context.quick else 0.01


def _measured(context: Context, draw: Draw) -> Measured:
    pools = (4, 16) if context.quick else (2, 3, 4, 8, 64)
    share = context.false_alarm / len(pools)
    return Measured.join(
        [
            measure_collisions(context, draw, q, _RHO, width=_width(context), false_alarm=share)
            for q in pools
        ]
    )


def similarity(
    context: Context,
    *,
    draw: Draw = MaxoutCodes.draw,
    collision: Callable[[float, int], Any] = exact.collision_probability,
) -> Evidence:
    """Hold kappa_q against the share of digits on which codes agree."""
    context.ledger.spend(f"{STATEMENT.id}: similarity", context.false_alarm)
    measured = _measured(context, draw)
    return hold_against(
        measured,
        measured.claimed(collision),
        resolution=_width(context),
        form="printed",
        claim=r"$E\,d_H(C(x), C(z)) = 1 - \kappa_q$",
        plots=(_plot(measured),),
    )


def sensitivity(context: Context, *, draw: Draw = MaxoutCodes.draw) -> Evidence:
    """Ask whether closer rows agree more often, at each step between measured correlations."""
    context.ledger.spend(f"{STATEMENT.id}: sensitivity", context.false_alarm)
    measured = _measured(context, draw)
    # From one correlation to the next, among those where kappa has left 0.
    steps = [
        (
            measured.low[i + 1] - measured.high[i],
            measured.high[i + 1] - measured.low[i],
            measured.mean[i + 1] - measured.mean[i],
            i,
        )
        for i in range(len(measured.rho) - 1)
        if 0 <= measured.rho[i] < measured.rho[i + 1]
    ]
    low, high, gain, i = min(steps)
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            "collisions are more frequent at the larger correlation (least gain of "
            f"{len(steps)} steps: $q = {measured.pool_size[i]}$, $\\rho$ from "
            f"{measured.rho[i]:g} to {measured.rho[i + 1]:g})"
        ),
        observed=gain,
        interval=(low, high),
        lower=0.0,
        false_alarm=measured.false_alarm,
        n_features=measured.n_units[i],
        method=measured.method,
        assumptions=("digits of a code are independent",),
    )


def _plot(measured: Measured) -> Plot:
    rho = np.cos(np.linspace(np.pi, 0, 121))
    pools = sorted(set(measured.pool_size))
    curves = [Series(label=f"q = {q}", x=rho, y=exact.collision_probability(rho, q)) for q in pools]
    return Plot(
        title="Agreement of argmax codes",
        x_label="correlation of x and z",
        y_label="share of equal digits",
        series=(*curves, *(points(f"measured, q = {q}", measured.only(q)) for q in pools)),
        caption="Larger pools make codes more selective, with a square-root cusp at correlation 1.",
    )


STATEMENT = Statement(
    id="maxout.remark-1-codes",
    source="Mroueh, Rennie, Goel (2015), Remark 1",
    place="Section 2.1, Remark 1; our copy, lines 115 to 119",
    hypotheses=prose("""
        Points of the unit sphere; independent weights of the law $N(0, I_d)$ for each of the $m$
        digits. "Locality sensitive" is in the sense of a cited paper: nearer points collide more
        often.
        """),
    title="Remark 1: argmax codes are locality sensitive",
    expected="holds",
    ground=prose("""
        The share of equal digits measured for pools of several sizes, and its growth with the
        correlation; monotone by proof.
        """),
    printed=(
        r"\mathbb{E}\,d_H\left(C(x), C(z)\right) = 1 - \kappa_q(x,z), \qquad "
        r"d_H = \frac{1}{m}\sum_{\ell \le m} 1\{C_\ell(x) \ne C_\ell(z)\}"
    ),
    printed_text=prose("""
        The share of digits in which two codes of winning indices differ estimates one minus the
        collision probability without bias; closer rows collide more often, so that the codes are a
        locality-sensitive hash.
        """),
    proof=prose(r"""
        Digits are independent and each differs with probability $P(D \ne D') = 1 - \kappa_q$: the
        expectation is exact at every $m$, the variance is $\kappa_q(1-\kappa_q)/m$, and by
        Hoeffding $P(|d_H - (1-\kappa_q)| \ge t) \le 2e^{-2mt^2}$. Monotone: $\kappa_q$ is $q$ times
        the probability that the $2(q-1)$ differences $g_1 - g_j$ and $g'_1 - g'_j$ are all
        positive. Covariances within each half do not depend on $\rho$; those across are $\rho(1 +
        \delta_{jk})$ and increase. By Plackett's identity the derivative of an orthant probability
        in a covariance is a Gaussian density times another orthant probability, which is positive
        on $(-1, 1)$. So $\rho_1 > \rho_2$ gives $p_1 = \kappa_q(\rho_1) > p_2 = \kappa_q(\rho_2)$:
        the family is sensitive for every pair of radii.
        """),
    note=prose(r"""
        How well it hashes: $\log\kappa_q/\log\frac1q \to \frac{1-\rho}{1+\rho}$ as $q \to \infty$
        (proof on its page), so that the exponent $\log p_1/\log p_2$ tends to
        $\frac{(1-\rho_1)(1+\rho_2)}{(1+\rho_1)(1-\rho_2)}$, slowly: for 0.75 against 0 the limit is
        0.143, and the exponent 0.335 at $q = 8$, 0.219 at $q = 10^6$.
        """),
    checks=(
        Check(form="printed", name="agreement of codes against kappa", run=similarity),
        Check(form="printed", name="closer rows agree more often", run=sensitivity),
        Check(form="proved", name="digits are independent", run=hashing.digits),
        Check(form="proved", name="Hoeffding's tail", run=hashing.hoeffding),
        Check(form="proved", name="the exponent", run=hashing.exponent),
        Check(form="proved", name="the exponent of finite pools", run=hashing.exponent_at_pools),
        Check(form="proved", name="bounds of finite pools", run=_sandwich.sandwich),
    ),
)
