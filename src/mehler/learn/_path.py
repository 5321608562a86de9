"""Ridge regression on features for k lambdas, and the errors by which one is chosen.

Of centred features Z and targets y of N rows, weights are (Z^T Z + N lambda)^-1 Z^T y. Several
lambdas share the eigenvectors of Z^T Z, or those of Z Z^T if rows are fewer than features.
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler.learn._features import (
    Features,
    Layout,
    Phi,
    Scoring,
    call_options,
    require_no_overflow,
    require_rows,
)


@dataclass(frozen=True, eq=False)
class RidgeFit:
    r"""A linear function of features, :math:`f(x) = W^\top\phi(x) + b`.

    Parameters
    ----------
    phi : callable
        The map.
    weights, intercept : array, shape (m, t), (t,)
        W and b for m features and t targets, in the dtype and on the device of the features.
    lam : float
        The lambda of this function.
    n_rows : int or float
        Number of fitted rows N; with weights their sum.
    lambdas, errors : tuple of float and numpy.ndarray, shape (k,)
        All lambdas solved for, and the mean error of each on rows left out, by which `lam` was
        chosen; None if there was nothing to choose.
    """

    phi: Phi = field(repr=False)
    weights: Array = field(repr=False)
    intercept: Array = field(repr=False)
    lam: float
    n_rows: float = 0
    lambdas: tuple[float, ...] = ()
    errors: Any = None
    _flat: bool = field(default=False, repr=False)

    def predict(self, X: Array) -> Array:
        """Compute f(x) for the rows of `X`; for classes take the largest, ``argmax(axis=1)``.

        Rows are where those of the fit were, and a Dask array stays lazy. Values are (n, t), or
        (n,) if targets were given so, in the dtype of the features.
        """
        if _arrays.is_array(X) and _arrays.is_lazy(X):
            _arrays.require_matrix(X)
        else:
            require_rows(X)
        m, t = self.weights.shape
        function = functools.partial(_linear, self.phi, self.weights, self.intercept)
        values = _arrays.map_rows(function, X, t, self.weights.dtype, width=m)
        return values[:, 0] if self._flat else values


def _linear(phi: Phi, weights: Array, intercept: Array, xp: ModuleType, rows: Array) -> Array:
    z = phi(rows, **call_options(phi, rows))
    if z.shape[1] != weights.shape[0]:
        raise ValueError(f"phi(X) has {z.shape[1]} columns but the weights are {weights.shape[0]}")
    narrow = xp.astype(weights, z.dtype, copy=False)
    with _arrays.full_precision(z):
        values = xp.matmul(_arrays.constant(z), narrow) + intercept[None, :]
    return xp.astype(values, weights.dtype, copy=False)


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues s and vectors V of the Gram matrix Z^T Z; `coordinates` is V^T Z^T y.

    Eigenvectors are used if s plus the penalty is above `least`, the size of rounding errors.
    """

    values: Array
    vectors: Array
    coordinates: Array
    least: Array

    def inverses(self, lambdas: tuple[float, ...], n: float) -> Array:
        """Compute 1/(s + N lambda), (m, k), or 0 where s + N lambda is within rounding of 0."""
        xp = _arrays.array_namespace(self.values)
        sums = xp.stack([self.values + n * lam for lam in lambdas], axis=1)
        mask = sums > self.least
        return xp.where(mask, 1.0 / xp.where(mask, sums, xp.ones_like(sums)), 0.0 * sums)

    def solutions(self, inverses: Array) -> Array:
        """Compute V^T weights for all lambdas: (m, t, k)."""
        return self.coordinates[:, :, None] * inverses[:, None, :]

    def weights(self, lambdas: tuple[float, ...], n: float) -> Array:
        xp = _arrays.array_namespace(self.values)
        return times(xp, self.vectors, self.solutions(self.inverses(lambdas, n)))


def spectrum(xp: ModuleType, gram: Array, cross: Array, dtype: str, squares: Array) -> Spectrum:
    """Decompose `gram`, in place, given Z^T y, `cross`, and features' dtype and sum of squares."""
    values, vectors = _arrays.eigen(xp, gram)
    least = _arrays.least_resolved(xp, values, products=dtype, features=dtype, squares=squares)
    # Negative eigenvalues are rounding.
    values = xp.where(values > 0.0, values, xp.zeros_like(values))
    return Spectrum(values, vectors, xp.matmul(xp.matrix_transpose(vectors), cross), least)


