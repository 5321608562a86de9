"""Leverage scores of a pool of random features: each is a probability times a leverage.

The score tau_i is the i-th entry of diag G (G + ridge)^-1, G_ij = sqrt(p_i p_j) <phi_i, phi_j> the
Gram matrix of features with probabilities p_i. The leverage is <phi_i, (T + ridge)^-1 phi_i>, T the
kernel's operator, sum p_i phi_i phi_i^T. That tau_i is p_i times it, restored from words of
Shahrampour and Kolouri (2019), is computed for random pools, and in closed form.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.features.leverage import ridge_leverage_scores
from mehler.statements import Context, Evidence, check

from .._comparisons import compute
from ._instances import Circle, pool

Scores = Callable[..., Any]
# Ridges of at least 1e-3 and features of at most 2: errors of 1e-12, relative to scores of 1e-3.
_ROUNDING = 1e-8


def _worst(ratios: list[Any], claim: str) -> Evidence:
    every = np.concatenate(ratios)
    worst = float(every[np.argmax(np.abs(every - 1))])
    method = f"computed for {every.size} features, with its rounding"
    return compute(claim, worst, _ROUNDING, exact=1.0, method=method)


@check("leverage.score-identity", form="restored", name="random pools")
def identity(context: Context, *, scores: Scores = ridge_leverage_scores) -> Evidence:
    """Compare scores of pools, features (n, m) at n rows, with s_lambda(omega_i), the leverage."""
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


@check("leverage.score-identity", form="restored", name="waves on a circle")
def circle(context: Context, *, scores: Scores = ridge_leverage_scores) -> Evidence:
    """Compare scores of waves with their closed form: T has eigenvalues p_k/2 at frequencies k."""
    waves = Circle(k_max=9, phases=3)
    x = 2 * np.pi * np.arange(20) / 20
    phi = np.sqrt(2) * np.cos(np.outer(x, waves.k) + waves.b)
    ratios = [
        scores(phi, ridge, pool_weights=waves.law).scores / (waves.law * waves.leverage(ridge))
        for ridge in (1e-3, 1e-2, 1.0)
    ]
    return _worst(
        ratios,
        r"$\tau_i$ over $p_i/(p_k/2 + \lambda)$ for waves $\sqrt2\cos(kx + b)$, at the worst",
    )
