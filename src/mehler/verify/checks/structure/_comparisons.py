"""Compare features up to rounding, and count wins that correct maps have by chance alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy.special import bdtrc

from mehler._arrays import Array

# Sums of d and m rounded terms differ by some sqrt(d + m) units between two summation orders, as
# BLAS uses for different numbers of rows; 64 covers the constants. Single precision is allowed
# to all maps, since one may compute in it and return float64. Coarser dtypes, whose units are
# large, are allowed a twentieth.
ULPS, _COARSEST = 64.0, 0.05

# Pieces of a feature with jumps (a sign, a code); an input lies within rounding of a jump with
# probability at most 8 sqrt(d) eps per piece.
PIECES = 16.0

# Probability that more entries than `flips` jump by chance.
_RARE = 1e-13


def tolerance(a: Array, b: Array, terms: int) -> float:
    """Return the allowed difference of entries, relative to the largest in their row."""
    eps = float(np.finfo(np.float32).eps)
    for z in (a, b):
        if z.dtype.kind == "f":
            eps = max(eps, float(np.finfo(z.dtype).eps))
    return min(ULPS * eps * math.sqrt(terms), _COARSEST)


def apart(a: Array, b: Array, terms: int, slack: float | Array = 0.0) -> Any:
    """Return a mask (n, m) of entries apart by more than rounding of `terms` terms plus `slack`."""
    if a.dtype.kind != "f" and b.dtype.kind != "f":
        return a != b
    share = tolerance(a, b, terms)
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore"):
        size = np.maximum(np.abs(x), np.abs(y)).max(axis=1, keepdims=True)
        size = np.where(np.isfinite(size), size, 0.0)
        near = np.abs(x - y) <= share * size + slack
    return ~(near | (x == y) | (np.isnan(x) & np.isnan(y)))


def flips(a: Array, n_inputs: int) -> int:
    """Return how many entries may jump because an input was rounded differently."""
    pieces = PIECES
    if a.dtype.kind != "f":
        pieces = max(pieces, float(np.abs(a.astype(np.float64)).max()) + 1.0)
    chance = min(0.5, 8.0 * pieces * math.sqrt(n_inputs) * float(np.finfo(np.float32).eps))
    allowed = 0
    while bdtrc(allowed, a.size, chance) > _RARE:
        allowed += 1
    return allowed


def rows_apart(a: Array, b: Array, n_inputs: int, slack: Any = 0.0) -> Any:
    """Return the indices of rows whose features differ, or none if chance may flip as many entries.

    The bound of `flips` applies to the whole matrix; a row counts from its first entry on.
    """
    if a.shape != b.shape:
        return np.arange(a.shape[0])
    terms = n_inputs + a.shape[1]
    if a.dtype.kind == b.dtype.kind == "f":
        # The usual case, in few passes over many rows.
        gap, size = np.abs(a - b).max(axis=1), np.abs(b).max(axis=1)
        if (gap <= tolerance(a, b, terms) * size).all():
            return np.arange(0)
    off = apart(a, b, terms, slack)
    if int(off.sum()) <= flips(a, n_inputs):
        return np.arange(0)
    return np.flatnonzero(off.any(axis=1))


def all_won(signs: Iterable[int], rate: float) -> int:
    """Return the number of comparisons won in a row, or 0 if they are too few.

    A correct map wins n times without a loss with probability at most 2^-n. The first loss, or more
    than 4 ties, ends the test: only defects that show nearly always are sought.
    """
    needed = math.ceil(-math.log2(rate))
    won = tied = 0
    for sign in signs:
        if sign < 0:
            return 0
        won += sign > 0
        tied += sign == 0
        if tied > 4:
            return 0
        if won >= needed:
            return won
    return 0


def mostly(won: Callable[[int], bool], chance: float, rate: float, n: int = 80) -> bool:
    """Return whether more of n comparisons are won than `chance` explains, at the level `rate`."""
    losses_allowed = 0
    while bdtrc(n - losses_allowed - 2, n, chance) <= rate:
        losses_allowed += 1
    if bdtrc(n - 1, n, chance) > rate:
        raise ValueError(f"{n} comparisons at {chance} never reach {rate:.3g}: make more")
    lost = 0
    for k in range(n):
        lost += not won(k)
        if lost > losses_allowed:
            return False
    return True
