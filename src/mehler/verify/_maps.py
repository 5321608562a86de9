"""Inputs of a check: maps drawn from seeds, pairs of rows with the claimed kernel, a clock.

The claim is on maps phi = draw(seed): E<phi(x), phi(y)> = k(x, y) at pairs of rows x and y. Over
sqrt(k(x, x) k(y, y)), their units, claims of rows of all lengths compare. `evaluate` and `raw`, at
the end, call a map, and say what is wrong with one that raises or returns no matrix.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic, thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, dense_host, from_host, is_array, place_of, require_matrix, to_host
from mehler._plural import counted
from mehler._validate import require_integer, shown
from mehler.verify._arguments import host_reals

Kernel = Callable[[Any, Any], Array]

MAPPED = "draw(seed)(X)"  # what a map returns, in messages
REMEDY = "pass a function seed -> map, such as lambda seed: make(random_state=seed).fit(X)"


class Draws:
    """Maps draws[k] = draw(s_k), of distinct 31-bit seeds s_k; other streams have other seeds."""

    def __init__(self, draw: Callable[[int], Any], seed: int, *, stream: int = 0) -> None:
        self.draw = require_draw(draw)
        self.root = require_integer("seed", seed, least=0)
        self._stream, self._child = stream, 0
        self._seeds: list[int] = []
        self._words: set[int] = set()
        self._last: tuple[int, Any] = (-1, None)

    def seed(self, k: int) -> int:
        while len(self._seeds) <= k:
            child = np.random.SeedSequence(self.root, spawn_key=(self._stream, self._child))
            self._child += 1
            word = int(child.generate_state(1)[0]) >> 1
            if word not in self._words:
                self._words.add(word)
                self._seeds.append(word)
        return self._seeds[k]

    def make(self, k: int) -> Any:
        return self.draw(self.seed(k))

    def __getitem__(self, k: int) -> Any:
        if self._last[0] != k:
            with np.errstate():  # what a map does to it is undone
                self._last = (k, self.make(k))
        return self._last[1]


class Bundles(Draws):
    """Draws whose k-th item is a tuple of maps, one by each of `makers`; `common`: of one seed."""

    def __init__(
        self, makers: Sequence[Any], seed: int, *, stream: int = 0, common: bool = False
    ) -> None:
        super().__init__(makers[0], seed, stream=stream)
        self._makers, self._common = [require_draw(maker) for maker in makers], common

    def make(self, k: int) -> Any:
        size, step = len(self._makers), int(not self._common)
        return tuple(maker(self.seed(k * size + i * step)) for i, maker in enumerate(self._makers))


def require_draw(draw: Any, name: str = "draw", takes: str = "seed") -> Callable[..., Any]:
    """Return a function of a seed; TypeError for a map or an estimator in its place."""
    owner = draw.__self__ if inspect.ismethod(draw) else draw
    is_method = owner is not draw and draw.__name__ not in ("transform", "__call__")
    if not is_method and (hasattr(owner, "fit") or is_feature_map(owner)):
        raise TypeError(f"{name} is a map or its class, not a function of a seed: {REMEDY}")
    if not callable(draw):
        text = repr(draw) if len(repr(draw)) < 60 else f"a {type(draw).__name__}"
        raise TypeError(f"{name}={text} must be callable: {takes} -> map")
    with suppress(ValueError):  # of some functions in C nothing is known
        signature = inspect.signature(draw)
        try:
            signature.bind(*takes.split(", "))
        except TypeError:
            text = f"{name}({', '.join(signature.parameters)}) must take {takes} alone and return"
            text += f" a map X -> Z, such as lambda {takes}: lambda X: {name}({takes}, X)"
            raise TypeError(text) from None
    return draw


def is_feature_map(value: object) -> bool:
    from mehler.features import FeatureMap

    return isinstance(value, FeatureMap)


class Clock:
    """Seconds since the start, and a limit: CPU time, or wall time / 4 if others do the work."""

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._start, self._worked = monotonic(), thread_time()
        self._quiet = limit is not None and limit < 60.0

    @property
    def seconds(self) -> float:
        return max(thread_time() - self._worked, (monotonic() - self._start) / 4.0)

    @property
    def over(self) -> bool:
        return self.limit is not None and self.seconds >= self.limit

    def foresee(self, done: int, total: float, resolution: float, name: str) -> None:
        """Warn once, after five seconds, where `total` draws will take over a minute."""
        if self._quiet or (seconds := self.seconds) <= 5.0:
            return
        minutes = seconds / 60.0 * total / max(done, 1)
        if 1.0 < minutes < math.inf:
            self._quiet = True
            limit = "" if self.limit is None else f"; the time limit is {self.limit:.3g} s"
            text = f"{name}: resolution={resolution:.3g} takes about {minutes:.2g} minutes of CPU"
            coarse = f"resolution={1.1 * resolution * math.sqrt(minutes):.2g} fits into a minute"
            warnings.warn(f"{text} time{limit}; {coarse}", RuntimeWarning, stacklevel=2)


@dataclass(frozen=True)
class EvaluatedRows:
    """Rows x, as the caller's `array` and as `host`, with `unit`, sqrt(k(x, x)) of the claim k.

    `square` is k(x, x)/unit^2: 1, or 0 where k(x, x) = 0; the unit is the largest other one there.
    """

    array: Array
    host: Any
    unit: Any
    square: Any = 1.0

    def gather(self, index: NDArray[np.int64]) -> Array:
        return from_host(self.host[index], place_of(self.array))

    @property
    def values(self) -> Any:
        return np.asarray(self.host, dtype=np.float64)


@dataclass
class RowPairs:
    """Pairs of rows x_i and y_j, i in `first` and j in `second`; `claim` is k(x_i, y_j)/`unit`.

    `unit` is the product of the units of both rows, `squares` the sum of their `square`.
    """

    left: EvaluatedRows
    right: EvaluatedRows
    first: Any
    second: Any
    claim: Any

    def __post_init__(self) -> None:
        sides = (self.left, self.first), (self.right, self.second)
        self.n, self.same = int(self.first.size), self.left is self.right
        left, right = (rows.unit[at] for rows, at in sides)
        self.unit = left * right
        left, right = (np.broadcast_to(rows.square, rows.unit.shape)[at] for rows, at in sides)
        self.squares = left + right

    def pick(self, matrix: Array) -> Any:
        return matrix[self.first, self.second]

    def values_of(self, function: Kernel, name: str) -> Any:
        """Return function(X, Y) at the pairs in float64, checked for shape and finiteness."""
        return self.pick(_kernel_matrix(function, self.left.values, self.right.values, name))

    def take(self, index: NDArray[np.int64]) -> RowPairs:
        parts = {name: getattr(self, name)[index] for name in ("first", "second", "claim")}
        return replace(self, **parts)

    def place(self, index: int) -> dict[str, Any]:
        i, j = int(self.first[index]), int(self.second[index])
        x, y = self.left.values[i], self.right.values[j]
        norms = float(np.linalg.norm(x) * np.linalg.norm(y))
        rho = float(np.clip(x @ y / norms, -1.0, 1.0)) if norms > 0.0 else 0.0
        return {"i": i, "j": j, "rho": rho}


def make_pairs(kernel: Kernel, x: Array, y: Array | None) -> RowPairs:
    """Pair all rows of X with all of Y, or each unordered pair of X once with the diagonal."""
    if not callable(kernel):
        text = f"a matrix of shape {np.shape(kernel)}" if is_array(kernel) else shown(kernel)
        text = f"kernel={text} must be callable: (X, Y) -> (n, k)"
        raise TypeError(f"{text}, as lambda X, Y: X @ Y.T or mehler.kernels.make('rbf')")
    pairs = unclaimed_pairs(x, y)
    left = _in_units(kernel, pairs.left, "X")
    right = left if pairs.same else _in_units(kernel, pairs.right, "Y")
    pairs = replace(pairs, left=left, right=right)
    return replace(pairs, claim=pairs.values_of(kernel, "kernel") / pairs.unit)


def unclaimed_pairs(x: Array, y: Array | None) -> RowPairs:
    """Pair all rows of X with all of Y, or each unordered pair of X once; the claim is 1."""
    left = unclaimed_rows(x)
    right = left if y is None else unclaimed_rows(y, "Y")
    (n, d), (m, e) = left.host.shape, right.host.shape
    if d != e:
        raise ValueError(f"X has {counted(d, 'column')} but Y has {e}: both are inputs of one map")
    first, second = np.triu_indices(n) if y is None else np.indices((n, m)).reshape(2, -1)
    return RowPairs(left, right, first, second, np.ones(first.size))


def unclaimed_rows(x: Array, name: str = "X") -> EvaluatedRows:
    """Return validated rows, on the caller's device and on the host (in NumPy)."""
    require_plain(x, name)
    array = x if is_array(x) else host_reals(name, x)
    require_matrix(array, name=name)
    host = to_host(array)
    require_matrix(host, name=name)  # of a lazy array only now are the values known
    return EvaluatedRows(array, host, np.ones(host.shape[0]))


