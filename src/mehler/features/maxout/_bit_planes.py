"""Hamming similarity of integer codes on the host: a plane for each bit, 64 digits a word."""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import Any

import array_api_extra as xpx
import numpy as np

from mehler import _arrays
from mehler._arrays import Array

WORD = 64
# 32 x 1024 words are 256 KiB; two such arrays fit in a core's own cache.
_ROWS, _COLUMNS = 32, 1024


def planes_of(n_values: int) -> int:
    """Return the bits per digit below `n_values`: ceil(log2 n_values), at least one."""
    return max(1, (n_values - 1).bit_length())


def pack(codes: Array, n_values: int) -> Any:
    """Pack digits (n, m) into uint64 (n, planes, words): digit l is bit l % 64 of word l // 64."""
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


def agreements(left: Array, right: Array | None, n_digits: int, *, threads: int = 0) -> Any:
    """Count agreeing digits, (n, k), of rows of `left` and `right`, or each pair of `left` once."""
    pair = [left, left if right is None else right]
    out = np.empty([len(x) for x in pair], np.uint16 if n_digits < 2**16 else np.uint32)
    # An import of faiss would start its threads: it is used where the user has imported it.
    by_faiss = left.shape[1] == 1 and sys.modules.get("faiss") is not None
    if not by_faiss:  # rows along the contiguous axis
        pair = [np.moveaxis(x, 0, -1) for x in pair]
    a, b = map(np.ascontiguousarray, pair)
    tiles = list(_arrays.slices(left.shape[0], _ROWS))

    def run(rows: slice) -> None:
        first = rows.start if right is None else 0
        for start in range(first, out.shape[1], _COLUMNS):
            columns = slice(start, min(start + _COLUMNS, out.shape[1]))
            tile = out[rows, columns]
            if by_faiss:
                _agreeing_bits(tile, n_digits, a[rows], b[columns])
            else:
                _agreeing_digits(tile, n_digits, a[:, :, rows, None], b[:, :, None, columns])
            if right is None:
                out[columns, rows] = tile.T

    threads = min(threads or _arrays.host_threads(), len(tiles))
    if threads <= 1:
        list(map(run, tiles))
        return out
    from concurrent.futures import ThreadPoolExecutor  # deferred: it imports logging

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, tiles))
    return out


def _agreeing_bits(total: Array, n_digits: int, a: Array, b: Array) -> None:
    """Set `total`, (r, c), to the counts of agreeing bits of rows of words, by faiss."""
    faiss, counts = sys.modules["faiss"], np.empty(total.shape, dtype=np.int32)
    *pair, target = (faiss.swig_ptr(x) for x in (a.view(np.uint8), b.view(np.uint8), counts))
    faiss.hammings(*pair, *total.shape, a[0].nbytes, target)
    total[...] = n_digits - counts


def _agreeing_digits(total: Array, n_digits: int, a: Array, b: Array) -> None:
    """Set `total`, (r, c), for words (planes, words, r, 1) and (planes, words, 1, c)."""
    total[...] = n_digits
    bits, others = np.empty((2, *total.shape), dtype=np.uint64)
    ones = np.empty(total.shape, dtype=np.uint8)
    with np.errstate():  # which restores the buffer; NumPy fills it for rows below a third of it
        np.setbufsize(1024)
        for word in range(a.shape[1]):
            np.bitwise_xor(a[0, word], b[0, word], out=bits)
            for plane in range(1, a.shape[0]):
                np.bitwise_xor(a[plane, word], b[plane, word], out=others)
                np.bitwise_or(bits, others, out=bits)
            np.bitwise_count(bits, out=ones)
            np.subtract(total, ones, out=total)


_HOT_COLUMNS = 1024  # one-hot columns per product: 4 KiB per row


def require_codes(codes: Array, name: str, n_digits: int | None = None) -> None:
    """Raise unless `codes` are integers, one row of `n_digits` for each code."""
    xp = _arrays.array_namespace(codes, names=(name,))
    if not xp.isdtype(codes.dtype, "integral"):
        raise TypeError(f"{name} must hold integer codes, not {codes.dtype}; pass phi(X)")
    if codes.ndim != 2 or 0 in codes.shape or n_digits not in (None, codes.shape[1]):
        raise ValueError(
            f"{name} must have shape (rows, {n_digits or 'digits'}), not {tuple(codes.shape)}; "
            "pass phi(X)"
        )


def require_digits(codes: Array, pool_size: int, name: str) -> Array:
    """Return digits below `pool_size` in their dtype; raise for others, but of lazy arrays."""
    xp = _arrays.array_namespace(codes)
    least = most = 0
    if not (_arrays.is_lazy(codes) or 0 in codes.shape):
        least, most = int(xp.min(codes)), int(xp.max(codes))
    if least < 0 or most >= pool_size:
        raise ValueError(
            f"{name} holds the digit {least if least < 0 else most}, but digits of pool_size="
            f"{pool_size} are 0 to {pool_size - 1}; pass codes of this map"
        )
    return xp.astype(codes, _arrays.code_dtype(xp, pool_size), copy=False)


def hamming_similarity(c: Array, d: Array | None, n_values: int, threads: int = 0) -> Array:
    """Return the fraction of agreeing digits, (n, k), in the widest float; `d` None means `c`."""
    if _arrays.stays_lazy(c):
        # In Dask's own threads, where digits are looked at once they exist.
        chunk = functools.partial(hamming_similarity, n_values=n_values, threads=1)
        return _arrays.pairs_of_chunks(chunk, c, d, np.dtype(np.float64))
    pair = ((c, "C"), (d, "D"))
    small = [require_digits(codes, n_values, name) for codes, name in pair if codes is not None]
    if not _arrays.place_of(c).on_host:
        return _by_products(small[0], None if d is None else small[1], n_values)
    left, *right = (pack(codes, n_values) for codes in small)
    m = c.shape[1]
    return agreements(left, right[0] if right else None, m, threads=threads) / m


def _by_products(c: Array, d: Array | None, n_values: int) -> Array:
    place = _arrays.place_of(c)
    xp = place.xp
    count: Any = 0.0  # exact in float32 up to 2^24
    for digits in _arrays.slices(c.shape[1], max(1, _HOT_COLUMNS // n_values)):
        left = _one_hot(xp, c[:, digits], n_values)
        right = left if d is None else _one_hot(xp, d[:, digits], n_values)
        with _arrays.full_precision(left):
            count = count + xp.matmul(left, xp.matrix_transpose(right))
    return xp.astype(count, _arrays.widest_float(xp, place.device)) / c.shape[1]


def _one_hot(xp: ModuleType, codes: Array, n_values: int) -> Array:
    """Encode (n, m) codes as (n, m * n_values) zeros and ones in float32."""
    hot = xpx.one_hot(codes, n_values, dtype=xp.float32, xp=xp)
    return xp.reshape(hot, (codes.shape[0], codes.shape[1] * n_values))
