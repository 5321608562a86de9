"""Hash tables of codes on the host, each table on digits of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler import _arrays

# Bytes of marks per block, one for each query and row.
_MARKS = 1 << 24


class Buckets:
    """For each table the rows sorted by their key, so that a bucket is a range.

    Table t uses digits t k to t k + k - 1, as one number in base q.
    """

    def __init__(self, codes: Any, pool_size: int, digits: int, tables: int) -> None:
        self._size = (pool_size, digits, tables)
        self.n_rows = codes.shape[0]
        small = pool_size**digits <= 2**32
        self._keys = np.empty((tables, self.n_rows), dtype=np.uint32 if small else np.uint64)
        self._rows = np.empty((tables, self.n_rows), dtype=np.int32)
        for table in range(tables):
            keys = self._key(codes, table)
            self._rows[table] = np.argsort(keys, kind="stable")
            self._keys[table] = keys[self._rows[table]]

    def _key(self, codes: Any, table: int) -> Any:
        q, k, _ = self._size
        key = np.zeros(codes.shape[0], dtype=self._keys.dtype)
        for digit in range(table * k, table * k + k):
            key *= key.dtype.type(q)
            key += codes[:, digit].astype(key.dtype)
        return key

    @property
    def nbytes(self) -> int:
        return int(self._keys.nbytes + self._rows.nbytes)

    def blocks(self, n_queries: int) -> Iterator[slice]:
        """Yield blocks of queries whose marks fit into memory."""
        return _arrays.slices(n_queries, max(1, _MARKS // self.n_rows))

    def candidates(self, codes: Any) -> tuple[Any, Any]:
        """Return pairs that share a bucket of some table: query numbers and row numbers, sorted."""
        marks = np.zeros((codes.shape[0], self.n_rows), dtype=bool)
        queries = np.arange(codes.shape[0])
        for table, (keys, rows) in enumerate(zip(self._keys, self._rows, strict=True)):
            wanted = self._key(codes, table)
            first = np.searchsorted(keys, wanted, side="left")
            count = np.searchsorted(keys, wanted, side="right") - first
            # first, first + 1, ... for each query, one after the other.
            ends = np.cumsum(count)
            at = np.arange(ends[-1]) + np.repeat(first - (ends - count), count)
            marks[np.repeat(queries, count), rows[at]] = True
        query, row = np.nonzero(marks)
        return query, row
