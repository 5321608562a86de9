"""Eigenvalues and solutions of symmetric systems, in place on NumPy.

Matrices are as `add_gram` makes them: on NumPy only the upper triangle is read. SciPy's LAPACK
wants the order of Fortran, in which the transpose of that is a lower triangle, without a copy.
"""

from __future__ import annotations

from typing import Any

import array_api_compat as compat
import numpy as np

from mehler._arrays._namespace import Array


def eigen(xp: Any, a: Array) -> tuple[Array, Array]:
    """Eigenvalues (m,), ascending, and eigenvectors (m, m) in columns; `a` is spent on NumPy."""
    if not compat.is_numpy_array(a):
        values, vectors = xp.linalg.eigh(a)
        return values, vectors
    from scipy.linalg import eigh

    return eigh(a.T, lower=True, overwrite_a=True, check_finite=False)


def solve_positive(xp: Any, a: Array, shift: float, b: Array) -> Array:
    """Solve (a + shift I) w = b for `b` (m, t): by Cholesky in a copy of `a` on NumPy.

    Raises
    ------
    ValueError
        If the shifted matrix is not positive to within rounding.
    """
    m = a.shape[0]
    if not compat.is_numpy_array(a):
        identity = xp.eye(m, dtype=a.dtype, device=compat.device(a))
        return xp.linalg.solve(a + shift * identity, b)
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    shifted = np.array(a, order="C")
    shifted.flat[:: m + 1] += shift
    try:
        factor = cho_factor(shifted.T, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        raise ValueError(
            f"the Gram plus {shift:.3g} is singular to within rounding: take larger lambdas, or "
            "solver='eigen'"
        ) from None
    return cho_solve(factor, b, check_finite=False)
