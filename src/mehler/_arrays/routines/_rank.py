"""Numerical rank of a Gram matrix: tell its eigenvalues from rounding.

Every rank cut in the library is made here, since two rules would give two answers to one
question. An eigenvalue below the cut depends on the order of summation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays._dtypes import dtype_name
from mehler._arrays._namespace import Array

# Safety factor of both terms. Measured need on repeated columns, 20 to 10^5 rows and 3 to 1500
# columns of rank 1 to 400, with OpenBLAS kernels for three processors: at most 0.9 and 0.5.
_SAFETY = 4.0


def least_resolved(
    xp: Any, values: Array, *, products: str, features: str, squares: Any = None
) -> Array:
    r"""Return the largest eigenvalue of a Gram matrix that rounding alone can produce.

    .. math:: \max\Big\{4\big(e\sqrt{t s} + u\sqrt m\,s\big),\; (4 f)^2 \sum_i |z_i|^2\Big\}

    with s the largest eigenvalue and t the sum of the positive ones among `values` (m,). Entries
    of a Gram have errors of about :math:`e\sqrt{G_{ii}G_{jj}}`, e the eps of `products`; a random
    matrix of such entries has norm :math:`e\sqrt{ts}`. The decomposition of m columns, in a dtype
    with eps u, adds :math:`u\sqrt m\,s`. Features rounded with eps f have singular values of f
    times their norm; `squares` is their sum of squares before centring, by default t.
    """
    positive = xp.where(values > 0.0, values, xp.zeros_like(values))
    total = xp.sum(positive)
    norm = xp.sqrt(total if squares is None else squares + 0.0 * total)
    rounded = least_singular(norm, features) ** 2
    return xp.maximum(_formed(xp, xp.max(positive), total, values.shape[0], products), rounded)


def least_singular(norm: Array, features: str) -> Array:
    """Return the largest singular value from rounding, for features of that Frobenius norm."""
    return 4.0 * _eps(features) * norm


def least_pivot(xp: Any, squared_norm: Array, trace: Array, order: int, *, products: str) -> Array:
    """Return the largest Cholesky pivot of a Gram matrix that rounding alone can produce.

    The Frobenius norm bounds the largest eigenvalue from above, without a decomposition.
    """
    return _formed(xp, xp.sqrt(squared_norm), trace, order, products)


def _formed(xp: Any, largest: Array, total: Array, order: int, products: str) -> Array:
    formed = _eps(products) * xp.sqrt(total) * xp.sqrt(largest)
    decomposed = _eps(dtype_name(largest.dtype)) * float(order) ** 0.5 * largest
    return _SAFETY * (formed + decomposed)


def _eps(name: str) -> float:
    return float(np.finfo(name).eps)
