"""A block: what computes the features of rows, and which rows it refuses.

A float of size A is rounded by eps A/2. An angle <w, x> of many turns so loses the part that
cosines depend on: rows of 64-bit numbers would have angles that are wrong by radians.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays
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
        self, rows: _arrays.Array, dtype: Any, reach: float, largest: float | None, name: str
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
            far = np.flatnonzero((size[:, 0] > most) & np.isfinite(size[:, 0]))
            if far.size:
                raise ValueError(_refusal(name, some.start + far[0], size[far[0], 0], most, dtype))


def _refusal(name: str, row: int, size: float, most: float, dtype: Any) -> str:
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
        function: Callable[..., _arrays.Array],
        weights: tuple[Any, ...],
        dtype: str,
        angles: Angles | None,
    ) -> None:
        self.function = function
        self.weights = weights
        self.dtype = dtype
        self.angles = angles
        self._reach: float | None = None

    def __call__(self, xp: Any, rows: _arrays.Array) -> _arrays.Array:
        """Compute the features (b, m) of rows (b, d); ValueError if angles lose their phase."""
        self.guard(xp, rows, name="a block of X")
        return self.compute(xp, rows)

    def compute(self, xp: Any, rows: _arrays.Array) -> _arrays.Array:
        """Compute the features of guarded rows."""
        rows = xp.astype(rows, getattr(xp, self.dtype), copy=False)
        return self.function(xp, rows, *self.weights)

    def guard(
        self, xp: Any, rows: _arrays.Array, largest: float | None = None, name: str = "X"
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

    def compiled(self, xp: Any, rows: _arrays.Array) -> Callable[..., Any] | None:
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
