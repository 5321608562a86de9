"""The data of the estimator: rows times labels, and what the box lets them attain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array

_STEP_ITERATIONS = 60


class SignedRows:
    r"""The map from weights beta in [-1, 1]^m to margins y_i c <z_i, beta>, and its transpose.

    Iterations read `Z` as it is, two passes each; what must be exact reads it in blocks of rows
    as float64, on the host where the device has none.
    """

    def __init__(self, z: Array, y: Array, half_width: float) -> None:
        self.place = _arrays.place_of(z)
        self.xp = self.place.xp
        self.z, self.dtype = z, z.dtype
        self.y = _arrays.from_host(_arrays.to_host(y), self.place, z.dtype)
        self.half_width = half_width
        self.inner = _rounded_down(half_width, _arrays.dtype_name(z.dtype))
        self.n, self.m = z.shape
        self.wide_place = self.place
        if not _arrays.has_float64(self.xp, self.place.device):
            self.wide_place = _arrays.resolve_place(None)

    def margins(self, beta: Array) -> Array:
        """y_i c <z_i, beta>, shape (n,)."""
        return self.y * self.xp.matmul(self.z, self.inner * beta)

    def transposed(self, theta: Array) -> Array:
        """The sum of c theta_i y_i z_i, shape (m,)."""
        return self.inner * self.xp.matmul(self.xp.matrix_transpose(self.z), self.y * theta)

    def vector(self, values: Any) -> Array:
        """Values of the host, beside the data and in its dtype."""
        return _arrays.from_host(np.asarray(values), self.place, self.dtype)

    def wide(self, vector: Array) -> Array:
        """A vector in float64, where the wide blocks are."""
        if self.wide_place is not self.place:
            vector = _arrays.to_host(vector)
        return self.wide_place.xp.astype(vector, self.wide_place.xp.float64, copy=False)

    def wide_blocks(self) -> Iterator[tuple[slice, Array]]:
        """Blocks of rows of `Z` in float64; extra memory is one block."""
        for rows in _arrays.slices(self.n, 1024):
            yield rows, self.wide(self.z[rows, :])

    def limits(self) -> Any:
        """(C/m) sum_l |z_il| on the host: the largest |f(x_i)| over the box."""
        xp = self.wide_place.xp
        with np.errstate(over="ignore"):  # infinity is refused afterwards, by name
            parts = [
                _arrays.to_host(xp.sum(xp.abs(block), axis=1)) for _, block in self.wide_blocks()
            ]
            return self.half_width * np.concatenate(parts)

    def norm(self) -> float:
        """Spectral norm by power iteration: from below, so the solvers watch their steps."""
        start = np.random.default_rng(0).standard_normal(self.m) / np.sqrt(self.m)
        beta, found = self.vector(start), 0.0
        for _ in range(_STEP_ITERATIONS):
            beta = self.transposed(self.margins(beta))
            size = float(self.xp.sqrt(self.xp.sum(beta * beta)))
            if size == 0.0:
                return 0.0
            beta, before, found = beta / size, found, np.sqrt(size)
            if abs(found - before) <= 1e-3 * found:
                break
        return 1.02 * float(found)


def _rounded_down(value: float, dtype: str) -> float:
    # The box in float32 must lie in the box.
    kind = getattr(np, dtype)
    rounded = kind(value)
    return float(rounded if float(rounded) <= value else np.nextafter(rounded, kind(0)))
