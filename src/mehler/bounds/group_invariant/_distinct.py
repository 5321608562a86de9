"""What distinct elements of a finite group save beside independent ones."""

from __future__ import annotations

import numpy as np

# Up to here a sum of inverse squares is taken term by term.
_TERMS = 10**6
# Larger integers are not all floats, and the integral is as good as the sum.
_WHOLE = 2**52


def distinct_factors(r: int, order: int) -> tuple[float, float]:
    """Return w, and S: the mean square of (n - r)/(n - k) over k <= r, or of the complement's."""
    if r == order:
        return 0.0, 0.0
    rest = order - r
    moves = min(_squared_shares(rest, order), _squared_shares(r, order)) / r
    return rest / (order - 1), moves


def _squared_shares(first: int, end: int) -> float:
    """Bound the sum of (first/j)^2 over first <= j < end from above; midpoints, as it is convex.

    Orders of groups are far beyond floats: the integral of the rest is a quotient of integers.
    """
    middle, terms = first, 0.0
    if first < _WHOLE:
        middle = min(end, first + _TERMS)
        terms = float(np.sum((first / np.arange(first, middle, dtype=float)) ** 2))
    return terms + 4 * first**2 * (end - middle) / ((2 * middle - 1) * (2 * end - 1))
