"""Features that draws of different seeds share, by construction or by chance.

Columns of continuous features never coincide by chance. Codes do, at an unknown rate; but i.i.d.
draws coincide as often as any other two, and i.i.d. units as often with each other's as with their
own.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from mehler._words import counted

# Least number of continuous columns, all different within draws, of which half in common counts.
_LEAST = 8

Finding = tuple[str, dict[str, Any]]


class SeenColumns:
    """The columns of continuous maps seen so far, of any seed."""

    def __init__(self) -> None:
        self._seeds: dict[bytes, int] = {}
        self._distinct = True

    def add(self, seed: int, z: Any) -> Finding | None:
        """Add a draw; return a finding if it shares half of its columns with another one."""
        if z.dtype.kind != "f":
            return None
        columns = [c.tobytes() for c in np.ascontiguousarray(z.T) if c.any()]
        if len(set(columns)) < len(columns):
            self._distinct = False
        if not self._distinct or len(columns) < _LEAST:
            return None
        shared: Counter[int] = Counter()
        for column in columns:
            other = self._seeds.setdefault(column, seed)
            if other != seed:
                shared[other] += 1
        for other, n in shared.most_common(1):
            if n == len(columns):
                return f"Seeds {other} and {seed} gave the same features.", {"seeds": (other, seed)}
            if 2 * n >= len(columns):
                return (
                    f"Seeds {other} and {seed} share {n} of "
                    f"{counted(len(columns), 'feature')} bit for bit.",
                    {"seeds": (other, seed)},
                )
        return None


def in_common(a: Any, b: Any) -> int:
    """Return the number of columns that two draws share, in any position."""
    kind = np.dtype((np.void, a.dtype.itemsize * a.shape[0]))
    both = np.concatenate([np.ascontiguousarray(z.T).view(kind).ravel() for z in (a, b)])
    index = np.unique(both, return_inverse=True)[1].ravel()
    counts = [
        np.bincount(part, minlength=index.max() + 1) for part in np.split(index, [a.shape[1]])
    ]
    return int(np.minimum(*counts).sum())


def in_place(a: Any, b: Any) -> int:
    """Return the columns that agree in place, less those that agree after swapping neighbours.

    Swapping units 2l and 2l + 1 of one draw flips the sign of the result. For i.i.d. units and
    independent draws that leaves its law unchanged, so either sign is equally likely.
    """
    swapped = np.arange(b.shape[1])
    even = 2 * (b.shape[1] // 2)
    swapped[:even] ^= 1
    own, other = ((a == each).all(axis=0).sum() for each in (b, b[:, swapped]))
    return int(own) - int(other)
