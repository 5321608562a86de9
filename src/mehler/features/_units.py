"""Blocks of units that are drawn alone, for maps that are never stored whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._random import UNITS_PER_BLOCK
from mehler._validate import require_flag
from mehler.features._block import Block

# Numbers per block of weights: 4 MiB of float32, as are its products with 1024 rows.
_NUMBERS = 1 << 20
# Beyond this the matrix product gains nothing.
_MOST_UNITS = 4096


class UnitBlock:
    """A block of consecutive units of a map, from :meth:`FeatureMap.unit_blocks`.

    A callable from rows to the columns of these units, with the weights and the scale that they
    have in the map. Weights are drawn when first needed, and released with the block.

    Attributes
    ----------
    start, stop : int
        Units from `start` to before `stop`.
    n_features : int
        Number of columns.

    See Also
    --------
    FeatureMap.unit_blocks : Iterate over the blocks of a map.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.FourierFeatures.draw(3, 1000, seed=0)
    >>> block = next(phi.unit_blocks(64))
    >>> block.columns[:2], block.columns[-2:]  # cosines and sines of 64 of the 500 frequencies
    (array([0, 1]), array([562, 563]))
    >>> X = np.eye(3)
    >>> bool(np.allclose(block(X), phi(X)[:, block.columns]))
    True
    """

    def __init__(self, phi: Any, start: int, stop: int) -> None:
        self.start, self.stop = start, stop
        self._phi = phi
        self._placed: dict[str, Any] = {}

    @property
    def n_features(self) -> int:
        """Number of columns of these units."""
        return sum(each.stop - each.start for each in self.slices)

    @property
    def slices(self) -> tuple[slice, ...]:
        """Columns of the map, as slices in the order of the block."""
        return self._phi._columns_of(slice(self.start, self.stop))

    @property
    def columns(self) -> Any:
        """Column numbers in the map, shape (n_features,): ``Z[:, block.columns] = block(X)``."""
        return np.concatenate([np.arange(each.start, each.stop) for each in self.slices])

    def __call__(self, X: _arrays.Array, *, check_finite: bool = True) -> _arrays.Array:
        """Compute the columns of these units, as the map itself does.

        Parameters
        ----------
        X, check_finite
            As for the map, with its errors.

        Returns
        -------
        array, shape (n, n_features)
            In the dtype of the map's features.
        """
        dtype, largest = self._phi._checked(X, require_flag("check_finite", check_finite))
        block = self.transform(_arrays.dtype_name(dtype))
        function = self._phi._guarded(block, X, largest, check_finite)
        values = _arrays.map_rows(function, X, self.n_features, self._phi._out_dtype(dtype))
        return _arrays.attached(values, X)

    def transform(self, dtype: str) -> Block:
        """Return the function ``(xp, rows)`` of a block of rows, with the weights of these units.

        Parameters
        ----------
        dtype : str
            Name of the dtype to compute in.
        """
        if dtype not in self._placed:
            drawn = self._phi._draw_units(dtype, slice(self.start, self.stop))
            self._placed[dtype] = tuple(_arrays.from_host(part, self._phi.place) for part in drawn)
        return Block(self._phi._block(), self._placed[dtype], dtype, self._phi._angles())

    def __repr__(self) -> str:
        return f"units {self.start} to {self.stop - 1} of {self._phi!r}"


def units_per_block(phi: Any) -> int:
    """Return how many units to draw at a time: whole blocks of the stream, 64 to 4096 units."""
    fit = _NUMBERS // max(1, phi._n_weights() // phi.n_units)
    return max(1, min(_MOST_UNITS, fit) // UNITS_PER_BLOCK) * UNITS_PER_BLOCK


@dataclass(frozen=True)
class Columns:
    """All columns of a map, by blocks of units: the argument of `map_columns`."""

    phi: Any
    dtype: str
    guarded: bool

    def __call__(self) -> Iterator[tuple[tuple[slice, ...], Callable[..., _arrays.Array]]]:
        """Yield the columns of each block of units, and a function of rows with their weights."""
        for units in self.phi.unit_blocks():
            block = units.transform(self.dtype)
            yield units.slices, block.compute if self.guarded else block
