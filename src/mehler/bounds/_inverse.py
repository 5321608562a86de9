"""Invert a bound: the least number of features at which it is small enough."""

from __future__ import annotations

from collections.abc import Callable

# No array of more features fits anywhere.
MOST_FEATURES = 10**18


def least_features(
    value: Callable[[int], float], eps: float, *, at_least: int = 1, most: int = MOST_FEATURES
) -> int:
    """Find the least m in [at_least, most] with value(m) <= eps, for a non-increasing `value`.

    Raises ValueError if the largest m is not enough.
    """
    low, high = at_least - 1, at_least
    while value(high) > eps:
        if high >= most:
            raise ValueError(
                f"eps={eps!r} is too small, {most:.0e} features do not reach it: make it larger"
            )
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if value(middle) <= eps else (middle, high)
    return high
