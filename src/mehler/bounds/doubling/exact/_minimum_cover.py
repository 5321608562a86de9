"""The fewest sets that cover everything: greedy first, then an integer programme."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

# The solver's bounds are floating-point numbers next to integers.
_SLACK = 1e-6


def greedy_count(sets: Any) -> int:
    """Sets that a greedy cover takes; each point is in at least one.

    Parameters
    ----------
    sets : numpy.ndarray of bool, shape (n_sets, n_points)
    """
    weights = sets.astype(np.float32)
    left = np.ones(sets.shape[1], dtype=np.float32)
    count = 0
    while left.any():
        left *= 1 - weights[int((weights @ left).argmax())]
        count += 1
    return count


def cover_counts(sets: Any) -> tuple[int, int]:
    """A lower and an upper end for the size of a minimum cover; equal if the solver finished.

    Parameters
    ----------
    sets : numpy.ndarray of bool, shape (n_sets, n_points)
    """
    high = greedy_count(sets)
    if high <= 2:
        # One set does only where it holds everything, which the greedy choice would have seen.
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
    """The largest minimum cover among several problems.

    Parameters
    ----------
    problems : iterable of (key, sets)

    Returns
    -------
    low : int
        One of them needs so many.
    key
        Which one.
    high : int
        None needs more.
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
