"""Learners of the experiments that scikit-learn has not: ties by row, a path of exact ridges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

# Queries per block of distances: 256 by 60,000 of float64 are 117 MiB.
_BLOCK = 256

Kernel = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


def nearest_rows(
    Z: NDArray[np.floating], Q: NDArray[np.floating], n_neighbours: int = 1
) -> NDArray[np.int64]:
    """Return the numbers of the rows of `Z` nearest to each query, nearest first.

    Of equal distances the first row comes first, on every processor. Squared distances are sums of
    m squares of differences, whose rounding is within m 2^-52 of them: those within twice that of
    the least are equal to it. A product of matrices, as scikit-learn and faiss take, loses more.

    Parameters
    ----------
    Z : array, shape (n, m)
        Rows or features to search.
    Q : array, shape (k, m)
        Queries.
    n_neighbours : int
        At most n.

    Returns
    -------
    array of int, shape (k, n_neighbours)
    """
    from scipy.spatial.distance import cdist

    rows, queries = (np.asarray(part, dtype=np.float64) for part in (Z, Q))
    index = np.empty((len(queries), n_neighbours), dtype=np.int64)
    rounding = 2.0 * rows.shape[1] * 2.0**-52
    for start in range(0, len(queries), _BLOCK):
        block = slice(start, start + _BLOCK)
        distances = cdist(queries[block], rows, "sqeuclidean")
        for j in range(n_neighbours):
            least = distances.min(axis=1, keepdims=True)
            nearest = (distances <= (1.0 + rounding) * least).argmax(axis=1)  # the first of equals
            index[block, j] = nearest
            distances[np.arange(len(nearest)), nearest] = np.inf
    return index


@dataclass(frozen=True)
class KernelRidge:
    """A function f(x) = sum_i c_i k(x_i, x) + b, with the lambda of least leave-one-out error.

    ``errors`` has the mean leave-one-out error of each lambda.
    """

    kernel: Kernel = field(repr=False)
    rows: NDArray[np.float64] = field(repr=False)
    coefficients: NDArray[np.float64] = field(repr=False)
    intercept: NDArray[np.float64] = field(repr=False)
    lam: float
    errors: NDArray[np.float64]

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute f(x) for rows (n, d): shape (n, t)."""
        return self.kernel(X, self.rows) @ self.coefficients + self.intercept


def kernel_ridge(
    kernel: Kernel,
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    lambdas: tuple[float, ...],
    *,
    by_class: bool = False,
    intercept: bool = True,
) -> KernelRidge:
    r"""Minimise the mean squared error and lambda times the squared norm, for a path of lambdas.

    The eigenvalues s of the kernel matrix K, centred if there is an intercept, and its eigenvectors
    serve all lambdas. Leave-one-out errors are exact,

    .. math:: \frac{y_i - f(x_i)}{1 - h_i}, \quad
              1 - h_i = \sum_j v_{ij}^2 \frac{N\lambda}{N\lambda + s_j} - \frac1N

    without 1/N where there is no intercept (Rifkin and Lippert 2007).

    Parameters
    ----------
    kernel : callable
        (X, Y) -> (n, k).
    X : array, shape (N, d)
        Rows.
    Y : array, shape (N, t)
        Targets.
    lambdas : tuple of float
        Each above 0.
    by_class : bool
        Choose by rows whose largest value is in another column than that of the targets, instead of
        by squared errors. Ties go to the largest lambda.
    intercept : bool
        Fit b.

    Returns
    -------
    KernelRidge
    """
    K = kernel(X, X)
    K = 0.5 * (K + K.T)
    n = len(K)
    mean = Y.mean(axis=0) if intercept else np.zeros(Y.shape[1])
    columns = K.mean(axis=0)
    centred = K - columns - columns[:, None] + K.mean() if intercept else K
    eigenvalues, vectors = np.linalg.eigh(centred)
    eigenvalues = np.maximum(eigenvalues, 0.0)  # negative ones are rounding
    targets = vectors.T @ (Y - mean)
    errors, solutions = np.empty(len(lambdas)), []
    for i, lam in enumerate(lambdas):
        # Both from N lambda / (N lambda + s), in which no digits cancel.
        remainder = n * lam / (eigenvalues + n * lam)
        residuals = vectors @ (remainder[:, None] * targets)
        own = (vectors**2) @ remainder - (1.0 / n if intercept else 0.0)
        left_out = residuals / own[:, None]
        if by_class:
            errors[i] = np.mean((Y - left_out).argmax(axis=1) != Y.argmax(axis=1))
        else:
            errors[i] = np.mean(left_out**2)
        solutions.append(residuals / (n * lam))
    best = max(np.flatnonzero(errors == errors.min()), key=lambda i: lambdas[i])
    c = solutions[best]
    return KernelRidge(
        kernel=kernel,
        rows=X,
        coefficients=c,
        intercept=mean - (columns @ c if intercept else 0.0),
        lam=float(lambdas[best]),
        errors=errors,
    )
