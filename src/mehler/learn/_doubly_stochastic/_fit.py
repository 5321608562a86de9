"""Result of the doubly stochastic gradient: a function of units that are not stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mehler import _arrays
from mehler._arrays import Array
from mehler.features import FeatureMap
from mehler.learn._arguments import check_rows
from mehler.learn._doubly_stochastic._streamed_model import StreamedLinearModel


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

    Examples
    --------
    See :func:`mehler.learn.doubly_stochastic`.
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

        Raises
        ------
        TypeError, ValueError
            If `X` is not such a matrix, or lives elsewhere.
        """
        self.phi._checked_dtype(X)
        if not _arrays.is_lazy(X):
            check_rows(X)
        place = _arrays.place_of(X)
        wide = _arrays.widest_float(place.xp, place.device)
        function = StreamedLinearModel(self.phi, self.weights, self.intercept, self.phi.n_units)
        # All rows at once: the loop over rows is inside that over units.
        values = _arrays.map_rows(function, X, self.weights.shape[1], wide, block=1 << 62)
        return values[:, 0] if self._flat else values
