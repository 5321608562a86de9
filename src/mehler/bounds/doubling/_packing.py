"""Packings: points of a section that no two of which fit into one ball of half the radius."""

from __future__ import annotations

from typing import Any

import numpy as np


def tight(between: Any, apart: float, start: int) -> list[int]:
    """Greedy packing that stays close: next comes the nearest point that is far enough.

    Parameters
    ----------
    between : numpy.ndarray, shape (n, n)
        Lower ends of squared distances.
    apart : float
        Members are at squared distances above this.
    start : int
        The first member.
    """
    nearest = between[start].copy()
    chosen = [start]
    while True:
        candidates = np.where(nearest > apart, nearest, np.inf)
        best = int(candidates.argmin())
        if candidates[best] == np.inf:
            return chosen
        chosen.append(best)
        np.minimum(nearest, between[best], out=nearest)


def in_order(between: Any, apart: float, order: Any) -> list[int]:
    """Greedy packing that takes points in a given order."""
    free = np.ones(between.shape[0], dtype=bool)
    chosen = []
    for i in order:
        if free[i]:
            chosen.append(int(i))
            free &= between[i] > apart
    return chosen
