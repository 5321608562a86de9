"""Result of logistic regression."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mehler import _arrays
from mehler._arrays import Array
from mehler.learn._arguments import require_new_rows
from mehler.learn._ridge._fit import _Linear


@dataclass(frozen=True, kw_only=True, eq=False)
class LogisticFit:
    """Class probabilities, log-linear in features.

    Returned by :func:`mehler.learn.logistic`.

    Parameters
    ----------
    phi : callable
        The map.
    weights : array, shape (m, c)
        W.
    intercept : array, shape (c,)
        b; zeros without intercept.
    classes : numpy.ndarray, shape (c,)
        Classes in the order of the columns.
    lam : float
        Regularisation.
    objective : float
        F at the solution.
    gradient : float
        Norm of its gradient there.
    gap : float or None
        Bound of F above its minimum; None with an intercept.
    converged : bool
        Whether the gradient is within the tolerance.

    See Also
    --------
    logistic : Fit it.
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

    def decision(self, X: Array) -> Array:
        """Compute f(x), shape (n, c), where the rows are; a Dask array stays lazy.

        Parameters
        ----------
        X : array, shape (n, d)
            Rows that `phi` takes.

        Returns
        -------
        array, shape (n, c)
            One column per class.
        """
        require_new_rows(X)
        m, c = self.weights.shape
        function = _Linear(self.phi, self.weights, self.intercept)
        return _arrays.map_rows(function, X, c, self.weights.dtype, width=m)

    def predict_log_proba(self, X: Array) -> Array:
        """Compute log probabilities of the classes, shape (n, c).

        Parameters
        ----------
        X : array, shape (n, d)
            As for :meth:`decision`, whose errors hold too.

        Returns
        -------
        array, shape (n, c)
            One column per class.
        """
        values = self.decision(X)
        xp = _arrays.array_namespace(values)
        values = values - xp.max(values, axis=1, keepdims=True)
        return values - xp.log(xp.sum(xp.exp(values), axis=1, keepdims=True))

    def predict(self, X: Array) -> Any:
        """Predict the most probable class of each row.

        Parameters
        ----------
        X : array, shape (n, d)
            As for :meth:`decision`, whose errors hold too.

        Returns
        -------
        numpy.ndarray, shape (n,)
            Labels from `classes`, on the host; a lazy Dask array for a Dask array.
        """
        values = self.decision(X)
        if _arrays.is_chunked(values):
            likeliest = functools.partial(_likeliest, self.classes)
            return _arrays.map_chunks(likeliest, values, self.classes.dtype)
        return _likeliest(self.classes, values)


def _likeliest(classes: Any, values: Array) -> Any:
    return classes[_arrays.to_host(values).argmax(axis=1)]
