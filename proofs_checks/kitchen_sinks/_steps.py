"""Greedy sums over a finite dictionary, in coordinates of an orthonormal basis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# dictionary (n, p), target (p,), total weight, steps -> errors after each step
Steps = Callable[[Any, Any, float, int], list[float]]


def as_printed(dictionary: Any, target: Any, total: float, n_steps: int) -> list[float]:
    """Return the errors of f_k = (1 - a) f_{k-1} + a phi, minimised over all real a and all phi.

    The total weight plays no part: the features enter as they are.
    """
    del total
    return _search(dictionary, target, n_steps)


def line_search(dictionary: Any, target: Any, total: float, n_steps: int) -> list[float]:
    """Return the errors over the dictionary of +-B phi."""
    return _search(_signed(dictionary, total), target, n_steps)


def equal_weights(dictionary: Any, target: Any, total: float, n_steps: int) -> list[float]:
    """Return the errors of f_k = (1 - 1/k) f_{k-1} + g/k, minimised over g among +-B phi."""
    choices = _signed(dictionary, total)
    f = np.zeros_like(target)
    errors = []
    for k in range(1, n_steps + 1):
        tried = (1 - 1 / k) * f + choices / k
        distance = np.linalg.norm(tried - target, axis=1)
        best = int(np.argmin(distance))
        f = tried[best]
        errors.append(float(distance[best]))
    return errors


def _signed(dictionary: Any, total: float) -> Any:
    return total * np.concatenate([dictionary, -dictionary])


def _search(choices: Any, target: Any, n_steps: int) -> list[float]:
    f = np.zeros_like(target)
    errors = []
    for _ in range(n_steps):
        away = choices - f
        square = (away**2).sum(axis=1)
        # The projection of target - f on each line; a choice that equals f offers no line.
        factor = (away @ (target - f)) / np.where(square > 0, square, 1.0)
        tried = f + factor[:, np.newaxis] * away
        distance = np.linalg.norm(tried - target, axis=1)
        best = int(np.argmin(distance))
        f = tried[best]
        errors.append(float(distance[best]))
    return errors
