"""A block: what computes the features of rows, of all units or of some, and which rows it refuses.

A float of size A is rounded by eps A/2. An angle <w, x> of many turns so loses the part that
cosines depend on: rows of 64-bit numbers would have angles that are wrong by radians.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._random import UNITS_PER_BLOCK
from mehler._validate import require_flag
from mehler.features import _rows
from mehler.features._correlation import lengths

# Largest root mean square of the error of an angle, in radians. Errors e, e' of the angles of two
# rows change a feature product's mean by a factor of at least 1 - (e^2 + e'^2)/2 = 1 - 2^-12.
LIMIT = 2.0**-6


@dataclass(frozen=True)
class Angles:
    """The angles of a map of waves, whose rounding bounds the length of rows.

    Angles of standard normal weights have the root mean square `scale` per unit of length of a
    row; the waves see them `harmonic` times. Other laws have lengths (m,) or entries (1, d, m)
    among the weights, at the position `law`.
    """

    scale: float
    harmonic: float = 1.0
    law: int | None = None

    def reach(self, weights: tuple[Any, ...]) -> float:
        """Return the root mean square of an angle over the length of its row, mean over units.

        The error of a Gram entry is at most the mean of the errors of its angles.
        """
        if self.law is None:
            return self.scale
        w = np.asarray(_arrays.to_host(weights[self.law]), dtype=np.float64)
        with np.errstate(all="ignore"):
            sizes = np.abs(w) if w.ndim < 3 else lengths(np, w[0].T)[:, 0] / math.sqrt(w.shape[1])
            return self.scale * float(np.mean(sizes))

    def require(
        self, rows: Array, dtype: object, reach: float, largest: float | None, name: str
    ) -> None:
        """Raise ValueError for rows whose angles, computed in `dtype`, err by more than `LIMIT`.

        Products are rounded, and the partial sums of d of them, each of at most the angle's
        variance over draws: independent errors of eps/2 add up to 1/2 eps sqrt(d + 3) reach |x|.
        Values of traced rows are not available, and rows with NaN have no angle.
        """
        if _arrays.is_lazy(rows):
            return
        n, d = rows.shape
        place = _arrays.place_of(rows)
        eps = float(place.xp.finfo(dtype).eps)
        most = LIMIT / (0.5 * eps * math.sqrt(d + 3) * self.harmonic * reach)
        largest = _arrays.largest_entry(rows) if largest is None else largest
        if largest * math.sqrt(d) <= most:
            return
        for some in _arrays.slices(n, _arrays.block_rows_for_map(d, 8, rows)):
            with np.errstate(all="ignore"):
                size = lengths(np, np.asarray(_arrays.to_host(rows[some, :]), dtype=np.float64))
            # A length that overflows is infinite; that of a row with NaN or infinity is NaN.
            far = np.flatnonzero(size[:, 0] > most)
            if far.size:
                raise ValueError(_refusal(name, some.start + far[0], size[far[0], 0], most, dtype))


def _refusal(name: str, row: int, size: float, most: float, dtype: object) -> str:
    precision = _arrays.dtype_name(dtype)
    remedy = "" if precision == "float64" else "; or compute in float64"
    return (
        f"{name} has the length {size:.3g} in row {row}, and angles <w, x> of rows longer than "
        f"{most:.3g} are rounded in {precision} by more than {LIMIT:.2g} radians: centre the "
        f"columns, scale them, or take a larger length scale{remedy}"
    )


class Block:
    """A function of rows with its weights, in one dtype, and the guard of its rows.

    The function takes ``(xp, rows, *weights)``. Called as a block it looks at the rows first;
    `compute` does not.
    """

    def __init__(
        self,
        function: Callable[..., Array],
        weights: tuple[Any, ...],
        dtype: str,
        angles: Angles | None,
    ) -> None:
        self.function = function
        self.weights = weights
        self.dtype = dtype
        self.angles = angles
        self._reach: float | None = None

    def __call__(self, xp: ModuleType, rows: Array) -> Array:
        """Compute the features (b, m) of rows (b, d); ValueError if angles lose their phase."""
        self.guard(xp, rows, name="a block of X")
        return self.compute(xp, rows)

    def compute(self, xp: ModuleType, rows: Array) -> Array:
        """Compute the features of guarded rows."""
        rows = xp.astype(rows, getattr(xp, self.dtype), copy=False)
        return self.function(xp, rows, *self.weights)

    def guard(
        self, xp: ModuleType, rows: Array, largest: float | None = None, name: str = "X"
    ) -> None:
        """Refuse rows whose angles lose their phase; `largest` is their largest absolute entry."""
        if self.angles is None or _arrays.is_lazy(rows) or 0 in rows.shape:
            return
        if self._reach is None:
            if any(map(_arrays.is_lazy, self.weights)):
                return
            self._reach = self.angles.reach(self.weights)
        self.angles.require(rows, getattr(xp, self.dtype), self._reach, largest, name)


class WholeBlock(Block):
    """The block of all columns of a map, pickled as the map: a graph of Dask contains a recipe."""

    def __init__(self, source: Any, dtype: str) -> None:
        self.source = source
        self._compiled: Any = None
        super().__init__(source._block(), source._weights(dtype), dtype, source._angles())

    def compiled(self, xp: ModuleType, rows: Array) -> Callable[..., Any] | None:
        """Return `compute` compiled by JAX, or None where somebody traces it."""
        if any(_arrays.is_lazy(one) for one in (rows, *self.weights)):
            return None
        if self._compiled is None:
            function, dtype = self.function, self.dtype
            self._compiled = _arrays.compiled(
                lambda some, weights: Block(function, weights, dtype, None).compute(xp, some)
            )
        jitted, weights = self._compiled, self.weights
        # As arguments: constants would be folded, and kept by the compiler.
        return lambda _, some: jitted(some, weights)

    def __reduce__(self) -> tuple[Any, tuple[Any, str]]:
        return WholeBlock, (self.source, self.dtype)


# Numbers per block of weights: 4 MiB of float32, as are its products with 1024 rows.
_NUMBERS = 1 << 20
# Beyond this the matrix product gains nothing.
_MOST_UNITS = 4096


class UnitBlock:
    """A block of consecutive units of a map, from :meth:`FeatureMap.unit_blocks`.

    A callable from rows to the columns of these units, with the weights and the scale that they
    have in the map. Weights are drawn when first needed, and released with the block.

    Attributes
    ----------
    start, stop : int
        Units from `start` to before `stop`.
    n_features : int
        Number of columns.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.FourierFeatures.draw(3, 1000, seed=0)
    >>> block = next(phi.unit_blocks(64))
    >>> block.columns[:2], block.columns[-2:]  # cosines and sines of 64 of the 500 frequencies
    (array([0, 1]), array([562, 563]))
    >>> X = np.eye(3)
    >>> bool(np.allclose(block(X), phi(X)[:, block.columns]))
    True
    """

    def __init__(self, phi: Any, start: int, stop: int) -> None:
        self.start, self.stop = start, stop
        self._phi = phi
        self._placed: dict[str, Any] = {}

    @property
    def n_features(self) -> int:
        """Number of columns of these units."""
        return sum(each.stop - each.start for each in self.slices)

    @property
    def slices(self) -> tuple[slice, ...]:
        """Columns of the map, as slices in the order of the block."""
        return self._phi._columns_of(slice(self.start, self.stop))

    @property
    def columns(self) -> Any:
        """Column numbers in the map, shape (n_features,): ``Z[:, block.columns] = block(X)``."""
        return np.concatenate([np.arange(each.start, each.stop) for each in self.slices])

    def __call__(self, X: Array, *, check_finite: bool = True) -> Array:
        """Compute the columns of these units, (n, n_features), as the map itself does.

        Arguments, dtype and errors are those of the map.
        """
        if _arrays.is_row(X):
            return self(X[None, :], check_finite=check_finite)[0, :]
        dtype, largest = self._phi._checked(X, require_flag("check_finite", check_finite))
        block = self.transform(_arrays.dtype_name(dtype))
        function = self._phi._guarded(block, X, largest, check_finite)
        with (
            _rows.within_floats(self._phi, X, largest) if check_finite else _rows.NOT_LOOKED as look
        ):
            values = _arrays.map_rows(function, X, self.n_features, self._phi._out_dtype(dtype))
            if look:
                look(values)
        return _arrays.attached(values, X)

    def transform(self, dtype: str) -> Block:
        """Return the function ``(xp, rows)`` with the weights of these units, in a named dtype."""
        if dtype not in self._placed:
            drawn = self._phi._draw_units(dtype, slice(self.start, self.stop))
            self._placed[dtype] = tuple(_arrays.from_host(part, self._phi.place) for part in drawn)
        return Block(self._phi._block(), self._placed[dtype], dtype, self._phi._angles())

    def __repr__(self) -> str:
        return f"units {self.start} to {self.stop - 1} of {self._phi!r}"


def units_per_block(phi: Any) -> int:
    """Return how many units to draw at a time: whole blocks of the stream, 64 to 4096 units."""
    fit = _NUMBERS // max(1, phi._n_weights() // phi.n_units)
    return max(1, min(_MOST_UNITS, fit) // UNITS_PER_BLOCK) * UNITS_PER_BLOCK


@dataclass(frozen=True)
class Columns:
    """All columns of a map, by blocks of units: the argument of `map_columns`."""

    phi: Any
    dtype: str
    guarded: bool

    def __call__(self) -> Iterator[tuple[tuple[slice, ...], Callable[..., Array]]]:
        """Yield the columns of each block of units, and a function of rows with their weights."""
        for units in self.phi.unit_blocks():
            block = units.transform(self.dtype)
            yield units.slices, block.compute if self.guarded else block
