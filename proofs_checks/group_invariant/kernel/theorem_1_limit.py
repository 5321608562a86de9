"""Theorem 1, part 2: the deltas vanish with the dimension, and what is left says how fast."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import stats

from mehler.statements import RESTORED_HOLDS, Check, Context, Evidence, Statement

from ..._dedent import prose
from .._setting import SETTING
from ._gaps import deltas, drawn_again, masses, with_zeros

# Smaller tails are below every float, or are not computed to many digits.
_FARTHEST = 500.0


def _grid(context: Context, slowest: float) -> list[tuple[int, float]]:
    """Return d and epsilon with d epsilon^2 times `slowest` below what floats hold."""
    dims = (2, 3, 5, 10, 40, 200, 1000, 10_000, 10**6)
    epsilons = (0.01, 0.1, 0.3, 0.7, 0.99)
    if not context.quick:
        dims = tuple(sorted({*dims, *range(2, 60), 100, 500, 3000, 10**5}))
        epsilons = tuple(np.linspace(0.01, 0.99, 50).tolist())
    return [(d, e) for d, e in itertools.product(dims, epsilons) if d * e * e * slowest < _FARTHEST]


def vanish(context: Context, *, rate: float = 1 / 16) -> Evidence:
    """Hold both deltas, and both laws' gaps, against three times exp(-d epsilon^2 / 16)."""
    found = []
    for d, epsilon in _grid(context, 1 / 8):
        top = 2 / math.sqrt(2 * math.pi * d)
        gaps = [abs(gap(d, epsilon, top)) for gap in (with_zeros, drawn_again)]
        for one in (*deltas(d, epsilon), *gaps):
            found.append((abs(one) * math.exp(rate * d * epsilon**2), d, epsilon))
    worst, d, epsilon = max(found)
    return Evidence.bound_comparison(
        form="restored",
        claim=(
            r"$\delta_1$, $\delta_2$ and $|K_s - (s - d_G)|$ over $e^{-d\epsilon^2/16}$, which "
            rf"vanishes with $d$, are at most 3 at {len(found)} points "
            rf"(largest at $d = {d}$, $\epsilon = {epsilon:.3g}$)"
        ),
        observed=worst,
        interval=(worst * (1 - 1e-9), worst * (1 + 1e-9)),
        upper=3.0,
        method="computed, with its rounding",
    )


def relative_gap(d: int, epsilon: float) -> float:
    """Compute 1 - q/p, the gap over d_G where rejected templates are drawn again."""
    return drawn_again(d, epsilon, 1.0)


def fastest(d: int, epsilon: float) -> float:
    """Return the proved bound of 1 - q/p: ((1+epsilon) e^-epsilon)^(d/2) / (p sqrt(pi d))."""
    p, _ = masses(d, epsilon)
    return math.exp(-0.5 * d * (epsilon - math.log1p(epsilon))) / (p * math.sqrt(math.pi * d))


def rate(context: Context, *, factor: float = 1.0, power: float = 1.0) -> Evidence:
    """Hold the exact gap over d_G against the proved rate, over d and epsilon."""
    found = []
    for d, epsilon in _grid(context, 1 / 4):
        promised = factor * fastest(d, epsilon) ** power
        found.append((relative_gap(d, epsilon) / promised, d, epsilon))
    worst, d, epsilon = max(found)
    # Differences of tails that agree to half a per cent, each to thirteen digits.
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"$0 \le 1 - q/p \le ((1+\epsilon)e^{-\epsilon})^{d/2}/(p\sqrt{\pi d})$ at "
            rf"{len(found)} points: their ratio (largest at $d = {d}$, $\epsilon = {epsilon:.3g}$)"
        ),
        observed=worst,
        interval=(worst - 1e-9, worst + 1e-9),
        upper=1.0,
        method="computed, with its rounding",
    )


