"""Groups that act on rows: by moves of coordinates, by lists of linear maps, and in pairs."""

from __future__ import annotations

import itertools
import math
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_choice, require_flag, require_integer, require_reals
from mehler.features.groups._actions import composition, moves, products
from mehler.features.groups._group import MOST_INPUTS, MOST_SHUFFLED, Group, as_group, independent

Fill: TypeAlias = Literal["wrap", "zero"]


class Trivial(Group):
    """The identity of `n_inputs` coordinates alone: plain projections, for comparison.

    Examples
    --------
    >>> Trivial(3).order
    1
    """

    def __init__(self, n_inputs: int) -> None:
        n_inputs = _size("n_inputs", n_inputs)
        action = moves(lambda k: np.tile(np.arange(n_inputs), (len(k), 1)))
        super().__init__(n_inputs, 1, action, as_column, {"n_inputs": n_inputs})


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

    Examples
    --------
    >>> import numpy as np
    >>> swap = BlockPermutations(4, 2)
    >>> swap.apply(np.arange(4.0)[None, :])[:, 0].tolist()
    [[0.0, 1.0, 2.0, 3.0], [2.0, 3.0, 0.0, 1.0]]
    """

    n_blocks: int
    #: Coordinates per block.
    width: int

    def __init__(self, n_inputs: int, n_blocks: int | None = None) -> None:
        n_inputs, n_blocks = _blocks_of(n_inputs, n_blocks)
        require_integer("n_blocks", n_blocks, most=10**5)  # whose factorial has 456,574 digits
        width = n_inputs // n_blocks

        def shuffled(n: int, rng: np.random.Generator) -> Any:
            return rng.permuted(np.tile(np.arange(n_blocks), (n, 1)), axis=1)

        super().__init__(
            n_inputs,
            math.factorial(n_blocks),
            moves(lambda p: (p[:, :, None] * width + np.arange(width)).reshape(len(p), n_inputs)),
            lambda numbers: np.array(list(itertools.permutations(range(n_blocks))))[numbers],
            {"n_inputs": n_inputs, "n_blocks": n_blocks},
            draw=independent(shuffled) if n_blocks > 8 else None,
        )
        self.__dict__["width"] = width


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
        n_inputs, n_blocks = _blocks_of(n_inputs, n_blocks)
        width, parameters = n_inputs // n_blocks, {"n_inputs": n_inputs, "n_blocks": n_blocks}
        action = moves(lambda k: (np.arange(n_inputs) - width * k) % n_inputs)
        super().__init__(n_inputs, n_blocks, action, as_column, parameters)


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
        n_inputs = _size("n_inputs", n_inputs, least=3)

        def places(elements: NDArray[np.int64]) -> Any:
            plain = (np.arange(n_inputs) - elements[:, :1]) % n_inputs
            return np.where(elements[:, 1:] == 1, n_inputs - 1 - plain, plain)

        numbered = _pairs_below(n_inputs)
        super().__init__(n_inputs, 2 * n_inputs, moves(places), numbered, {"n_inputs": n_inputs})


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
        n_inputs = _size("n_inputs", n_inputs)
        moved = n_inputs if moved is None else require_integer("moved", moved, most=n_inputs)

        def places(elements: NDArray[np.int64]) -> tuple[Any, Any]:
            sign = np.ones((len(elements), n_inputs), dtype=np.int64)
            sign[:, :moved] = elements
            return np.arange(n_inputs)[None, :], sign

        tossed = independent(lambda n, rng: 1 - 2 * rng.integers(2, size=(n, moved)))
        super().__init__(
            n_inputs,
            2**moved,
            moves(places),
            lambda numbers: 1 - 2 * (numbers[:, None] >> np.arange(moved)[::-1] & 1),
            {"n_inputs": n_inputs, "moved": moved},
            draw=tossed if moved > 16 else None,
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
        height, width = _size("height", height), _size("width", width)
        require_choice("fill", fill, ("wrap", "zero"))
        if max_shift is None and fill == "zero":
            raise ValueError("fill='zero' goes with max_shift=: all shifts go around the edges")
        if max_shift is not None:
            limit = (min(height, width) - 1) // 2 if fill == "wrap" else max(height, width)
            max_shift = require_integer("max_shift", max_shift, least=0, most=limit)
        # Elements are numbered row by row, from the smallest shift.
        tall, wide = (height, width) if max_shift is None else (2 * max_shift + 1,) * 2

        def places(elements: NDArray[np.int64]) -> Any:
            down, right = np.divmod(np.arange(height * width), width)
            down, right = down - elements[:, :1], right - elements[:, 1:]
            index = (down % height) * width + right % width
            if fill == "wrap":
                return index
            inside = (down >= 0) & (down < height) & (right >= 0) & (right < width)
            return index, inside.astype(np.int64)

        super().__init__(
            height * width,
            tall * wide,
            moves(places),
            lambda numbers: np.stack(np.divmod(numbers, wide), axis=1) - (max_shift or 0),
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

        def places(elements: NDArray[np.int64]) -> Any:
            grids = (np.rot90(grid, k)[:, :: -1 if flip else 1] for k, flip in elements)
            return np.array([index.ravel() for index in grids])

        order, parameters = 8 if reflections else 4, {"side": side, "reflections": reflections}
        super().__init__(side**2, order, moves(places), _pairs_below(4), parameters)


def as_column(numbers: NDArray[np.int64]) -> Any:
    """Return elements that are their own numbers, as (r, 1): shifts, or places in a list."""
    return numbers[:, None]


def _pairs_below(n: int) -> Any:
    """Return elements of a number below n, which varies fastest, and one more."""
    return lambda numbers: np.stack(np.divmod(numbers, n)[::-1], axis=1)


def _size(name: str, value: object, least: int = 1) -> int:
    return require_integer(name, value, least=least, most=MOST_INPUTS)


def _blocks_of(n_inputs: int, n_blocks: int | None) -> tuple[int, int]:
    """Validate numbers of coordinates and of blocks; default single coordinates."""
    n_inputs = _size("n_inputs", n_inputs)
    n_blocks = n_inputs if n_blocks is None else require_integer("n_blocks", n_blocks)
    if n_inputs % n_blocks:
        sizes = f"n_inputs={n_inputs} coordinates do not split into n_blocks={n_blocks}"
        raise ValueError(f"{sizes} equal blocks")
    return n_inputs, n_blocks


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
        widths = [np.shape(linear)[-1:] for linear in maps if not callable(linear)]
        if n_inputs is None and not any(widths):
            raise ValueError("n_inputs is not known: give it, or at least one matrix")
        d = int(widths[0][0]) if n_inputs is None else require_integer("n_inputs", n_inputs)
        matrices = np.stack([_matrix(linear, d, place) for place, linear in enumerate(maps)])
        matrices.setflags(write=False)
        gram = np.swapaxes(matrices, 1, 2) @ matrices
        flags: Any = {"orthogonal": bool(np.abs(gram - np.eye(d)).max() < 1e-12), "closed": False}
        parameters = {"matrices": matrices}
        super().__init__(d, len(matrices), products(matrices), as_column, parameters, **flags)

    def recipe(self) -> dict[str, Any]:
        """Return the recipe, which holds the matrices."""
        return {"group": type(self).__name__, "maps": self.matrices.tolist()}

    def __repr__(self) -> str:
        return f"<{self.order} linear maps of {self.n_inputs} coordinates>"


def _matrix(linear: Any, d: int, place: int) -> NDArray[np.float64]:
    """Return the matrix (d, d) of a map, which a function has if it is linear; else ValueError."""
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
        right = f"it must be a finite {d} x {d} matrix"
        raise ValueError(f"maps[{place}] has shape {matrix.shape}: {right}")
    return matrix


_MOST_TESTED = 4096  # pairs of elements that are tested for commutation


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
            sizes = f"{first!r} acts on {first.n_inputs} coordinates but {second!r} on"
            raise ValueError(f"{sizes} {second.n_inputs}")
        action = composition(first.action, second.action, first.element_size)
        super().__init__(first.n_inputs, action=action, **_of_pairs(first, second))
        self.__dict__["closed"] = self.closed and _commute(first, second)


def _of_pairs(first: Group, second: Group) -> dict[str, Any]:
    """Return the fields of a group of pairs of elements; those of the first vary slowest."""
    order = first.order * second.order

    def numbered(numbers: NDArray[np.int64]) -> Any:
        i, j = np.divmod(numbers, second.order)
        return np.hstack([first.numbered(i), second.numbered(j)])

    def both(r: int, rng: np.random.Generator) -> Any:
        return np.hstack([group.sample(r, rng, replacement=True) for group in (first, second)])

    def draw(r: int, rng: np.random.Generator, replacement: bool) -> Any:
        # Distinct pairs by shuffled numbers, where there are not too many.
        if replacement or order > MOST_SHUFFLED:
            return independent(both)(r, rng, replacement)
        return numbered(rng.permutation(order)[:r])

    return {
        "order": order,
        "numbered": numbered,
        "parameters": {"first": first, "second": second},
        "draw": draw,
        "orthogonal": first.orthogonal and second.orthogonal,
        "closed": first.closed and second.closed,
    }


def _commute(first: Group, second: Group) -> bool:
    """Return whether elements commute on a generic row; tests a sample of pairs, if many."""
    rng = np.random.default_rng(0)
    row = rng.standard_normal((1, first.n_inputs))
    if first.order * second.order <= _MOST_TESTED:
        a, b = first.elements(), second.elements()
    else:
        a, b = (group.sample(64, rng, replacement=True) for group in (first, second))
    outer = first.apply(second.apply(row, b)[:, 0], a)
    inner = second.apply(first.apply(row, a)[:, 0], b)
    # Entries are a few units, and two actions round them by some eps of 2e-16 each.
    return bool(np.allclose(outer, np.swapaxes(inner, 0, 1), rtol=0.0, atol=1e-12))
