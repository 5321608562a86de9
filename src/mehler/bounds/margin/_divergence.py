"""Invert the binary relative entropy, and bound its exponential moment."""

from __future__ import annotations

import math


def divergence(share: float, gap: float) -> float:
    """Compute kl(q, q + gap), the relative entropy of two coins, for 0 <= q <= q + gap < 1.

    By logarithms of ratios near 1: their difference keeps its digits where the gap is small.
    """
    own = share * math.log1p(gap / share) if share > 0 else 0.0
    return -own - (1 - share) * math.log1p(-gap / (1 - share))


def largest_gap(share: float, level: float) -> float:
    """Return the largest gap with kl(q, q + gap) <= level, to rounding.

    kl is convex in the gap, so that Newton's steps from above stay above; where the start, by
    Pinsker's inequality or for small shares, is beyond 1 the interval is halved.
    """
    most = 1 - share
    gap = min(math.sqrt(level / 2), 2 * level + math.sqrt(2 * share * level))
    if gap >= most:
        return _halved(share, level)
    while (excess := divergence(share, gap) - level) > 0:
        closer = gap - excess * (share + gap) * (most - gap) / gap
        if not gap * (1 - 1e-15) > closer > 0:
            break
        gap = closer
    return gap


def _halved(share: float, level: float) -> float:
    low, high = 0.0, 1 - share
    while low < (middle := (low + high) / 2) < high:
        if divergence(share, middle) <= level:
            low = middle
        else:
            high = middle
    return high


def log_moment(n: int) -> float:
    r"""Bound the logarithm of sup_p E exp(N kl(k/N, p)) for k of a binomial law.

    It is that of :math:`e^NN!/(2N^N) + 1 - \theta_N` with Ramanujan's theta, above 1/3; for N! by
    Stirling's formula with Robbins' remainder.
    """
    return math.log(math.sqrt(math.pi * n / 2) * math.exp(1 / (12 * n)) + 2 / 3)
