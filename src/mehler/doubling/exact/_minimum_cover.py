"""Minimum set cover: greedy first, then an integer programme."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

# The solver's bounds are integers up to this rounding.
_SLACK = 1e-6


def greedy_count(sets: Any) -> int:
    """Count the sets of a greedy cover; `sets` (n_sets, n_points) cover each point."""
    weights = sets.astype(np.float32)
    left = np.ones(sets.shape[1], dtype=np.float32)
    count = 0
    while left.any():
        left *= 1 - weights[int((weights @ left).argmax())]
        count += 1
    return count


def cover_counts(sets: Any) -> tuple[int, int]:
    """Return ends for the size of a minimum cover; equal if the solver finished."""
    high = greedy_count(sets)
    if high <= 2:
        # A cover of one set would have been found by the greedy choice.
        return high, high
    solved = milp(
        np.ones(sets.shape[0]),
        constraints=LinearConstraint(sets.T.astype(np.float64), lb=1.0),
        integrality=np.ones(sets.shape[0]),
        bounds=Bounds(0, 1),
    )
    low = 1
    if solved.mip_dual_bound is not None:
        low = max(low, math.ceil(solved.mip_dual_bound - _SLACK))
    if solved.x is not None and sets[solved.x > 0.5].any(axis=0).all():
        high = min(high, int((solved.x > 0.5).sum()))
    return low, high


def largest_need(problems: Any) -> tuple[int, Any, int]:
    """Return (low, key, high) of the largest minimum cover among (key, sets) problems.

    The problem `key` needs at least `low` sets; none needs more than `high`.
    """
    hard = sorted(
        ((greedy_count(sets), i, key, sets) for i, (key, sets) in enumerate(problems)),
        key=lambda one: (-one[0], one[1]),
    )
    low, at, high = 1, None, 1
    for greedy, _, key, sets in hard:
        if greedy <= low and greedy <= high:
            break
        least, most = cover_counts(sets)
        if least > low:
            low, at = least, key
        high = max(high, most)
    return low, at, high
