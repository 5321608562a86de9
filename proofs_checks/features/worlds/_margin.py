"""Worlds where the risk by margins is computed and near its bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from scipy import stats

from mehler.bounds import Bound

from ..._worlds import World

Bounding = Callable[..., Bound]
# Orthonormal rows to draw from: so many that none is drawn twice, nor any of these met again.
_ROWS = 1e40


def learnt_by_heart(bound: Bounding) -> Iterator[World]:
    """Orthonormal features, all labels 1, and weights that are 1 at drawn rows, < 0 at others.

    Each of N rows has the margin N^(-1/2); a fresh row is another one, and its class is wrong. Two
    of N rows are equal with a chance of at most N^2 over twice the number of rows.
    """
    n = 10**12
    risk = 1 - n / _ROWS
    for length, threshold in ((0.01, 0.0), (0.1, 0.0), (0.01, 1.0)):
        root = math.sqrt(n)
        promised = bound(
            n, margin=1 / root, delta=0.01, scale=length * root, thresholds=(threshold,)
        )
        name = f"learnt by heart, length {length:g}, threshold {threshold:g}"
        yield World(name, (risk, risk), promised.total)


def coin(bound: Bounding) -> Iterator[World]:
    """One row with the label of a coin, and the weight 1: errors are binomial.

    The chance that so few are counted that the bound is below the truth, over what is promised.
    """
    n = 10**4
    for delta, chance in ((1e-290, 0.5), (1e-30, 0.5), (1e-290, 0.3)):

        def fails(errors: int, delta: float = delta, chance: float = chance) -> bool:
            known = {"scale": 6.0, "thresholds": (3.0,)}
            found = bound(n, margin=1.0, below=errors / n, delta=delta, **known)
            return found.total < chance

        low, high = -1, n
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fails(middle) else (low, middle)
        happens = float(stats.binom(n, chance).cdf(low)) if low >= 0 else 0.0
        name = f"a coin of {chance:g}, delta = {delta:g}"
        yield World(name, (happens, happens), delta)
