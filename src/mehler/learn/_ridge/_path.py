"""Solutions for a path of lambdas, and the errors by which one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array, Place
from mehler.learn._arguments import feature_blocks
from mehler.learn._ridge._fit import RidgeFit

# Least value of 1 - leverage: below it no digits are left.
_LEAST = 2.0**-52


@dataclass(frozen=True)
class Spectrum:
    """Eigendecomposition of the Gram, and the right-hand side in its basis.

    Directions whose eigenvalue is within rounding of 0 (`least`) count only if the penalty lifts
    them above that; see :func:`mehler._arrays.least_resolved`.
    """

    values: Array
    vectors: Array
    seen: Array
    least: Array

    def weights(self, xp: Any, lambdas: tuple[float, ...], n: float) -> Array:
        """Compute weights for all lambdas: (m, t, k)."""
        return _times(xp, self.vectors, self.shrunk(lambdas, n))

    def shrunk(self, lambdas: tuple[float, ...], n: float) -> Array:
        """Compute weights in the basis of eigenvectors: (m, t, k)."""
        return self.seen[:, :, None] * self.inverses(lambdas, n)[:, None, :]

    def inverses(self, lambdas: tuple[float, ...], n: float) -> Array:
        """Compute 1/(s + N lambda), (m, k); 0 if that is within rounding of 0."""
        xp = _arrays.array_namespace(self.values)
        found = []
        for lam in lambdas:
            lifted = self.values + n * lam
            kept = lifted > self.least
            safe = xp.where(kept, lifted, xp.ones_like(lifted))
            found.append(xp.where(kept, 1.0 / safe, xp.zeros_like(lifted)))
        return xp.stack(found, axis=1)


def spectrum(xp: Any, gram: Array, cross: Array, dtype: str, squares: Array) -> Spectrum:
    """Decompose `gram`, in place, of features with that dtype and sum of squares."""
    values, vectors = _arrays.eigen(xp, gram)
    least = _arrays.least_resolved(xp, values, products=dtype, features=dtype, squares=squares)
    # Negative eigenvalues are rounding.
    values = xp.where(values > 0.0, values, xp.zeros_like(values))
    return Spectrum(values, vectors, xp.matmul(xp.matrix_transpose(vectors), cross), least)


def spectrum_of_rows(xp: Any, rows: Array, targets: Array, dtype: str, squares: Array) -> Spectrum:
    """Decompose the (n, n) matrix of inner products of fewer rows than features.

    With K = U S U^T the eigenvectors of the Gram are Z^T U S^(-1/2); the others have eigenvalue 0.
    """
    values, left = _arrays.eigen(xp, xp.matmul(rows, xp.matrix_transpose(rows)))
    # Products are in float64, whatever the dtype of the features.
    least = _arrays.least_resolved(xp, values, products="float64", features=dtype, squares=squares)
    # Directions within rounding of 0 are undetermined: set them to 0.
    kept = values > least
    roots = xp.where(kept, values, xp.ones_like(values)) ** 0.5
    values = xp.where(kept, values, xp.zeros_like(values))
    left = left * xp.astype(kept, left.dtype)[None, :] / roots[None, :]
    vectors = xp.matmul(xp.matrix_transpose(rows), left)
    seen = xp.matmul(xp.matrix_transpose(vectors), xp.matmul(xp.matrix_transpose(rows), targets))
    return Spectrum(values, vectors, seen, least)


def direct(
    xp: Any, gram: Array, cross: Array, lambdas: tuple[float, ...], n: float, dtype: str
) -> Array:
    """Compute weights by one factorisation per lambda: (m, t, k)."""
    norm, trace = _arrays.squared_norm(xp, gram), xp.linalg.trace(gram)
    least = float(_arrays.least_pivot(xp, norm, trace, gram.shape[0], products=dtype))
    return xp.stack(
        [_arrays.solve_positive(xp, gram, n * lam, cross, least) for lam in lambdas], axis=2
    )


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Place and dtype of the features, and the shape of the targets."""

    phi: Callable[[Array], Array]
    home: Place
    dtype: str
    flat: bool


