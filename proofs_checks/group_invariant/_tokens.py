"""All sequences of tokens, their orbits under permutations, and features of all of them.

Features that do not know the order of tokens are the same for all sequences of one orbit, so that
one sorted sequence stands for each: of 8^5 = 32768 sequences there are 792.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mehler.features import groups


@dataclass(frozen=True)
class Tokens:
    """Sequences of `length` tokens out of `alphabet`, one-hot: rows of length sqrt(length)."""

    length: int
    alphabet: int

    @property
    def n_inputs(self) -> int:
        """Coordinates of a one-hot row."""
        return self.length * self.alphabet

    @property
    def group(self) -> groups.BlockPermutations:
        """All permutations of the places."""
        return groups.BlockPermutations(self.n_inputs, self.length)

    @cached_property
    def representatives(self) -> Any:
        """Sorted sequences, one of each orbit: shape (orbits, length)."""
        found = itertools.combinations_with_replacement(range(self.alphabet), self.length)
        return np.array(list(found))

    @cached_property
    def sizes(self) -> Any:
        """Number of sequences of each orbit."""
        counts = self.counts
        factorial = np.array([math.factorial(k) for k in range(self.length + 1)])
        return factorial[self.length] // factorial[counts].prod(axis=1)

    @cached_property
    def counts(self) -> Any:
        """Token counts of each orbit's sequences: shape (orbits, alphabet)."""
        return np.stack(
            [(self.representatives == a).sum(axis=1) for a in range(self.alphabet)], axis=1
        )

    @cached_property
    def everything(self) -> tuple[Any, Any]:
        """All sequences, and the orbit of each."""
        grid = np.indices((self.alphabet,) * self.length).reshape(self.length, -1).T
        powers = self.alphabet ** np.arange(self.length)[::-1]
        keys = self.representatives @ powers
        return grid, np.searchsorted(keys, np.sort(grid, axis=1) @ powers)

    def one_hot(self, sequences: Any) -> Any:
        """Encode sequences as rows of zeros and ones, token by token."""
        return np.eye(self.alphabet)[sequences].reshape(len(sequences), self.n_inputs)
