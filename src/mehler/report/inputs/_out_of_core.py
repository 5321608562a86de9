"""One pass over all rows, block by block: what is missing, ranges, moments, columns like ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays

# Bytes as float64, the dtype in which rows are held.
LARGE = 1 << 28
_MOST_ROWS = 20_000
_BLOCK = 1 << 24
# Missing rows that are listed.
_FIRST = 6


@dataclass(frozen=True)
class Look:
    """What was seen of some consecutive rows; sums of looks are looks at all of them.

    Ranges, means and squares are of the rows without missing values. `increasing` says of each
    column whether it is of integers, each larger than the one before.
    """

    n_rows: int
    n_zero_rows: int
    n_bad_rows: int
    bad_rows: tuple[int, ...]
    first_bad: tuple[int, int, float] | None
    n_bad: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    means: np.ndarray
    squares: np.ndarray
    integers: np.ndarray
    increasing: np.ndarray
    ends: tuple[np.ndarray, np.ndarray]

    def __add__(self, after: Look) -> Look:
        n, k = self.n_good, after.n_good
        first_bad = self.first_bad
        if first_bad is None and after.first_bad is not None:
            first_bad = (self.n_rows + after.first_bad[0], *after.first_bad[1:])
        share = k / max(1, n + k)
        with np.errstate(over="ignore", invalid="ignore"):  # standardizing refuses such columns
            shift = after.means - self.means
            means = self.means + shift * share
            squares = self.squares + after.squares + shift * shift * (n * share)
        follows = (self.ends[1] < after.ends[0]) if n and k else True
        return Look(
            n_rows=self.n_rows + after.n_rows,
            n_zero_rows=self.n_zero_rows + after.n_zero_rows,
            n_bad_rows=self.n_bad_rows + after.n_bad_rows,
            bad_rows=(*self.bad_rows, *(self.n_rows + i for i in after.bad_rows))[:_FIRST],
            first_bad=first_bad,
            n_bad=self.n_bad + after.n_bad,
            lows=np.minimum(self.lows, after.lows),
            highs=np.maximum(self.highs, after.highs),
            means=means,
            squares=squares,
            integers=self.integers & after.integers,
            increasing=self.increasing & after.increasing & follows,
            ends=(self.ends[0] if n else after.ends[0], after.ends[1] if k else self.ends[1]),
        )

    @property
    def n_good(self) -> int:
        """Number of rows without missing values."""
        return self.n_rows - self.n_bad_rows

    @property
    def stds(self) -> np.ndarray:
        """Standard deviations of the columns, with divisor n."""
        return np.sqrt(self.squares / max(1, self.n_good))


def is_large(values: Any) -> bool:
    """Whether an array, possibly out of core, exceeds the limit as float64."""
    if _arrays.is_array(values) and _arrays.is_chunked(values) and values.ndim:
        _arrays.require_known_chunks(values)
    return values.ndim == 2 and exceeds(*values.shape)


def exceeds(n: int, d: int) -> bool:
    """Whether n rows of d columns exceed the limit."""
    return 8 * n * d > LARGE


def look(block: Any, also_bad: Any = None) -> Look:
    """Look at a block of rows; `also_bad` marks rows that lack something else."""
    block = np.asarray(block, dtype=np.float64)
    n, d = block.shape
    finite = np.isfinite(block)
    bad = ~finite.all(axis=1)
    first_bad = None
    if bad.any():
        row = int(np.argmax(bad))
        column = int(np.argmax(~finite[row]))
        first_bad = (row, column, float(block[row, column]))
    if also_bad is not None:
        bad |= also_bad
    n_bad = np.sum(~finite, axis=0) if first_bad is not None else np.zeros(d, dtype=np.int64)
    bad_rows = np.flatnonzero(bad)
    if bad_rows.size:
        block = block[~bad]
    if not block.shape[0]:
        nothing = np.zeros(d)
        seen: dict[str, Any] = {
            "lows": nothing + np.inf,
            "highs": nothing - np.inf,
            "means": nothing,
            "squares": nothing,
            "integers": np.ones(d, dtype=bool),
            "increasing": np.ones(d, dtype=bool),
            "ends": (nothing, nothing),
        }
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            means = block.mean(axis=0)
            squares = np.sum((block - means) ** 2, axis=0)
        integers = np.all(block == np.floor(block), axis=0)
        seen = {
            "lows": block.min(axis=0),
            "highs": block.max(axis=0),
            "means": means,
            "squares": squares,
            "integers": integers,
            "increasing": integers & np.all(block[1:] > block[:-1], axis=0),
            "ends": (block[0].copy(), block[-1].copy()),
        }
    return Look(
        n_rows=n,
        n_zero_rows=int(np.sum(~np.any(block, axis=1))),
        n_bad_rows=int(bad_rows.size),
        bad_rows=tuple(int(i) for i in bad_rows[:_FIRST]),
        first_bad=first_bad,
        n_bad=n_bad,
        **seen,
    )


def rows_per_block(d: int) -> int:
    """Return how many rows of d columns are looked at together."""
    return max(1, _BLOCK // (8 * max(1, d)))


def evenly_spaced(n: int, d: int) -> np.ndarray:
    """Return the positions of a sample of rows that fits into memory."""
    count = min(n, _MOST_ROWS, max(2, LARGE // (8 * d)))
    return np.linspace(0, n - 1, count).astype(np.int64)
