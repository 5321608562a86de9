"""Shifts and quarter turns of images: exact permutations of pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._validate import require_flag, require_integer
from mehler.features.groups._coordinates import CoordinateGroup


class ImageShifts(CoordinateGroup):
    """Shifts of images along both axes: all of them around, or small ones.

    Parameters
    ----------
    height, width : int
        Rows of data are images of this shape, row by row.
    max_shift : int, optional
        Only shifts of at most this many pixels in either direction, (2 max_shift + 1)^2 of them:
        a list, not a group. Default all, cyclic in both directions.
    fill : {'wrap', 'zero'}
        Boundary: cyclic, or zeros (for `max_shift`; not orthogonal).

    See Also
    --------
    QuarterTurns : Exact rotations.
    CyclicShifts : Shifts of signals.

    Notes
    -----
    An element is (rows down, columns right).

    Examples
    --------
    >>> ImageShifts(28, 28).order, ImageShifts(28, 28, max_shift=3, fill="zero").order
    (784, 49)
    """

    height: int
    width: int
    max_shift: int | None
    fill: str

    def __init__(
        self, height: int, width: int, *, max_shift: int | None = None, fill: str = "wrap"
    ) -> None:
        self.height = require_integer("height", height, most=10**6)
        self.width = require_integer("width", width, most=10**6)
        self.fill = fill
        if fill not in ("wrap", "zero"):
            raise ValueError(f"fill={fill!r} must be 'wrap' or 'zero'")
        self.max_shift = max_shift
        if max_shift is None:
            if fill == "zero":
                raise ValueError("fill='zero' goes with max_shift=: all shifts go around the edges")
            order = self.height * self.width
        else:
            limit = (min(self.height, self.width) - 1) // 2 if fill == "wrap" else None
            self.max_shift = require_integer("max_shift", max_shift, least=0, most=limit)
            order = (2 * self.max_shift + 1) ** 2
        super().__init__(
            self.height * self.width, order, orthogonal=fill == "wrap", closed=max_shift is None
        )

    def _listed(self) -> Any:
        across = self.width if self.max_shift is None else 2 * self.max_shift + 1
        down, right = np.divmod(np.arange(self.order), across)
        if self.max_shift is not None:
            down, right = down - self.max_shift, right - self.max_shift
        return np.stack([down, right], axis=1)

    def _places(self, elements: Any) -> tuple[Any, Any]:
        down, right = np.divmod(np.arange(self.n_inputs), self.width)
        down, right = down - elements[:, :1], right - elements[:, 1:2]
        index = (down % self.height) * self.width + right % self.width
        if self.fill == "wrap":
            return index, np.ones(1, dtype=np.int64)
        inside = (down >= 0) & (down < self.height) & (right >= 0) & (right < self.width)
        return index, inside.astype(np.int64)


class QuarterTurns(CoordinateGroup):
    """Rotations of square images by multiples of 90 degrees; with reflections, all 8 symmetries.

    Parameters
    ----------
    side : int
        Rows of data are images of side x side, row by row.
    reflections : bool
        Include the reflections.

    See Also
    --------
    ImageRotations : Rotations by any angle.
    DirectProduct : Combine with shifts.

    Notes
    -----
    An element is the number of quarter turns, counter-clockwise as ``numpy.rot90`` has them, and
    0 or 1: turn, then exchange left and right if 1.

    Examples
    --------
    >>> import numpy as np
    >>> QuarterTurns(2).apply(np.arange(4.0)[None, :])[1, 0].tolist()
    [1.0, 3.0, 0.0, 2.0]
    """

    side: int
    reflections: bool

    def __init__(self, side: int, *, reflections: bool = False) -> None:
        self.side = require_integer("side", side, least=2, most=1000)
        self.reflections = require_flag("reflections", reflections)
        super().__init__(self.side**2, 8 if self.reflections else 4, orthogonal=True, closed=True)

    def _listed(self) -> Any:
        flip, turns = np.divmod(np.arange(self.order), 4)
        return np.stack([turns, flip], axis=1)

    def _places(self, elements: Any) -> tuple[Any, Any]:
        grid = np.arange(self.n_inputs).reshape(self.side, self.side)
        found = []
        for turns, flip in elements:
            turned = np.rot90(grid, int(turns))
            found.append((turned[:, ::-1] if flip else turned).ravel())
        return np.array(found), np.ones(1, dtype=np.int64)
