"""Families of groups: those that move coordinates, lists of maps, and groups of two groups."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_flag, require_integer, require_reals
from mehler.features.groups._actions import composition, moves, products, side_by_side
from mehler.features.groups._group import (
    MOST_INPUTS,
    MOST_SHUFFLED,
    Draw,
    Group,
    as_group,
    independent,
)

Fill: TypeAlias = Literal["wrap", "zero"]

_UNSIGNED = np.ones(1, dtype=np.int64)


class Trivial(Group):
    """The identity alone: features of plain projections, for comparison.

    Parameters
    ----------
    n_inputs : int
        Coordinates d.

    Examples
    --------
    >>> Trivial(3).order
    1
    """

    def __init__(self, n_inputs: int) -> None:
        n_inputs = require_integer("n_inputs", n_inputs, most=MOST_INPUTS)

        def places(elements: NDArray[np.int64]) -> tuple[Any, Any]:
            return np.tile(np.arange(n_inputs), (len(elements), 1)), _UNSIGNED

        super().__init__(n_inputs, 1, moves(places), as_column, {"n_inputs": n_inputs})


class BlockPermutations(Group):
    """All permutations of `n_blocks` blocks of equal width.

    An element is a permutation p: block l of the result is block p[l] of the row.

    Parameters
    ----------
    n_inputs : int
        Coordinates d, a multiple of n_blocks.
    n_blocks : int, optional
        L; default d, single coordinates. Averages over all L! elements are possible up to 8
        blocks; beyond, take `drawn(r, seed=...)`.

    Attributes
    ----------
    width : int
        Coordinates per block.

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
        n_blocks = require_integer("n_blocks", _blocks_of(n_inputs, n_blocks), most=10**5)
        width = n_inputs // n_blocks

        def places(elements: NDArray[np.int64]) -> tuple[Any, Any]:
            index = elements[:, :, None] * width + np.arange(width)
            return index.reshape(len(elements), n_inputs), _UNSIGNED

        def numbered(numbers: NDArray[np.int64]) -> Any:
            return np.array(list(itertools.permutations(range(n_blocks))))[numbers]

        def shuffled(n: int, rng: np.random.Generator) -> Any:
            return rng.permuted(np.tile(np.arange(n_blocks), (n, 1)), axis=1)

        super().__init__(
            n_inputs,
            math.factorial(n_blocks),
            moves(places),
            numbered,
            {"n_inputs": n_inputs, "n_blocks": n_blocks},
            draw=independent(shuffled) if n_blocks > 8 else None,
        )

    @property
    def width(self) -> int:
        """Coordinates per block."""
        return self.n_inputs // self.n_blocks


class CyclicShifts(Group):
    """Cyclic shifts of the coordinates, or of blocks of them.

    An element is a shift k: (g t)_i = t_{i-k}, as ``numpy.roll`` does it.

    Parameters
    ----------
    n_inputs : int
        Coordinates d.
    n_blocks : int, optional
        Shift blocks of d/n_blocks coordinates; default single coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> CyclicShifts(3).apply(np.arange(3.0)[None, :])[:, 0].tolist()
    [[0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [1.0, 2.0, 0.0]]
    """

    n_blocks: int

    def __init__(self, n_inputs: int, n_blocks: int | None = None) -> None:
        n_inputs = require_integer("n_inputs", n_inputs, most=MOST_INPUTS)
        n_blocks = _blocks_of(n_inputs, n_blocks)

        def places(elements: NDArray[np.int64]) -> tuple[Any, Any]:
            steps = n_inputs // n_blocks * elements
            return (np.arange(n_inputs) - steps) % n_inputs, _UNSIGNED

        parameters = {"n_inputs": n_inputs, "n_blocks": n_blocks}
        super().__init__(n_inputs, n_blocks, moves(places), as_column, parameters)


class Dihedral(Group):
    """Cyclic shifts of the coordinates and their reversals: 2 d elements.

    An element is a shift and 0 or 1: reverse the coordinates if 1, then shift.

    Parameters
    ----------
    n_inputs : int
        Coordinates d, at least 3: fewer have equal elements.

    Examples
    --------
    >>> import numpy as np
    >>> Dihedral(3).apply(np.arange(3.0)[None, :])[3, 0].tolist()
    [2.0, 1.0, 0.0]
    """

    def __init__(self, n_inputs: int) -> None:
        n_inputs = require_integer("n_inputs", n_inputs, least=3, most=MOST_INPUTS)

        def places(elements: NDArray[np.int64]) -> tuple[Any, Any]:
            plain = (np.arange(n_inputs) - elements[:, :1]) % n_inputs
            return np.where(elements[:, 1:] == 1, n_inputs - 1 - plain, plain), _UNSIGNED

        def numbered(numbers: NDArray[np.int64]) -> Any:
            return np.stack(np.divmod(numbers, n_inputs)[::-1], axis=1)

        parameters = {"n_inputs": n_inputs}
        super().__init__(n_inputs, 2 * n_inputs, moves(places), numbered, parameters)