def require_plain(value: object, name: str) -> None:
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array: pass one without a mask, as by {name}.filled()")
    if hasattr(value, "nnz") and hasattr(value, "toarray"):
        raise TypeError(f"{name} is a sparse matrix: pass {name}.toarray()")


def kernel_values(function: Kernel, x: Array, y: Array, name: str = "kernel") -> Any:
    """Return function(X, Y) on the host; TypeError if it writes to its rows, which are copies."""
    left = x.copy()
    right = left if y is x else y.copy()
    try:
        value = function(left, right)
    except (TypeError, AttributeError, ValueError, IndexError) as error:
        text = f"{name}(X, Y) raised {type(error).__name__}: {error}; it takes two float64 NumPy"
        text += " arrays, (n, d) and (k, d), and returns (n, k)"
        if isinstance(error, ValueError):
            raise ValueError(text) from error
        raise TypeError(f"{text}: convert them inside") from error
    require_plain(value, f"{name}(X, Y)")
    value = host_reals(f"{name}(X, Y)", value)
    if not all(map(np.array_equal, (left, right), (x, y))):
        raise TypeError(f"{name}(X, Y) changes its rows in place: let it work on copies")
    return value


def _kernel_matrix(function: Kernel, x: Array, y: Array, name: str) -> Any:
    value, shape = kernel_values(function, x, y, name), (len(x), len(y))
    if value.shape != shape:
        raise ValueError(f"{name}(X, Y) has shape {value.shape} but must have shape {shape}")
    if not np.isfinite(value).all():
        i, j = (int(k) for k in np.argwhere(~np.isfinite(value))[0])
        raise ValueError(f"{name}(X, Y) is not finite, first at ({i}, {j}): nothing is claimed")
    return value


