"""Source: rows that are looked at in blocks and taken in part, from memory, a file or a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.report.inputs import _out_of_core
from mehler.report.inputs._out_of_core import Look, look

# A block of rows as float64, and the entries of the target column in them.
Block = tuple[np.ndarray, Any]


class NotNumbers(Exception):
    """Columns that looked like numbers in the first rows hold something else further on."""


class Source(ABC):
    """Rows of named columns.

    `unusable` says of each column that holds no numbers what it does hold; `index` names the
    columns that are left out unless they are asked for.
    """

    name: str
    path: str | None = None
    columns: tuple[str, ...]
    unusable: dict[str, str]
    index: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    @abstractmethod
    def blocks(self, use: Sequence[int], target: int | None) -> Iterator[Block]:
        """Yield all rows in order: the columns at `use`, and the target column."""

    @abstractmethod
    def missing(self, target: Any) -> np.ndarray:
        """Say of each entry of a block's target whether it is missing."""

    @abstractmethod
    def at(self, target: Any, rows: np.ndarray) -> Any:
        """Return entries of a block's target."""

    @abstractmethod
    def joined(self, targets: list[Any]) -> np.ndarray:
        """Join the targets of blocks into values or labels."""

    def find_unusable(self, use: Sequence[int]) -> dict[str, str]:
        """Look through all rows for columns that hold no numbers, after `NotNumbers`."""
        raise NotImplementedError

    def look(self, use: Sequence[int], target: int | None) -> Look:
        """Look at all rows."""
        found = look(np.empty((0, len(use))))
        for values, labels in self.blocks(use, target):
            found = found + look(values, None if target is None else self.missing(labels))
        return found

    def take(
        self, use: Sequence[int], target: int | None, index: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
        """Return the rows at increasing positions, which have a target, and the targets there."""
        held = np.empty((index.size, len(use)))
        present = np.ones(index.size, dtype=bool)
        targets = []
        start = 0
        for values, labels in self.blocks(use, target):
            first, last = np.searchsorted(index, (start, start + values.shape[0]))
            here = index[first:last] - start
            held[first:last] = values[here]
            if target is not None:
                present[first:last] = ~self.missing(labels)[here]
                targets.append(self.at(labels, here[present[first:last]]))
            start += values.shape[0]
        return held, None if target is None else self.joined(targets), present


class ArraySource(Source):
    """A matrix of numbers: in memory, mapped from a file, or a Dask array."""

    def __init__(self, values: Any, name: str, path: str | None = None) -> None:
        self.values, self.name, self.path = values, name, path
        self.columns = tuple(f"x{j}" for j in range(values.shape[1]))
        self.unusable = {}

    def blocks(self, use: Sequence[int], target: int | None) -> Iterator[Block]:
        """Yield slices of rows."""
        for rows in _arrays.slices(self.values.shape[0], _out_of_core.rows_per_block(len(use))):
            block = self.values[rows]
            labels = None if target is None else np.asarray(block[:, target])
            yield self._used(block, use), labels

    def missing(self, target: Any) -> np.ndarray:
        """Return where floats are not finite."""
        return ~np.isfinite(target)

    def at(self, target: Any, rows: np.ndarray) -> Any:
        """Index."""
        return target[rows]

    def joined(self, targets: list[Any]) -> np.ndarray:
        """Concatenate."""
        return np.concatenate(targets)

    def look(self, use: Sequence[int], target: int | None) -> Look:
        """Look at blocks in turn, or at the chunks of a Dask array where they are."""
        if not _arrays.is_chunked(self.values):
            return super().look(use, target)
        found: Look = _arrays.sum_over_chunks(_look_at_chunk, self.values, shared=(use, target))
        return found

    def take(
        self, use: Sequence[int], target: int | None, index: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
        """Return rows: the array itself if it is what is wanted, or by index if few are."""
        values = self.values
        present = np.ones(index.size, dtype=bool)
        everything = index.size == values.shape[0]
        whole = everything and len(use) == values.shape[1]
        if whole and type(values) is np.ndarray and values.dtype == np.float64:
            return values, None, present
        if not everything or _arrays.is_chunked(values):
            rows = _arrays.to_host(values[index])
            labels = None
            if target is not None:
                labels = np.asarray(rows[:, target])
                present = ~self.missing(labels)
                labels = labels[present]
            return np.asarray(self._used(rows, use)), labels, present
        return super().take(use, target, index)

    def _used(self, block: Any, use: Sequence[int]) -> np.ndarray:
        block = np.asarray(block, dtype=np.float64)
        return block if len(use) == block.shape[1] else block[:, list(use)]


def _look_at_chunk(use: Sequence[int], target: int | None, block: Any) -> Look:
    block = np.asarray(block, dtype=np.float64)
    bad = None if target is None else ~np.isfinite(block[:, target])
    return look(block if len(use) == block.shape[1] else block[:, list(use)], bad)
