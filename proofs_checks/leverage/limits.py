"""Scores at small and at large ridge: when sampling by them is plain sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.features.leverage import ridge_leverage_scores
from mehler.statements import Check, Context, Evidence, Statement
from proofs_checks.leverage._outcomes import pool
from proofs_checks.maxout._prose import prose

_POOL = 11
_ROUNDING = 1e-6


def projector(phi: Any) -> Any:
    """Scores without ridge: the diagonal of the projector on the row space."""
    _, s, vh = np.linalg.svd(phi, full_matrices=False)
    return np.sum(vh[s > 1e-13 * s[0]] ** 2, axis=0)


def _uniform(form: Any, check: str, claim: str, tau: Any) -> Evidence:
    ratio = tau * tau.size / tau.sum()
    worst = float(ratio[np.argmax(np.abs(ratio - 1))])
    return Evidence.exact_comparison(
        form=form,
        check=check,
        claim=claim,
        observed=worst,
        exact=1.0,
        interval=(worst - _ROUNDING, worst + _ROUNDING),
        method="computed, with its rounding",
    )


def no_ridge(context: Context, *, rows: int = 5) -> Evidence:
    """Take fewer rows than features."""
    tau = projector(pool(context.rng("wide"), rows, _POOL))
    return _uniform(
        "printed",
        "no ridge, 5 rows",
        rf"$\lambda = 0$ makes $M_0\hat q_i = 1$, for 11 features on 5 rows (scores from "
        f"{tau.min():.2f} to {tau.max():.2f})",
        tau,
    )


def large_ridge(context: Context, *, phases: bool = True) -> Evidence:
    """Take cosines of little variation, whose sizes depend on their phases."""
    rng = context.rng("sizes")
    x = rng.standard_normal(200)
    w = 0.3 * rng.standard_normal(_POOL)
    angles = np.outer(x, w) + 2 * np.pi * rng.random(_POOL)
    phi = np.sqrt(2) * np.cos(angles) if phases else np.exp(1j * angles)
    return _uniform(
        "printed",
        "a large ridge",
        r"large $\lambda$ makes $M_0\hat q_i = 1$, for $\sqrt2\cos(wx + b)$ of small $w$",
        ridge_leverage_scores(phi, 1e9).scores,
    )


def full_rank(context: Context, *, rows: int = 30) -> Evidence:
    """Take at least as many rows as features."""
    rng = context.rng("tall")
    worst = [projector(pool(rng, rows, _POOL, 6.0)) for _ in range(3 if context.quick else 300)]
    return _uniform(
        "proved",
        "no ridge, full rank",
        r"$\lambda = 0$ makes $M_0\hat q_i = 1$, for 11 independent features on 30 rows",
        np.concatenate(worst),
    )


def sizes(context: Context, *, power: int = 2) -> Evidence:
    """Compare scores at a large ridge with the squared sizes of features."""
    phi = pool(context.rng("sizes"), 200, _POOL, spread=0.3)
    ridge = 1e9
    tau = ridge * ridge_leverage_scores(phi, ridge).scores
    return _uniform(
        "proved",
        "a large ridge, sizes",
        r"$\lambda\tau_i$ over $p_i\|\phi_i\|^2$ is the same for all features at large $\lambda$",
        tau / np.mean(np.abs(phi) ** power, axis=0),
    )


STATEMENT = Statement(
    id="leverage.limits",
    source="Shahrampour, Kolouri (2018), Section IV, remarks on the ridge",
    title="Small and large ridges",
    expected="refuted, repaired",
    printed=(
        r"\lambda = 0 \;\Rightarrow\; \hat q_i = \frac{1}{M_0}, \qquad "
        r"\lambda \to \infty \;\Rightarrow\; \hat q_i \to \frac{1}{M_0}"
    ),
    printed_text=prose(
        r"""
        Without ridge sampling by scores is plain sampling, and so it is for a large ridge.
        """
    ),
    proved=(
        r"\mathrm{rank}\,\Phi = M_0 \le N_0: \; \lambda \to 0 \Rightarrow \tau_i \to 1; \qquad "
        r"\lambda\tau_i \to p_i\|\phi_i\|^2 \;\text{ as }\; \lambda \to \infty"
    ),
    proved_text=prose(
        r"""
        Without ridge it needs as many rows as features, and features that are independent on
        them. With a large one, scores are squared sizes: uniform for features of equal size.
        """
    ),
    flaw=prose(
        r"""
        With fewer rows than features the scores without ridge are the diagonal of a projector of
        rank $N_0$, which is not constant. And $\sqrt2\cos(\omega^\top x + b)$ has a size that
        depends on $b$ when $\omega^\top x$ varies little.
        """
    ),
    proof=prose(
        r"""
        $\tau_i = \sum_kV_{ik}^2s_k^2/(s_k^2+\lambda)$ tends to $\sum_{s_k>0}V_{ik}^2$ as
        $\lambda \to 0$, the diagonal of the projector on the row space: 1 for all $i$ exactly when
        the rank is $M_0$. And $\lambda\tau_i \to \sum_kV_{ik}^2s_k^2 = (A^*A)_{ii}$ as
        $\lambda \to \infty$.
        """
    ),
    checks=(
        Check(form="printed", name="no ridge, 5 rows", run=no_ridge),
        Check(form="printed", name="a large ridge", run=large_ridge),
        Check(form="proved", name="no ridge, full rank", run=full_rank),
        Check(form="proved", name="a large ridge, sizes", run=sizes),
    ),
)
