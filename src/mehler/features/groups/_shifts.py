"""Cyclic shifts, and shifts with reversals."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._validate import require_integer
from mehler.features.groups._coordinates import CoordinateGroup
from mehler.features.groups._permutations import blocks_of


class CyclicShifts(CoordinateGroup):
    """Cyclic shifts of the coordinates, or of blocks of them.

    Parameters
    ----------
    n_inputs : int
        Coordinates d.
    n_blocks : int, optional
        Shift blocks of d/n_blocks coordinates; default single coordinates.

    See Also
    --------
    Dihedral : Shifts and reversals.
    ImageShifts : Shifts of images.

    Notes
    -----
    An element is a shift k: (g t)_i = t_{i-k}, as ``numpy.roll`` does it.

    Examples
    --------
    >>> import numpy as np
    >>> CyclicShifts(3).apply(np.arange(3.0)[None, :])[:, 0].tolist()
    [[0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [1.0, 2.0, 0.0]]
    """

    n_blocks: int

    def __init__(self, n_inputs: int, n_blocks: int | None = None) -> None:
        n_inputs = require_integer("n_inputs", n_inputs)
        self.n_blocks = blocks_of(n_inputs, n_blocks)
        super().__init__(n_inputs, self.n_blocks, orthogonal=True, closed=True)

    def _listed(self) -> Any:
        return np.arange(self.n_blocks)[:, None]

    def _places(self, elements: Any) -> tuple[Any, Any]:
        width = self.n_inputs // self.n_blocks
        places = (np.arange(self.n_inputs) - width * elements[:, :1]) % self.n_inputs
        return places, np.ones(1, dtype=np.int64)


class Dihedral(CoordinateGroup):
    """Cyclic shifts of the coordinates and their reversals: 2 d elements.

    Parameters
    ----------
    n_inputs : int
        Coordinates d, at least 3: fewer have equal elements.

    See Also
    --------
    CyclicShifts : Without reversals.

    Notes
    -----
    An element is a shift and 0 or 1: reverse the coordinates if 1, then shift.

    Examples
    --------
    >>> import numpy as np
    >>> Dihedral(3).apply(np.arange(3.0)[None, :])[3, 0].tolist()
    [2.0, 1.0, 0.0]
    """

    def __init__(self, n_inputs: int) -> None:
        n_inputs = require_integer("n_inputs", n_inputs, least=3)
        super().__init__(n_inputs, 2 * n_inputs, orthogonal=True, closed=True)

    def _listed(self) -> Any:
        shift, turn = np.divmod(np.arange(self.order), 2)
        order = np.argsort(turn, kind="stable")
        return np.stack([shift[order], turn[order]], axis=1)

    def _places(self, elements: Any) -> tuple[Any, Any]:
        plain = (np.arange(self.n_inputs) - elements[:, :1]) % self.n_inputs
        places = np.where(elements[:, 1:2] == 1, self.n_inputs - 1 - plain, plain)
        return places, np.ones(1, dtype=np.int64)
