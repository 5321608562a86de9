"""Permutations of blocks of coordinates, such as the tokens of a sequence."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from mehler._validate import require_integer
from mehler.features.groups._coordinates import CoordinateGroup, distinct
from mehler.features.groups._group import MOST_INPUTS


class BlockPermutations(CoordinateGroup):
    """All permutations of `n_blocks` blocks of equal width.

    Parameters
    ----------
    n_inputs : int
        Coordinates d, a multiple of n_blocks.
    n_blocks : int, optional
        L; default d, single coordinates. Averages over all L! elements are possible up to 8
        blocks; beyond, take `drawn(r, seed=...)`.

    Raises
    ------
    TypeError, ValueError
        If the blocks do not fit.

    See Also
    --------
    CyclicShifts : Shifts of blocks.

    Notes
    -----
    An element is a permutation p: block l of the result is block p[l] of the row.

    Examples
    --------
    >>> import numpy as np
    >>> swap = BlockPermutations(4, 2)
    >>> swap.apply(np.arange(4.0)[None, :])[:, 0].tolist()
    [[0.0, 1.0, 2.0, 3.0], [2.0, 3.0, 0.0, 1.0]]
    """

    n_blocks: int

    def __init__(self, n_inputs: int, n_blocks: int | None = None) -> None:
        n_inputs = require_integer("n_inputs", n_inputs, most=MOST_INPUTS)
        # The order is a factorial, of half a million digits here.
        self.n_blocks = require_integer("n_blocks", blocks_of(n_inputs, n_blocks), most=10**5)
        super().__init__(n_inputs, math.factorial(self.n_blocks), orthogonal=True, closed=True)

    @property
    def width(self) -> int:
        """Coordinates per block."""
        return self.n_inputs // self.n_blocks

    def _listed(self) -> Any:
        return np.array(list(itertools.permutations(range(self.n_blocks))), dtype=np.int64)

    def _sample(self, r: int, rng: np.random.Generator, replacement: bool) -> Any:
        if self.n_blocks <= 8:
            return super()._sample(r, rng, replacement)

        def draw(n: int) -> Any:
            return rng.permuted(np.tile(np.arange(self.n_blocks), (n, 1)), axis=1)

        return draw(r) if replacement else distinct(draw, r)

    def _places(self, elements: Any) -> tuple[Any, Any]:
        within = np.arange(self.width)
        index = elements[:, :, None] * self.width + within
        return index.reshape(len(elements), self.n_inputs), np.ones(1, dtype=np.int64)


def blocks_of(n_inputs: int, n_blocks: int | None) -> int:
    """Validate a number of blocks; default single coordinates."""
    if n_blocks is None:
        return n_inputs
    n_blocks = require_integer("n_blocks", n_blocks)
    if n_inputs % n_blocks:
        raise ValueError(
            f"n_inputs={n_inputs} coordinates do not split into n_blocks={n_blocks} equal blocks"
        )
    return n_blocks
