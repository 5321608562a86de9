"""Features that draws of different seeds have in common: shared by construction, or by chance.

Columns of continuous features never coincide by chance. Codes do, and how often depends on a law
that nobody states; but draws that are independent and alike coincide as often as any two others
do, and units that are alike as often with each other's as with their own.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

# Half of eight or more continuous columns, all different within their draws, is no chance.
_LEAST = 8

Finding = tuple[str, dict[str, Any]]


class Met:
    """The columns of continuous maps met so far, of any seed."""

    def __init__(self) -> None:
        self._seeds: dict[bytes, int] = {}
        self._distinct = True

    def meet(self, seed: int, z: Any) -> Finding | None:
        """Add a draw; return the finding if it shares half of its columns with another one."""
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
                    f"Seeds {other} and {seed} share {n} of {len(columns)} features bit for bit.",
                    {"seeds": (other, seed)},
                )
        return None


def in_common(a: Any, b: Any) -> int:
    """Return how many columns two draws have in common, in whatever places."""
    kind = np.dtype((np.void, a.dtype.itemsize * a.shape[0]))
    both = np.concatenate([np.ascontiguousarray(z.T).view(kind).ravel() for z in (a, b)])
    index = np.unique(both, return_inverse=True)[1].ravel()
    counts = [
        np.bincount(part, minlength=index.max() + 1) for part in np.split(index, [a.shape[1]])
    ]
    return int(np.minimum(*counts).sum())


def in_place(a: Any, b: Any) -> int:
    """Return by how many more columns agree in their own places than with neighbours swapped.

    Swapping units 2l and 2l + 1 of one draw turns the sign of the result. Where units are alike
    and independent, and the draws too, that leaves its law as it is: either sign is as likely.
    """
    swapped = np.arange(b.shape[1])
    even = 2 * (b.shape[1] // 2)
    swapped[:even] ^= 1
    own, other = ((a == each).all(axis=0).sum() for each in (b, b[:, swapped]))
    return int(own) - int(other)
