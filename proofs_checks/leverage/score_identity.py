"""The scores of the feature Gram are the pool's distribution times the leverage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.features.leverage import ridge_leverage_scores
from mehler.statements import RESTORED_HOLDS, Check, Context, Evidence, Statement

from .._dedent import prose
from ._circle import Circle
from ._enumerate_draws import pool

Scores = Callable[..., Any]
# Ridges of at least 1e-3 and features of at most 2: errors of 1e-12, relative to scores of 1e-3.
_ROUNDING = 1e-8


def _worst(ratios: list[Any], claim: str) -> Evidence:
    every = np.concatenate(ratios)
    worst = float(every[np.argmax(np.abs(every - 1))])
    return Evidence.exact_comparison(
        form="restored",
        claim=claim,
        observed=worst,
        exact=1.0,
        interval=(worst - _ROUNDING, worst + _ROUNDING),
        method=f"computed for {every.size} features, with its rounding",
    )


def identity(context: Context, *, scores: Scores = ridge_leverage_scores) -> Evidence:
    """Compare scores of random pools with the leverage, solved for on the rows."""
    rng = context.rng("pools")
    ratios = []
    for n, m in ((40, 12), (12, 40), (20, 20)) * (1 if context.quick else 30):
        phi, p = pool(rng, n, m), rng.dirichlet(np.full(m, 5.0))
        for ridge in (1e-3, 1e-1):
            sigma = (phi * p) @ phi.T / n + ridge * np.eye(n)
            leverage = np.sum(phi * np.linalg.solve(sigma, phi), axis=0) / n
            ratios.append(scores(phi, ridge, pool_weights=p).scores / (p * leverage))
    return _worst(
        ratios, r"$\tau_i$ over $p_is_\lambda(\omega_i)$, pools with weights, at the worst feature"
    )


def circle(context: Context, *, scores: Scores = ridge_leverage_scores) -> Evidence:
    """Compare scores of waves on a grid with their closed form."""
    world = Circle(k_max=9, phases=3)
    x = 2 * np.pi * np.arange(20) / 20
    phi = np.sqrt(2) * np.cos(np.outer(x, world.k) + world.b)
    ratios = [
        scores(phi, ridge, pool_weights=world.law).scores / (world.law * world.leverage(ridge))
        for ridge in (1e-3, 1e-2, 1.0)
    ]
    return _worst(
        ratios,
        r"$\tau_i$ over $p_i/(p_k/2 + \lambda)$ for waves $\sqrt2\cos(kx + b)$, at the worst",
    )


STATEMENT = Statement(
    id="leverage.score-identity",
    source="Shahrampour, Kolouri (2019), equations 7 to 13",
    place=prose(
        "Sections II-C and II-D, equations (7) to (13); our copy, lines 150 to 186, without the "
        "formulas"
    ),
    copy="lost",
    hypotheses=prose("""
        A positive ridge; a pool with the same weight for each of its features, whose kernel's
        operator has a trace; the law of the inputs, or rows of it.
        """),
    title="Scores of the feature Gram are leverages of the pool",
    expected=RESTORED_HOLDS,
    ground=prose("""
        Random pools, with equal and with other weights, against leverages that are solved for on
        the rows; and waves on a circle against their closed form.
        """),
    printed=(
        r"G = \frac{1}{M_0}\left[E_x\phi(x,\omega_i)\phi(x,\omega_j)\right]_{ij}, \qquad "
        r"\tau = \mathrm{diag}\,G(G+\lambda I)^{-1}, \qquad \tau_i = p_i\,s_\lambda(\omega_i), "
        r"\quad p_i = \frac{1}{M_0}"
    ),
    printed_text=prose(r"""
        With $s_\lambda(\omega) = \langle\phi(\cdot,\omega), (\Sigma+\lambda)^{-1}\phi(\cdot,\omega)
        \rangle$ and $\Sigma$ the kernel operator of the pool, the diagonal of $G(G+\lambda)^{-1}$
        is the density of sampling by leverage, up to its sum.
        """),
    proof=prose(r"""
        Let $A\colon R^{M_0} \to L^2(\mu)$ take $e_i$ to $\sqrt{p_i}\phi_i$. Then $G = A^*A$,
        $\Sigma = AA^*$, and $A^*A(A^*A+\lambda)^{-1} = A^*(AA^*+\lambda)^{-1}A$, whose diagonal is
        $p_i\langle\phi_i, (\Sigma+\lambda)^{-1}\phi_i\rangle$.
        """),
    note=prose("""
        The paper says that the kernel of features measures their dissimilarity (line 178): it is
        one of similarity, a slip of a word that nothing rests on. The identity holds for any
        weights $p$ of the pool, which the checks use.
        """),
    checks=(
        Check(form="restored", name="random pools", run=identity),
        Check(form="restored", name="waves on a circle", run=circle),
    ),
)
