"""Eigenvalues and solutions of symmetric systems, in place on NumPy.

Matrices are as `add_gram` accumulates them: on NumPy only the upper triangle is read. LAPACK
wants Fortran order, in which their transpose is a lower triangle, without a copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays import _kinds
from mehler._arrays._namespace import Array


def eigen(xp: Any, a: Array) -> tuple[Array, Array]:
    """Return ascending eigenvalues (m,) and eigenvectors in columns; NumPy overwrites `a`."""
    if not _kinds.is_numpy_array(a):
        values, vectors = xp.linalg.eigh(a)
        return values, vectors
    from scipy.linalg import eigh

    return eigh(a.T, lower=True, overwrite_a=True, check_finite=False)


def solve_positive(xp: Any, a: Array, shift: float, b: Array, least: float) -> Array:
    """Solve (a + shift I) w = b for `b` (m, t) by Cholesky, in a copy of `a` on NumPy.

    Raises ValueError if a pivot is not above `least`: the matrix is singular to within rounding.
    """
    if not _kinds.is_numpy_array(a):
        identity = xp.eye(a.shape[0], dtype=a.dtype, device=_kinds.device(a))
        shifted = a + shift * identity
        _require_pivots(xp, _factor(xp, shifted), shift, least)
        return xp.linalg.solve(shifted, b)
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    shifted = np.array(a, order="C")
    shifted.flat[:: a.shape[0] + 1] += shift
    try:
        factor = cho_factor(shifted.T, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        raise _singular(shift) from None
    _require_pivots(np, factor[0], shift, least)
    return cho_solve(factor, b, check_finite=False)


def _factor(xp: Any, a: Array) -> Array:
    """Return the Cholesky factor, with NaN pivots if the factorisation fails."""
    if _kinds.is_torch_array(a):
        import torch

        factor, failed = torch.linalg.cholesky_ex(a)
        return factor * torch.nan if bool(failed) else factor
    try:
        return xp.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return a * float("nan")


def _require_pivots(xp: Any, factor: Array, shift: float, least: float) -> None:
    # False for NaN too.
    if not bool(xp.all(xp.linalg.diagonal(factor) ** 2 > least)):
        raise _singular(shift)


def _singular(shift: float) -> ValueError:
    return ValueError(
        f"the Gram plus {shift:.3g} is singular to within rounding: take larger lambdas, or "
        "solver='eigen'"
    )
