"""Algorithm 1: sampling a pool by estimated scores keeps the kernel, with the right weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mehler.features.leverage import ridge_leverage_scores
from mehler.statements import Check, Context, Evidence, Statement
from proofs_checks.leverage._outcomes import (
    independent,
    pool,
    systematic,
    without_replacement,
)
from proofs_checks.maxout._prose import prose

_POOL = 11
# Sums of at most 1331 outcomes of values of at most 1e3 with rounding 1e-16 each.
_ROUNDING = 1e-9
Weights = Callable[[Any, Any, int], Any]


def as_printed(counts: Any, expected: Any, pool_size: int) -> Any:
    """c/(M q): weights of the features drawn, as printed."""
    return counts / expected


def as_proved(counts: Any, expected: Any, pool_size: int) -> Any:
    """c/(M M_0 q)."""
    return counts / (expected * pool_size)


def unweighted(counts: Any, expected: Any, pool_size: int) -> Any:
    """c/M: the features that were drawn, as they are."""
    return counts / counts.sum()


def _problem(context: Context) -> tuple[Any, Any]:
    phi = pool(context.rng("pool"), 30, _POOL)
    return phi, ridge_leverage_scores(phi, 0.01).probabilities


def _mean(phi: Any, outcomes: Iterable[Any], weights: Weights) -> Any:
    mass = sum(p * weights(counts, expected, _POOL) for p, counts, expected in outcomes)
    return (phi * mass) @ phi.T


def _compare(context: Context, form: Any, check: str, claim: str, weights: Weights) -> Evidence:
    phi, q = _problem(context)
    mean = _mean(phi, independent(q, 2), weights)
    kernel = phi @ phi.T / _POOL
    # Where the kernel is largest in size, ratios lose nothing.
    ratios = np.diag(mean) / np.diag(kernel)
    worst = float(ratios[np.argmax(np.abs(ratios - 1))])
    return Evidence.exact_comparison(
        form=form,
        check=check,
        claim=claim,
        observed=worst,
        exact=1.0,
        interval=(worst - _ROUNDING, worst + _ROUNDING),
        method="all outcomes of two draws from a pool of 11, enumerated",
    )


def normalisation(context: Context, *, weights: Weights = as_printed) -> Evidence:
    """Enumerate the kernel of the printed weights."""
    return _compare(
        context,
        "printed",
        "the printed weights",
        r"features over $\sqrt{M\hat q_i}$ have the pool's kernel on average (ratio at the worst "
        "row)",
        weights,
    )


def unchanged(context: Context, *, weights: Weights = unweighted) -> Evidence:
    """Enumerate the kernel of features without weights."""
    return _compare(
        context,
        "printed",
        "features without weights",
        "sampling by scores does not change the kernel of the features that a learner is given "
        "(ratio at the worst row)",
        weights,
    )


def proved(context: Context, *, weights: Weights = as_proved) -> Evidence:
    """Enumerate or integrate all three kinds of draws, with and without a uniform share."""
    phi, scores = _problem(context)
    kernel = phi @ phi.T / _POOL
    worst, looked = 0.0, 0
    for mix in (0.0, 0.1, 1.0):
        q = (1 - mix) * scores + mix / _POOL
        for draws in (independent, systematic, without_replacement):
            for n in (1, 2) if context.quick else (1, 2, 3):
                mean = _mean(phi, draws(q, n), weights)
                worst = max(worst, float(np.abs(mean - kernel).max()))
                looked += 1
    return Evidence.exact_comparison(
        form="proved",
        check="the right weights",
        claim=(
            r"features over $\sqrt{MM_0\tilde q_i/c_i}$, or over $\sqrt{M_0\pi_i}$ for inclusion "
            r"probabilities $\pi$, have the pool's kernel on average: largest deviation of "
            f"{looked} designs"
        ),
        observed=worst,
        exact=0.0,
        interval=(worst - _ROUNDING, worst + _ROUNDING),
        method="all outcomes, enumerated or integrated",
    )


STATEMENT = Statement(
    id="leverage.algorithm-1",
    source="Shahrampour, Kolouri (2018), Algorithm 1, equations 14 to 16",
    title="Algorithm 1: sampling by estimated scores",
    expected="refuted, repaired",
    printed=(
        r"\hat q = \frac{\mathrm{diag}\,\hat T}{\mathrm{Tr}\,\hat T}, \quad "
        r"\hat T = A^\top A(A^\top A + \lambda I)^{-1}, \quad i_1, \dots, i_M \sim \hat q, \quad "
        r"f = \sum_m\theta_m\frac{\phi(\cdot,\omega_{i_m})}{\sqrt{\hat q_{i_m}}}"
    ),
    printed_text=prose(
        r"""
        Draw from a pool of $M_0$ features by their scores, and divide by the root of the
        probability: importance sampling, which does not change the kernel.
        """
    ),
    proved=(
        r"\psi_i = \sqrt{\frac{c_i}{MM_0\tilde q_i}}\,\phi(\cdot,\omega_i), \quad "
        r"\tilde q = (1-\eta)\hat q + \frac{\eta}{M_0} \;\Rightarrow\; "
        r"E\sum_i\psi_i(x)\psi_i(y) = \frac{1}{M_0}\sum_i\phi(x,\omega_i)\phi(y,\omega_i)"
    ),
    proved_text=prose(
        r"""
        With $c_i$ the number of times that $i$ was drawn. It holds for independent and for
        systematic draws, and for draws without replacement with inclusion probabilities in place
        of $M\tilde q_i$. A share $\eta$ of plain sampling bounds all weights.
        """
    ),
    flaw=prose(
        r"""
        $\hat q$ sums to 1 over the pool: its density with respect to the pool's uniform law is
        $M_0\hat q$. With $1/(M\hat q_i)$ the kernel is $M_0$ times too large, which divides the
        ridge parameter of every learner by $M_0$. Without weights the kernel is another one.
        """
    ),
    proof=prose(
        r"""
        $E\,c_i = M\tilde q_i$ for independent draws, and for systematic ones, as the uniform start
        puts a number of points into an interval of length $M\tilde q_i$ whose mean is its length.
        So $E\,c_i/(MM_0\tilde q_i) = 1/M_0$; the sum over draws of the same feature is one feature
        with the sum of their weights.
        """
    ),
    checks=(
        Check(form="printed", name="the printed weights", run=normalisation),
        Check(form="printed", name="features without weights", run=unchanged),
        Check(form="proved", name="the right weights", run=proved),
    ),
)
