"""Lists of linear maps, and groups made of two groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_integer, require_reals
from mehler.features.groups._actions import composition, products, side_by_side
from mehler.features.groups._families import as_column
from mehler.features.groups._group import MOST_SHUFFLED, Draw, Group, as_group, independent

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
    return bool(np.allclose(outer, np.swapaxes(inner, 0, 1), rtol=0.0, atol=1e-12))
