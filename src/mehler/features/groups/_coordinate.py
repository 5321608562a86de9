"""Permutations and sign changes of coordinates: shifts, turns and flips, applied by gathers."""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from typing import Any, Literal, TypeAlias

import numpy as np

from mehler._validate import require_flag, require_integer
from mehler.features.groups._group import MOST_INPUTS, Group

Fill: TypeAlias = Literal["wrap", "zero"]


class CoordinateGroup(Group):
    """Elements send t to (g t)_i = sign_i t[index_i]."""

    @property
    def moves_coordinates(self) -> bool:
        """True."""
        return True

    @abstractmethod
    def _places(self, elements: Any) -> tuple[Any, Any]:
        """Return index and sign, shape (r, d)."""

    def coordinates(self, elements: Any) -> tuple[Any, Any]:
        """Return index and sign of each coordinate, shape (r, d) each."""
        # Next to those of other maps, elements are stored as floats.
        index, sign = self._places(np.asarray(elements).astype(np.int64))
        shape = np.broadcast_shapes(index.shape, np.shape(sign))
        return np.broadcast_to(index, shape), np.broadcast_to(sign, shape)

    def _apply(self, rows: Any, elements: Any) -> Any:
        return gather(rows, *self.coordinates(elements))

    def _transpose(self, rows: Any, elements: Any) -> Any:
        return scatter(rows, *self.coordinates(elements))


def gather(rows: Any, index: Any, sign: Any) -> Any:
    """Compute (g t)_i = sign_i t[index_i] for each element and row: shape (r, n, d)."""
    rows = _signed(rows, sign)
    return np.moveaxis(rows[:, index], 1, 0) * sign[:, None, :].astype(rows.dtype)


def scatter(rows: Any, index: Any, sign: Any) -> Any:
    """Apply the transpose: coordinate i goes to index_i, unique unless a sign is 0."""
    rows = _signed(rows, sign)
    out = np.zeros((index.shape[0], *rows.shape), dtype=rows.dtype)
    for each, places, signs in zip(out, index, sign):
        kept = signs != 0
        each[:, places[kept]] = rows[:, kept] * signs[kept].astype(rows.dtype)
    return out


def _signed(rows: Any, sign: Any) -> Any:
    """Return rows of a dtype that holds their negatives, where there are any."""
    return rows.astype(np.float64) if rows.dtype.kind in "bu" and (sign < 0).any() else rows


def distinct(draw: Any, r: int) -> Any:
    """Return rows of `draw(n)`, in the order of first occurrence, until r of them differ."""
    found = draw(r)
    while True:
        _, first = np.unique(found, axis=0, return_index=True)
        if first.size >= r:
            return found[np.sort(first)[:r]]
        found = np.concatenate([found, draw(r)])


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
    fill: Fill

    def __init__(
        self, height: int, width: int, *, max_shift: int | None = None, fill: Fill = "wrap"
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
