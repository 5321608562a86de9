"""Result of the doubly stochastic gradient: a function of units that are not stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler.features import FeatureMap
from mehler.learn._arguments import require_rows


@dataclass(frozen=True, kw_only=True, eq=False)
class StochasticFit:
    r"""Linear function of features that are not stored, :math:`f(x) = W^\top\phi(x) + b`.

    Returned by :func:`mehler.learn.doubly_stochastic`.

    Parameters
    ----------
    phi : FeatureMap
        The map.
    weights : numpy.ndarray, shape (m, t)
        W, in float64, on the host.
    intercept : numpy.ndarray, shape (t,)
        b; zeros without intercept.
    lam : float
        Regularisation.
    loss : {"squares", "logistic"}
        The loss.
    step : float
        The first step size.
    n_rows, n_steps, rows_per_step, units_per_step : int
        Sizes of the fit.
    losses : numpy.ndarray, shape (n_steps,)
        Mean loss, without penalty, of the rows of each step before it was taken.

    See Also
    --------
    doubly_stochastic : Fit it.
    """

    phi: FeatureMap = field(repr=False)
    weights: Any = field(repr=False)
    intercept: Any = field(repr=False)
    lam: float
    loss: str
    step: float
    n_rows: int
    n_steps: int
    rows_per_step: int
    units_per_step: int
    losses: Any = field(repr=False)
    _flat: bool = field(repr=False)

    def predict(self, X: Array) -> Array:
        """Compute f(x) for the rows of `X`; for classes take the largest, ``argmax(axis=1)``.

        One pass over the units for all rows: memory is the values and a block of weights.

        Parameters
        ----------
        X : array, shape (n, d)
            Rows where those of the fit were. A Dask array stays lazy, with a pass over the units
            for each chunk.

        Returns
        -------
        array, shape (n, t), or (n,) if targets were given so
            In the widest float of the device.
        """
        self.phi._checked(X)
        if not _arrays.is_lazy(X):
            require_rows(X)
        place = _arrays.place_of(X)
        wide = _arrays.widest_float(place.xp, place.device)
        function = StreamedLinearModel(self.phi, self.weights, self.intercept, self.phi.n_units)
        # All rows at once: the loop over rows is inside that over units.
        values = _arrays.map_rows(function, X, self.weights.shape[1], wide, block=1 << 62)
        return values[:, 0] if self._flat else values


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
        dtype, _ = self.phi._checked(rows)
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
