"""Linear functions of features whose weights are drawn on the fly, block by block of units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler.features import FeatureMap


@dataclass(frozen=True)
class StreamedLinearModel:
    r"""A function of a block of rows, :math:`W^\top\phi(x) + b`, looping over units, then rows.

    Units from `n_units` on have no weight yet.
    """

    phi: FeatureMap
    weights: Any
    intercept: Any
    n_units: int

    def __call__(self, xp: Any, rows: Array) -> Array:
        """Compute values of all rows, shape (n, t), in the widest float."""
        place = _arrays.place_of(rows)
        wide = _arrays.widest_float(xp, place.device)
        dtype = self.phi._checked_dtype(rows)
        shape = (rows.shape[0], self.weights.shape[1])
        # On a Dask worker the map is on the host, and blocks are NumPy arrays.
        offset = _arrays.from_host(self.intercept, self.phi.place, wide)
        total = xp.zeros(shape, dtype=wide, device=place.device) + offset[None, :]
        for block in self.phi.unit_blocks():
            if block.start >= self.n_units:
                break
            weights = np.concatenate([self.weights[columns] for columns in block.slices])
            part = _Part(
                block.transform(_arrays.dtype_name(dtype)),
                _arrays.from_host(weights, self.phi.place, dtype),
            )
            some = _arrays.block_rows_for_map(block.n_features, 4, rows)
            values = _arrays.map_rows(part, rows, shape[1], dtype, block=some)
            total = total + xp.astype(values, wide)
        return total


@dataclass(frozen=True)
class _Part:
    """Features of some units times their weights."""

    transform: Any
    weights: Array

    def __call__(self, xp: Any, rows: Array) -> Array:
        return xp.matmul(self.transform(xp, rows), self.weights)
