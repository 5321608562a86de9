"""Algorithm 1: sampling a pool by estimated scores keeps the kernel, with the right weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mehler.features.leverage import ridge_leverage_scores
from mehler.statements import RESTORED_REFUTED, Check, Context, Evidence, Statement

from .._dedent import prose
from ._enumerate_draws import independent, pool, systematic, without_replacement

_POOL = 11
# Sums of at most 1331 outcomes of values of at most 1e3 with rounding 1e-16 each.
_ROUNDING = 1e-9
Weights = Callable[[Any, Any, int], Any]


def as_restored(counts: Any, expected: Any, pool_size: int) -> Any:
    """Compute c/(M q): weights of the features drawn, q being a probability."""
    return counts / expected


def as_proved(counts: Any, expected: Any, pool_size: int) -> Any:
    """Compute c/(M M_0 q)."""
    return counts / (expected * pool_size)


def unweighted(counts: Any, expected: Any, pool_size: int) -> Any:
    """Return c/M: the features that were drawn, as they are."""
    return counts / counts.sum()


def _problem(context: Context) -> tuple[Any, Any]:
    phi = pool(context.rng("pool"), 30, _POOL)
    return phi, ridge_leverage_scores(phi, 0.01).probabilities


def _mean(phi: Any, outcomes: Iterable[Any], weights: Weights) -> Any:
    mass = sum(p * weights(counts, expected, _POOL) for p, counts, expected in outcomes)
    return (phi * mass) @ phi.T


def _ratio(context: Context, weights: Weights) -> float:
    """Return the kernel that features have on average over the pool's, at the worst row."""
    phi, q = _problem(context)
    mean = _mean(phi, independent(q, 2), weights)
    kernel = phi @ phi.T / _POOL
    # Where the kernel is largest in size, ratios lose nothing.
    ratios = np.diag(mean) / np.diag(kernel)
    return float(ratios[np.argmax(np.abs(ratios - 1))])


_ENUMERATED = "all outcomes of two draws from a pool of 11, enumerated"


def normalisation(context: Context, *, weights: Weights = as_restored) -> Evidence:
    """Enumerate the kernel of the restored weights."""
    found = _ratio(context, weights)
    return Evidence.exact_comparison(
        form="restored",
        claim=(
            r"features over $\sqrt{M\hat q_i}$ have the pool's kernel on average (ratio at the "
            "worst row)"
        ),
        observed=found,
        exact=1.0,
        interval=(found - _ROUNDING, found + _ROUNDING),
        method=_ENUMERATED,
    )


def without_weights(context: Context, *, weights: Weights = unweighted) -> Evidence:
    """Show that the weights are needed: without them the kernel is another one."""
    found = abs(_ratio(context, weights) - 1)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            "features that are drawn by scores and have no weights have a kernel that is off the "
            "pool's by a tenth of it or more, at the worst row"
        ),
        observed=found,
        interval=(found - _ROUNDING, found + _ROUNDING),
        lower=0.1,
        method=_ENUMERATED,
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


def by_the_share(mix: float) -> float:
    """Return 1/eta."""
    return 1 / mix


def second_moment(context: Context, *, factor: Callable[[float], float] = by_the_share) -> Evidence:
    """Hold the mean square of one draw's product against the plain one over the mix.

    The scores may be any; with all of them on a feature that is 0 at the rows it is an equality.
    """
    phi = pool(context.rng("pool"), 30, _POOL)
    found = []
    for at in range(_POOL):
        scores = np.eye(_POOL)[at]
        shown = np.where(np.arange(_POOL) == at, 0.0, phi)
        for mix in (0.1, 0.5, 1.0):
            q = (1 - mix) * scores + mix / _POOL
            squares = shown**2 / _POOL**2
            # E (phi phi'/(M_0 q))^2 for one draw, and the mean of (phi phi')^2.
            one = (shown**2 / q) @ squares.T
            plain = (shown**2 / _POOL) @ (shown**2).T
            found.append((float((one / plain).max()) / factor(mix), mix))
    worst, mix = max(found)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"$E(\phi\phi'/(M_0\tilde q))^2 \le \frac1\eta E(\phi\phi')^2$ for one draw: ratio, "
            rf"scores on one feature (largest at $\eta = {mix:g}$)"
        ),
        observed=worst,
        interval=(worst - _ROUNDING, worst + _ROUNDING),
        upper=1.0 + 2 * _ROUNDING,
        method="all outcomes, enumerated",
    )