class SignFlips(Group):
    """All changes of signs of the first `moved` coordinates.

    An element is a row of 1 and -1, one a moved coordinate.

    Parameters
    ----------
    n_inputs : int
        Coordinates d.
    moved : int, optional
        Number of coordinates; default all. Averages over all elements are possible up to 17.

    Examples
    --------
    >>> SignFlips(2).elements().tolist()
    [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    """

    moved: int

    def __init__(self, n_inputs: int, moved: int | None = None) -> None:
        n_inputs = require_integer("n_inputs", n_inputs, most=MOST_INPUTS)
        moved = n_inputs if moved is None else require_integer("moved", moved, most=n_inputs)

        def places(elements: NDArray[np.int64]) -> tuple[Any, Any]:
            sign = np.ones((len(elements), n_inputs), dtype=np.int64)
            sign[:, :moved] = elements
            return np.arange(n_inputs)[None, :], sign

        def numbered(numbers: NDArray[np.int64]) -> Any:
            return 1 - 2 * (numbers[:, None] >> np.arange(moved)[::-1] & 1)

        def tossed(n: int, rng: np.random.Generator) -> Any:
            return 1 - 2 * rng.integers(2, size=(n, moved))

        super().__init__(
            n_inputs,
            2**moved,
            moves(places),
            numbered,
            {"n_inputs": n_inputs, "moved": moved},
            draw=independent(tossed) if moved > 16 else None,
        )


