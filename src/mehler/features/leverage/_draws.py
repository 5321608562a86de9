"""Draws from a distribution on groups: counts, and expected counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Counts and expected counts of n draws by probabilities q.
Draw = Callable[[np.random.Generator, Any, int], tuple[Any, Any]]


def iid(rng: np.random.Generator, q: Any, n: int) -> tuple[Any, Any]:
    """Draw independently, with replacement."""
    return rng.multinomial(n, q), n * q


def systematic(rng: np.random.Generator, q: Any, n: int) -> tuple[Any, Any]:
    """Draw systematically: n equidistant points in the cumulative distribution, one uniform offset.

    Counts are within 1 of their mean, which is that of independent draws.
    """
    expected = n * q
    return points_in(expected, n, rng.random()), expected


def without_replacement(rng: np.random.Generator, q: Any, n: int) -> tuple[Any, Any]:
    """Draw each group at most once: systematic draws by inclusion probabilities."""
    included = inclusion(q, n)
    return points_in(included, n, rng.random()), included


def points_in(expected: Any, n: int, start: float) -> Any:
    """Count the points start, start + 1, ... in each of consecutive intervals."""
    edges = np.cumsum(expected)
    # Rounding must not lose the last point.
    edges[-1] = n
    passed = np.clip(np.ceil(edges - start), 0, n).astype(np.int64)
    return np.diff(passed, prepend=0)


def inclusion(q: Any, n: int) -> Any:
    """Compute inclusion probabilities min(1, c q) that sum to n."""
    order = np.argsort(-q, kind="stable")
    rest = np.cumsum(q[order][::-1])[::-1]
    # The largest k groups are certain; the others share the rest in proportion.
    for k in range(n):
        scale = (n - k) / rest[k]
        if scale * q[order[k]] <= 1:
            break
    else:
        k, scale = n, 0.0
    included = scale * q
    included[order[:k]] = 1.0
    return np.minimum(included, 1.0)


DRAWS: dict[str, Draw] = {
    "systematic": systematic,
    "iid": iid,
    "without replacement": without_replacement,
}
