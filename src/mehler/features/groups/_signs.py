"""Sign changes, and the trivial group."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from mehler._validate import require_integer
from mehler.features.groups._coordinates import CoordinateGroup, distinct
from mehler.features.groups._group import MOST_INPUTS


class Trivial(CoordinateGroup):
    """The identity alone: features of plain projections, for comparison.

    Parameters
    ----------
    n_inputs : int
        Coordinates d.

    See Also
    --------
    SignFlips : Changes of signs.

    Examples
    --------
    >>> Trivial(3).order
    1
    """

    def __init__(self, n_inputs: int) -> None:
        super().__init__(n_inputs, 1, orthogonal=True, closed=True)

    def _listed(self) -> Any:
        return np.zeros((1, 1), dtype=np.int64)

    def _places(self, elements: Any) -> tuple[Any, Any]:
        places = np.tile(np.arange(self.n_inputs), (len(elements), 1))
        return places, np.ones(1, dtype=np.int64)


class SignFlips(CoordinateGroup):
    """All changes of signs of the first `moved` coordinates.

    Parameters
    ----------
    n_inputs : int
        Coordinates d.
    moved : int, optional
        Number of coordinates; default all. Averages over all elements are possible up to 17.

    See Also
    --------
    Trivial : The identity alone.

    Notes
    -----
    An element is a row of 1 and -1, one a moved coordinate.

    Examples
    --------
    >>> SignFlips(2).elements().tolist()
    [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    """

    moved: int

    def __init__(self, n_inputs: int, moved: int | None = None) -> None:
        n_inputs = require_integer("n_inputs", n_inputs, most=MOST_INPUTS)
        self.moved = n_inputs if moved is None else require_integer("moved", moved, most=n_inputs)
        super().__init__(n_inputs, 2**self.moved, orthogonal=True, closed=True)

    def _listed(self) -> Any:
        return np.array(list(itertools.product((1, -1), repeat=self.moved)))

    def _sample(self, r: int, rng: np.random.Generator, replacement: bool) -> Any:
        if self.moved <= 16:
            return super()._sample(r, rng, replacement)

        def draw(n: int) -> Any:
            return 1 - 2 * rng.integers(2, size=(n, self.moved))

        return draw(r) if replacement else distinct(draw, r)

    def _places(self, elements: Any) -> tuple[Any, Any]:
        sign = np.ones((len(elements), self.n_inputs), dtype=np.int64)
        sign[:, : self.moved] = elements
        return np.arange(self.n_inputs)[None, :], sign