@dataclass(frozen=True, kw_only=True)
class Path:
    """Ridge functions for several lambdas: f(x) = weights^T (z - mean) + target_mean."""

    origin: Origin
    place: Place
    lambdas: tuple[float, ...]
    n_rows: float
    intercept: bool
    mean: Array
    target_mean: Array
    weights: Array
    spectrum: Spectrum | None

    def fit(self, i: int, errors: Any = None) -> RidgeFit:
        """Return the function of one lambda, where the features are."""
        xp, home = self.place.xp, self.origin.home
        weights = self.weights[:, :, i]
        offset = self.target_mean - xp.matmul(xp.matrix_transpose(weights), self.mean)
        if self.place is not home:
            weights, offset = (
                _arrays.from_host(part, home, "float32") for part in (weights, offset)
            )
        dtype = getattr(home.xp, self.origin.dtype)
        return RidgeFit(
            phi=self.origin.phi,
            weights=home.xp.astype(weights, dtype),
            intercept=home.xp.astype(offset, dtype),
            lam=self.lambdas[i],
            n_rows=self.n_rows,
            lambdas=self.lambdas,
            errors=errors,
            _flat=self.origin.flat,
        )


def best(lambdas: tuple[float, ...], errors: Any) -> int:
    """Return the index of the least error; ties go to the largest lambda."""
    least = errors.min()
    return max((i for i, e in enumerate(errors) if e == least), key=lambda i: lambdas[i])


@dataclass(frozen=True)
class LeftOut:
    """Leave-one-out errors, summed over rows: (k,) on the host.

    e_i = (y_i - f(x_i)) / (1 - h_i), h_i = 1/N + (z_i - mean)^T (G + N lambda)^{-1} (z_i - mean).
    The last column of targets may be weights w_i: e_i counts w_i times, and is left out once, or
    wholly if w_i < 1, which is h_i min(1, w_i).
    """

    phi: Callable[[Array], Array]
    path: Path
    scoring: str
    weighted: bool = False

    def __call__(self, x: Array, y: Array) -> Any:
        path, xp = self.path, self.path.place.xp
        spectrum = path.spectrum
        assert spectrum is not None
        inverses = spectrum.inverses(path.lambdas, path.n_rows)
        shrunk = spectrum.shrunk(path.lambdas, path.n_rows)
        own = 1.0 / path.n_rows if path.intercept else 0.0
        total: Any = 0.0
        for z, block in feature_blocks(self.phi, x, y):
            targets, weights = apart(block, self.weighted)
            rows = xp.astype(z, xp.float64) - path.mean[None, :]
            seen = xp.matmul(rows, spectrum.vectors)
            centred = targets - path.target_mean[None, :]
            off = centred[:, :, None] - _times(xp, seen, shrunk)
            leverage = own + xp.matmul(seen * seen, inverses)
            if weights is not None:
                leverage = leverage * xp.minimum(weights, xp.ones_like(weights))[:, None]
            rest = 1.0 - leverage
            rest = xp.where(rest > _LEAST, rest, xp.full_like(rest, _LEAST))
            total = total + losses(xp, off / rest[:, None, :], targets, self.scoring, weights)
        return total


@dataclass(frozen=True)
class HeldOut:
    """Hold-out errors, summed over rows: (k,) on the host.

    For all rows given, or those that `index` names. The last column of targets may be weights.
    """

    phi: Callable[[Array], Array]
    path: Path
    scoring: str
    weighted: bool = False

    def __call__(self, x: Array, y: Array, index: Any = None) -> Any:
        path, xp = self.path, self.path.place.xp
        total: Any = np.zeros(len(path.lambdas))
        for z, block in feature_blocks(self.phi, x, y, index):
            targets, weights = apart(block, self.weighted)
            rows = xp.astype(z, xp.float64) - path.mean[None, :]
            centred = targets - path.target_mean[None, :]
            off = centred[:, :, None] - _times(xp, rows, path.weights)
            total = total + losses(xp, off, targets, self.scoring, weights)
        return total


def apart(block: Array, weighted: bool) -> tuple[Array, Array | None]:
    """Take the weights from the last column of targets."""
    return (block[:, :-1], block[:, -1]) if weighted else (block, None)


def losses(xp: Any, off: Array, targets: Array, scoring: str, weights: Array | None = None) -> Any:
    """Sum squared errors (mean over targets) or misclassified rows, by weight: (k,)."""
    if scoring == "mse":
        found = xp.mean(off * off, axis=1)
    else:
        predicted = targets[:, :, None] - off
        if targets.shape[1] == 1:
            wrong = (predicted[:, 0, :] >= 0.0) != (targets >= 0.0)
        else:
            wrong = xp.argmax(predicted, axis=1) != xp.argmax(targets, axis=1)[:, None]
        found = xp.astype(wrong, xp.float64)
    if weights is not None:
        found = found * weights[:, None]
    return _arrays.to_host(xp.sum(found, axis=0))


def _times(xp: Any, a: Array, b: Array) -> Array:
    """Multiply (n, m) by (m, t, k)."""
    m, t, k = b.shape
    return xp.reshape(xp.matmul(a, xp.reshape(b, (m, t * k))), (a.shape[0], t, k))
