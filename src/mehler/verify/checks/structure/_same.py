"""Compare two computations of the same features up to rounding and the jumps it causes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import bdtrc

# Sums of d and m rounded terms differ by some sqrt(d + m) units between two summation orders, as
# BLAS uses for different numbers of rows; 64 covers the constants. Single precision is allowed
# to all maps, since one may compute in it and return float64. Coarser dtypes, whose units are
# large, are allowed a twentieth.
_ULPS, _COARSEST = 64.0, 0.05

# Pieces of a feature with jumps (a sign, a code); an input lies within rounding of a jump with
# probability at most 8 sqrt(d) eps per piece.
_PIECES = 16.0

# Probability that more entries than `flips` jump by chance.
_RARE = 1e-13


def tolerance(a: Any, b: Any, terms: int) -> float:
    """Return the allowed difference of entries, relative to the largest in their row."""
    eps = float(np.finfo(np.float32).eps)
    for z in (a, b):
        if z.dtype.kind == "f":
            eps = max(eps, float(np.finfo(z.dtype).eps))
    return min(_ULPS * eps * math.sqrt(terms), _COARSEST)


def apart(a: Any, b: Any, terms: int, slack: Any = 0.0) -> Any:
    """Return a mask of the entries that differ by more than rounding of sums of `terms` terms.

    `slack`, shape (n, 1), is allowed besides.
    """
    if a.dtype.kind != "f" and b.dtype.kind != "f":
        return a != b
    share = tolerance(a, b, terms)
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore"):
        size = np.maximum(np.abs(x), np.abs(y)).max(axis=1, keepdims=True)
        size = np.where(np.isfinite(size), size, 0.0)
        near = np.abs(x - y) <= share * size + slack
    return ~(near | (x == y) | (np.isnan(x) & np.isnan(y)))


def flips(a: Any, n_inputs: int) -> int:
    """Return how many entries may jump because an input was rounded differently."""
    pieces = _PIECES
    if a.dtype.kind != "f":
        pieces = max(pieces, float(np.abs(a.astype(np.float64)).max()) + 1.0)
    chance = min(0.5, 8.0 * pieces * math.sqrt(n_inputs) * float(np.finfo(np.float32).eps))
    allowed = 0
    while bdtrc(allowed, a.size, chance) > _RARE:
        allowed += 1
    return allowed


def rows_apart(a: Any, b: Any, n_inputs: int, slack: Any = 0.0) -> Any:
    """Return the indices of rows whose features differ, or none if chance may flip as many entries.

    The bound of `flips` applies to the whole matrix; a row counts from its first entry on.
    """
    if a.shape != b.shape:
        return np.arange(a.shape[0])
    off = apart(a, b, n_inputs + a.shape[1], slack)
    if int(off.sum()) <= flips(a, n_inputs):
        return np.arange(0)
    return np.flatnonzero(off.any(axis=1))