def in_units_of_the_distance(context: Context, *, d: int = 10**6, at: float = 1.0) -> Evidence:
    """Hold sqrt(d)(s - K_s) against D / sqrt(2 pi) at a tail that is far from 0."""
    epsilon = at / math.sqrt(d)
    lost = float(stats.chi2.sf(d * (1 + epsilon), d))
    ratio = 1 - relative_gap(d, epsilon)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            rf"$\sqrt d(s - K_s)$ over $D/\sqrt{{2\pi}}$, a share {lost:.2g} of the templates "
            rf"rejected ($d = {d}$, $\epsilon = {epsilon:.2g}$): within $2/\sqrt{{\pi d}}$ of 1"
        ),
        observed=ratio,
        interval=(ratio - 1e-9, ratio + 1e-9),
        lower=1 - 2 / math.sqrt(math.pi * 10**6),
        upper=1.0 + 1e-9,
        method="computed, with its rounding",
    )


STATEMENT = Statement(
    id="group-invariant.theorem-1-limit",
    source="Mroueh, Voinea, Poggio (2015), Theorem 1, part 2",
    place=prose("""
        Section 3, Theorem 1, part 2, and the end of the proof of part 1 in Appendix A; our copy,
        lines 71 and 157 to 158, without the formulas
        """),
    copy="lost",
    hypotheses=prose(
        SETTING
        + r"""
        $\epsilon$ is fixed and the dimension grows; the deltas are those of part 1 as restored.
        """
    ),
    title="Theorem 1, part 2: many dimensions",
    expected=RESTORED_HOLDS,
    ground=prose(r"""
        Both restored deltas and the exact gaps of both laws are at most three times
        $e^{-d\epsilon^2/16}$ on a grid of $d$ up to a million and $0 < \epsilon < 1$.
        """),
    printed=(
        r"0 < \epsilon < 1: \quad \delta_1(d, \epsilon) \to 0, \; \delta_2(d, \epsilon) \to 0, \; "
        r"K_s(x, z) - (s - d_G(x, z)) \to 0 \quad (d \to \infty)"
    ),
    printed_text=prose("""
        With the dimension both deltas vanish, and the expected kernel tends to the window less the
        distance of the orbits.
        """),
    proved=(
        r"0 \le \frac{K_s - (s - d_G)}{d_G} = 1 - \frac{q}{p} \le "
        r"\frac{((1+\epsilon)e^{-\epsilon})^{d/2}}{p\sqrt{\pi d}}, \qquad "
        r"\sqrt d\,(s - K_s) = \frac{q}{p}\,\frac{D}{\sqrt{2\pi}}"
    ),
    proved_text=prose(r"""
        In units of the distance, which itself falls like $1/\sqrt d$, and with templates that are
        drawn again: the gap falls exponentially at fixed $\epsilon$, and as $1/\sqrt d$ at any,
        $p \ge \frac{1}{2}$. The rate is right to a factor between 2 and $1 + \sqrt{1+\epsilon}$.
        """),
    proof=prose(r"""
        $\epsilon - \log(1+\epsilon) \ge \epsilon^2/4$ puts $\delta_1$ between 0 and
        $e^{-d\epsilon^2/16}$; $\delta_2 \le (d^{-1/2} + 1 + \epsilon)e^{-d\epsilon^2/16}$. The
        exact gap is that of group-invariant.theorem-1. With $r = P(\chi_{d+2}^2 < c)$, $c =
        d(1+\epsilon)$, the distribution function falls with the degrees, $r \le q \le p$, and
        $p - r = (c/2)^{d/2}e^{-c/2}/\Gamma(d/2+1)$ by parts; Stirling's lower bound of the
        factorial. The median of $\chi_d^2$ is below $d$: $p \ge \frac{1}{2}$.
        """),
    note=prose(r"""
        As printed the limit says no more than $K_s \to s$: $d_G \le 2/\sqrt{2\pi d}$ vanishes as
        well. What an inner product of features can show of the orbits is the second proved formula.
        """),
    checks=(
        Check(form="restored", name="the deltas and the gap", run=vanish),
        Check(form="proved", name="the rate of the gap", run=rate),
        Check(form="proved", name="in units of the distance", run=in_units_of_the_distance),
    ),
)