def spectrum_of_rows(
    xp: ModuleType, rows: Array, targets: Array, dtype: str, squares: Array
) -> Spectrum:
    """Decompose Z^T Z by that of Z Z^T = U S U^T: its eigenvectors are Z^T U S^(-1/2)."""
    columns = xp.matrix_transpose(rows)
    values, left = _arrays.eigen(xp, xp.matmul(rows, columns))
    # Products are in float64, whatever the dtype of the features.
    least = _arrays.least_resolved(xp, values, products="float64", features=dtype, squares=squares)
    # Directions within rounding of 0 are undetermined: set them to 0.
    mask = values > least
    roots = xp.where(mask, values, xp.ones_like(values)) ** 0.5
    values = xp.where(mask, values, xp.zeros_like(values))
    vectors = xp.matmul(columns, left * xp.astype(mask, left.dtype)[None, :] / roots[None, :])
    coordinates = xp.matmul(xp.matrix_transpose(vectors), xp.matmul(columns, targets))
    return Spectrum(values, vectors, coordinates, least)


def weights_by_factors(
    xp: ModuleType, gram: Array, cross: Array, lambdas: tuple[float, ...], n: float, dtype: str
) -> Array:
    """Compute weights by a Cholesky factor per lambda, (m, t, k); ValueError if one is singular."""
    trace = xp.linalg.trace(gram)
    unit = trace if float(trace) > 0.0 else 1.0  # in which squares do not overflow
    norm = unit * xp.sqrt(xp.sum((_arrays.symmetric(xp, gram) / unit) ** 2))
    least = float(_arrays.least_pivot(xp, norm, trace, gram.shape[0], products=dtype))
    return xp.stack(
        [_arrays.solve_positive(xp, gram, n * lam, cross, least) for lam in lambdas], axis=2
    )


@dataclass(frozen=True)
class Path:
    """The functions weights^T (phi(x) - mean) + target_mean for all lambdas, in float64."""

    phi: Phi
    layout: Layout
    lambdas: tuple[float, ...]
    n_rows: float
    intercept: bool
    mean: Array
    target_mean: Array
    weights: Array
    spectrum: Spectrum | None

    def fit(self, i: int, errors: Array | None = None) -> RidgeFit:
        """Return the solution for ``lambdas[i]``, on the device of the features."""
        home, place = self.layout.home, self.layout.place
        xp, weights = place.xp, self.weights[:, :, i]
        offset = self.target_mean - xp.matmul(xp.matrix_transpose(weights), self.mean)
        if place is not home:
            weights, offset = (
                _arrays.from_host(part, home, "float32") for part in (weights, offset)
            )
        dtype = getattr(home.xp, self.layout.dtype)
        weights, offset = (home.xp.astype(part, dtype) for part in (weights, offset))
        details = (self.lambdas[i], self.n_rows, self.lambdas, errors, self.layout.flat)
        return RidgeFit(self.phi, weights, offset, *details)


def solve_rows(
    features: Features,
    lambdas: tuple[float, ...],
    intercept: bool,
    index: NDArray[np.int64] | None = None,
) -> Path:
    """Solve by inner products Z Z^T, for fewer rows (all, or those of `index`) than features."""
    layout, n = features.layout, features.total(index)
    xp = layout.place.xp
    blocks = list(features.blocks(index))
    rows = xp.concat([xp.astype(z, xp.float64) for z, _, _ in blocks], axis=0)
    targets = xp.concat([t for _, t, _ in blocks], axis=0)
    uniform = features.weights is None
    weights = xp.ones_like(targets[:, 0]) if uniform else xp.concat([w for _, _, w in blocks])
    with np.errstate(over="ignore"):
        squares, target_squares = (xp.sum(weights[:, None] * x * x) for x in (rows, targets))
        require_no_overflow(float(squares + target_squares))
    share = (1.0 if intercept else 0.0) / n
    mean, target_mean = (share * xp.sum(weights[:, None] * x, axis=0) for x in (rows, targets))
    rows, targets = rows - mean[None, :], targets - target_mean[None, :]
    if not uniform:
        roots = xp.sqrt(weights)[:, None]
        rows, targets = rows * roots, targets * roots
    eigen = solution = None
    if len(lambdas) == 1:
        columns = xp.matrix_transpose(rows)
        inner = xp.matmul(rows, columns)
        with contextlib.suppress(ValueError):  # a pivot within rounding: cut the rank
            of_rows = weights_by_factors(xp, inner, targets, lambdas, n, layout.dtype)
            solution = times(xp, columns, of_rows)
    if solution is None:
        eigen = spectrum_of_rows(xp, rows, targets, layout.dtype, squares)
        solution = eigen.weights(lambdas, n)
    return Path(features.phi, layout, lambdas, n, intercept, mean, target_mean, solution, eigen)


