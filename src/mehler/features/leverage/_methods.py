"""Three algorithms for the diagonal of A* A (A* A + lam)^-1, without an explicit inverse.

All summed terms are non-negative, so no digits cancel: ``1 - lam diag(inv(...))`` would lose
them, and explicit inverses give scores outside [0, 1] in float32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays

Core = Callable[[Any, _arrays.Array, float], _arrays.Array]
# The ridge must exceed this many roundings of |A|, or of |A|^2 if products of rows are formed.
_ROUNDINGS = 1e3


@dataclass(frozen=True)
class Method:
    """An algorithm ``core(xp, a, lam)`` for the scores, with the range in which it is accurate.

    `squares`: forms products of rows, with rounding relative to |A|^2 that cannot be told from
    small eigenvalues; singular values within rounding can be cut.
    """

    core: Core
    squares: bool
    on_dask: bool = True

    def reach(self, lam: float, dtype: Any) -> float:
        """Return the largest |A| (Frobenius) at which scores are accurate to 1e-3 in that dtype."""
        roundings = _ROUNDINGS * float(np.finfo(_arrays.dtype_name(dtype)).eps)
        return float((lam / roundings) ** 0.5 if self.squares else lam**0.5 / roundings)


def by_svd(xp: Any, a: _arrays.Array, lam: float) -> _arrays.Array:
    """Compute scores by QR, then the singular value decomposition of the small factor."""
    _, s, vh = xp.linalg.svd(_small(xp, a), full_matrices=False)
    root = lam**0.5 * xp.ones_like(s)
    # In units of the larger one, since squares of large features would overflow.
    unit = xp.maximum(s, root)
    lifted = (s / unit) ** 2 + (root / unit) ** 2
    # Singular values within rounding of 0 count as 0, however small the ridge: the rule of ridge
    # regression.
    dtype = _arrays.dtype_name(s.dtype)
    kept = lifted > (_arrays.least_singular(frobenius(xp, s), dtype) / unit) ** 2
    shares = xp.where(kept, (s / unit) ** 2 / lifted, xp.zeros_like(s))
    return xp.sum(shares[:, None] * _square(xp, vh), axis=0)


def by_dual(xp: Any, a: _arrays.Array, lam: float) -> _arrays.Array:
    """Compute scores by QR, then Cholesky of the dual Gram: a third of the cost."""
    r = _small(xp, a)
    dual = xp.matmul(r, _adjoint(xp, r)) + lam * _identity(xp, r)
    return xp.sum(_square(xp, xp.linalg.solve(xp.linalg.cholesky(dual), r)), axis=0)


def by_gram(xp: Any, a: _arrays.Array, lam: float) -> _arrays.Array:
    """Compute scores by eigenvalues of the smaller Gram, in blocks for many rows."""
    n, m = a.shape
    tall = n >= m
    gram = xp.matmul(_adjoint(xp, a), a) if tall else xp.matmul(a, _adjoint(xp, a))
    values, vectors = _symmetric(xp, gram)
    # Rounding can make eigenvalues slightly negative.
    values = xp.maximum(values, xp.zeros_like(values))
    if tall:
        return xp.sum(_square(xp, vectors) * (values / (values + lam))[None, :], axis=1)
    seen = _square(xp, xp.matmul(_adjoint(xp, vectors), a))
    return xp.sum(seen / (values + lam)[:, None], axis=0)


METHODS = {
    "svd": Method(by_svd, squares=False),
    # Dask returns the upper Cholesky factor, unlike the standard.
    "dual": Method(by_dual, squares=True, on_dask=False),
    "gram": Method(by_gram, squares=True),
}


def frobenius(xp: Any, a: _arrays.Array) -> _arrays.Array:
    """Compute the Frobenius norm without overflow; shape ()."""
    size = xp.abs(a)
    largest = xp.max(size)
    unit = xp.where(largest > 0, largest, xp.ones_like(largest))
    return unit * xp.sqrt(xp.sum((size / unit) ** 2))


def _small(xp: Any, a: _arrays.Array) -> _arrays.Array:
    """Return rows with the same Gram: the triangular factor if there are more rows than columns."""
    if a.shape[0] <= a.shape[1]:
        return a
    return xp.linalg.qr(a, mode="reduced")[1]


def _symmetric(xp: Any, gram: _arrays.Array) -> tuple[_arrays.Array, _arrays.Array]:
    if hasattr(xp.linalg, "eigh"):
        values, vectors = xp.linalg.eigh(gram)
        return values, vectors
    # Dask has no eigh; for a positive semidefinite matrix singular vectors are eigenvectors.
    vectors, values, _ = xp.linalg.svd(gram.rechunk(-1), full_matrices=False)
    return values, vectors


def _identity(xp: Any, r: _arrays.Array) -> _arrays.Array:
    n = r.shape[0]
    return xp.eye(n, dtype=r.dtype, device=_arrays.place_of(r).device)


def _adjoint(xp: Any, a: _arrays.Array) -> _arrays.Array:
    turned = xp.matrix_transpose(a)
    return xp.conj(turned) if xp.isdtype(a.dtype, "complex floating") else turned


def _square(xp: Any, a: _arrays.Array) -> _arrays.Array:
    return xp.abs(a) ** 2
