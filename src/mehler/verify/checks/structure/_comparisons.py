"""Compare features up to rounding, and count wins that correct maps have by chance alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy.special import bdtrc

# Sums of d and m rounded terms differ by some sqrt(d + m) units between two summation orders, as
# BLAS uses for different numbers of rows; 64 covers the constants. Single precision is allowed
# to all maps, since one may compute in it and return float64. Coarser dtypes, whose units are
# large, are allowed a twentieth.
_ULPS, _COARSEST = 64.0, 0.05
EPS = float(np.finfo(np.float32).eps)

# Pieces of a feature with jumps (a sign, a code); an input lies within rounding of a jump with
# probability at most 8 sqrt(d) eps per piece. More entries jump with probability _RARE.
_PIECES, _RARE = 16.0, 1e-13


def tolerance(a: Any, b: Any, terms: int) -> float:
    """Return the allowed difference of entries, relative to the largest in their row."""
    kinds = [z.dtype for z in (a, b) if z.dtype.kind == "f"]
    if not kinds:
        return 0.0
    eps = max(EPS, *(float(np.finfo(kind).eps) for kind in kinds))
    return min(_ULPS * eps * math.sqrt(terms), _COARSEST)


def differing_rows(a: Any, b: Any, n_inputs: int, slack: Any = 0.0) -> Any:
    """Return the rows in which features differ by more than rounding, `slack` and rare jumps.

    A row counts if more of its entries differ than may jump by chance, or if more of the whole
    matrix do.
    """
    if a.shape != b.shape:
        return np.arange(a.shape[0])
    share = tolerance(a, b, n_inputs + a.shape[1])
    x, y = (z.astype(np.float64, copy=False) for z in (a, b))
    with np.errstate(invalid="ignore"):
        gap, size = np.abs(x - y), np.abs(y).max(axis=1, keepdims=True)
        allowed = share * np.where(np.isfinite(size), size, 0.0) + slack
        off = ~((gap <= allowed) | (x == y) | (np.isnan(x) & np.isnan(y)))
    pieces = _PIECES if a.dtype.kind == "f" else max(_PIECES, float(np.abs(y).max()) + 1.0)
    chance = min(0.5, 8.0 * pieces * math.sqrt(n_inputs) * EPS)
    # P(Binomial(size, chance) >= n) is the chance that as many entries jump, of all or of a row.
    each = off.sum(axis=1)
    if each.any() and bdtrc(int(each.sum()) - 1, a.size, chance) <= _RARE:
        return np.flatnonzero(each)
    return np.flatnonzero(
        (each > 0) & (len(a) * bdtrc(np.maximum(each, 1) - 1, a.shape[1], chance) <= _RARE)
    )


def all_won(signs: Iterable[int], rate: float) -> bool:
    """Return whether comparisons are won until a correct map does so with probability `rate`.

    A comparison that a correct map wins and loses with equal probability is won n times without a
    loss with probability at most 2^-n. The first loss, or more than 4 ties, ends the test: only
    faults that show nearly always are sought.
    """
    needed = math.ceil(-math.log2(rate))
    won = tied = 0
    for sign in signs:
        won += sign > 0
        tied += sign == 0
        if sign < 0 or tied > 4:
            return False
        if won >= needed:
            return True
    return False


def mostly(won: Callable[[], bool], rate: float, n: int) -> bool:
    """Return whether more of n fair comparisons are won than happens with probability `rate`."""
    losses_allowed = 0
    while bdtrc(n - losses_allowed - 2, n, 0.5) <= rate:
        losses_allowed += 1
    lost = 0
    for _ in range(n):
        lost += not won()
        if lost > losses_allowed:
            return False
    return True