def best(lambdas: tuple[float, ...], errors: NDArray[np.float64]) -> int:
    """Return the index of the least error; ties go to the largest lambda."""
    return max(np.flatnonzero(errors == errors.min()).tolist(), key=lambda i: lambdas[i])


# Least value of 1 - leverage: below it no digits are left.
_LEAST = 2.0**-52


def leave_one_out(path: Path, scoring: Scoring, features: Features) -> NDArray[np.float64]:
    """Sum leave-one-out errors over rows, for each lambda: (k,) on the host.

    The error of row i is residual_i / (1 - h_i), h_i the leverage, the i-th diagonal entry of
    Z (Z^T Z + N lambda)^-1 Z^T, plus 1/N for the intercept. A row of weight w_i stands for w_i
    copies: one is left out, or the whole row if w_i < 1, with leverage h_i min(1, w_i).
    """
    xp, eigen = path.layout.place.xp, path.spectrum
    assert eigen is not None
    inverses = eigen.inverses(path.lambdas, path.n_rows)
    solutions = eigen.solutions(inverses)
    # The largest product is computed in the dtype of the features.
    dtype = getattr(xp, path.layout.dtype)
    mean, vectors = (xp.astype(part, dtype) for part in (path.mean, eigen.vectors))
    share = 1.0 / path.n_rows if path.intercept else 0.0
    total: Any = 0.0
    for z, targets, weights in features.blocks():
        with _arrays.full_precision(z):
            coordinates = xp.astype(xp.matmul(z - mean[None, :], vectors), xp.float64)
        deviations = targets - path.target_mean[None, :]
        residuals = deviations[:, :, None] - times(xp, coordinates, solutions)
        leverage = share + xp.matmul(coordinates * coordinates, inverses)
        if weights is not None:
            leverage = leverage * xp.minimum(weights, xp.ones_like(weights))[:, None]
        rest = 1.0 - leverage
        rest = xp.where(rest > _LEAST, rest, xp.full_like(rest, _LEAST))
        total = total + losses(xp, residuals / rest[:, None, :], targets, scoring, weights)
    return total


def hold_out(
    path: Path, scoring: Scoring, features: Features, index: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sum errors over the rows of `index`, which were not fitted: (k,) on the host."""
    xp = path.layout.place.xp
    total: Any = np.zeros(len(path.lambdas))
    for z, targets, weights in features.blocks(index):
        rows = xp.astype(z, xp.float64) - path.mean[None, :]
        deviations = targets - path.target_mean[None, :]
        residuals = deviations[:, :, None] - times(xp, rows, path.weights)
        total = total + losses(xp, residuals, targets, scoring, weights)
    return total


def losses(
    xp: ModuleType, residuals: Array, targets: Array, scoring: Scoring, weights: Array | None
) -> Any:
    """Sum squared errors (mean over targets) or misclassified rows, by weight: (k,)."""
    if scoring == "mse":
        values = xp.mean(residuals * residuals, axis=1)
    else:
        predictions = targets[:, :, None] - residuals
        if targets.shape[1] == 1:
            mistakes = (predictions[:, 0, :] >= 0.0) != (targets >= 0.0)
        else:
            mistakes = xp.argmax(predictions, axis=1) != xp.argmax(targets, axis=1)[:, None]
        values = xp.astype(mistakes, xp.float64)
    if weights is not None:
        values = values * weights[:, None]
    return _arrays.to_host(xp.sum(values, axis=0))


def times(xp: ModuleType, a: Array, b: Array) -> Array:
    """Multiply (n, m) by (m, t, k)."""
    m, t, k = b.shape
    return xp.reshape(xp.matmul(a, xp.reshape(b, (m, t * k))), (a.shape[0], t, k))
