"""Theorem 3 on one orbit, where the minimiser and its risk follow from one binomial number.

The core set is one unit row x, its orbit x and -x under sign flips; P(y = 1) = 1/2 + eta. For C = 1
functions of the infinite class have the values [-s, s] at x, as the integral of psi over the window
is s less the mean projection, which is 0. Those of m templates, n bins and r sampled elements have
[-b, b], b the step times the mean over templates of the sum over thresholds: it differs from s by
at most s/n and s|2p - 1|, p the share of the identity among the sampled elements. Where the loss
is linear with slope -1 the minimiser is b or -b, as the labels' mean is positive or negative; the
other one is above the least risk by 2 eta (s + b).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.stats import binom

from mehler.bounds import printed

EPSILON = 0.99
WINDOW = 1 + EPSILON
SAMPLES = 10**6
# Templates, bins and elements: as many as make their terms of the bound vanish beside the others.
MANY = 10**14
# |2p - 1| stays below this but for probability 2 exp(-MANY SLACK^2 / 2), which no float can hold.
SLACK = 2e-5


@dataclass(frozen=True)
class Violation:
    """Ends [low, high] of the probability that the excess risk exceeds the restored `bound`.

    `promised` is the most that the theorem allows.
    """

    bound: float
    low: float
    high: float
    promised: float


def violation(delta: float, loss_at_zero: float) -> Violation:
    """Compute the probability of a violation, for the labels' mean that makes it largest.

    `loss_at_zero` is V(0) of the loss max(0, V(0) - u), at least b; or 0 for the loss -u.
    """
    bound = printed.group_invariant.theorem_3(
        SAMPLES,
        n_templates=MANY,
        n_bins=MANY,
        n_elements=MANY,
        window=WINDOW,
        scale=1.0,
        lipschitz=1.0,
        delta=delta,
        loss_at_zero=loss_at_zero,
    ).value
    # The least b, so that with this eta the wrong sign is always a violation.
    eta = bound * (1 + 1e-9) / (2 * WINDOW * (2 - SLACK))
    # Labels whose mean is 0 may go either way.
    low, high = (float(binom.cdf(SAMPLES // 2 - tie, SAMPLES, 0.5 + eta)) for tie in (1, 0))
    rare = 2 * math.exp(-MANY * SLACK**2 / 2)
    return Violation(bound, low * (1 - 1e-6) - rare, high * (1 + 1e-6) + rare, 3 * delta)


def largest_value() -> float:
    """Return the largest b: V(0) must not be below it."""
    return WINDOW * (1 + SLACK + 1 / MANY)
