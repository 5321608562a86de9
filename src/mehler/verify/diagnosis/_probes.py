"""Probe rows on lines through the origin, axes and diagonals, in both directions.

A wrong law of the weights may have correct marginals, and then shows on diagonals only; or it may
be right for w together with -w, and then shows in the difference of a row and its negative.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._arrays import from_host, place_of
from mehler.verify.sampling._pairs import Pairs, make_pairs
from mehler.verify.sampling._sources import estimate

# Distances from the origin, in units of the kernel's length scale.
_LENGTHS = (0.3, 1.0, 2.2)
# Number of axes and of diagonals, kept small for speed.
_DIRECTIONS = 4
# Least standard error, since constant estimates are rounded too.
_LEAST_ERROR = 1e-6


@dataclass(frozen=True)
class Lines:
    """Rows on lines, and the pairs of rows that share a line.

    `chosen` is the index into `pairs` of each pair, shape (lines, 2, products), in both directions;
    the first `n_axes` lines are axes, and the first diagonal has no negative entry.
    """

    pairs: Pairs
    chosen: Any
    n_axes: int

    @classmethod
    def of(cls, kernel: Any, like: Pairs, seed: int) -> Lines | None:
        """Return lines in the domain of a kernel, or None.

        None for unnamed kernels, whose domain is unknown, for kernels of nonnegative inputs, where
        a row has no negative, and in one dimension, where every line is an axis.
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
        """Mask of the products of two different rows; |phi(x)|^2 may vary by an offset alone."""
        index = self.chosen[0, 0]
        return self.pairs.first[index] != self.pairs.second[index]

    @property
    def claim(self) -> Any:
        """The kernel at the pairs, in units of sqrt(k(x,x) k(y,y)), equal in both directions."""
        return self.pairs.claim[self.chosen]

    def look(self, phi: Any, n_features: int) -> Any:
        """Return the estimates of one draw, shape (lines, 2, products)."""
        found = self.pairs.pick(estimate(phi, self.pairs, n_features)) / self.pairs.unit
        return found[self.chosen]


@dataclass(frozen=True)
class OnLines:
    """Deviations of mean estimates from the kernel, for a row with its negative and between them.

    Absolute and in standard errors, each of shape (lines, products).
    """

    even: Any
    even_errors: Any
    odd: Any
    odd_errors: Any
    n_axes: int

    @classmethod
    def of(cls, lines: Lines, seen: Any) -> OnLines:
        """Summarise estimates of shape (draws, lines, 2, products)."""
        there, back = seen[:, :, 0], seen[:, :, 1]
        even, even_errors = _deviation(0.5 * (there + back) - lines.claim.mean(axis=1))
        odd, odd_errors = _deviation(0.5 * (there - back))
        return cls(even, even_errors, odd, odd_errors, lines.n_axes)


def falls(small: Any, large: Any) -> Any:
    """Return the factor by which the squared spread over draws falls from one size to another.

    For each pair, from mean absolute deviations, which are robust to few large samples. NaN for
    pairs whose estimate is constant, as cos^2 + sin^2 is.
    """
    before, after = (np.abs(x - x.mean(axis=0)).mean(axis=0) for x in (small, large))
    varies = (before > _LEAST_ERROR) & (after > _LEAST_ERROR)
    return np.where(varies, (before / np.where(varies, after, 1.0)) ** 2, np.nan)


def _deviation(samples: Any) -> tuple[Any, Any]:
    mean = samples.mean(axis=0)
    error = samples.std(axis=0, ddof=1) / math.sqrt(samples.shape[0])
    return mean, np.abs(mean) / np.maximum(error, _LEAST_ERROR)
