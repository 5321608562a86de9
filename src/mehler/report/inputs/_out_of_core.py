"""Sources of rows in blocks: one pass over all of them, and the rows that are held.

The pass finds what is missing, ranges, moments, and columns like ids.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
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
# A block of rows as float64, and the entries of the target column in them.
Block = tuple[np.ndarray, Any]


@dataclass(frozen=True)
class Look:
    """Statistics of some consecutive rows; a sum of two is that of both.

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
        fraction = k / max(1, n + k)
        with np.errstate(over="ignore", invalid="ignore"):  # standardizing refuses such columns
            shift = after.means - self.means
            means = self.means + shift * fraction
            squares = self.squares + after.squares + shift * shift * (n * fraction)
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


def look(block: np.ndarray, labels: np.ndarray | None = None) -> Look:
    """Return the statistics of a block of rows; those that lack a label are bad too."""
    n, d = block.shape
    finite = np.isfinite(block)
    whole = finite.all(axis=1)
    first_bad = None
    if not whole.all():
        row = int(np.argmin(whole))
        column = int(np.argmin(finite[row]))
        first_bad = (row, column, float(block[row, column]))
    bad = np.flatnonzero(~whole | (False if labels is None else missing(labels)))
    good = np.delete(block, bad, axis=0) if bad.size else block
    empty = np.zeros(d)
    with np.errstate(over="ignore", invalid="ignore"):
        means = good.mean(axis=0) if len(good) else empty
        squares = np.sum((good - means) ** 2, axis=0)
    integers = np.all(good == np.floor(good), axis=0)
    return Look(
        n_rows=n,
        n_zero_rows=int(np.sum(~np.any(good, axis=1))),
        n_bad_rows=int(bad.size),
        bad_rows=tuple(int(i) for i in bad[:_FIRST]),
        first_bad=first_bad,
        n_bad=np.sum(~finite, axis=0),
        lows=good.min(axis=0, initial=np.inf),
        highs=good.max(axis=0, initial=-np.inf),
        means=means,
        squares=squares,
        integers=integers,
        increasing=integers & np.all(good[1:] > good[:-1], axis=0),
        ends=(good[0].copy(), good[-1].copy()) if len(good) else (empty, empty),
    )


def is_large(values: Any) -> bool:
    """Whether an array, possibly out of core, exceeds the limit as float64."""
    if _arrays.is_array(values) and _arrays.is_chunked(values) and values.ndim:
        _arrays.require_known_chunks(values)
    return values.ndim == 2 and exceeds(*values.shape)


def exceeds(n: int, d: int) -> bool:
    """Whether n rows of d columns exceed the limit."""
    return 8 * n * d > LARGE


