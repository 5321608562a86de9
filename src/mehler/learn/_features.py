"""Rows, targets and features for the learners, in blocks; the spectral error of a kernel matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from mehler import _arrays
from mehler._arrays import Array, Place
from mehler._validate import require_iterable, require_positive, require_reals
from mehler.features import FeatureMap

Phi: TypeAlias = Callable[[Array], Array]
Scoring: TypeAlias = Literal["mse", "error_rate"]
SCORINGS: tuple[Scoring, ...] = get_args(Scoring)
# Up to so many rows their features are kept in memory; a block has as many or more.
_FEW = 64
# Bytes of sparse rows that are made dense at a time.
_DENSE = 1 << 24


def host_reals(name: str, value: Array) -> NDArray[np.float64]:
    """Return real numbers of any library, or a list of them, on the host."""
    if _arrays.is_array(value):
        _arrays.real_dtype(value, name=name)
        value = _arrays.to_host(value)
    return require_reals(name, value)


def require_map(phi: Phi) -> Phi:
    if not callable(phi):
        raise TypeError(
            f"phi is {type(phi).__name__}, which cannot be called; pass a map, or the transform "
            "of a fitted scikit-learn sampler"
        )
    return phi


def require_rows(x: Array, name: str = "X") -> None:
    """Raise unless `x` is a matrix of finite rows (unchecked for Dask), not traced by jax.jit."""
    _arrays.require_matrix(x, name=name)
    _arrays.require_known_chunks(x)
    _arrays.require_values(x, name)


def require_beside(a: Array, b: Array, names: tuple[str, str]) -> Any:
    """Return the namespace of two arrays of one library and device."""
    xp = _arrays.array_namespace(a, b, names=names)
    here, there = _arrays.place_of(a).device, _arrays.place_of(b).device
    if here != there:
        raise ValueError(
            f"{names[0]} lives on {here} but {names[1]} on {there}; bring both to one device"
        )
    return xp


def require_pair(x: Array, y: Array, names: tuple[str, str] = ("X", "Y")) -> Array:
    """Validate rows with one target, or one row of t targets, each; return targets as (n, t)."""
    require_rows(x, names[0])
    xp = require_beside(x, y, names)
    if y.ndim not in (1, 2):
        raise ValueError(
            f"{names[1]} must have shape (rows,) or (rows, targets) but has {y.ndim} axes"
        )
    if y.shape[0] != x.shape[0]:
        raise ValueError(
            f"{names[1]} has {y.shape[0]} rows but {names[0]} has {x.shape[0]}; give one for each"
        )
    if not xp.isdtype(y.dtype, ("real floating", "integral")):
        raise TypeError(
            f"{names[1]} has dtype {_arrays.dtype_name(y.dtype)}; targets are real numbers: for "
            "labels use learn.one_vs_all(labels)"
        )
    y = y if y.ndim == 2 else y[:, None]
    _arrays.require_matrix(y, name=names[1])
    return y


def require_weights(x: Array, weights: Array | None) -> Array | None:
    """Validate weights of rows: non-negative numbers on the device of the rows, or None."""
    if weights is None:
        return None
    require_pair(x, weights, ("X", "weights"))
    if weights.ndim != 1 or bool(_arrays.array_namespace(weights).any(weights < 0)):
        raise ValueError("weights must be one number of at least 0 for each row")
    return weights


def require_lambdas(lambdas: object) -> tuple[float, ...]:
    """Return one or several numbers above 0 as a tuple."""
    if isinstance(lambdas, Real):
        return (require_positive("lambdas", lambdas),)
    values = require_iterable("lambdas", lambdas)
    if not values:
        raise ValueError("lambdas is empty: give at least one number above 0")
    return tuple(require_positive(f"lambdas[{i}]", value) for i, value in enumerate(values))


def require_no_overflow(size: float) -> None:
    """Raise for infinite sums of squares or products: every weight would be 0 or NaN."""
    if not math.isfinite(size):
        raise ValueError(
            "sums of squares of phi(X), or of the targets, overflow; scale the rows, the targets, "
            "or the weights, down"
        )


def rows_at(x: Array, index: NDArray[np.int64]) -> Array:
    """Select rows, dense or sparse, by a host array of integers."""
    if issparse(x):
        return x[index]
    xp = _arrays.array_namespace(x)
    # JAX has no int64 unless x64 is enabled.
    narrow = index.astype(np.int32) if x.shape[0] < 2**31 else index
    return xp.take(x, _arrays.from_host(narrow, _arrays.place_of(x)), axis=0)


def dense_blocks(x: Array) -> Iterator[Array]:
    """Yield sparse rows block by block as arrays; others as they are."""
    if not issparse(x):
        yield x
        return
    n, d = x.shape
    for rows in _arrays.slices(n, max(1, _DENSE // (8 * d))):
        yield x[rows].toarray()


def call_options(phi: Phi, rows: Array) -> dict[str, bool]:
    """Return options of a call on checked rows: skip the check for NaN where it was made."""
    # On a GPU only: on the host the check is cheap, and chunks of Dask are unchecked.
    is_map = type(phi).__call__ is FeatureMap.__call__
    return {"check_finite": False} if is_map and _arrays.prefers_large_steps(rows) else {}


def features_of(phi: Phi, rows: Array) -> Array:
    """Compute features of rows, and check them: a real, finite matrix with as many rows."""
    if issparse(rows):
        return np.concatenate([features_of(phi, part) for part in dense_blocks(rows)])
    z = phi(rows, **call_options(phi, rows))
    xp = _arrays.array_namespace(rows, z, names=("X", "phi(X)"))
    if z.ndim != 2 or z.shape[0] != rows.shape[0] or z.shape[1] == 0:
        raise ValueError(
            f"phi(X) has shape {tuple(z.shape)} for {rows.shape[0]} rows; it must be "
            "(rows, features)"
        )
    require_features(xp, z)
    z = _arrays.constant(z)
    if not bool(xp.isfinite(xp.sum(xp.sum(z, axis=0)))):
        _arrays.require_finite(z, name="phi(X)")
    return z


def require_features(xp: Any, z: Array) -> None:
    """Raise TypeError for integers, which are codes."""
    if not xp.isdtype(z.dtype, "real floating"):
        raise TypeError(
            f"phi(X) has dtype {_arrays.dtype_name(z.dtype)}: codes, it seems, and not features "
            "whose inner products estimate a kernel"
        )


@dataclass(frozen=True)
class Layout:
    """Device of features, `home`, their dtype, device of sums, `place`; `flat`: targets (n,)."""

    home: Place
    place: Place
    dtype: str
    flat: bool

    @classmethod
    def at(cls, home: Place, dtype: str, flat: bool) -> Layout:
        """Return the layout of features in `home`: sums on the host if that has no float64."""
        wide = _arrays.has_float64(home.xp, home.device)
        return cls(home, home if wide else _arrays.resolve_place(None), dtype, flat)


class Features:
    """Features of checked rows, with targets (n, t) and weights or None, block by block.

    Features of few rows are computed once and kept. Rows may be sparse ones of SciPy.
    """

    def __init__(
        self, phi: Phi, x: Array, y: Array, weights: Array = None, flat: bool = False
    ) -> None:
        self.phi, self.x, self.y, self.weights = phi, x, y, weights
        few = x.shape[0] <= _FEW
        z = features_of(phi, x if few else x[:1, :])
        self._values = z if few else None
        self.n_features = int(z.shape[1])
        home = _arrays.resolve_place(None) if issparse(x) else _arrays.place_of(x)
        self.layout = Layout.at(home, _arrays.dtype_name(z.dtype), flat)

    def total(self, index: NDArray[np.int64] | None = None) -> float:
        """Return the number of rows, or the sum of their weights."""
        if self.weights is None:
            return self.x.shape[0] if index is None else len(index)
        weights = np.asarray(_arrays.to_host(self.weights), dtype=np.float64)
        return float(np.sum(weights if index is None else weights[index]))

    def blocks(
        self, index: NDArray[np.int64] | None = None
    ) -> Iterator[tuple[Array, Array, Array | None]]:
        """Yield features, float64 targets and float64 weights (or None), on the device of sums.

        They are those of all rows, or of the rows at `index`, a NumPy array.
        """
        sizes = self.n_features, 4 if self.layout.dtype == "float32" else 8
        block = _arrays.block_rows_for_gram(*sizes)
        # A GPU makes features of many blocks at once: the host waits for each look at them.
        is_gpu = _arrays.prefers_large_steps(self.x)
        whole = _arrays.block_rows_for_map(*sizes, self.x) if is_gpu else block
        for rows in _arrays.slices(self.x.shape[0] if index is None else index.shape[0], whole):

            def part_of(x: Array, rows: slice = rows) -> Array:
                if index is not None:
                    return rows_at(x, index[rows])
                return x[rows, :] if x.ndim == 2 else x[rows]

            z = self._values
            z = features_of(self.phi, part_of(self.x)) if z is None else part_of(z)
            z, targets = self._for_sums(z), self._for_sums(part_of(self.y), "float64")
            weights = None
            if self.weights is not None:
                weights = self._for_sums(part_of(self.weights), "float64")
            for part in _arrays.slices(z.shape[0], block):
                yield z[part, :], targets[part, :], None if weights is None else weights[part]

    def _for_sums(self, x: Array, dtype: str | None = None) -> Array:
        home, place = self.layout.home, self.layout.place
        if place is not home:
            return _arrays.from_host(_arrays.to_host(x), place, dtype)
        return x if dtype is None else home.xp.astype(x, getattr(home.xp, dtype))


# Negative eigenvalues and asymmetries below this fraction of the largest are rounding.
_ROUNDING = 1e-6
_LARGEST = 1e150  # of an entry: squares and their sums stay finite


def spectral_error(K_hat: Array, K: Array, lam: float) -> float:
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
        Delta: the largest eigenvalue in size of
        :math:`(K + \lambda)^{-1/2}(\hat K - K)(K + \lambda)^{-1/2}`, by 18 n^3 operations.

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
    lam = require_positive("lam", lam)
    approximation, exact = _matrix("K_hat", K_hat), _matrix("K", K)
    if approximation.shape != exact.shape:
        raise ValueError(
            f"K_hat has shape {approximation.shape} but K {exact.shape}; make them equal"
        )
    eigenvalues, vectors = np.linalg.eigh(exact)
    if eigenvalues[0] < -_ROUNDING * np.abs(eigenvalues).max():
        raise ValueError(
            f"K is not positive semidefinite: its least eigenvalue is {eigenvalues[0]:.3g}, its "
            f"largest {eigenvalues[-1]:.3g}"
        )
    root = vectors / np.sqrt(np.maximum(eigenvalues, 0.0) + lam)
    quotient = root.T @ (approximation - exact) @ root
    return float(np.abs(np.linalg.eigvalsh(0.5 * (quotient + quotient.T))).max())


def _matrix(name: str, value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a symmetric matrix of finite numbers, float64 on the host."""
    K = host_reals(name, value)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or K.shape[0] == 0:
        raise ValueError(f"{name} must be a square matrix, not of shape {K.shape}")
    size = float(np.abs(K).max())
    if size > _LARGEST:
        raise ValueError(f"{name} holds numbers above {_LARGEST:g}, whose squares overflow")
    if float(np.abs(K - K.T).max()) > _ROUNDING * size:
        raise ValueError(f"{name} is not symmetric")
    return 0.5 * (K + K.T)
