"""Principal components of features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_integer
from mehler.learn._arguments import (
    apply,
    feature_blocks,
    require_map,
    require_new_rows,
    require_no_overflow,
    require_rows,
    shape_of,
    work_place,
)
from mehler.learn._ridge._sums import RidgeSums


@dataclass(frozen=True, kw_only=True, eq=False)
class PrincipalComponents:
    """Principal directions of features, and the embedding that they define.

    Returned by :func:`mehler.learn.principal_components`.

    Parameters
    ----------
    phi : callable
        The map.
    mean : array, shape (m,)
        Mean of the features.
    directions : array, shape (m, k)
        Orthonormal columns; with fewer rows than features, zero columns beyond the rank.
    variances : array, shape (k,)
        Variances along the directions, in descending order; divided by N, not N - 1. 0 if within
        rounding of 0, by the rule of :class:`mehler.learn.RidgeSums`.
    total : float
        Total variance of the features.

    See Also
    --------
    principal_components : Compute them.
    """

    phi: Callable[[Array], Array] = field(repr=False)
    mean: Array = field(repr=False)
    directions: Array = field(repr=False)
    variances: Array
    total: float

    def transform(self, X: Array) -> Array:
        """Compute the coordinates of rows, block by block.

        Parameters
        ----------
        X : array, shape (n, d)
            Rows where those of the fit were; a Dask array stays lazy.

        Returns
        -------
        array, shape (n, k)
            Coordinates along the directions.
        """
        require_new_rows(X)
        m, k = self.directions.shape
        along = _Along(self.phi, self.mean, self.directions)
        return _arrays.map_rows(along, X, k, self.directions.dtype, width=m)


@dataclass(frozen=True)
class _Along:
    """A block function with its directions, sent to Dask workers as one constant."""

    phi: Callable[[Array], Array]
    mean: Array
    directions: Array

    def __call__(self, xp: Any, rows: Array) -> Array:
        z = _arrays.without_gradient(apply(self.phi, rows))
        z = xp.astype(z, self.directions.dtype, copy=False)
        return xp.matmul(z - self.mean[None, :], self.directions)


def principal_components(
    phi: Callable[[Array], Array], X: Array, n_components: int = 2
) -> PrincipalComponents:
    r"""Compute principal components of the features of a map: PCA in feature space.

    .. math:: \frac1N\sum_{i=1}^N (z_i - \bar z)(z_i - \bar z)^\top u_j = s_j u_j, \qquad
              z_i = \phi(x_i), \quad s_1 \ge s_2 \ge \dots

    With random maxout features this is the "maxout locally linear embedding" of the paper.

    Parameters
    ----------
    phi : callable
        A map of mehler, or any function from rows (n, d) to features (n, m).
    X : array, shape (n, d)
        Rows that `phi` takes, of any library.
    n_components : int, optional
        k, at most the number of rows and of features.

    Returns
    -------
    PrincipalComponents
        ``.transform(X)`` computes the coordinates. The sign of a direction makes its entry of
        largest absolute value positive.

    See Also
    --------
    RidgeSums : The sums behind the covariance.
    nearest : Neighbours by features.

    Notes
    -----
    With at least as many rows as features the m x m covariance is accumulated over blocks
    (:class:`RidgeSums`, with the same accuracy) and features are never stored; with fewer rows
    than features the N x N Gram of the centred features is decomposed, and the N x m features are
    stored, which are then fewer numbers than a covariance. Cost: m N min(m, N) + min(m, N)^3.

    References
    ----------
    Mroueh, Rennie, Goel (2015), section 5.1 and Figure 2.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> angle = np.linspace(0, 2 * np.pi, 50)
    >>> X = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    >>> phi = mehler.MaxoutFeatures.draw(2, 500, 8, seed=0)
    >>> pca = learn.principal_components(phi, X)
    >>> pca.transform(X).shape
    (50, 2)
    """
    require_map(phi)
    require_rows(X)
    n_components = require_integer("n_components", n_components)
    if X.shape[0] < n_components:
        raise ValueError(
            f"X has {X.shape[0]} rows, too few for {n_components} components; ask for fewer"
        )
    m, dtype = shape_of(phi, X)
    if m < n_components:
        raise ValueError(f"phi has {m} features, too few for {n_components} components")
    many = X.shape[0] >= m
    # Dask rows fewer than the features fit into memory, as do their features.
    rows = X if many or not _arrays.is_chunked(X) else _arrays.to_host(X)
    solve = _by_features if many else _by_rows
    mean, directions, variances, total = solve(phi, rows, n_components)
    home, xp = _arrays.place_of(rows), _sums_place(rows).xp
    directions = _signed(xp, directions)
    parts = (mean, directions, variances)
    if _arrays.has_float64(home.xp, home.device):
        mean, directions, variances = (xp.astype(p, getattr(xp, dtype)) for p in parts)
    else:
        mean, directions, variances = (_arrays.from_host(p, home, "float32") for p in parts)
    return PrincipalComponents(
        phi=phi, mean=mean, directions=directions, variances=variances, total=total
    )


def _by_features(phi: Any, x: Array, k: int) -> tuple[Array, Array, Array, float]:
    xp = _sums_place(x).xp
    nothing = _arrays.place_of(x).xp.zeros_like(x[:, 0])
    sums = RidgeSums(phi).add(x, nothing)
    covariance = sums.gram / x.shape[0]
    total = float(xp.sum(xp.linalg.diagonal(covariance)))
    squares = total + float(xp.sum(sums._mean**2))
    values, vectors = _arrays.eigen(xp, covariance)
    least = _arrays.least_resolved(
        xp, values, products=sums._dtype, features=sums._dtype, squares=squares
    )
    top = range(vectors.shape[1] - 1, vectors.shape[1] - 1 - k, -1)
    directions = xp.stack([vectors[:, j] for j in top], axis=1)
    variances = xp.stack([values[j] * float(values[j] > least) for j in top])
    return sums._mean, directions, variances, total


def _by_rows(phi: Any, x: Array, k: int) -> tuple[Array, Array, Array, float]:
    place = work_place(_arrays.place_of(x))
    xp, wide = place.xp, place.xp.float64
    targets = _arrays.place_of(x).xp.zeros_like(x[:, :1])
    blocks = [z for z, _ in feature_blocks(phi, x, targets)]
    dtype = _arrays.dtype_name(blocks[0].dtype)
    z = xp.astype(xp.concat(blocks, axis=0), wide)
    mean = xp.mean(z, axis=0)
    z = z - mean[None, :]
    gram = xp.matmul(z, xp.matrix_transpose(z)) / x.shape[0]
    total = float(xp.sum(xp.linalg.diagonal(gram)))
    require_no_overflow(total)
    values, vectors = _arrays.eigen(xp, gram)
    squares = total + float(xp.sum(mean**2))
    least = _arrays.least_resolved(xp, values, products="float64", features=dtype, squares=squares)
    n, columns, variances = x.shape[0], [], []
    for j in range(n - 1, n - 1 - k, -1):
        # The eigenvector of an eigenvalue within rounding of 0 is noise.
        kept = bool(values[j] > least)
        along = xp.matmul(xp.matrix_transpose(z), vectors[:, j])
        columns.append(along * ((n * float(values[j])) ** -0.5 if kept else 0.0))
        variances.append(values[j] * float(kept))
    return mean, xp.stack(columns, axis=1), xp.stack(variances), total


def _sums_place(x: Array) -> Any:
    """Return where sums over rows end up: the host for Dask."""
    place = _arrays.place_of(x)
    return _arrays.resolve_place(None) if _arrays.is_chunked(x) else work_place(place)


def _signed(xp: Any, directions: Array) -> Array:
    largest = xp.max(directions, axis=0) + xp.min(directions, axis=0)
    sign = xp.where(largest < 0.0, -xp.ones_like(largest), xp.ones_like(largest))
    return directions * sign[None, :]
