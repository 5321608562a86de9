"""Worlds where the risk of clipped ridge regression is computed and its bound is an equality."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mehler.bounds import Bound

from ..._worlds import World

Bounding = Callable[..., Bound]
# Sums of a few numbers.
_ROUNDING = 1e-12


def opposite(bound: Bounding) -> Iterator[World]:
    """Pairs of equal rows with opposite labels, one row left out, the weights 0 beside it.

    What is fitted to a row alone is wrong by twice the label at the other; more pairs, orthogonal
    to each other, change nothing.
    """
    for pairs, clip in ((1, 1.0), (1, 0.5), (20, 3.0)):
        penalty, n = 1e-9, 2 * pairs
        known = {"ridge": penalty / (n - 1), "norm": 0.0, "clip": clip}
        limit = bound(n - 1, degrees_of_freedom=pairs * 2 / (2 + penalty), **known)
        seen = (clip + clip / (1 + penalty)) ** 2 - clip**2
        name = f"{pairs} pairs of opposite labels"
        yield World(name, (seen * (1 - _ROUNDING), seen), limit.total)


def shrunk(bound: Bounding) -> Iterator[World]:
    """Equal rows of one label, all but one fitted, beside twice the weight that all would have."""
    n = 10**8
    for share in (1.0, 30.0, 1000.0):
        penalty = share * n
        other = 2 / (1 + share)
        limit = bound(
            n - 1,
            ridge=penalty / (n - 1),
            norm=other,
            clip=1.0,
            degrees_of_freedom=n / (n + penalty),
        )
        seen = (penalty / (n - 1 + penalty)) ** 2 - (1 - other) ** 2
        name = f"equal rows, penalty {share:g} N"
        yield World(name, (seen - _ROUNDING * abs(seen), seen), limit.total)


def left_out(z: np.ndarray, y: np.ndarray, penalty: float, clip: float) -> np.ndarray:
    """Return the squared errors of each row, clipped, with the others fitted."""
    found = np.empty(len(z))
    for i in range(len(z)):
        kept = np.arange(len(z)) != i
        gram = z[kept].T @ z[kept] + penalty * np.eye(z.shape[1])
        w = np.linalg.solve(gram, z[kept].T @ y[kept])
        found[i] = (np.clip(z[i] @ w, -clip, clip) - y[i]) ** 2
    return found
