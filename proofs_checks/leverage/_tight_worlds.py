"""Worlds where the bounds of estimated scores are nearest to tight: features on small sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from scipy import stats

from mehler.bounds import Bound

from .._worlds import World, mean_exceeds

Bounding = Callable[..., Bound]
# So many rows that shares of them are normal to 1e-20, also those of a set of one in a thousand.
ENDLESS = 10**46
_SHARE = 1e-3
_THIRD = 64.0
_FAILURES = (0.3, 1e-3, 1e-15)


def one_score(bound: Bounding) -> Iterator[World]:
    """Take one feature, 1 on a set of measure p and 0 off it; the ridge is p, so that tau is 1/2.

    The error over 1 - tau is (share - p)/(share + p), half the relative error of the share.
    """
    for failure in _FAILURES:
        value = bound(ENDLESS, ridge=_SHARE, degrees_of_freedom=0.5, delta=failure).value
        # Just above, for what is of second order.
        t = 2 * value * (1 + 1e-9) * math.sqrt(_SHARE / (1 - _SHARE) * ENDLESS)
        low, high = mean_exceeds(t, ENDLESS, third=_THIRD)
        yield World(f"one score, failure {failure:g}", (2 * low, 2 * high), failure)


def two_probabilities(bound: Bounding) -> Iterator[World]:
    """Take two features on sets of measure p that do not meet, ridge p/2: all scores are 1/2.

    The sum of the errors is |a - b|/4 for the relative errors a, b of the two shares, whose
    difference has the variance 2/(p N).
    """
    for failure in _FAILURES:
        value = bound(
            ENDLESS, pool_size=2, ridge=_SHARE / 2, degrees_of_freedom=1.0, delta=failure
        ).value
        t = 4 * value * (1 + 1e-9) * math.sqrt(_SHARE / 2 * ENDLESS)
        low, high = mean_exceeds(t, ENDLESS, third=_THIRD)
        yield World(f"two probabilities, failure {failure:g}", (2 * low, 2 * high), failure)


def rarest_feature(bound: Bounding) -> Iterator[World]:
    """Take a thousand orthonormal features, drawn equally often but for chance, and a tiny ridge.

    In the direction of the i-th the error is ridge/n over its share of the draws plus the ridge:
    the rarest decides. Shares are binomial and negatively associated, so that the chance that one
    of them is too small lies between n p - (n p)^2/2 and n p, p that of a single one.
    """
    n, m = 1000, 10**10
    ridge = 1e-9 / n
    d = n / (1 + ridge * n)
    for failure in (1e-3, 1e-15, 1e-250):
        value = bound(m, ridge=ridge, degrees_of_freedom=d, delta=failure).value
        # A share that is too small, at most 1.
        least = min(1.0, ridge / n / value - ridge) if value > 0 else 1.0
        low, high = (
            float(stats.binom.cdf(math.floor(m * least * (1 + sign * 1e-12)), m, 1 / n))
            for sign in (-1, 1)
        )
        happens = (max(low, n * low - (n * low) ** 2 / 2), min(1.0, n * high))
        yield World(f"a thousand features, failure {failure:g}", happens, failure)
