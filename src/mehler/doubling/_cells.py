"""Cells of a cover that balls around points meet, and how many two such balls share."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from mehler.doubling._pairs import Labels, Pairs

# Up to this many cells each get a bit of their own. More are coloured, so that only cells met
# by one ball differ, unless balls meet so many cells that colouring costs more than it saves.
_FEW_CELLS = 512
_WORK = 1 << 28


def cells_met(far: Pairs, squared: float, labels: Labels) -> tuple[Any, int]:
    """Return the cells that the ball around each point may meet, and the most points in one.

    A sparse 0/1 matrix (n, count), and an int.
    """
    limit, parts, crowd = far.may(squared), [], 0
    for block in far.within(squared):
        met, most = block.cells(labels, limit)
        crowd = max(crowd, most)
        parts.append(sparse.csr_matrix(met))
    return sparse.vstack(parts, format="csr"), crowd


def as_bits(met: Any) -> Any:
    """Pack the cells of each point into bits: uint64, (n, words).

    Cells of one row never share a bit, so two rows share at least as many bits as cells.
    """
    n_points, n_cells = met.shape
    met_by_row = np.diff(met.indptr).astype(np.float64)
    renumber = n_cells > _FEW_CELLS and (met_by_row @ met_by_row) < _WORK
    numbers = _numbers(met) if renumber else np.arange(n_cells)
    words = int(numbers.max()) // 64 + 1
    bits = np.zeros((n_points, words), dtype=np.uint64)
    row = np.repeat(np.arange(n_points), np.diff(met.indptr))
    number = numbers[met.indices]
    one = np.left_shift(np.uint64(1), (number % 64).astype(np.uint64))
    np.bitwise_or.at(bits, (row, number // 64), one)
    return bits


def _numbers(met: Any) -> Any:
    """Colour the cells: cells that one row meets get different numbers.

    The search for a free number starts at a different place for each cell, so that cells of two
    rows seldom share one by chance.
    """
    ones = met.astype(np.int32)
    conflicts = (ones.T @ ones).tocsr()
    numbers = np.full(met.shape[1], -1, dtype=np.int64)
    taken = np.zeros(max(_FEW_CELLS, int(np.diff(conflicts.indptr).max()) + 1), dtype=bool)
    for cell in range(met.shape[1]):
        near = conflicts.indices[conflicts.indptr[cell] : conflicts.indptr[cell + 1]]
        used = numbers[near]
        used = used[used >= 0]
        taken[used] = True
        start = cell * 193 % taken.size
        later = int(np.argmin(taken[start:])) + start
        numbers[cell] = later if not taken[later] else int(np.argmin(taken))
        taken[used] = False
    return numbers


def count_shared(bits: Any, row: Any, column: Any) -> Any:
    """Count the bits that the two points of each pair share."""
    size = max(1, (1 << 20) // bits.shape[1])
    found = np.empty(row.size, dtype=np.int64)
    for start in range(0, row.size, size):
        pair = slice(start, start + size)
        shared = bits[row[pair]] & bits[column[pair]]
        found[pair] = np.bitwise_count(shared).sum(axis=1)
    return found


def count_common(met: Any, row: Any, column: Any) -> Any:
    """Count the cells that the two points of each pair share."""
    common = met[row].multiply(met[column]).tocsr()
    return np.diff(common.indptr)
