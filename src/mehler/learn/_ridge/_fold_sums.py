"""Ridge regression without each fold in turn, from the sums of each fold."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler.learn._ridge._dual import is_wide, solve_dual
from mehler.learn._ridge._path import HeldOut, Path
from mehler.learn._ridge._sums import RidgeSums

Map = Callable[[Array], Array]


@dataclass(frozen=True, kw_only=True)
class How:
    """Options of the solver."""

    lambdas: tuple[float, ...]
    intercept: bool
    solver: str


@dataclass(frozen=True)
class FoldSums:
    """Sums of the rows of each fold; ``+`` adds fold by fold."""

    parts: tuple[RidgeSums, ...]

    def __add__(self, other: FoldSums) -> FoldSums:
        return FoldSums(tuple(map(operator.add, self.parts, other.parts)))


@dataclass(frozen=True)
class _Sums:
    """Sums of rows by fold number, below `n_parts`."""

    phi: Map
    n_parts: int
    flat: bool

    def __call__(self, x: Array, y: Array, numbers: Any) -> FoldSums:
        return FoldSums(
            tuple(
                RidgeSums(self.phi)._add_rows(x, y, self.flat, np.flatnonzero(numbers == fold))
                for fold in range(self.n_parts)
            )
        )


@dataclass(frozen=True)
class _Errors:
    """Errors of each fold under the functions fitted without it, summed: (folds, lambdas)."""

    phi: Map
    paths: tuple[Path, ...]
    scoring: str

    def __call__(self, x: Array, y: Array, numbers: Any) -> Any:
        return np.stack(
            [
                HeldOut(self.phi, path, self.scoring)(x, y, np.flatnonzero(numbers == fold))
                for fold, path in enumerate(self.paths)
            ]
        )


@dataclass(frozen=True)
class _OfChunk:
    """The same for a Dask chunk, with the fold numbers as one more column of targets."""

    function: Callable[[Array, Array, Any], Any]

    def __call__(self, x: Array, y: Array) -> Any:
        return self.function(x, y[:, :-1], y[:, -1].astype(np.int64))


def _over(function: Callable[[Array, Array, Any], Any], x: Array, y: Array, numbers: Any) -> Any:
    if not _arrays.is_chunked(x):
        return function(x, y, numbers)
    xp = _arrays.array_namespace(y)
    column = xp.asarray(numbers[:, None], chunks=(y.chunks[0], 1))
    joined = xp.concat([xp.astype(y, xp.float64), xp.astype(column, xp.float64)], axis=1)
    return _arrays.sum_over_chunks(_OfChunk(function), x, joined)


def without_each(
    phi: Map, x: Array, y: Array, flat: bool, numbers: Any, n_folds: int, how: How
) -> tuple[list[Path], Callable[[float], Path]]:
    """Return functions fitted without each fold, and the solver of all rows for one lambda."""
    if how.solver != "direct" and is_wide(phi, x):
        given = y[:, 0] if flat else y
        rows = [np.flatnonzero(numbers != fold) for fold in range(n_folds)]
        paths = [solve_dual(phi, x, given, how.lambdas, how.intercept, index) for index in rows]
        return list(map(_light, paths)), lambda lam: solve_dual(
            phi, x, given, (lam,), how.intercept
        )
    parts = _over(_Sums(phi, n_folds + 1, flat), x, y, numbers).parts
    return [solved(parts, how, without=fold) for fold in range(n_folds)], lambda lam: solved(
        parts, replace(how, lambdas=(lam,))
    )


def solved(parts: Sequence[RidgeSums], how: How, without: int | None = None) -> Path:
    """Fit the rows of all parts, or of all others.

    The others are added: subtracting one part from the total would cancel if that part is most.
    """
    others = [part for i, part in enumerate(parts) if i != without]
    # Start from the empty sum, so that no part is overwritten.
    total = functools.reduce(operator.add, others, RidgeSums(parts[0].phi))
    return _light(total._path(how.lambdas, how.intercept, how.solver, overwrite=True))


def _light(path: Path) -> Path:
    return replace(path, spectrum=None)


def errors_over_rows(
    phi: Map, paths: list[Path], x: Array, y: Array, numbers: Any, scoring: str
) -> Any:
    """Sum the errors of each fold over its rows, in another pass over rows."""
    return _over(_Errors(phi, tuple(paths), scoring), x, y, numbers)


def errors_over_sums(path: Path, own: RidgeSums) -> Any:
    r"""Sum squared errors over the rows of `own`, mean over targets, from sums: (k,).

    .. math:: s - 2 w^\top r + w^\top G w + n\big(\bar y - f(\bar z)\big)^2
    """
    xp, (m, t, k) = path.place.xp, path.weights.shape
    flat = xp.reshape(path.weights, (m, t * k))
    seen = xp.sum(flat * xp.matmul(own.gram, flat), axis=0)
    along = xp.sum(path.weights * own._cross[:, :, None], axis=0)
    step = own._mean - path.mean
    shift = (own._target_mean - path.target_mean)[:, None] - xp.sum(
        path.weights * step[:, None, None], axis=0
    )
    squares = own._squares[:, None] - 2.0 * along + xp.reshape(seen, (t, k))
    # Negative values are rounding.
    squares = xp.where(squares > 0.0, squares, xp.zeros_like(squares))
    return _arrays.to_host(xp.mean(squares + own.n_rows * shift * shift, axis=0))
