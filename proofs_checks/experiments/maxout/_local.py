"""Weights of pixels by which a maxout kernel classifies one image, and what they explain of it.

A plain unit is the largest of `POOL` projections of the image on random weights; a decoupled one
projects on other weights, at the place of the largest. A kernel K classifies by functions
f(x) = sum_i beta_i K(x, x_i) of an image x, fitted to images x_i, one for each class. Its local
coefficients are weights of pixels whose product with x is f(x). Equation (4) of Mroueh, Rennie,
Goel (2015) has them for the kernel that they print, sigma^2 rho kappa, rho the cosine of x and x_i:
that of decoupled units. The plain units' kernel is another, with the gradient of f as coefficients.
Both are computed for it, to see which of them features of drawn units meet. Contributions, weights
times pixels, are tried by erasing the largest: if they explain a prediction, it changes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import exact

from .._learners import kernel_ridge

POOL, LAMBDAS = 4, tuple(10.0 ** np.arange(-7.0, -1.0))  # projections of a unit; penalties
ERASED = 0.1  # fraction of the pixels that are not blank, which is erased


def kernel_of(rho: NDArray[np.float64], name: str) -> Any:
    """Return the exact kernel of a map, "decoupled" or "plain", at cosines `rho` of rows."""
    kernel = exact.locally_linear_kernel if name == "decoupled" else exact.maxout_kernel
    return kernel(rho, POOL)


def best_lambda(X: Any, codes: Any, name: str) -> float:
    """Return the penalty lambda of least leave-one-out error by the exact kernel.

    Rows X (n, d) have length 1; `codes` (n, classes) are 1 for the class of a row, -1 for others.
    """

    def kernel(a: NDArray[np.float64], b: NDArray[np.float64]) -> Any:
        return kernel_of(np.clip(a @ b.T, -1, 1), name)

    return kernel_ridge(kernel, X, codes, LAMBDAS, by_class=True, intercept=False).lam


def kernel_coefficients(
    X: NDArray[np.float64], codes: NDArray[np.float64], rows: Any, lam: float, name: str
) -> tuple[Any, dict[str, Any]]:
    """Fit f to codes of classes, as in `best_lambda`; return beta, and coefficients by kind.

    They are at `rows`, of shape (rows, d, classes). ``decoupled`` or ``plain``, by `name`, has
    equation (4), sum_i beta_i sigma^2 kappa(x, x_i) x_i: kappa is the chance that one projection is
    the largest for both rows, sigma^2 the mean square of the largest. ``gradient``, of a plain K
    alone, has sum_i beta_i (kappa x_i + (K - rho kappa) x), because dK/drho = kappa.
    """
    kernel = kernel_of(np.clip(X @ X.T, -1, 1), name)
    beta = np.linalg.solve(kernel + len(X) * lam * np.eye(len(X)), codes)
    rho = np.clip(rows @ X.T, -1, 1)
    kappa = exact.collision_probability(rho, POOL)
    sums = np.einsum("ri,ic,id->rdc", kappa, beta, X, optimize=True)
    equation = exact.sigma2(POOL) * sums
    if name == "decoupled":
        return beta, {"decoupled": equation}
    rest = (kernel_of(rho, name) - rho * kappa) @ beta
    return beta, {"plain": equation, "gradient": sums + rows[:, :, None] * rest[:, None, :]}


def relative_distances(
    local: NDArray[np.float64], target: NDArray[np.float64], rows: NDArray[np.float64]
) -> tuple[Any, Any]:
    """Return how far coefficients of drawn features, `local`, are from the kernel's, `target`.

    Two arrays (rows,), relative to the target: of the coefficients in all directions, and of their
    products with the row, which are its predictions.
    """
    away = np.sum((local - target) ** 2, axis=(1, 2)) / np.sum(target**2, axis=(1, 2))
    ours, exacts = (np.einsum("rd,rdc->rc", rows, part) for part in (local, target))
    along = np.sum((ours - exacts) ** 2, axis=1) / np.sum(exacts**2, axis=1)
    return np.sqrt(away), np.sqrt(along)


def contributions(
    coefficients: NDArray[np.float64], rows: NDArray[np.float64], classes: NDArray[np.int64]
) -> Any:
    """Return what each pixel adds to a row's class, less its mean over all classes: (rows, d)."""
    of_class = coefficients[np.arange(len(rows)), :, classes]
    return (of_class - coefficients.mean(axis=2)) * rows


def without_largest(rows: NDArray[np.float64], scores: NDArray[np.float64]) -> Any:
    """Erase, in each row, the tenth of the inked pixels whose scores are largest."""
    ink = rows > 0
    rank = np.argsort(np.argsort(-np.where(ink, scores, -np.inf), axis=1), axis=1)
    return np.where(rank < np.ceil(ERASED * ink.sum(axis=1, keepdims=True)), 0.0, rows)
