"""Packings: points of a section of which no two can be covered by one ball of half the radius."""

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


def disjoint(reached: Any) -> list[int]:
    """Points that no two of which one ball reaches, those that few balls reach first.

    Parameters
    ----------
    reached : numpy.ndarray of bool, shape (n, n_balls)
        Whether a ball may hold a point.
    """
    free = np.ones(reached.shape[1], dtype=bool)
    chosen = []
    for i in np.argsort(reached.sum(axis=1), kind="stable"):
        if free[reached[i]].all():
            chosen.append(int(i))
            free[reached[i]] = False
    return chosen
