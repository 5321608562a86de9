"""Gradients of maxout networks in their row: mean squares at any width, and networks drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import exact


def mean_square(q: int, width: int, depth: int, weight_variance: float) -> float:
    """Return the mean squared length of a unit's gradient in the row, all widths alike.

    Along the row, by homogeneity, it is that of the signal; across it the recursion of A.
    """
    across = along = 1.0
    for _ in range(depth):
        across = weight_variance * ((1.0 - 1.0 / width) * across + along / width)
        along *= weight_variance * exact.sigma2(q)
    return (1.0 - 1.0 / width) * across + along / width


def draw(q: int, width: int, depth: int, weight_variance: float, seed: int) -> Callable[[Any], Any]:
    """Draw a network: the map from rows to its units' gradients, over the root of the width."""
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal((depth, q, width, width)) * (weight_variance / width) ** 0.5

    def gradients(X: Any) -> Any:
        found = []
        for h in X:
            passed = np.eye(width)
            for layer in weights:
                offered = layer @ h
                won = layer[offered.argmax(axis=0), np.arange(width)]
                h, passed = offered.max(axis=0), won @ passed
            found.append(passed.ravel() / width**0.5)
        return np.array(found)

    return gradients
