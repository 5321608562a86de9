"""Gram matrices: accumulation, eigenvalues, positive systems and numerical rank.

On NumPy matrices are accumulated in place, in their upper triangle alone. LAPACK wants Fortran
order, in which their transpose is a lower triangle, without a copy.
"""

from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from mehler._arrays._namespace import Array, dtype_name, is_numpy_array, place_of
from mehler._arrays._rows import slices

# Columns per block: a product of 2048 x 2048 is 16 MiB of float32. NumPy computes half of a
# diagonal block, and fewer blocks pack the rows fewer times.
_TILE = 2048


def add_gram(xp: ModuleType, total: Array, rows: Array) -> Array:
    """Return `total` (m, m) plus Z.T @ Z of `rows`; float32 products are added in float64."""
    if not is_numpy_array(total):
        product = xp.matmul(xp.matrix_transpose(rows), rows)
        return total + xp.astype(product, total.dtype, copy=False)
    for i in slices(rows.shape[1], _TILE):
        left = rows[:, i].T
        for j in slices(rows.shape[1], _TILE):
            if j.start >= i.start:
                total[i, j] += left @ rows[:, j]
    return total


def symmetric(xp: ModuleType, total: Array) -> Array:
    """Return the full symmetric matrix of an accumulated Gram matrix; a copy on NumPy."""
    if not is_numpy_array(total):
        return total
    return np.triu(total) + np.triu(total, 1).T


def packed(total: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the upper triangle of a host matrix, row by row: half the bytes to send."""
    return total[np.tri(total.shape[0], dtype=bool).T]


def unpacked(values: NDArray[np.float64], m: int) -> NDArray[np.float64]:
    """Return the (m, m) matrix with that upper triangle, and zeros below it."""
    out = np.zeros((m, m), dtype=values.dtype)
    out[np.tri(m, dtype=bool).T] = values
    return out


def centred(xp: ModuleType, rows: Array, mean: Array, last: Array) -> Array:
    """Return ``rows - mean`` with the row `last` appended: (b + 1, m)."""
    return xp.concat((rows - mean[None, :], last[None, :]), axis=0)


def eigen(xp: ModuleType, a: Array) -> tuple[Array, Array]:
    """Return ascending eigenvalues (m,) and eigenvectors in columns; NumPy overwrites `a`."""
    if not is_numpy_array(a):
        values, vectors = xp.linalg.eigh(a)
        return values, vectors
    from scipy.linalg import eigh

    return eigh(a.T, lower=True, overwrite_a=True, check_finite=False)


def solve_positive(xp: ModuleType, a: Array, shift: float, b: Array, least: float) -> Array:
    """Solve (a + shift I) w = b for `b` (m, t) by Cholesky; ValueError for pivots up to `least`."""
    lower = cholesky(xp, a, shift)
    # False for NaN too.
    if not bool(xp.all(xp.linalg.diagonal(lower) ** 2 > least)):
        raise ValueError(
            f"the Gram plus {shift:.3g} is singular to within rounding: take larger lambdas"
        )
    if not isinstance(lower, np.ndarray):
        return xp.linalg.solve(_shifted(xp, a, shift), b)
    from scipy.linalg import cho_solve

    return cho_solve((lower, True), b, check_finite=False)


def cholesky(xp: ModuleType, a: Array, shift: float) -> Array:
    """Return the lower L with L L^T = a + shift I; NaN if there is none."""
    try:
        if not is_numpy_array(a):
            return xp.linalg.cholesky(_shifted(xp, a, shift))
        from scipy.linalg import cholesky as factor

        shifted = np.array(a, order="C")
        shifted.flat[:: a.shape[0] + 1] += shift
        return factor(shifted.T, lower=True, overwrite_a=True, check_finite=False)
    except getattr(xp.linalg, "LinAlgError", np.linalg.LinAlgError):
        return a * float("nan")


def _shifted(xp: ModuleType, a: Array, shift: float) -> Array:
    return a + shift * xp.eye(a.shape[0], dtype=a.dtype, device=place_of(a).device)


def solve_lower(xp: ModuleType, lower: Array, b: Array | None = None) -> Array:
    """Return L^-1 b for `b` (m, t), with L (m, m) lower triangular; L^-1 for no `b`."""
    if not is_numpy_array(lower):
        unit = xp.eye(lower.shape[0], dtype=lower.dtype, device=place_of(lower).device)
        return xp.linalg.solve(lower, unit if b is None else b)
    from scipy.linalg import lapack, solve_triangular

    if b is None:
        return lapack.get_lapack_funcs(("trtri",), (lower,))[0](lower, lower=1)[0]
    return solve_triangular(lower, b, lower=True, check_finite=False)


# Safety factor of both terms. Measured need on repeated columns, 20 to 10^5 rows and 3 to 1500
# columns of rank 1 to 400, with OpenBLAS kernels for three processors: at most 0.9 and 0.5.
_SAFETY = 4.0


def least_resolved(
    xp: ModuleType, values: Array, *, products: str, features: str, squares: Array | None = None
) -> Array:
    r"""Return the largest eigenvalue of a Gram matrix that rounding alone can produce.

    Entries have errors of e sqrt(G_ii G_jj), e the eps of `products`, and a random matrix of such
    has norm e sqrt(t s), s the largest eigenvalue and t the sum of the positive ones. `features`
    rounded with eps f have singular values of f times their norm, the root of `squares` or t.
    """
    positive = xp.where(values > 0.0, values, xp.zeros_like(values))
    total = xp.sum(positive)
    norm = xp.sqrt(total if squares is None else squares + 0.0 * total)
    rounded = least_singular(norm, features) ** 2
    return xp.maximum(_formed(xp, xp.max(positive), total, values.shape[0], products), rounded)


def least_singular(norm: Array, features: str) -> Array:
    """Return the largest singular value from rounding, for features of that Frobenius norm."""
    return 4.0 * float(np.finfo(features).eps) * norm


def least_pivot(xp: ModuleType, norm: Array, trace: Array, order: int, *, products: str) -> Array:
    """Return the largest Cholesky pivot of a Gram matrix, of that Frobenius norm, from rounding."""
    return _formed(xp, norm, trace, order, products)


def _formed(xp: ModuleType, largest: Array, total: Array, order: int, products: str) -> Array:
    """Bound the rounding of an eigenvalue: by products in that dtype, and by its decomposition."""
    formed = float(np.finfo(products).eps) * xp.sqrt(total) * xp.sqrt(largest)
    decomposed = float(np.finfo(dtype_name(largest.dtype)).eps) * float(order) ** 0.5 * largest
    return _SAFETY * (formed + decomposed)