def rows_per_block(d: int) -> int:
    """Return how many rows of d columns are read together."""
    return max(1, _BLOCK // (8 * max(1, d)))


def evenly_spaced(n: int, d: int) -> np.ndarray:
    """Return the positions of a sample of rows that fits into memory."""
    count = min(n, _MOST_ROWS, max(2, LARGE // (8 * d)))
    return np.linspace(0, n - 1, count).astype(np.int64)


class NotNumbers(Exception):
    """Columns of numbers in the first rows hold something else further on: `columns` says what."""

    def __init__(self, columns: dict[str, str]) -> None:
        super().__init__(columns)
        self.columns = columns


class Source(ABC):
    """Rows of named columns; `label` is how messages call them.

    `unusable` says of each column that holds no numbers what it does hold; `index` names the
    columns that are left out unless they are named.
    """

    name: str
    label: str
    path: str | None = None
    columns: tuple[str, ...]
    unusable: dict[str, str]
    index: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    @abstractmethod
    def blocks(self, use: Sequence[int], target: int | None) -> Iterator[Block]:
        """Yield all rows in order: the columns at `use`, and the target column, None if missing."""

    def labels(self, entries: np.ndarray) -> np.ndarray:
        """Return the entries of a target as values or labels: numbers, or else strings."""
        if entries.dtype.kind != "O":
            return entries
        numbers = all(isinstance(entry, int | float) for entry in entries)
        return np.asarray(entries.tolist() if numbers else [str(entry) for entry in entries])

    def look(self, use: Sequence[int], target: int | None) -> Look:
        """Return the statistics of all rows."""
        total = look(np.empty((0, len(use))))
        for values, labels in self.blocks(use, target):
            total = total + look(values, labels)
        return total

    def take(
        self, use: Sequence[int], target: int | None, index: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the rows at increasing positions, and the entries of the target there."""
        held = np.empty((index.size, len(use)))
        entries = []
        start = 0
        for values, labels in self.blocks(use, target):
            first, last = np.searchsorted(index, (start, start + values.shape[0]))
            here = index[first:last] - start
            held[first:last] = values[here]
            if target is not None:
                entries.append(labels[here])
            start += values.shape[0]
        return held, np.concatenate(entries) if entries else None


def missing(labels: np.ndarray) -> np.ndarray:
    """Return where labels are None, or numbers that are not finite."""
    if labels.dtype.kind == "O":
        return np.array([one is None or one != one for one in labels], dtype=bool)
    return ~np.isfinite(labels) if labels.dtype.kind == "f" else np.zeros(len(labels), dtype=bool)


class ArraySource(Source):
    """A matrix of numbers: in memory, mapped from a file, or a Dask array."""

    def __init__(
        self, values: _arrays.Array, name: str, label: str, path: str | None = None
    ) -> None:
        if values.ndim != 2:
            raise ValueError(
                f"{label} has shape {values.shape}, not rows and columns: "
                "give two axes, one row an example"
            )
        if 0 in values.shape:
            raise ValueError(f"{label} is empty, of shape {values.shape}: give rows of numbers")
        if values.dtype.kind == "c":
            raise ValueError(f"{label} is complex ({values.dtype}): give real numbers")
        if values.dtype.kind not in "fiub":
            raise ValueError(f"{label} holds {values.dtype}, not numbers: give real numbers")
        self.values, self.name, self.label, self.path = values, name, label, path
        self.columns = tuple(f"x{j}" for j in range(values.shape[1]))
        self.unusable = {}

    def blocks(self, use: Sequence[int], target: int | None) -> Iterator[Block]:
        """Yield slices of rows."""
        for rows in _arrays.slices(self.values.shape[0], rows_per_block(len(use))):
            yield _split(use, target, self.values[rows])

    def look(self, use: Sequence[int], target: int | None) -> Look:
        """Return the statistics of blocks in turn, or of a Dask array's chunks where they are."""
        if not _arrays.is_chunked(self.values):
            return super().look(use, target)
        total: Look = _arrays.sum_over_chunks(_look_at_chunk, self.values, shared=(use, target))
        return total

    def take(
        self, use: Sequence[int], target: int | None, index: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return rows: the array itself if it is what is wanted, or by index if few are."""
        values = self.values
        everything = index.size == values.shape[0]
        whole = everything and len(use) == values.shape[1]
        if whole and type(values) is np.ndarray and values.dtype == np.float64:
            return values, None
        if everything and not _arrays.is_chunked(values):
            return super().take(use, target, index)
        few = ArraySource(_arrays.to_host(values[index]), self.name, self.label)
        return few.take(use, target, np.arange(index.size))


def _split(use: Sequence[int], target: int | None, block: Any) -> Block:
    """Return the columns of rows as float64, and the target as it is."""
    with np.errstate(over="ignore"):  # what is beyond float64 is infinite, and refused as such
        values = np.asarray(block, dtype=np.float64)
    values = values if len(use) == values.shape[1] else values[:, list(use)]
    return values, None if target is None else np.asarray(block[:, target])


def _look_at_chunk(use: Sequence[int], target: int | None, block: Any) -> Look:
    return look(*_split(use, target, block))
