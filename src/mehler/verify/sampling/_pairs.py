"""The rows and pairs of a check, with claims and units, and the features of third-party maps."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, dense_host, from_host, is_array, place_of, require_matrix, to_host
from mehler._plural import counted
from mehler._validate import shown
from mehler.verify.sampling._draws import REMEDY, Draws

# Rows per block when only the diagonal of a Gram matrix is needed.
_DIAGONAL_BLOCK = 256

# Up to this share of the largest k(x, x) a value may be rounding of a sum that is 0.
_ROUNDED = 64.0 * float(np.finfo(np.float64).eps)

Kernel = Callable[[Any, Any], Array]


@dataclass(frozen=True)
class EvaluatedRows:
    """Rows as the caller gave them, their values on the host, and the unit sqrt(k(x, x)) of each.

    Where k(x, x) = 0 the unit is the largest of the others; `square` is k(x, x) in units, 0 there
    and 1 elsewhere.
    """

    given: Array
    host: Any
    unit: Any
    square: Any = 1.0

    def gather(self, index: NDArray[np.int64]) -> Array:
        """Return the rows at `index`, where the caller's array lives."""
        return from_host(self.host[index], place_of(self.given))

    @property
    def values(self) -> Any:
        """The rows in float64."""
        return np.asarray(self.host, dtype=np.float64)


@dataclass(frozen=True)
class Pairs:
    """Pairs (i, j) of rows of `left` and `right`; `claim` is k(x_i, y_j) in units of `unit`."""

    left: EvaluatedRows
    right: EvaluatedRows
    first: Any
    second: Any
    claim: Any

    @property
    def n(self) -> int:
        """Number of pairs."""
        return int(self.first.size)

    @property
    def same(self) -> bool:
        """Whether both sides are the same rows."""
        return self.left is self.right

    @property
    def squares(self) -> Any:
        """k(x_i, x_i) + k(y_j, y_j), each in its row's unit, shape (n,)."""
        left, right = (np.broadcast_to(s.square, s.unit.shape) for s in (self.left, self.right))
        return left[self.first] + right[self.second]

    @property
    def unit(self) -> Any:
        """sqrt(k(x_i, x_i) k(y_j, y_j)), shape (n,)."""
        return self.left.unit[self.first] * self.right.unit[self.second]

    def pick(self, matrix: Array) -> Any:
        """Return the entries at the pairs of a matrix of left by right rows."""
        return matrix[self.first, self.second]

    def place(self, index: int) -> dict[str, Any]:
        """Return row numbers and correlation of one pair."""
        i, j = int(self.first[index]), int(self.second[index])
        x, y = self.left.values[i], self.right.values[j]
        norms = float(np.linalg.norm(x) * np.linalg.norm(y))
        rho = float(np.clip(x @ y / norms, -1.0, 1.0)) if norms > 0.0 else 0.0
        return {"i": i, "j": j, "rho": rho}


def make_pairs(kernel: Kernel, x: Array, y: Array | None) -> Pairs:
    """Pair all rows of X with all of Y, or each unordered pair of X once with the diagonal."""
    if not callable(kernel):
        text = f"a matrix of shape {np.shape(kernel)}" if is_array(kernel) else shown(kernel)
        raise TypeError(
            f"kernel={text} must be callable: a function (X, Y) -> (n, k), such as "
            "lambda X, Y: X @ Y.T"
        )
    pairs = pairs_without_claim(x, y)
    left = _in_units(kernel, pairs.left, "X")
    right = left if pairs.same else _in_units(kernel, pairs.right, "Y")
    pairs = replace(pairs, left=left, right=right)
    return replace(pairs, claim=pairs.pick(evaluate(kernel, left, right, "kernel")) / pairs.unit)


def evaluate(function: Kernel, left: EvaluatedRows, right: EvaluatedRows, name: str) -> Any:
    """Return function(X, Y) in float64, checked for shape and finiteness."""
    return _evaluate(function, left.values, right.values, name)


def claimed(function: Kernel, x: Array, y: Array, name: str = "kernel") -> Any:
    """Return function(X, Y) on the host; TypeError if it writes to its rows, which are copies."""
    left = x.copy()
    right = left if y is x else y.copy()
    try:
        value = np.asarray(to_host(function(left, right)))
    except (TypeError, AttributeError) as error:
        raise TypeError(
            f"{name}(X, Y) raised {type(error).__name__}: {error}; it takes two float64 NumPy "
            "arrays and returns (n, k): one of another library converts them, as by torch.as_tensor"
        ) from error
    if not all(map(np.array_equal, (left, right), (x, y))):
        raise TypeError(f"{name}(X, Y) changes its rows in place: let it work on copies")
    return value


def _evaluate(function: Kernel, x: Array, y: Array, name: str) -> Any:
    value = claimed(function, x, y, name)
    expected = (x.shape[0], y.shape[0])
    if value.dtype == object:
        kind = type(value.flat[0]).__name__
        raise TypeError(f"{name}(X, Y) is no matrix of numbers, but holds a {kind}")
    if value.shape != expected:
        raise ValueError(f"{name}(X, Y) has shape {value.shape} but must have shape {expected}")
    if np.iscomplexobj(value):
        raise ValueError(f"{name}(X, Y) is complex ({value.dtype}): claims must be real")
    value = value.astype(np.float64)
    if not np.isfinite(value).all():
        i, j = (int(k) for k in np.argwhere(~np.isfinite(value))[0])
        raise ValueError(f"{name}(X, Y) is not finite, first at ({i}, {j}): nothing is claimed")
    return value


