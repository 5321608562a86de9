"""The paper's artificial task: do two target tokens both occur in a sequence?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from .._tokens import Tokens

# Sequences of 5 tokens out of 8, as in the paper, and a small world for the quick level.
PAPER = Tokens(5, 8)
SMALL = Tokens(4, 6)


@dataclass(frozen=True)
class Split:
    """Indices of training and of test sequences."""

    train: Any
    test: Any


@dataclass(frozen=True)
class Task:
    """Label +1 if both targets occur; constant on orbits."""

    tokens: Tokens
    targets: tuple[int, int]

    @classmethod
    def drawn(cls, tokens: Tokens, rng: np.random.Generator) -> Task:
        """Return two random targets."""
        first, second = rng.permutation(tokens.alphabet)[:2]
        return cls(tokens, (int(first), int(second)))

    @cached_property
    def labels(self) -> Any:
        """-1 and +1 of each orbit."""
        both = (self.tokens.counts[:, list(self.targets)] > 0).all(axis=1)
        return np.where(both, 1.0, -1.0)

    def split(self, rng: np.random.Generator, per_class: int) -> Split:
        """Draw equally many training sequences of each class; all others are the test set."""
        of_rows = self.labels[self.tokens.everything[1]]
        kept, rest = [], []
        for label in (1.0, -1.0):
            shuffled = rng.permutation(np.flatnonzero(of_rows == label))
            kept.append(shuffled[:per_class])
            rest.append(shuffled[per_class:])
        return Split(np.concatenate(kept), np.concatenate(rest))

    def counted(self, rows: Any) -> Any:
        """Count the sequences in each orbit."""
        return np.bincount(self.tokens.everything[1][rows], minlength=len(self.labels))


@cache
def haar_distance(tokens: Tokens) -> Any:
    r"""Return the mean distance of two orbits, all pairs: (orbits, orbits).

    A permutation brings k of L places into agreement, at a distance of sqrt(2 (L - k)). With
    R(t) = \prod_a \sum_j C(c_a, j) C(c'_a, j) j! t^j = \sum_j r_j t^j, sum_{i >= k} (-1)^{i-k}
    C(i, k) r_i (L - i)! permutations have k; R is computed at L + 1 points, as sums of logarithms.
    """
    size = tokens.length
    points = np.arange(1, size + 2) / size
    coefficients = np.array([_share(size, j) for j in range(size + 1)])
    weights = np.linalg.solve(np.vander(points, increasing=True).T, coefficients)
    counts = tokens.counts
    hot = np.eye(size + 1)[counts].reshape(len(counts), -1)
    found = np.zeros((len(counts), len(counts)))
    for weight, t in zip(weights, points, strict=True):
        factor = np.log([[_matched(c, d, t) for d in range(size + 1)] for c in range(size + 1)])
        logs = hot @ np.kron(np.eye(tokens.alphabet), factor) @ hot.T
        found += weight * np.exp(logs)
    return found


def _matched(c: int, d: int, t: float) -> float:
    return sum(math.comb(c, j) * math.comb(d, j) * math.factorial(j) * t**j for j in range(6))


def _share(size: int, j: int) -> float:
    """Return the factor of r_j in the mean distance."""
    signed = sum(
        (-1) ** (j - k) * math.comb(j, k) * math.sqrt(2.0 * (size - k)) for k in range(j + 1)
    )
    return signed * math.factorial(size - j) / math.factorial(size)
