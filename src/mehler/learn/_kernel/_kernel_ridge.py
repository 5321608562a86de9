"""Ridge regression with an exact kernel, and exact leave-one-out errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_choice, require_flag
from mehler.learn._arguments import SCORINGS, require_lambdas, require_pair, require_rows
from mehler.learn._kernel._gram import LARGEST, Kernel, gram, require_kernel, spectrum, values
from mehler.learn._ridge._path import best


@dataclass(frozen=True, kw_only=True, eq=False)
class KernelRidgeFit:
    r"""A function :math:`f(x) = \sum_i c_i k(x_i, x) + b`, returned by :func:`kernel_ridge`.

    Parameters
    ----------
    kernel : callable
        (X, Y) -> (n, k).
    rows : array, shape (N, d)
        The fitted rows.
    coefficients : array, shape (N, t)
        c.
    intercept : array, shape (t,)
        b; zeros without intercept.
    lam : float
        The lambda of this function.
    lambdas : tuple of float, length k
        All lambdas solved for.
    errors : numpy.ndarray, shape (k,)
        Mean leave-one-out error of each lambda, by which `lam` was chosen.

    See Also
    --------
    kernel_ridge : Fit it.
    """

    kernel: Kernel = field(repr=False)
    rows: Array = field(repr=False)
    coefficients: Array = field(repr=False)
    intercept: Array = field(repr=False)
    lam: float
    lambdas: tuple[float, ...]
    errors: Any
    _flat: bool = field(repr=False)

    def predict(self, X: Array) -> Array:
        """Compute f(x) for the rows of `X`; for classes take the largest, ``argmax(axis=1)``.

        Parameters
        ----------
        X : array, shape (n, d)
            Rows where those of the fit were.

        Returns
        -------
        array, shape (n, t), or (n,) if targets were given so
            In the float dtype of the fitted rows.
        """
        require_rows(X)
        xp = _arrays.array_namespace(X, self.rows, names=("X", "the fitted rows"))
        if X.shape[1] != self.rows.shape[1]:
            raise ValueError(
                f"X has {X.shape[1]} columns but the fitted rows have {self.rows.shape[1]}"
            )
        k = xp.astype(values(self.kernel, X, self.rows), self.coefficients.dtype, copy=False)
        found = xp.matmul(k, self.coefficients) + self.intercept[None, :]
        return found[:, 0] if self._flat else found


def kernel_ridge(
    kernel: Any,
    X: Array,
    Y: Array,
    *,
    lambdas: Any,
    scoring: Literal["mse", "error_rate"] = "mse",
    intercept: bool = True,
) -> KernelRidgeFit:
    r"""Fit ridge regression with an exact kernel, with lambda chosen by leave-one-out errors.

    .. math:: \min_{f \in \mathcal H_k,\,b} \frac1N \sum_{i=1}^N |f(x_i) + b - y_i|^2
              + \lambda\,\|f\|^2_{\mathcal H_k}

    The limit of :func:`ridge` for infinitely many features: the floor of the error that a map with
    this kernel approaches, and the exact machine where N x N numbers fit.

    Parameters
    ----------
    kernel : callable or map
        (X, Y) -> (n, k) on arrays of the rows' library; of a map of mehler its exact kernel. For
        the Haar kernel of a group see the example.
    X : array, shape (N, d)
        Rows.
    Y : array, shape (N,) or (N, t)
        Real targets; for classes the codes of :func:`one_vs_all`.
    lambdas : float or sequence of float, length k
        Regularisation, each above 0.
    scoring : {"mse", "error_rate"}, optional
        Criterion: the mean squared error over rows and targets, or the misclassification rate
        (argmax, or sign for one column). Ties go to the largest lambda.
    intercept : bool, optional
        Fit b, which is not penalised; else it is 0.

    Returns
    -------
    KernelRidgeFit
        The chosen function; `errors` has the leave-one-out error of each lambda.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or range; if the kernel matrix is not finite, symmetric
        and positive semidefinite up to rounding.

    See Also
    --------
    ridge : The same on random features.
    mehler.features.groups.haar_kernel : Average a kernel over a group.

    Notes
    -----
    Leave-one-out errors are exact, see :func:`ridge`, with :math:`h_i` of the centred kernel
    matrix. One eigendecomposition serves all lambdas: about 9 N^3 operations and three N x N
    matrices of float64 on the host, whatever the rows' library is. Predictions are computed where
    the rows are.

    References
    ----------
    Rifkin, Lippert (2007), Notes on regularized least squares; equation (2) of Mroueh, Rennie,
    Goel (2015) with the square loss; the exact machines of Mroueh, Voinea, Poggio (2015).

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> from mehler.features import groups
    >>> X = np.random.default_rng(0).standard_normal((60, 4))
    >>> y = np.sort(X, axis=1)[:, 0]  # does not change when entries are permuted
    >>> gaussian = lambda A, B: np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(axis=2))
    >>> haar = lambda A, B: groups.haar_kernel(gaussian, groups.BlockPermutations(4), A, B)
    >>> plain = learn.kernel_ridge(gaussian, X, y, lambdas=[1e-4, 1e-2])
    >>> invariant = learn.kernel_ridge(haar, X, y, lambdas=[1e-4, 1e-2])
    >>> bool(invariant.errors.min() < plain.errors.min())
    True
    """
    function = require_kernel(kernel)
    targets = require_pair(X, Y)
    found = require_lambdas(lambdas)
    require_choice("scoring", scoring, SCORINGS)
    require_flag("intercept", intercept)
    y = np.asarray(_arrays.to_host(targets), dtype=np.float64)
    if float(np.abs(y).max()) > LARGEST:
        raise ValueError(f"Y holds numbers above {LARGEST:g}, whose squares overflow: scale it")
    k = gram(function, X)
    n = len(k)
    mean = y.mean(axis=0) if intercept else np.zeros(y.shape[1])
    centred = k - k.mean(axis=0) - k.mean(axis=1)[:, None] + k.mean() if intercept else k
    eigenvalues, vectors = spectrum("kernel(X, X)", centred)
    turned = vectors.T @ (y - mean)
    errors, solutions = np.empty(len(found)), []
    for i, lam in enumerate(found):
        # Both from 1 - h = N lambda/(N lambda + eigenvalue), which loses no digits.
        left = n * lam / (eigenvalues + n * lam)
        residual = vectors @ (left[:, None] * turned)
        rest = (vectors**2) @ left - (1.0 / n if intercept else 0.0)
        errors[i] = _score(y, _left_out(residual, rest), scoring)
        solutions.append(residual / (n * lam))
    chosen = best(found, errors)
    c = solutions[chosen]
    b = mean - (k.mean(axis=0) @ c if intercept else 0.0)
    place, dtype = _arrays.place_of(X), _arrays.real_dtype(X)
    return KernelRidgeFit(
        kernel=function,
        rows=X,
        coefficients=_arrays.from_host(c, place, dtype),
        intercept=_arrays.from_host(b, place, dtype),
        lam=found[chosen],
        lambdas=found,
        errors=errors,
        _flat=Y.ndim == 1,
    )


def _left_out(residual: Any, rest: Any) -> Any:
    """Divide residuals by 1 - h; a row that alone decides its value has any error."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = residual / rest[:, None]
    return np.where(rest[:, None] > 0.0, found, np.inf)


def _score(y: Any, error: Any, scoring: str) -> float:
    if scoring == "mse":
        return float(np.mean(error**2))
    predicted = y - error
    if y.shape[1] == 1:
        return float(np.mean((predicted > 0) != (y > 0)))
    return float(np.mean(predicted.argmax(axis=1) != y.argmax(axis=1)))
