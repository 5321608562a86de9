"""Leverage scores, diag G (G + lambda)^-1 for a Gram matrix G, at a small and a large ridge.

Shahrampour and Kolouri (2019) say in words that scores are equal at lambda = 0 if G has an inverse,
and at large lambda for shift-invariant kernels. They are computed with and without that.
"""

from typing import Any

import numpy as np

from mehler.features.leverage import ridge_leverage_scores
from mehler.statements import Context, Evidence, check

from .._comparisons import compute
from ._instances import pool

_POOL = 11
_LARGE = 1e9
_ROUNDING = 1e-6


def projector(phi: Any) -> Any:
    """Return scores without ridge: the diagonal of the projector on the row space."""
    _, s, vh = np.linalg.svd(phi, full_matrices=False)
    return np.sum(vh[s > 1e-13 * s[0]] ** 2, axis=0)


def _worst(tau: Any) -> float:
    """Return the ratio tau_i / mean(tau) farthest from 1: plain sampling has 1 at all features."""
    ratio = tau * tau.size / tau.sum()
    return float(ratio[np.argmax(np.abs(ratio - 1))])


def _uniform(claim: str, tau: Any) -> Evidence:
    worst = _worst(tau)
    return compute(claim, worst, _ROUNDING, exact=1.0)


def _not_uniform(claim: str, tau: Any) -> Evidence:
    gap = abs(_worst(tau) - 1)
    return compute(claim, gap, _ROUNDING, lower=0.1)


@check("leverage.limits", form="printed", name="no ridge, where the inverse exists")
def no_ridge(context: Context, *, rows: int = 30) -> Evidence:
    """Compute scores of pools whose G has an inverse: at least as many rows as features."""
    rng = context.rng("tall")
    pools = [projector(pool(rng, rows, _POOL, 6.0)) for _ in range(3 if context.quick else 300)]
    return _uniform(
        r"$\lambda = 0$ makes $M_0\hat q_i = 1$, for 11 independent features on 30 rows",
        np.concatenate(pools),
    )


@check("leverage.limits", form="printed", name="a large ridge")
def large_ridge(context: Context, *, phases: bool = False) -> Evidence:
    """Compute scores of waves with cosine and sine, for a shift-invariant kernel."""
    return _uniform(
        r"large $\lambda$ makes $M_0\hat q_i = 1$, for pairs of cosine and sine of random waves",
        _of_waves(context, phases),
    )


def _of_waves(context: Context, phases: bool) -> Any:
    """Return the score of each wave: of one cosine with a phase, or of its cosine and its sine."""
    rng = context.rng("waves")
    x = rng.standard_normal(200)
    w = 0.3 * rng.standard_normal(_POOL)
    angles = np.outer(x, w) + 2 * np.pi * rng.random(_POOL)
    if phases:
        return ridge_leverage_scores(np.sqrt(2) * np.cos(angles), _LARGE).scores
    pairs = np.hstack([np.cos(angles), np.sin(angles)])
    return ridge_leverage_scores(pairs, _LARGE).scores.reshape(2, _POOL).sum(axis=0)


@check("leverage.limits", form="proved", name="a large ridge, one phase")
def one_phase(context: Context, *, phases: bool = True) -> Evidence:
    """Show scores that are not alike: single cosines with a phase, of little variation."""
    return _not_uniform(
        r"for single features $\sqrt2\cos(wx + b)$ of small $w$ a large $\lambda$ leaves "
        r"probabilities that are off $1/M_0$ by a tenth or more",
        _of_waves(context, phases),
    )


@check("leverage.limits", form="proved", name="no ridge, few rows")
def few_rows(context: Context, *, rows: int = 5) -> Evidence:
    """Show scores that are not alike: fewer rows than features, so that G has no inverse."""
    tau = projector(pool(context.rng("wide"), rows, _POOL, 6.0))
    return _not_uniform(
        "with fewer rows than features, where the inverse does not exist, scores in the limit "
        rf"$\lambda \to 0$ are off $1/M_0$ by a tenth or more: from {tau.min():.2f} to "
        f"{tau.max():.2f}",
        tau,
    )


@check("leverage.limits", form="proved", name="a large ridge, sizes")
def sizes(context: Context, *, power: int = 2) -> Evidence:
    """Compare scores at a large ridge with the squared sizes of features."""
    phi = pool(context.rng("sizes"), 200, _POOL, spread=0.3)
    tau = _LARGE * ridge_leverage_scores(phi, _LARGE).scores
    return _uniform(
        r"$\lambda\tau_i$ over $p_i\|\phi_i\|^2$ is the same for all features at large $\lambda$",
        tau / np.mean(np.abs(phi) ** power, axis=0),
    )