STATEMENT = Statement(
    id="leverage.algorithm-1",
    source="Shahrampour, Kolouri (2019), Algorithm 1, equations 14 to 16",
    place=prose(
        "Section II-D, Algorithm 1, equations (14) to (16); our copy, lines 188 to 209, without "
        "the formulas"
    ),
    copy="lost",
    hypotheses=prose(r"""
        A pool drawn from the sampling law, a positive ridge, a sub-sample of the inputs. The output
        are "weights", used "as a discrete probability distribution" (line 203); the class (16) is
        said to be consistent with the kernel of (9), whose weight is a density with respect to the
        sampling law. If (16) has the density $M_0\hat q$, which is what (9) asks for, all is well;
        what is checked is $\hat q$ itself. That sampling does not change the kernel (line 310) is
        said "in view of (9)", with its weights, and not at issue.
        """),
    title="Algorithm 1: sampling by estimated scores",
    expected=RESTORED_REFUTED,
    ground=prose(r"""
        All 121 outcomes of two draws from a pool of 11 with their probabilities: features over
        $\sqrt{M\hat q_i}$ have 11 times the pool's kernel.
        """),
    printed=(
        r"\hat q = \frac{\mathrm{diag}\,\hat T}{\mathrm{Tr}\,\hat T}, \quad "
        r"\hat T = A^\top A(A^\top A + \lambda I)^{-1}, \quad i_1, \dots, i_M \sim \hat q, \quad "
        r"f = \sum_m\theta_m\frac{\phi(\cdot,\omega_{i_m})}{\sqrt{\hat q_{i_m}}}"
    ),
    printed_text=prose("""
        Draw from a pool of $M_0$ features by their scores, and divide by the root of the
        probability: importance sampling, which does not change the kernel.
        """),
    proved=(
        r"\psi_i = \sqrt{\frac{c_i}{MM_0\tilde q_i}}\,\phi(\cdot,\omega_i), \quad "
        r"\tilde q = (1-\eta)\hat q + \frac{\eta}{M_0} \;\Rightarrow\; "
        r"E\sum_i\psi_i(x)\psi_i(y) = \frac{1}{M_0}\sum_i\phi(x,\omega_i)\phi(y,\omega_i)"
    ),
    proved_text=prose(r"""
        With $c_i$ the number of times that $i$ was drawn. It holds for independent and for
        systematic draws, and for draws without replacement with inclusion probabilities in place of
        $M\tilde q_i$. A share $\eta$ of plain sampling bounds all weights.
        """),
    flaw=prose(r"""
        $\hat q$ sums to 1 over the pool: its density with respect to the pool's uniform law is
        $M_0\hat q$. With $1/(M\hat q_i)$ the kernel is $M_0$ times too large, which divides the
        ridge parameter of every learner by $M_0$.
        """),
    proof=prose(r"""
        $E\,c_i = M\tilde q_i$ for independent draws, and for systematic ones, as the uniform start
        puts a number of points into an interval of length $M\tilde q_i$ whose mean is its length.
        So $E\,c_i/(MM_0\tilde q_i) = 1/M_0$; the sum over draws of the same feature is one feature
        with the sum of their weights.
        """),
    checks=(
        Check(form="restored", name="the restored weights", run=normalisation),
        Check(form="proved", name="features without weights", run=without_weights),
        Check(form="proved", name="the right weights", run=proved),
        Check(form="proved", name="the second moment of one draw", run=second_moment),
    ),
)
