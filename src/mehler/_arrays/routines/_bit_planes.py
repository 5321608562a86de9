"""Compare codes as bit planes on the host: 64 digits of one plane per machine word.

Two digits agree if all their bits do, so rows differ at the ones of ``OR_p (a_p XOR b_p)`` over
the planes p, counted by popcount. Words are compared in tiles that stay in cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays._blocks import slices
from mehler._arrays.routines._threads import host_threads

WORD = 64
# 32 x 1024 words are 256 KiB; two such arrays fit in a core's own cache.
_ROWS, _COLUMNS = 32, 1024


def planes_of(n_values: int) -> int:
    """Return the bits per digit below `n_values`: ceil(log2 n_values), at least one."""
    return max(1, (n_values - 1).bit_length())


def pack(codes: Any, n_values: int) -> Any:
    """Pack (n, m) digits into (n, planes, words) of uint64.

    Digit l is bit l % 64 of word l // 64.
    """
    n, m = codes.shape
    words = -(-m // WORD)
    out = np.zeros((n, planes_of(n_values), words * (WORD // 8)), dtype=np.uint8)
    for plane in range(out.shape[1]):
        packed = np.packbits(codes & (1 << plane), axis=1, bitorder="little")
        out[:, plane, : packed.shape[1]] = packed
    # Little-endian words on every processor, so that the bit order is the documented one.
    return out.view("<u8").astype(np.uint64, copy=False)


def unpack(words: Any, n_digits: int, dtype: Any) -> Any:
    """Unpack (n, planes, words) into (n, n_digits) digits in `dtype`: the inverse of `pack`."""
    bytes_ = words.astype("<u8", copy=False).view(np.uint8)
    codes = np.zeros((words.shape[0], n_digits), dtype=dtype)
    for plane in range(words.shape[1]):
        bits = np.unpackbits(bytes_[:, plane, :], axis=1, count=n_digits, bitorder="little")
        codes |= bits.astype(dtype, copy=False) << np.array(plane, dtype=dtype)
    return codes


def agreements(left: Any, right: Any | None, n_digits: int, out: Any, *, threads: int = 0) -> Any:
    """Count agreeing digits between all rows of `left` and of `right`, into `out`.

    Floating `out` gets fractions, integer `out` counts. With `right` None the rows of `left` are
    compared among themselves, each pair once. ``threads=0`` means `host_threads`.
    """
    # Rows along the contiguous axis.
    a = np.ascontiguousarray(np.moveaxis(left, 0, -1))
    b = a if right is None else np.ascontiguousarray(np.moveaxis(right, 0, -1))
    tiles = list(slices(left.shape[0], _ROWS))
    count = np.uint16 if n_digits < 2**16 else np.uint32

    def run(rows: slice) -> None:
        first = rows.start if right is None else 0
        for start in range(first, b.shape[2], _COLUMNS):
            columns = slice(start, min(start + _COLUMNS, b.shape[2]))
            tile = n_digits - _differing(a[:, :, rows, None], b[:, :, None, columns], count)
            if out.dtype.kind == "f":
                tile = tile / n_digits
            out[rows, columns] = tile
            if right is None:
                out[columns, rows] = tile.T

    threads = min(threads or host_threads(), len(tiles))
    if threads <= 1:
        for rows in tiles:
            run(rows)
    else:
        from concurrent.futures import ThreadPoolExecutor  # deferred: it imports logging

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(run, tiles))
    return out


def agreements_of_pairs(left: Any, right: Any, n_digits: int) -> Any:
    """Count agreeing digits between row i of `left` and row i of `right`: (n,), int32."""
    differ = np.bitwise_or.reduce(left ^ right, axis=1)
    return n_digits - np.bitwise_count(differ).sum(axis=1, dtype=np.int32)


def _differing(a: Any, b: Any, count: Any) -> Any:
    """Count differing digits, (r, c), of (planes, words, r, 1) and (planes, words, 1, c)."""
    shape = (a.shape[2], b.shape[3])
    differ, other = np.empty(shape, dtype=np.uint64), np.empty(shape, dtype=np.uint64)
    ones = np.empty(shape, dtype=np.uint8)
    total = np.zeros(shape, dtype=count)
    for word in range(a.shape[1]):
        np.bitwise_xor(a[0, word], b[0, word], out=differ)
        for plane in range(1, a.shape[0]):
            np.bitwise_xor(a[plane, word], b[plane, word], out=other)
            np.bitwise_or(differ, other, out=differ)
        np.bitwise_count(differ, out=ones)
        np.add(total, ones, out=total)
    return total
