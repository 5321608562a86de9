"""How elements act on rows: by gathers, by matrices, and one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array

Moved = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Action:
    """The action of elements (r, k) on rows (n, d), and that of their transposes: (r, n, d).

    `coordinates` maps elements to index and sign, (r, d) each, where (g t)_i is
    sign_i t[index_i]; None for other maps.
    """

    apply: Moved
    transpose: Moved
    coordinates: Callable[[Any], tuple[Any, Any]] | None = None


def moves(coordinates: Callable[[Any], tuple[Any, Any]]) -> Action:
    """Permute coordinates and change signs; a sign of 0 drops a coordinate.

    ``coordinates(elements)`` returns index and sign, arrays that broadcast to (r, d).
    """

    def both(elements: Array) -> tuple[Any, Any]:
        index, sign = coordinates(_whole(elements))
        shape = np.broadcast_shapes(index.shape, np.shape(sign))
        return np.broadcast_to(index, shape), np.broadcast_to(sign, shape)

    return Action(
        lambda rows, elements: _gather(rows, *both(elements)),
        lambda rows, elements: _scatter(rows, *both(elements)),
        both,
    )


def _whole(elements: Array) -> NDArray[np.int64]:
    """Return integers: next to those of other maps, elements are stored as floats."""
    whole = np.asarray(elements).astype(np.int64)
    if not np.array_equal(whole, elements):
        raise ValueError("elements must be integers: they number shifts, blocks or matrices")
    return whole


def _gather(rows: Array, index: NDArray[np.int64], sign: NDArray[np.int64]) -> Any:
    rows = _signed(rows, sign)
    return np.moveaxis(rows[:, index], 1, 0) * sign[:, None, :].astype(rows.dtype)


def _scatter(rows: Array, index: NDArray[np.int64], sign: NDArray[np.int64]) -> Any:
    """Send coordinate i to index_i, unique unless a sign is 0."""
    rows = _signed(rows, sign)
    out = np.zeros((index.shape[0], *rows.shape), dtype=rows.dtype)
    for each, places, signs in zip(out, index, sign):
        kept = signs != 0
        each[:, places[kept]] = rows[:, kept] * signs[kept].astype(rows.dtype)
    return out


def _signed(rows: Array, sign: NDArray[np.int64]) -> Any:
    """Return rows of a dtype that holds their negatives, where there are any."""
    return rows.astype(np.float64) if rows.dtype.kind in "bu" and (sign < 0).any() else rows


def products(matrices: NDArray[np.float64]) -> Action:
    """Multiply by matrices (N, d, d), of which elements are the numbers."""

    def chosen(elements: Array) -> Any:
        return matrices[_whole(elements)[:, 0]]

    return Action(
        lambda rows, elements: rows @ np.swapaxes(chosen(elements), 1, 2).astype(rows.dtype),
        lambda rows, elements: rows @ chosen(elements).astype(rows.dtype),
    )


def composition(first: Action, second: Action, width: int) -> Action:
    """Apply `second`, then `first`; elements are one of `first`, of that width, and the other."""

    def coordinates(elements: NDArray[np.int64]) -> tuple[Any, Any]:
        (outer, signs), (inner, others) = _of_both(first, second, elements, width)
        index = np.take_along_axis(inner, outer, axis=1)
        return index, signs * np.take_along_axis(others, outer, axis=1)

    def chained(
        early: Moved, late: Moved, rows: NDArray[np.float64], befores: Array, afters: Array
    ) -> Any:
        pairs = zip(befores, afters)
        return np.stack([late(early(rows, a[None])[0], b[None])[0] for a, b in pairs])

    def apply(rows: NDArray[np.float64], elements: Array) -> Any:
        left, right = elements[:, :width], elements[:, width:]
        return chained(second.apply, first.apply, rows, right, left)

    def transpose(rows: NDArray[np.float64], elements: Array) -> Any:
        left, right = elements[:, :width], elements[:, width:]
        return chained(first.transpose, second.transpose, rows, left, right)

    if first.coordinates and second.coordinates:
        return moves(coordinates)
    return Action(apply, transpose)


def side_by_side(first: Action, second: Action, width: int, n_inputs: int) -> Action:
    """Apply `first` to the first `n_inputs` coordinates, `second` to the others."""

    def coordinates(elements: NDArray[np.int64]) -> tuple[Any, Any]:
        (left, signs), (right, others) = _of_both(first, second, elements, width)
        index = np.concatenate([left, right + n_inputs], axis=1)
        return index, np.concatenate([signs, others], axis=1)

    def joined(one: Moved, other: Moved) -> Moved:
        def both(rows: NDArray[np.float64], elements: Array) -> Any:
            left = one(rows[:, :n_inputs], elements[:, :width])
            right = other(rows[:, n_inputs:], elements[:, width:])
            return np.concatenate([left, right], axis=2)

        return both

    if first.coordinates and second.coordinates:
        return moves(coordinates)
    return Action(joined(first.apply, second.apply), joined(first.transpose, second.transpose))


def _of_both(
    first: Action, second: Action, elements: NDArray[np.int64], width: int
) -> tuple[Any, Any]:
    """Return index and sign of the elements of both, which move coordinates."""
    assert first.coordinates
    assert second.coordinates
    return first.coordinates(elements[:, :width]), second.coordinates(elements[:, width:])
