"""Inputs on lines through the origin: axes and diagonals, both ways, where defects look different.

A wrong law of the weights may have right marginals, and then shows on diagonals only; it may be
right for w together with -w, and then shows in the difference of a row and its negative.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._arrays import from_host, place_of
from mehler.verify.sampling._pairs import Pairs, make_pairs
from mehler.verify.sampling._sources import estimate

# In units of the kernel's length.
_LENGTHS = (0.3, 1.0, 2.2)
# Axes and diagonals that are looked at: enough to see, few enough to be quick.
_DIRECTIONS = 4
# Estimates that do not vary are not known to the last bit either.
_LEAST_ERROR = 1e-6


@dataclass(frozen=True)
class Lines:
    """Rows on lines, and the pairs of rows that share a line.

    `chosen` holds the index into `pairs` of each pair, shape (lines, 2, products): there and back;
    the first `n_axes` lines are axes, the first diagonal has no negative entry.
    """

    pairs: Pairs
    chosen: Any
    n_axes: int

    @classmethod
    def of(cls, kernel: Any, like: Pairs, seed: int) -> Lines | None:
        """Return lines in the domain of a kernel.

        None for kernels without a name, whose domain is not known, for those of inputs that are
        not negative, where a row has no negative, and in one dimension, where all is an axis.
        """
        d = like.left.host.shape[1]
        if getattr(kernel, "nonnegative", True) or d < 2:
            return None
        axes = np.eye(d)[:_DIRECTIONS]
        signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(_DIRECTIONS, d))
        signs[0] = 1.0
        signs[1] = np.resize([1.0, -1.0], d)
        directions = np.concatenate([axes, signs / math.sqrt(d)])
        steps = kernel.length * np.outer([1.0, -1.0], _LENGTHS).ravel()
        rows = (directions[:, None, :] * steps[None, :, None]).reshape(-1, d)
        host = rows.astype(like.left.host.dtype)
        pairs = make_pairs(kernel, from_host(host, place_of(like.left.given)), None)
        block = np.arange(len(rows)) // len(_LENGTHS)
        first, second = pairs.first, pairs.second
        together = np.flatnonzero(block[first] == block[second])
        order = together[np.argsort(block[first[together]], kind="stable")]
        return cls(pairs, order.reshape(len(directions), 2, -1), len(axes))

    @property
    def apart(self) -> Any:
        """Which products are of two rows: a row's with itself may vary by an offset alone."""
        index = self.chosen[0, 0]
        return self.pairs.first[index] != self.pairs.second[index]

    @property
    def claim(self) -> Any:
        """The kernel there, in units of sqrt(k(x,x) k(y,y)); the same both ways."""
        return self.pairs.claim[self.chosen]

    def look(self, phi: Any, n_features: int) -> Any:
        """Return the estimates of one draw, shape (lines, 2, products)."""
        found = self.pairs.pick(estimate(phi, self.pairs, n_features)) / self.pairs.unit
        return found[self.chosen]


@dataclass(frozen=True)
class OnLines:
    """How far means over draws are from the kernel: of a row and its negative, and between them.

    Deviations and the same in standard errors, shape (lines, products).
    """

    even: Any
    even_errors: Any
    odd: Any
    odd_errors: Any
    n_axes: int

    @classmethod
    def of(cls, lines: Lines, seen: Any) -> OnLines:
        """Summarise looks, shape (draws, lines, 2, products)."""
        there, back = seen[:, :, 0], seen[:, :, 1]
        even, even_errors = _deviation(0.5 * (there + back) - lines.claim.mean(axis=1))
        odd, odd_errors = _deviation(0.5 * (there - back))
        return cls(even, even_errors, odd, odd_errors, lines.n_axes)


def falls(small: Any, large: Any) -> Any:
    """Return how many times the spread over draws, squared, falls from one size to another.

    For each pair, from mean absolute deviations, which few large samples do not decide. NaN where
    nothing varies: pairs whose estimate is the same in every draw, as cos^2 + sin^2 is, tell
    nothing.
    """
    before, after = (np.abs(x - x.mean(axis=0)).mean(axis=0) for x in (small, large))
    varies = (before > _LEAST_ERROR) & (after > _LEAST_ERROR)
    return np.where(varies, (before / np.where(varies, after, 1.0)) ** 2, np.nan)


def _deviation(samples: Any) -> tuple[Any, Any]:
    mean = samples.mean(axis=0)
    error = samples.std(axis=0, ddof=1) / math.sqrt(samples.shape[0])
    return mean, np.abs(mean) / np.maximum(error, _LEAST_ERROR)
