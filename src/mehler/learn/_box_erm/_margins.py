"""Data of the estimator: rows times labels, and the margins that the box attains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array

_BLOCK = 1024


class SignedRows:
    """The map K from weights beta in [-1, 1]^m to margins y_i c <z_i, beta>, and its transpose.

    Vectors are float64. `Z` keeps its dtype; exact operations read it in float64 blocks. Rows on a
    device without float64 are copied to the host.
    """

    def __init__(self, z: Array, y: Array, half_width: float) -> None:
        self.home, self.dtype = _arrays.place_of(z), z.dtype
        self.place = self.home
        if not _arrays.has_float64(self.home.xp, self.home.device):
            z, self.place = _arrays.to_host(z), _arrays.resolve_place(None)
        self.xp = self.place.xp
        self.z = z
        self.y = self.vector(_arrays.to_host(y))
        self.half_width = half_width
        self.inner = _rounded_down(half_width, _arrays.dtype_name(z.dtype))
        self.n, self.m = z.shape

    def vector(self, values: Any) -> Array:
        """Return host values as float64, beside the rows."""
        return _arrays.from_host(values, self.place, "float64")

    def weights(self, beta: Array) -> Array:
        """Return the weights alpha of a beta, in the dtype of `Z` and within the box."""
        return self._narrow(self.inner * beta)

    def at_home(self, alpha: Array) -> Array:
        """Return weights where the caller's rows live."""
        if self.place is self.home:
            return alpha
        return _arrays.from_host(alpha, self.home)

    def margins(self, beta: Array) -> Array:
        """Compute K beta, shape (n,)."""
        return self.y * self._wide(self.xp.matmul(self.z, self.weights(beta)))

    def transposed(self, theta: Array) -> Array:
        """Compute K^T theta, shape (m,)."""
        columns = self.xp.matrix_transpose(self.z)
        return self.inner * self._wide(self.xp.matmul(columns, self._narrow(self.y * theta)))

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of rows of `Z` in float64."""
        for rows in _arrays.slices(self.n, _BLOCK):
            yield rows, self._wide(self.z[rows, :])

    def limits(self) -> Any:
        """Compute (C/m) sum_l |z_il| on the host: the largest |f(x_i)| over the box."""
        xp = self.xp
        with np.errstate(over="ignore"):  # `require_limits` refuses infinity
            sums = [_arrays.to_host(xp.sum(xp.abs(block), axis=1)) for _, block in self.blocks()]
            return self.half_width * np.concatenate(sums)

    def column_squares(self) -> Array:
        """Compute squared norms of the columns of K."""
        xp = self.xp
        return self.inner**2 * sum(xp.sum(block * block, axis=0) for _, block in self.blocks())

    def gram(self, rows: Array, columns: Array) -> Array:
        """Compute K^T diag(rows) K or K diag(columns) K^T, whichever is smaller, block by block."""
        xp, total = self.xp, 0.0
        if self.m <= self.n:
            for part, block in self.blocks():
                weighted = rows[part][:, None] * block
                total = total + xp.matmul(xp.matrix_transpose(block), weighted)
            return self.inner**2 * total
        for part in _arrays.slices(self.m, _BLOCK):
            block = self.y[:, None] * self._wide(self.z[:, part])
            weighted = columns[part][:, None] * xp.matrix_transpose(block)
            total = total + xp.matmul(block, weighted)
        return self.inner**2 * total

    def _wide(self, x: Array) -> Array:
        return self.xp.astype(x, self.xp.float64, copy=False)

    def _narrow(self, x: Array) -> Array:
        return self.xp.astype(x, self.z.dtype, copy=False)


def _rounded_down(value: float, dtype: str) -> float:
    # The box in float32 must lie in the box.
    kind = getattr(np, dtype)
    rounded = kind(value)
    return float(rounded if float(rounded) <= value else np.nextafter(rounded, kind(0)))