class ImageShifts(Group):
    """Shifts of images along both axes: all of them around, or small ones.

    An element is (rows down, columns right).

    Parameters
    ----------
    height, width : int
        Rows of data are images of this shape, row by row.
    max_shift : int, optional
        Only shifts of at most this many pixels in either direction, (2 max_shift + 1)^2 of them:
        a list, not a group. Default all, cyclic in both directions.
    fill : {'wrap', 'zero'}
        Boundary: cyclic, or zeros (for `max_shift`; not orthogonal).

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
        height = require_integer("height", height, most=MOST_INPUTS)
        width = require_integer("width", width, most=MOST_INPUTS)
        if fill not in ("wrap", "zero"):
            raise ValueError(f"fill={fill!r} must be 'wrap' or 'zero'")
        if max_shift is None and fill == "zero":
            raise ValueError("fill='zero' goes with max_shift=: all shifts go around the edges")
        if max_shift is not None:
            limit = (min(height, width) - 1) // 2 if fill == "wrap" else max(height, width)
            max_shift = require_integer("max_shift", max_shift, least=0, most=limit)
        # Elements are numbered row by row, from the smallest shift.
        tall, wide = (height, width) if max_shift is None else (2 * max_shift + 1,) * 2

        def places(elements: NDArray[np.int64]) -> tuple[Any, Any]:
            down, right = np.divmod(np.arange(height * width), width)
            down, right = down - elements[:, :1], right - elements[:, 1:]
            index = (down % height) * width + right % width
            if fill == "wrap":
                return index, _UNSIGNED
            inside = (down >= 0) & (down < height) & (right >= 0) & (right < width)
            return index, inside.astype(np.int64)

        def numbered(numbers: NDArray[np.int64]) -> Any:
            return np.stack(np.divmod(numbers, wide), axis=1) - (max_shift or 0)

        super().__init__(
            height * width,
            tall * wide,
            moves(places),
            numbered,
            {"height": height, "width": width, "max_shift": max_shift, "fill": fill},
            orthogonal=fill == "wrap",
            closed=max_shift is None,
        )


class QuarterTurns(Group):
    """Rotations of square images by multiples of 90 degrees; with reflections, all 8 symmetries.

    An element is the number of quarter turns, counter-clockwise as ``numpy.rot90`` has them, and
    0 or 1: turn, then exchange left and right if 1.

    Parameters
    ----------
    side : int
        Rows of data are images of side x side, row by row.
    reflections : bool
        Include the reflections.

    Examples
    --------
    >>> import numpy as np
    >>> QuarterTurns(2).apply(np.arange(4.0)[None, :])[1, 0].tolist()
    [1.0, 3.0, 0.0, 2.0]
    """

    side: int
    reflections: bool

    def __init__(self, side: int, *, reflections: bool = False) -> None:
        side = require_integer("side", side, least=2, most=1000)
        reflections = require_flag("reflections", reflections)
        grid = np.arange(side**2).reshape(side, side)

        def places(elements: NDArray[np.int64]) -> tuple[Any, Any]:
            turned = [
                np.rot90(grid, turns)[:, :: -1 if flip else 1].ravel() for turns, flip in elements
            ]
            return np.array(turned), _UNSIGNED

        def numbered(numbers: NDArray[np.int64]) -> Any:
            return np.stack(np.divmod(numbers, 4)[::-1], axis=1)

        parameters = {"side": side, "reflections": reflections}
        super().__init__(side**2, 8 if reflections else 4, moves(places), numbered, parameters)


def as_column(numbers: NDArray[np.int64]) -> Any:
    """Return elements that are their own numbers."""
    return numbers[:, None]


def _blocks_of(n_inputs: int, n_blocks: int | None) -> int:
    """Validate a number of blocks; default single coordinates."""
    if n_blocks is None:
        return n_inputs
    n_blocks = require_integer("n_blocks", n_blocks)
    if n_inputs % n_blocks:
        raise ValueError(
            f"n_inputs={n_inputs} coordinates do not split into n_blocks={n_blocks} equal blocks"
        )
    return n_blocks


# Most pairs of elements tested for commutation.
_MOST_TESTED = 4096


class LinearMaps(Group):
    """A list of linear maps, given as matrices or as functions of rows.

    Not checked to be a group, and treated as a list. Recipes contain the matrices.

    Parameters
    ----------
    maps : array of shape (r, d, d), or sequence
        Matrices A (t goes to A t), or functions (n, d) -> (n, d) that map each row linearly:
        they are called once, on the unit vectors, and kept as matrices.
    n_inputs : int, optional
        Dimension d; needed if all maps are functions.

    Attributes
    ----------
    matrices : array, shape (order, d, d)
        Matrices of the maps; read-only.

    Examples
    --------
    >>> import numpy as np
    >>> maps = LinearMaps([np.eye(3), lambda rows: 0.5 * rows], n_inputs=3)
    >>> maps.order, maps.orthogonal
    (2, False)
    """

    matrices: NDArray[np.float64]

    def __init__(self, maps: Any, n_inputs: int | None = None) -> None:
        if not hasattr(maps, "__len__") or len(maps) == 0:
            raise ValueError("maps must list at least one matrix or function")
        d = _width(maps, n_inputs)
        matrices = np.stack([_matrix(each, d, place) for place, each in enumerate(maps)])
        matrices.setflags(write=False)
        gram = np.swapaxes(matrices, 1, 2) @ matrices
        super().__init__(
            d,
            len(matrices),
            products(matrices),
            as_column,
            {"matrices": matrices},
            orthogonal=bool(np.abs(gram - np.eye(d)).max() < 1e-12),
            closed=False,
        )

    def recipe(self) -> dict[str, Any]:
        """Return the recipe, which holds the matrices."""
        return {"group": type(self).__name__, "maps": self.matrices.tolist()}

    def __repr__(self) -> str:
        """Name the number of maps, not their entries."""
        return f"<{self.order} linear maps of {self.n_inputs} coordinates>"


def _width(maps: Sequence[Any], n_inputs: int | None) -> int:
    if n_inputs is not None:
        return require_integer("n_inputs", n_inputs)
    sizes = [np.shape(each)[-1] for each in maps if not callable(each) and np.ndim(each) == 2]
    if not sizes:
        raise ValueError("n_inputs is not known: give it, or at least one matrix")
    return int(sizes[0])


def _matrix(linear: Any, d: int, place: int) -> NDArray[np.float64]:
    if not callable(linear):
        matrix = np.array(require_reals(f"maps[{place}]", linear, finite=False))
    else:
        # Images of unit row vectors are the columns of the matrix.
        matrix = np.asarray(linear(np.eye(d)), dtype=np.float64).T
        probe = np.cos(np.arange(2.0 * d)).reshape(2, d)
        # Sums of d products of entries below 1 round by d eps at most: 1e-9 leaves room for a
        # function that rounds to 1e-9 itself, and no nonlinear one is as near at both rows.
        image = np.asarray(linear(probe))
        if image.shape != probe.shape or not np.allclose(image, probe @ matrix.T, atol=1e-9):
            raise ValueError(f"maps[{place}] is not a linear function of each row by itself")
    if matrix.shape != (d, d) or not np.isfinite(matrix).all():
        raise ValueError(
            f"maps[{place}] has shape {matrix.shape}: it must be a finite {d} x {d} matrix"
        )
    return matrix


class DirectProduct(Group):
    """Every element of `first` after every element of `second`, on the same coordinates.

    It is a group (`closed`) where both are and their elements commute, such as shifts and
    changes of all signs; else a list of compositions, such as rotations of shifts.

    Parameters
    ----------
    first, second : Group or recipe
        Groups of one number of coordinates.

    Examples
    --------
    >>> from mehler.features import groups
    >>> both = DirectProduct(groups.ImageShifts(4, 4), groups.QuarterTurns(4))
    >>> both.order, both.closed
    (64, False)
    """

    first: Group
    second: Group

    def __init__(self, first: Any, second: Any) -> None:
        first, second = as_group(first, "first"), as_group(second, "second")
        if first.n_inputs != second.n_inputs:
            raise ValueError(
                f"{first!r} acts on {first.n_inputs} coordinates but {second!r} "
                f"on {second.n_inputs}; for coordinates side by side use DirectSum"
            )
        super().__init__(
            first.n_inputs,
            first.order * second.order,
            composition(first.action, second.action, first.element_size),
            lambda numbers: _numbered_pairs(first, second, numbers),
            {"first": first, "second": second},
            draw=_draw_pairs(first, second),
            orthogonal=first.orthogonal and second.orthogonal,
            closed=first.closed and second.closed and _commute(first, second),
        )


class DirectSum(Group):
    """Two groups side by side: `first` on the first coordinates, `second` on the others.

    Parameters
    ----------
    first, second : Group or recipe
        Groups of any numbers of coordinates.

    Examples
    --------
    >>> from mehler.features import groups
    >>> DirectSum(groups.CyclicShifts(3), groups.SignFlips(2)).n_inputs
    5
    """

    first: Group
    second: Group

    def __init__(self, first: Any, second: Any) -> None:
        first, second = as_group(first, "first"), as_group(second, "second")
        super().__init__(
            first.n_inputs + second.n_inputs,
            first.order * second.order,
            side_by_side(first.action, second.action, first.element_size, first.n_inputs),
            lambda numbers: _numbered_pairs(first, second, numbers),
            {"first": first, "second": second},
            draw=_draw_pairs(first, second),
            orthogonal=first.orthogonal and second.orthogonal,
            closed=first.closed and second.closed,
        )


def _numbered_pairs(first: Group, second: Group, numbers: Any) -> Any:
    """Return pairs of elements; those of the first vary slowest."""
    i, j = np.divmod(numbers, second.order)
    return np.concatenate([first.numbered(i), second.numbered(j)], axis=1)


def _draw_pairs(first: Group, second: Group) -> Draw:
    """Draw an element of each; distinct pairs by shuffled numbers, where there are not too many."""

    def both(r: int, rng: np.random.Generator) -> Any:
        parts = [each.sample(r, rng, replacement=True) for each in (first, second)]
        return np.concatenate(parts, axis=1)

    def draw(r: int, rng: np.random.Generator, replacement: bool) -> Any:
        if replacement or first.order * second.order > MOST_SHUFFLED:
            return independent(both)(r, rng, replacement)
        numbers = rng.permutation(first.order * second.order)[:r]
        return _numbered_pairs(first, second, numbers)

    return draw


def _commute(first: Group, second: Group) -> bool:
    """Return whether elements commute on a generic row; tests a sample of pairs, if many."""
    rng = np.random.default_rng(0)
    row = rng.standard_normal((1, first.n_inputs))
    if first.order * second.order <= _MOST_TESTED:
        a, b = first.elements(), second.elements()
    else:
        a, b = (each.sample(64, rng, replacement=True) for each in (first, second))
    outer = first.apply(second.apply(row, b)[:, 0], a)
    inner = second.apply(first.apply(row, a)[:, 0], b)
    # Entries are a few units, and two actions round them by some eps of 2e-16 each.
    return bool(np.allclose(outer, np.swapaxes(inner, 0, 1), rtol=0.0, atol=1e-12))
