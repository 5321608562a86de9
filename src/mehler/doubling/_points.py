"""The distinct points of a set, and their squared distances in blocks."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array

# Differences cost one pass over a block per column; beyond this many a matrix product is faster.
_FEW_COLUMNS = 8
# Few points are always compared by differences, which are accurate to rounding.
_FEW_ROWS = 64
# Elements of a block of distances on the host: 16 MiB.
_BLOCK = 1 << 21
_UNIT = 2.0**-52
# Squares of the scaled differences underflow below this.
_TINY = 2.0**-1000


class Points:
    r"""The distinct rows of a matrix in float64, scaled by a power of two.

    Distances are computed in float64: on the device of the data if it supports that, else on the
    host, so that the same values give the same answers everywhere. A computed :math:`\hat s`
    stands for a squared distance s with
    :math:`|\hat s - s| \le \mathrm{relative}\, s + \mathrm{absolute}`.
    """

    def __init__(self, x: Array, *, name: str = "X") -> None:
        rows = host_rows(x, name=name)
        place = _arrays.place_of(x)
        first = np.unique(rows, axis=0, return_index=True)[1]
        # Keep the order of the data, so that choices do not depend on how rows sort.
        self.rows = np.sort(first)
        rows = rows[self.rows]
        varies = np.any(rows != rows[:1], axis=0)
        self.n_varying = int(varies.sum())
        self.n, self.n_inputs = rows.shape
        largest = float(np.max(np.abs(rows)))
        self.scale = 2.0 ** (math.frexp(largest)[1] - 1) if largest > 0 else 1.0
        rows = rows / self.scale
        self.shift = np.zeros(self.n_inputs)
        self.direct = self.n_inputs <= _FEW_COLUMNS or self.n <= _FEW_ROWS
        if not self.direct:
            # Products cancel if rows share a large offset.
            self.shift = rows.mean(axis=0)
            rows = rows - self.shift
        self.host = rows
        reach = float(np.sqrt(np.max(np.einsum("ij,ij->i", rows, rows))))
        self.relative = (self.n_inputs + 4) * _UNIT
        self.absolute = _TINY if self.direct else (self.n_inputs + 8) * _UNIT * (2.1 * reach) ** 2
        if _arrays.is_lazy(x) or not _arrays.has_float64(place.xp, place.device):
            place = _arrays.resolve_place(None)
        self.xp = place.xp
        self._place = place
        self.device_rows = _arrays.from_host(rows, place)

    @classmethod
    def of_all(cls, x: Array, *, name: str = "X") -> Points:
        """Build from a matrix that must fit into memory."""
        if _arrays.is_array(x) and x.ndim == 2:
            _arrays.require_small(x, name=name, reason="every point is compared with every other")
        return cls(x, name=name)

    def some(self, which: Any) -> Points:
        """Return a subset of the points, in the same coordinates."""
        part = copy.copy(self)
        part.n = int(which.size)
        part.rows, part.host = self.rows[which], self.host[which]
        part.device_rows = self._take(which)
        return part

    def upper(self, squared: Any) -> Any:
        """Return an upper bound of the true squared distance."""
        return np.maximum(squared, 0.0) * (1 + 2 * self.relative) + self.absolute

    def lower(self, squared: Any) -> Any:
        """Return a lower bound of the true squared distance."""
        return np.maximum(squared * (1 - 2 * self.relative) - self.absolute, 0.0)

    def may(self, squared: float) -> float:
        """Return the largest computed value of a squared distance of at most `squared`."""
        return (squared + self.absolute) * (1 + 3 * self.relative)

    def sure(self, squared: float) -> float:
        """Return a value such that one computed as no more is a squared distance <= `squared`."""
        return (squared - self.absolute) * (1 - 3 * self.relative)

    def squared(self, rows: Any, columns: Any) -> Any:
        """Compute squared distances between points, by indices or slices, as a host matrix.

        Not corrected: the diagonal may differ from 0, and values may be below 0 by rounding.
        """
        return self._squared(self._take(rows), self._take(columns))

    def squared_from(self, centres: Any, columns: Any) -> Any:
        """Compute squared distances from host vectors (k, d), in scaled and shifted coordinates."""
        return self._squared(_arrays.from_host(centres, self._place), self._take(columns))

    def blocks(self, columns: int | None = None) -> Iterator[slice]:
        """Yield slices of all points whose distances to `columns` others fit in a block."""
        size = max(1, _BLOCK // max(1, self.n if columns is None else columns))
        return _arrays.slices(self.n, size)

    def original(self, centre: Any) -> Any:
        """Transform a vector from inner coordinates to those of the data."""
        return (np.asarray(centre) + self.shift) * self.scale

    def _take(self, which: Any) -> Array:
        if isinstance(which, slice):
            return self.device_rows[which, :]
        index = _arrays.from_host(np.asarray(which, dtype=np.int64), self._place)
        return self.xp.take(self.device_rows, index, axis=0)

    def _squared(self, a: Array, b: Array) -> Any:
        xp = self.xp
        if self.direct:
            total = (a[:, :1] - xp.matrix_transpose(b[:, :1])) ** 2
            for k in range(1, self.n_inputs):
                step = a[:, k : k + 1] - xp.matrix_transpose(b[:, k : k + 1])
                total = total + step * step
            return _arrays.to_host(total)
        # One product: (x, |x|^2, 1) with (-2 z, 1, |z|^2).
        one = xp.ones((a.shape[0], 1), dtype=a.dtype, device=self._place.device)
        two = xp.ones((b.shape[0], 1), dtype=b.dtype, device=self._place.device)
        left = xp.concat([a, xp.sum(a * a, axis=1, keepdims=True), one], axis=1)
        right = xp.concat([-2.0 * b, two, xp.sum(b * b, axis=1, keepdims=True)], axis=1)
        return _arrays.to_host(xp.matmul(left, xp.matrix_transpose(right)))


def host_rows(x: Array, *, name: str = "X") -> Any:
    """Return the matrix on the host in float64; refuse non-finite values, also of lazy arrays."""
    _arrays.check_matrix(x, name=name)
    if _arrays.is_lazy(x) and _arrays.namespace_name(_arrays.array_namespace(x)) == "jax.numpy":
        raise TypeError(f"{name} has no values under jax.jit: call this on the array itself")
    rows = _arrays.to_host(x).astype(np.float64)
    if rows.shape[0] == 0:
        raise ValueError(f"{name} is empty: its shape is {rows.shape}; pass at least one row")
    _arrays.require_finite(rows, name=name)
    # Adding 0 turns -0 into 0: equal numbers must give equal rows.
    return rows + 0.0
