"""Actions of group elements on rows: by permutations with signs, by matrices, composed.

An element, such as a shift, is a row of k numbers, whose meaning its group defines.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Moved = Callable[[Any, Any], Any]  # rows (n, d), elements (r, k) -> images (r, n, d)


@dataclass(frozen=True)
class Action:
    """The action of r elements, k numbers each, on rows (n, d), and of their transposes: (r, n, d).

    `coordinates` maps elements to index and sign, (r, d) each, where (g t)_i is
    sign_i t[index_i]; None for other maps.
    """

    apply: Moved
    transpose: Moved
    coordinates: Callable[[Any], tuple[Any, Any]] | None = None


def moves(places: Callable[[Any], Any]) -> Action:
    """Permute coordinates by the index, or index and sign, that `places` has; 0 for sign 0."""

    def both(elements: NDArray[np.number]) -> tuple[Any, Any]:
        image = places(_whole(elements))
        index, sign = image if isinstance(image, tuple) else (image, np.ones(1, dtype=np.int64))
        shape = np.broadcast_shapes(index.shape, np.shape(sign))
        return np.broadcast_to(index, shape), np.broadcast_to(sign, shape)

    return Action(
        lambda rows, elements: _gather(rows, *both(elements)),
        lambda rows, elements: _scatter(rows, *both(elements)),
        both,
    )


def _whole(elements: NDArray[np.number]) -> NDArray[np.int64]:
    """Return integers: next to those of other maps, elements are stored as floats."""
    whole = np.asarray(elements).astype(np.int64)
    if not np.array_equal(whole, elements):
        raise ValueError("elements must be integers: they number shifts, blocks or matrices")
    return whole


def _gather(rows: NDArray[Any], index: NDArray[np.int64], sign: NDArray[np.int64]) -> Any:
    """Take coordinate index_i, times its sign, as the i-th, by each of r elements: (r, n, d)."""
    rows = _signed(rows, sign)
    return np.moveaxis(rows[:, index], 1, 0) * sign[:, None, :].astype(rows.dtype)


def _scatter(rows: NDArray[Any], index: NDArray[np.int64], sign: NDArray[np.int64]) -> Any:
    """Send coordinate i, times its sign, to index_i, the inverse: unique unless a sign is 0."""
    rows = _signed(rows, sign)
    out = np.zeros((index.shape[0], *rows.shape), dtype=rows.dtype)
    for image, places, signs in zip(out, index, sign):
        nonzero = signs != 0
        image[:, places[nonzero]] = rows[:, nonzero] * signs[nonzero].astype(rows.dtype)
    return out


def _signed(rows: NDArray[Any], sign: NDArray[np.int64]) -> Any:
    """Return rows of a dtype that holds their negatives, where there are any."""
    return rows.astype(np.float64) if rows.dtype.kind in "bu" and (sign < 0).any() else rows


def products(matrices: NDArray[np.float64]) -> Action:
    """Multiply by one of N matrices (N, d, d); an element is its index."""

    def matrices_of(elements: NDArray[np.number]) -> Any:
        return matrices[_whole(elements)[:, 0]]

    return Action(
        lambda rows, elements: rows @ np.swapaxes(matrices_of(elements), 1, 2).astype(rows.dtype),
        lambda rows, elements: rows @ matrices_of(elements).astype(rows.dtype),
    )


def composition(first: Action, second: Action, width: int) -> Action:
    """Apply `second`, then `first`; an element is `width` numbers of `first`, then the rest."""
    if (outer := first.coordinates) and (inner := second.coordinates):

        def coordinates(elements: NDArray[np.number]) -> tuple[Any, Any]:
            (late, signs), (early, others) = outer(elements[:, :width]), inner(elements[:, width:])
            index = np.take_along_axis(early, late, axis=1)
            return index, signs * np.take_along_axis(others, late, axis=1)

        return moves(coordinates)

    def apply(rows: NDArray[Any], elements: NDArray[np.number]) -> Any:
        pairs = zip(elements[:, None, :width], elements[:, None, width:])
        return np.stack([first.apply(second.apply(rows, b)[0], a)[0] for a, b in pairs])

    def transpose(rows: NDArray[Any], elements: NDArray[np.number]) -> Any:
        pairs = zip(elements[:, None, :width], elements[:, None, width:])
        return np.stack([second.transpose(first.transpose(rows, a)[0], b)[0] for a, b in pairs])

    return Action(apply, transpose)
