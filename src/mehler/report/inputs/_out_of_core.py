"""Out-of-core rows: validate them block by block and hold a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays

# Bytes as float64, the dtype in which rows are held.
LARGE = 1 << 30
_MOST_ROWS = 20_000
_BLOCK = 1 << 24


@dataclass(frozen=True)
class Look:
    """Counts of rows and of rows of zeros, and the first entry that is not finite."""

    n_rows: int
    n_zero_rows: int
    bad: tuple[int, int, float] | None

    def __add__(self, after: Look) -> Look:
        bad = self.bad
        if bad is None and after.bad is not None:
            bad = (self.n_rows + after.bad[0], *after.bad[1:])
        return Look(self.n_rows + after.n_rows, self.n_zero_rows + after.n_zero_rows, bad)


def is_large(values: Any) -> bool:
    """Whether an array, possibly out of core, exceeds the limit as float64."""
    if _arrays.is_array(values) and _arrays.is_chunked(values) and values.ndim:
        _arrays.require_known_chunks(values)
    return values.ndim == 2 and 8 * values.shape[0] * values.shape[1] > LARGE


def look(block: Any) -> Look:
    """Validate a block of rows."""
    block = np.asarray(block, dtype=np.float64)
    finite = np.isfinite(block)
    bad = None
    if not finite.all():
        row, column = (int(i) for i in np.argwhere(~finite)[0])
        bad = (row, column, float(block[row, column]))
    return Look(block.shape[0], int(np.sum(~np.any(block != 0, axis=1))), bad)


def look_at_all(values: Any) -> Look:
    """Validate every row of a Dask array or a memory-mapped file."""
    if _arrays.is_chunked(values):
        found: Look = _arrays.sum_over_chunks(look, values)
        return found
    size = max(1, _BLOCK // (8 * values.shape[1]))
    found = Look(0, 0, None)
    for rows in _arrays.slices(values.shape[0], size):
        found = found + look(values[rows])
    return found


def evenly_spaced(values: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return a sample of rows that fits into memory, and their positions."""
    n, d = values.shape
    count = min(n, _MOST_ROWS, max(2, LARGE // (8 * d)))
    index = np.linspace(0, n - 1, count).astype(np.int64)
    return np.asarray(_arrays.to_host(values[index]), dtype=np.float64), index
