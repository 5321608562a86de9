"""Packings: points of a section, no two in one ball of half its radius."""

from __future__ import annotations

from typing import Any

import numpy as np


def tight(between: Any, apart: float, start: int) -> list[int]:
    """Pack greedily from `start`, taking the nearest point farther than `apart` (squared).

    `between` (n, n): lower ends of squared distances.
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
    """Pack greedily, taking points in a given order."""
    free = np.ones(between.shape[0], dtype=bool)
    chosen = []
    for i in order:
        if free[i]:
            chosen.append(int(i))
            free &= between[i] > apart
    return chosen


def disjoint(reached: Any) -> list[int]:
    """Choose points, no two reached by one ball, starting with those that few balls reach.

    `reached` (n, n_balls): whether a ball may contain a point.
    """
    free = np.ones(reached.shape[1], dtype=bool)
    chosen = []
    for i in np.argsort(reached.sum(axis=1), kind="stable"):
        if free[reached[i]].all():
            chosen.append(int(i))
            free[reached[i]] = False
    return chosen
