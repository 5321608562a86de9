"""Result of ridge regression: a linear function of features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mehler import _arrays
from mehler._arrays import Array
from mehler.learn._arguments import apply, require_new_rows


@dataclass(frozen=True, kw_only=True, eq=False)
class RidgeFit:
    r"""A linear function of features, :math:`f(x) = W^\top\phi(x) + b`.

    Returned by :func:`mehler.learn.ridge` or :meth:`mehler.learn.RidgeSums.solve`.

    Parameters
    ----------
    phi : callable
        The map.
    weights : array, shape (m, t)
        W, in the dtype and on the device of the features.
    intercept : array, shape (t,)
        b; zeros without intercept.
    lam : float
        The lambda of this function.
    n_rows : int
        Number of fitted rows N.
    lambdas : tuple of float, length k
        All lambdas solved for.
    errors : numpy.ndarray, shape (k,), or None
        Mean leave-one-out or hold-out error of each lambda, by which `lam` was chosen.

    See Also
    --------
    ridge : Fit it.
    """

    phi: Callable[[Array], Array] = field(repr=False)
    weights: Array = field(repr=False)
    intercept: Array = field(repr=False)
    lam: float
    n_rows: float
    lambdas: tuple[float, ...]
    errors: Any
    _flat: bool = field(repr=False)

    def predict(self, X: Array) -> Array:
        """Compute f(x) for the rows of `X`; for classes take the largest, ``argmax(axis=1)``.

        Parameters
        ----------
        X : array, shape (n, d)
            Rows where those of the fit were; a Dask array stays lazy.

        Returns
        -------
        array, shape (n, t), or (n,) if targets were given so
            In the dtype of the features.
        """
        require_new_rows(X)
        m, t = self.weights.shape
        function = _Linear(self.phi, self.weights, self.intercept)
        values = _arrays.map_rows(function, X, t, self.weights.dtype, width=m)
        return values[:, 0] if self._flat else values


@dataclass(frozen=True)
class _Linear:
    """A block function with its weights, sent to Dask workers as one constant."""

    phi: Callable[[Array], Array]
    weights: Array
    intercept: Array

    def __call__(self, xp: Any, rows: Array) -> Array:
        z = apply(self.phi, rows)
        if z.shape[1] != self.weights.shape[0]:
            raise ValueError(
                f"phi(X) has {z.shape[1]} columns but the weights are {self.weights.shape[0]}"
            )
        weights = xp.astype(self.weights, z.dtype, copy=False)
        values = xp.matmul(_arrays.without_gradient(z), weights) + self.intercept[None, :]
        return xp.astype(values, self.weights.dtype, copy=False)
