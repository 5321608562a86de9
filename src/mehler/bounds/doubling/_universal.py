"""Upper bounds from the numbers of points and columns alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Balls of radius 1/2 that suffice for a unit ball of R^d: 2 for a segment, 7 for a disc, and
# 1 + 22 for d = 3 (22 caps of 30 degrees cover the sphere; one ball covers the inner half).
_HALF_BALLS = {0: 1, 1: 2, 2: 7, 3: 23}


def log2_ceil(count: int) -> int:
    """Return the least k with 2^k >= count."""
    return (count - 1).bit_length()


def log2_ceils(counts: Any) -> Any:
    """Return `log2_ceil` of an array of counts below 2^53."""
    mantissa, exponent = np.frexp(np.maximum(counts, 1).astype(np.float64))
    return (exponent - (mantissa == 0.5)).astype(np.int64)


def by_columns(n_varying: int) -> int:
    r"""Bound the doubling dimension of R^d by :math:`\lceil d \log_2 5\rceil` or less."""
    if n_varying in _HALF_BALLS:
        return log2_ceil(_HALF_BALLS[n_varying])
    return math.ceil(n_varying * math.log2(5))


def by_count(n_points: int) -> int:
    """Bound the dimension by one ball per point."""
    return log2_ceil(n_points)
