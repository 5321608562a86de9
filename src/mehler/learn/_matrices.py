"""Kernel matrices: approximated by columns or blocks, and measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler._validate import (
    require_choice,
    require_flag,
    require_integer,
    require_integers,
    require_positive,
    require_reals,
)
from mehler.features import FeatureMap
from mehler.learn._arguments import require_rows, rows_at

Kernel = Callable[[Any, Any], Any]
# Eigenvalues below this share of the largest are dropped: their directions are rounding.
_RANK = 1e-12
# Eigenvalues and differences across the diagonal below this share of the largest are rounding.
_ROUNDING = 1e-6
_LARGEST = 1e150


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
        k = xp.astype(_values(self.kernel, X, self.rows), self.root.dtype, copy=False)
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
    function = _require_kernel(kernel)
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
    eigenvalues, vectors = _spectrum(
        "kernel(X, X)", _matrix("kernel(X, X)", _values(function, rows, rows))
    )
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


def block_diagonal(K: Any, blocks: Any) -> NDArray[np.float64]:
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
    matrix = _matrix("K", K)
    labels = _host_reals("blocks", blocks)
    if labels.shape != (len(matrix),) or np.any(labels != np.round(labels)):
        raise ValueError(
            f"blocks must be {len(matrix)} integers, the block of each row, not an array of shape "
            f"{labels.shape}"
        )
    return np.where(labels[:, None] == labels[None, :], matrix, 0.0)


def spectral_error(K_hat: Any, K: Any, lam: float) -> float:
    r"""Compute the least Delta for which one matrix is a spectral approximation of another.

    .. math:: (1 - \Delta)(K + \lambda) \preceq \hat K + \lambda \preceq (1 + \Delta)(K + \lambda)

    Parameters
    ----------
    K_hat, K : array, shape (n, n)
        Symmetric matrices; `K` positive semidefinite.
    lam : float
        Ridge, above 0, in the unit of the eigenvalues of `K`.

    Returns
    -------
    float
        Delta: the largest eigenvalue of
        :math:`(K + \lambda)^{-1/2}(\hat K - K)(K + \lambda)^{-1/2}` in size.

    See Also
    --------
    mehler.bounds.leverage.score_error : Rows that suffice for a Delta.

    Notes
    -----
    One eigendecomposition and one more of the quotient, about 18 n^3 operations.

    References
    ----------
    Definition 3 of Shahrampour, Kolouri (2019), after Avron et al. (2017).

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import learn
    >>> round(learn.spectral_error(1.5 * np.eye(3), np.eye(3), 1.0), 12)  # 2.5 / 2 - 1
    0.25
    """
    ridge = require_positive("lam", lam)
    approximation, exact = _matrix("K_hat", K_hat), _matrix("K", K)
    if approximation.shape != exact.shape:
        raise ValueError(
            f"K_hat has shape {approximation.shape} but K {exact.shape}; make them equal"
        )
    eigenvalues, vectors = _spectrum("K", exact)
    root = vectors / np.sqrt(eigenvalues + ridge)
    quotient = root.T @ (approximation - exact) @ root
    return float(np.abs(np.linalg.eigvalsh(0.5 * (quotient + quotient.T))).max())


def kernel_alignment(K: Any, Y: Any, *, centred: bool = True) -> float:
    r"""Compute the alignment of a kernel matrix with targets.

    .. math:: \frac{\langle K, YY^\top\rangle_F}{\|K\|_F\,\|YY^\top\|_F}

    Parameters
    ----------
    K : array, shape (n, n)
        Symmetric matrix.
    Y : array, shape (n,) or (n, t)
        Real targets; for classes the codes of :func:`one_vs_all`.
    centred : bool, optional
        Subtract means of rows and columns of both matrices first.

    Returns
    -------
    float
        Between 0 and 1 for positive semidefinite `K`; 0 if either matrix is 0.

    See Also
    --------
    mehler.features.leverage.LKRF : Features weighted so that alignment is largest.

    References
    ----------
    Cristianini et al. (2002); Cortes, Mohri, Rostamizadeh (2012), centred; the criterion of the
    rivals of Shahrampour, Kolouri (2019), Section IV.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import learn
    >>> y = np.array([1.0, 1.0, -1.0, -1.0])
    >>> learn.kernel_alignment(np.outer(y, y), y), round(learn.kernel_alignment(np.eye(4), y), 4)
    (1.0, 0.5774)
    """
    k = _matrix("K", K)
    y = _host_reals("Y", Y)
    if y.ndim not in (1, 2) or y.shape[0] != len(k):
        raise ValueError(f"Y must have {len(k)} rows of real numbers, not shape {y.shape}")
    y = y.reshape(len(k), -1)
    if require_flag("centred", centred):
        y = y - y.mean(axis=0)
        k = k - k.mean(axis=0) - k.mean(axis=1)[:, None] + k.mean()
    size = float(np.linalg.norm(k)) * float(np.linalg.norm(y.T @ y))
    return float(np.sum(y * (k @ y))) / size if size > 0.0 else 0.0


@dataclass(frozen=True)
class Rademacher:
    """An empirical Rademacher complexity.

    Parameters
    ----------
    value : float
        Mean over the drawn signs.
    error : float
        Its standard error.
    bound : float
        Upper bound in closed form, by Jensen's inequality.
    """

    value: float
    error: float
    bound: float


def rademacher(
    Z: Array,
    radius: float,
    *,
    shape: Literal["ball", "box"] = "ball",
    seed: int,
    n_draws: int = 1000,
) -> Rademacher:
    r"""Compute the empirical Rademacher complexity of linear functions of features.

    .. math:: \frac1N\,E_\sigma \sup_\theta \sum_{i\le N}\sigma_i\langle\theta, z_i\rangle
              = \begin{cases} \frac BN\,E\,|\sum_i\sigma_iz_i|_2 & |\theta|_2 \le B \\
              \frac BN\,E\,|\sum_i\sigma_iz_i|_1 & |\theta|_\infty \le B \end{cases}

    Parameters
    ----------
    Z : array, shape (N, m)
        Features of the sample.
    radius : float
        B, above 0. For weights of at most C/m in the maxout paper's class, whose features are not
        divided by sqrt(m), pass sqrt(m) times the map's features and C/m.
    shape : {"ball", "box"}, optional
        Norm that is bounded by B: the Euclidean one, or the largest weight.
    seed : int
        Seed of the signs.
    n_draws : int, optional
        Drawn sign vectors, at least 2.

    Returns
    -------
    Rademacher
        Value, standard error, and the bound
        :math:`\frac BN(\sum_i|z_i|^2)^{1/2}` or
        :math:`\frac BN\sum_\ell(\sum_iz_{i\ell}^2)^{1/2}`.

    Notes
    -----
    The classes are symmetric, so that sums in absolute value have the same complexity. Multiply by
    2 for the definition with 2/N. n_draws products of 1 x N by N x m.

    References
    ----------
    Definition 2 of Shahrampour, Kolouri (2019); Bartlett, Mendelson (2002); Appendix B of Mroueh,
    Rennie, Goel (2015).

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import learn
    >>> complexity = learn.rademacher(np.eye(4), 2.0, shape="box", seed=0)  # every sum is 4
    >>> complexity.value, complexity.bound
    (2.0, 2.0)
    """
    require_rows(Z, "Z")
    size = require_positive("radius", radius)
    norm = 2 if require_choice("shape", shape, ("ball", "box")) == "ball" else 1
    n_draws = require_integer("n_draws", n_draws, least=2, most=10**7)
    z = np.asarray(_arrays.to_host(Z), dtype=np.float64)
    rng = _random.generator(_random.require_seed(seed), _random.SELECTION, 0)
    scale = size / len(z)
    suprema = np.empty(n_draws)
    for part in _arrays.slices(n_draws, 256):
        signs = 2.0 * rng.integers(2, size=(part.stop - part.start, len(z))) - 1.0
        suprema[part] = scale * np.linalg.norm(signs @ z, ord=norm, axis=1)
    squares = (z * z).sum(axis=0)
    bound = scale * (np.sqrt(squares.sum()) if norm == 2 else np.sqrt(squares).sum())
    return Rademacher(
        float(suprema.mean()), float(suprema.std(ddof=1) / np.sqrt(n_draws)), float(bound)
    )


def _require_kernel(kernel: Any) -> Kernel:
    """Return a function (X, Y) -> (n, k); of a map its exact kernel."""
    if isinstance(kernel, FeatureMap):
        return kernel.kernel
    if not callable(kernel):
        raise TypeError(
            f"kernel={kernel!r} must be a function (X, Y) -> (n, k), or a map, whose exact kernel "
            "is taken"
        )
    return kernel


def _values(kernel: Kernel, x: Array, y: Array) -> Array:
    """Evaluate a kernel, and check the shape and that numbers are finite."""
    entries = kernel(x, y)
    shape = (x.shape[0], y.shape[0])
    if tuple(getattr(entries, "shape", ())) != shape:
        raise ValueError(
            f"kernel(X, Y) has shape {tuple(getattr(entries, 'shape', ()))} for rows of {shape}; "
            "it must have one entry for each pair"
        )
    _arrays.require_finite(entries, name="kernel(X, Y)")
    return entries


def _host_reals(name: str, value: Any) -> NDArray[np.float64]:
    """Return finite real numbers of any library, float64 on the host."""
    return require_reals(name, _arrays.to_host(value) if _arrays.is_array(value) else value)


def _matrix(name: str, value: Any) -> NDArray[np.float64]:
    """Return a symmetric matrix of finite numbers, float64 on the host."""
    K = _host_reals(name, value)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or K.shape[0] == 0:
        raise ValueError(f"{name} must be a square matrix, not of shape {K.shape}")
    size = float(np.abs(K).max())
    if size > _LARGEST:
        raise ValueError(f"{name} holds numbers above {_LARGEST:g}, whose squares overflow")
    if float(np.abs(K - K.T).max()) > _ROUNDING * size:
        raise ValueError(f"{name} is not symmetric")
    return 0.5 * (K + K.T)


def _spectrum(name: str, K: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return eigenvalues of at least 0 and eigenvectors; ValueError for negative eigenvalues."""
    eigenvalues, vectors = np.linalg.eigh(K)
    if eigenvalues[0] < -_ROUNDING * np.abs(eigenvalues).max():
        raise ValueError(
            f"{name} is not positive semidefinite: its least eigenvalue is {eigenvalues[0]:.3g}, "
            f"its largest {eigenvalues[-1]:.3g}"
        )
    return np.maximum(eigenvalues, 0.0), vectors