# Rows per block of a diagonal, and the share of the largest k(x, x) that may be rounding of 0.
_DIAGONAL_BLOCK, _ROUNDED = 256, 64.0 * float(np.finfo(np.float64).eps)


def _in_units(kernel: Kernel, rows: EvaluatedRows, name: str) -> EvaluatedRows:
    values, step = rows.values, _DIAGONAL_BLOCK
    blocks = [values[start : start + step] for start in range(0, len(values), step)]
    diagonal = np.concatenate([np.diag(_kernel_matrix(kernel, x, x, "kernel")) for x in blocks])
    largest = float(diagonal.max())
    if (diagonal < -_ROUNDED * largest).any() or not largest > 0.0:
        bad = int(np.argmin(diagonal))
        text = f"k(x, x) = {diagonal[bad]:.6g} at row {bad} of {name} must not be negative, nor 0"
        raise ValueError(f"{text} at all rows: leave such rows out")
    # A row of zeros may claim 0 features; the square of a rounded difference is no length either.
    positive = diagonal > _ROUNDED**2 * largest
    unit, square = np.sqrt(np.where(positive, diagonal, largest)), np.where(positive, 1.0, 0.0)
    return replace(rows, unit=unit, square=square)


def call(phi: Callable[..., Any], rows: EvaluatedRows) -> Any:
    return evaluate(phi, rows)[0]


