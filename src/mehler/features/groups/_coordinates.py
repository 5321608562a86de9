"""Groups of coordinate permutations and sign changes, applied by gathers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from mehler.features.groups._group import Group


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
