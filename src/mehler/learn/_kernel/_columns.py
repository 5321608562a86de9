"""Kernels approximated by some of their columns, or by blocks on the diagonal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler._validate import require_integer, require_integers
from mehler.learn._arguments import require_rows, rows_at
from mehler.learn._kernel._gram import (
    Kernel,
    gram,
    host_reals,
    matrix,
    require_kernel,
    spectrum,
    values,
)

# Eigenvalues below this share of the largest are dropped: their directions are rounding.
_RANK = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnSample:
    r"""Features :math:`K_{SS}^{-1/2}\,k(X_S, x)`, returned by :func:`column_sample`.

    Inner products of two of the sampled rows equal the kernel; of others they are at most as
    large, in the order of matrices.

    Parameters
    ----------
    kernel : callable
        (X, Y) -> (n, k).
    rows : array, shape (r, d)
        The sampled rows.
    columns : tuple of int
        Their numbers, ascending.
    root : array, shape (r, rank)
        Inverse square root of the sampled block, on its range.

    See Also
    --------
    column_sample : Make it.
    """

    kernel: Kernel = field(repr=False)
    rows: Array = field(repr=False)
    columns: tuple[int, ...] = field(repr=False)
    root: Array = field(repr=False)

    @property
    def n_features(self) -> int:
        """Number of features, the rank of the sampled block."""
        return int(self.root.shape[1])

    def __call__(self, X: Array) -> Array:
        """Compute the features of rows, shape (n, n_features).

        Parameters
        ----------
        X : array, shape (n, d)
            Rows where the sampled ones are.

        Returns
        -------
        array, shape (n, n_features)
            In the float dtype of the sampled rows.
        """
        xp = _arrays.array_namespace(X, self.rows, names=("X", "the sampled rows"))
        k = xp.astype(values(self.kernel, X, self.rows), self.root.dtype, copy=False)
        return xp.matmul(k, self.root)


def column_sample(
    kernel: Any, X: Array, n_columns: int | None = None, *, seed: int = 0, columns: Any = None
) -> ColumnSample:
    r"""Approximate a kernel by some columns of its matrix: Nystroem's method.

    .. math:: k(x, z) \approx k(x, X_S)\,K_{SS}^{+}\,k(X_S, z)

    Parameters
    ----------
    kernel : callable or map
        (X, Y) -> (n, k); of a map of mehler its exact kernel.
    X : array, shape (n, d)
        Rows to sample from.
    n_columns : int, optional
        Columns r, drawn uniformly without replacement.
    seed : int, optional
        Seed of the draw.
    columns : array-like of int, optional
        Rows to take instead, by number.

    Returns
    -------
    ColumnSample
        A map from rows to features.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or range, not one of `n_columns` and `columns` is given,
        or the kernel matrix is not finite, symmetric and positive semidefinite.

    See Also
    --------
    block_diagonal : Keep blocks on the diagonal.
    spectral_error : How far an approximation is from the kernel.

    Notes
    -----
    Exact for pairs of sampled rows, and for all if the matrix has rank r. About 9 r^3 operations.

    References
    ----------
    Williams, Seeger (2001), Using the Nystroem method; the column sampling of Remark 1 of
    Shahrampour, Kolouri (2019).

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> X = np.random.default_rng(0).standard_normal((50, 2))
    >>> exact = mehler.MaxoutFeatures.draw(2, 1, 4, seed=0)
    >>> phi = learn.column_sample(exact, X, 20, seed=0)
    >>> K = exact.kernel(X)
    >>> bool(np.abs(phi(X) @ phi(X).T - K).max() < 0.1 * K.max())
    True
    """
    function = require_kernel(kernel)
    require_rows(X)
    n = int(X.shape[0])
    if (n_columns is None) == (columns is None):
        raise ValueError("give n_columns, or columns, and not both")
    if columns is None:
        r = require_integer("n_columns", n_columns, most=n)
        rng = _random.generator(_random.require_seed(seed), _random.SELECTION, 0)
        chosen = np.sort(rng.choice(n, r, replace=False))
    else:
        chosen = np.asarray(sorted(require_integers("columns", columns)), dtype=np.int64)
        if len(chosen) == 0 or len(set(chosen.tolist())) < len(chosen) or chosen[-1] >= n:
            raise ValueError(f"columns must be different numbers of rows, from 0 to {n - 1}")
    rows = rows_at(X, chosen)
    eigenvalues, vectors = spectrum("kernel(X, X)", gram(function, rows))
    kept = eigenvalues > _RANK * eigenvalues[-1]
    if not np.any(kept):
        raise ValueError("kernel(X, X) is 0 on the sampled rows: nothing to approximate with")
    root = vectors[:, kept] / np.sqrt(eigenvalues[kept])
    return ColumnSample(
        kernel=function,
        rows=rows,
        columns=tuple(chosen.tolist()),
        root=_arrays.from_host(root, _arrays.place_of(X), _arrays.real_dtype(X)),
    )


def block_diagonal(K: Any, blocks: Any) -> Any:
    """Keep the blocks of a kernel matrix on its diagonal, and put 0 elsewhere.

    Parameters
    ----------
    K : array, shape (n, n)
        Symmetric matrix.
    blocks : array-like of int, shape (n,)
        Block of each row, such as the cluster that it is in.

    Returns
    -------
    numpy.ndarray, shape (n, n)
        Positive semidefinite if `K` is.

    Raises
    ------
    ValueError
        If `K` is not a finite symmetric matrix, or `blocks` are not n integers.

    See Also
    --------
    column_sample : Keep columns instead.
    spectral_error : How far this is from the kernel.

    References
    ----------
    The block kernel approximation of Remark 2 of Shahrampour, Kolouri (2019).

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import learn
    >>> learn.block_diagonal(np.ones((3, 3)), [0, 0, 1]).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    found = matrix("K", K)
    labels = host_reals("blocks", blocks)
    if labels.shape != (len(found),) or np.any(labels != np.round(labels)):
        raise ValueError(
            f"blocks must be {len(found)} integers, the block of each row, not an array of shape "
            f"{labels.shape}"
        )
    return np.where(labels[:, None] == labels[None, :], found, 0.0)
