"""Some units of a map, drawn alone; and a map that is never held whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mehler import _arrays
from mehler._random import UNITS_PER_BLOCK

# Numbers of one block of weights: 4 MiB of float32, and its products with 1024 rows are as many.
_NUMBERS = 1 << 20
# Beyond this the matrix product gains nothing.
_MOST_UNITS = 4096


class DrawnByUnits(Protocol):
    """What a map has that can draw some of its units alone; `FeatureMap` explains each."""

    place: _arrays.Place

    @property
    def n_units(self) -> int: ...
    def unit_blocks(self, size: int | None = None) -> Iterator[UnitBlock]: ...
    def _n_weights(self) -> int: ...
    def _columns_of(self, units: slice) -> tuple[slice, ...]: ...
    def _draw_units(self, dtype: str, units: slice) -> tuple[Any, ...]: ...
    def _checked_dtype(self, x: _arrays.Array) -> Any: ...
    def _out_dtype(self, dtype: Any) -> Any: ...
    def _block(self) -> Callable[..., Any]: ...


class SomeUnits:
    """A block function with the weights of some units: what walks over rows."""

    def __init__(self, block: Callable[..., Any], weights: tuple[Any, ...], dtype: str) -> None:
        self.block = block
        self.weights = weights
        self.dtype = dtype

    def __call__(self, xp: Any, rows: _arrays.Array) -> _arrays.Array:
        return self.block(xp, xp.astype(rows, getattr(xp, self.dtype), copy=False), *self.weights)


class UnitBlock:
    """Some neighbouring units of a map: what :meth:`FeatureMap.unit_blocks` yields.

    A callable from rows to the columns of these units, with the weights and the scale that they
    have in the map. Weights are drawn when first needed, and go when the block goes.

    Attributes
    ----------
    start, stop : int
        Units from `start` to before `stop`.
    n_features : int
        Columns.

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

    def __init__(self, phi: DrawnByUnits, start: int, stop: int) -> None:
        self.start, self.stop = start, stop
        self._phi = phi
        self._placed: dict[str, Any] = {}

    @property
    def n_features(self) -> int:
        """Columns of these units."""
        return sum(each.stop - each.start for each in self.slices)

    @property
    def slices(self) -> tuple[slice, ...]:
        """Which columns of the map these are, in the order in which the block has them."""
        return self._phi._columns_of(slice(self.start, self.stop))

    @property
    def columns(self) -> Any:
        """Column numbers in the map, shape (n_features,): ``Z[:, block.columns] = block(X)``."""
        return np.concatenate([np.arange(each.start, each.stop) for each in self.slices])

    def __call__(self, X: _arrays.Array) -> _arrays.Array:
        """Columns of these units, shape (n, n_features), as the map itself computes them.

        Parameters
        ----------
        X : array, shape (n, n_inputs)
            As for the map.

        Returns
        -------
        array, shape (n, n_features)

        Raises
        ------
        TypeError, ValueError
            As the map does.
        """
        dtype = self._phi._checked_dtype(X)
        out = self._phi._out_dtype(dtype)
        return _arrays.map_rows(self.transform(_arrays.dtype_name(dtype)), X, self.n_features, out)

    def transform(self, dtype: str) -> SomeUnits:
        """A function ``(xp, rows)`` of a block of rows, with the weights of these units."""
        if dtype not in self._placed:
            drawn = self._phi._draw_units(dtype, slice(self.start, self.stop))
            self._placed[dtype] = tuple(_arrays.from_host(part, self._phi.place) for part in drawn)
        return SomeUnits(self._phi._block(), self._placed[dtype], dtype)

    def __repr__(self) -> str:
        return f"units {self.start} to {self.stop - 1} of {self._phi!r}"


def units_per_block(phi: DrawnByUnits) -> int:
    """How many units to draw at a time: whole blocks of the stream, 64 to 4096 units."""
    fit = _NUMBERS // max(1, phi._n_weights() // phi.n_units)
    return max(1, min(_MOST_UNITS, fit) // UNITS_PER_BLOCK) * UNITS_PER_BLOCK


@dataclass(frozen=True)
class Columns:
    """All columns of a map, by units: what `map_columns` asks for, and Dask workers are sent."""

    phi: DrawnByUnits
    dtype: str

    def __call__(self) -> Iterator[tuple[tuple[slice, ...], SomeUnits]]:
        """Yield which columns, and a function of a block of rows that holds their weights."""
        for block in self.phi.unit_blocks():
            yield block.slices, block.transform(self.dtype)