def evaluate(phi: Callable[..., Any], rows: EvaluatedRows) -> tuple[Any, float]:
    """Return the features of a copy of rows, a real NumPy matrix, and eps of the map's dtype."""
    copy = getattr(rows.array, "copy", getattr(rows.array, "clone", None))
    try:
        with np.errstate():  # what the map does to it is undone
            array = raw(phi, copy() if callable(copy) else rows.array)
    except Exception as error:
        if type(error).__name__ != "NotFittedError":
            raise
        text = "draw(seed) returned a transformer that is not fitted: return it fitted, as in"
        raise ValueError(f"{text} make(random_state=seed).fit(X).transform") from error
    if isinstance(array, tuple | dict):
        kind = type(array).__name__
        raise ValueError(f"{MAPPED} is a {kind}: a map returns one matrix of features")
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{MAPPED} is a masked array: features have a value in each entry")
    value, eps = dense_host(host_reals(MAPPED, array) if isinstance(array, list) else array)
    n = rows.host.shape[0]
    if value.ndim != 2 or value.shape[0] != n or value.shape[1] == 0:
        what = f"of {type(array).__name__} " if value.dtype == object else ""
        text = f"{MAPPED} {what}has shape {value.shape} for X of shape {rows.host.shape}"
        raise ValueError(f"{text}: a map returns ({n}, n_features)")
    if value.dtype.kind not in "biuf":
        remedy = "; np.hstack([Z.real, Z.imag]) is" * (value.dtype.kind == "c")
        raise ValueError(f"{MAPPED} has dtype {value.dtype}: features must be real numbers{remedy}")
    return value, float(np.finfo(np.float64).eps) if eps is None else eps


def first_map(draws: Draws, rows: EvaluatedRows, name: str = "draw") -> Any:
    """Return the first map; TypeError if drawing raises because `draw` is itself a map."""
    try:
        return draws[0]
    except Exception as error:
        is_map = False
        with suppress(Exception):
            is_map = bool(evaluate(draws.draw, rows)[0].size)
        if is_map:
            raise TypeError(f"{name} is a map X -> Z of one seed: {REMEDY}") from error
        raise


def raw(phi: Any, array: Array) -> Any:
    """Return the unconverted output of a map or a fitted transformer."""
    if isinstance(phi, type):
        raise TypeError(f"draw(seed) returned the class {phi.__name__}: return a map X -> Z")
    function = phi if callable(phi) else getattr(phi, "transform", None)
    if not callable(function):
        text = f"draw(seed) returned {type(phi).__name__}, which is not callable: return the map"
        raise TypeError(f"{text} X -> Z, for a transformer its bound method transform")
    try:
        return function(array)
    except (AttributeError, RuntimeError, TypeError) as error:
        if hasattr(phi, "state_dict"):
            text = f"draw(seed) returned a PyTorch module, which does not take X ({error}): return"
            raise TypeError(f"{text} lambda X: module(torch.as_tensor(X).float())") from error
        trace = error.__traceback__
        if isinstance(error, TypeError) and trace is not None and trace.tb_next is None:
            text = f"draw(seed) returned a map that cannot be called as map(X): {error}"
            raise TypeError(text) from None
        raise
