"""The smallest count at which a bound that decreases is small enough."""

from __future__ import annotations

from collections.abc import Callable

# Counts beyond it have no float.
_LIMIT = 2**1000


def smallest_count(value: Callable[[int], float], eps: float) -> int:
    """Find the first n >= 1 with value(n) <= eps, by doubling and halving.

    Parameters
    ----------
    value : callable
        Decreases in n, to less than eps.
    eps : float

    Returns
    -------
    int

    Raises
    ------
    ValueError
        The count exceeds what a float can hold.
    """
    high = 1
    while value(high) > eps:
        high *= 2
        if high > _LIMIT:
            raise ValueError(f"eps={eps!r} is too small: the count exceeds 2**1000")
    low = high // 2  # value(low) > eps, or low is 0
    while high - low > 1:
        middle = (low + high) // 2
        if value(middle) > eps:
            low = middle
        else:
            high = middle
    return high
