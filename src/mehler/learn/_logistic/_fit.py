"""What logistic regression gives back: probabilities of classes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mehler import _arrays
from mehler._arrays import Array
from mehler.learn._arguments import check_rows
from mehler.learn._pickling import reduce_to_host
from mehler.learn._ridge._fit import _Linear


@dataclass(frozen=True, kw_only=True, eq=False)
class LogisticFit:
    r"""Probabilities of classes, linear in features on the logarithmic scale.

    Made by :func:`mehler.learn.logistic`.

    Parameters
    ----------
    phi : callable
        The map.
    weights : array, shape (m, c)
    intercept : array, shape (c,)
        Zeros if none was asked for.
    classes : numpy.ndarray, shape (c,)
        In the order of the columns.
    lam : float
    objective : float
        F at the solution.
    gradient : float
        Norm of its gradient there.
    gap : float or None
        How far F may be from its minimum; None with an intercept.
    converged : bool
        Whether the gradient is within the tolerance.

    Examples
    --------
    See :func:`mehler.learn.logistic`.
    """

    phi: Callable[[Array], Array] = field(repr=False)
    weights: Array = field(repr=False)
    intercept: Array = field(repr=False)
    classes: Any
    lam: float
    objective: float
    gradient: float
    gap: float | None
    converged: bool

    def __reduce__(self) -> tuple[Any, tuple[Any, dict[str, Any]]]:
        """Travel between processes on the host, like maps."""
        return reduce_to_host(self, "weights", "intercept")

    def decision(self, X: Array) -> Array:
        """Values f(x), shape (n, c), where the rows are; a Dask array stays lazy.

        Parameters
        ----------
        X : array, shape (n, d)

        Returns
        -------
        array, shape (n, c)

        Raises
        ------
        TypeError, ValueError
            If `X` is not such a matrix.
        """
        _arrays.check_matrix(X, name="X")
        if not _arrays.is_lazy(X):
            check_rows(X)
        m, c = self.weights.shape
        function = _Linear(self.phi, self.weights, self.intercept)
        itemsize = 4 if _arrays.dtype_name(self.weights.dtype) == "float32" else 8
        block = _arrays.block_rows_for_map(m, itemsize)
        return _arrays.map_rows(function, X, c, self.weights.dtype, block=block)

    def predict_log_proba(self, X: Array) -> Array:
        """Logarithms of the probabilities of the classes, shape (n, c).

        Parameters
        ----------
        X : array, shape (n, d)

        Returns
        -------
        array, shape (n, c)

        Raises
        ------
        TypeError, ValueError
            If `X` is not such a matrix.
        """
        values = self.decision(X)
        xp = _arrays.array_namespace(values)
        values = values - xp.max(values, axis=1, keepdims=True)
        return values - xp.log(xp.sum(xp.exp(values), axis=1, keepdims=True))

    def predict(self, X: Array) -> Any:
        """The likeliest class of each row.

        Parameters
        ----------
        X : array, shape (n, d)

        Returns
        -------
        numpy.ndarray, shape (n,)
            Labels, on the host, as `classes` are; of a Dask array a Dask array, which stays lazy.

        Raises
        ------
        TypeError, ValueError
            If `X` is not such a matrix.
        """
        values = self.decision(X)
        if _arrays.is_chunked(values):
            likeliest = functools.partial(_likeliest, self.classes)
            return _arrays.map_chunks(likeliest, values, self.classes.dtype)
        return _likeliest(self.classes, values)


def _likeliest(classes: Any, values: Array) -> Any:
    return classes[_arrays.to_host(values).argmax(axis=1)]