def _in_units(kernel: Kernel, rows: EvaluatedRows, name: str) -> EvaluatedRows:
    values, step = rows.values, _DIAGONAL_BLOCK
    blocks = [values[start : start + step] for start in range(0, len(values), step)]
    diagonal = np.concatenate([np.diag(_evaluate(kernel, part, part, "kernel")) for part in blocks])
    largest = float(diagonal.max())
    if (diagonal < -_ROUNDED * largest).any() or not largest > 0.0:
        bad = int(np.argmin(diagonal))
        raise ValueError(
            f"k(x, x) = {diagonal[bad]:.6g} at row {bad} of {name}: the resolution is relative to "
            "sqrt(k(x,x) k(y,y)), which must not be negative, nor 0 at all rows; leave such rows "
            "out"
        )
    # A claim of 0 features is legitimate for a row of zeros: use the largest row's unit.
    # The square of a difference that is rounding is no length either, whatever its sign.
    some = diagonal > _ROUNDED**2 * largest
    unit, square = np.sqrt(np.where(some, diagonal, largest)), np.where(some, 1.0, 0.0)
    return replace(rows, unit=unit, square=square)


def rows_without_claim(x: Array, name: str = "X") -> EvaluatedRows:
    """Return validated rows, on the caller's device and on the host."""
    require_plain(x, name)
    array = x if is_array(x) else np.asarray(x)
    require_matrix(array, name=name)
    host = to_host(array)
    require_matrix(host, name=name)  # of a lazy array only now are the values known
    return EvaluatedRows(array, host, np.ones(host.shape[0]))


def require_plain(value: object, name: str) -> None:
    """Raise TypeError for masked and sparse arrays, of which entries are missing."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array: pass one without a mask, as by {name}.filled()")
    if hasattr(value, "nnz") and hasattr(value, "toarray"):
        raise TypeError(f"{name} is a sparse matrix: pass {name}.toarray()")


def pairs_without_claim(x: Array, y: Array | None) -> Pairs:
    """Pair all rows of X with all of Y, or each unordered pair of X once; the claim is 1."""
    left = rows_without_claim(x)
    right = left if y is None else rows_without_claim(y, "Y")
    n, m = left.host.shape[0], right.host.shape[0]
    if left.host.shape[1] != right.host.shape[1]:
        raise ValueError(
            f"X has {counted(left.host.shape[1], 'column')} but Y has {right.host.shape[1]}: "
            "both are inputs of one map"
        )
    first, second = np.triu_indices(n) if y is None else np.indices((n, m)).reshape(2, -1)
    return Pairs(left, right, first, second, np.ones(first.size))


def take(pairs: Pairs, kept: NDArray[np.int64]) -> Pairs:
    """Return the pairs at index `kept`."""
    return Pairs(pairs.left, pairs.right, pairs.first[kept], pairs.second[kept], pairs.claim[kept])


def call(phi: Callable[..., Any], rows: EvaluatedRows) -> Any:
    """Return the features of rows as a real matrix on the host; see `read`."""
    return read(phi, rows)[0]


def read(phi: Callable[..., Any], rows: EvaluatedRows) -> tuple[Any, float]:
    """Return the features of a copy of rows, which a map may change, and eps of their dtype.

    Raises TypeError or ValueError for what is no map, a transformer that is not fitted, and output
    that is not a real matrix with one row per input row.
    """
    given = rows.given
    copy = getattr(given, "copy", getattr(given, "clone", None))
    try:
        with np.errstate():  # what the map does to it is undone
            array = raw(phi, copy() if callable(copy) else given)
    except Exception as error:
        if type(error).__name__ != "NotFittedError":
            raise
        raise ValueError(
            "draw(seed) returned a transformer that is not fitted: return it fitted, as in "
            "make(random_state=seed).fit(X).transform"
        ) from error
    if isinstance(array, tuple | dict):
        raise ValueError(
            f"draw(seed)(X) is a {type(array).__name__}: a map returns one matrix of features"
        )
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError("draw(seed)(X) is a masked array: features have a value in each entry")
    value, eps = dense_host(array)
    n = rows.host.shape[0]
    if value.ndim != 2 or value.shape[0] != n or value.shape[1] == 0:
        what = f"of {type(array).__name__} " if value.dtype == object else ""
        raise ValueError(
            f"draw(seed)(X) {what}has shape {value.shape} for X of shape {rows.host.shape}: "
            f"a map returns ({n}, n_features)"
        )
    if value.dtype.kind not in "biuf":
        remedy = "; stack real and imaginary parts, np.hstack([Z.real, Z.imag])"
        raise ValueError(
            f"draw(seed)(X) has dtype {value.dtype}: features must be real numbers"
            + remedy * (value.dtype.kind == "c")
        )
    return value, float(np.finfo(np.float64).eps) if eps is None else eps


def first_map(draws: Draws, rows: EvaluatedRows, name: str = "draw") -> Any:
    """Return the first map; TypeError if what should draw it raises, and is itself a map."""
    try:
        return draws[0]
    except Exception as error:
        is_map = False
        with suppress(Exception):
            is_map = bool(read(draws.draw, rows)[0].size)
        if is_map:
            raise TypeError(f"{name} is a map X -> Z of one seed: {REMEDY}") from error
        raise


def raw(phi: Any, array: Array) -> Any:
    """Return the unconverted output of a map or a fitted transformer."""
    if isinstance(phi, type):
        raise TypeError(f"draw(seed) returned the class {phi.__name__}: return a map X -> Z")
    function = phi if callable(phi) else getattr(phi, "transform", None)
    if not callable(function):
        raise TypeError(
            f"draw(seed) returned {type(phi).__name__}, which is not callable: return the map "
            "X -> Z itself, for a scikit-learn transformer its bound method transform"
        )
    return function(array)
