"""Compute the Hamming similarity of codes for all pairs of rows.

NumPy compares bit planes and counts ones; the others multiply one-hot digits, whose sums are exact
in float32 up to 2^24 digits. Both work in blocks, without an array rows x rows x digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays import _kinds
from mehler._arrays._blocks import slices
from mehler._arrays._dtypes import code_dtype, widest_float
from mehler._arrays._namespace import Array, array_namespace, is_lazy, place_of
from mehler._arrays.routines import _bit_planes

# Rows per tile, and one-hot columns per product: 4 KiB a row.
_ROWS, _COLUMNS = 512, 1024


def check_digits(codes: Array, pool_size: int, name: str) -> None:
    """Raise unless digits are below `pool_size`; those of lazy arrays are not checked."""
    if is_lazy(codes) or 0 in codes.shape:
        return
    xp = array_namespace(codes)
    least, most = int(xp.min(codes)), int(xp.max(codes))
    if least < 0 or most >= pool_size:
        raise ValueError(
            f"{name} holds the digit {least if least < 0 else most}, but digits of pool_size="
            f"{pool_size} are 0 to {pool_size - 1}; pass codes of this map"
        )


def hamming_similarity(c: Array, d: Array | None, n_values: int) -> Array:
    """Return the fraction of agreeing digits, (n, k), of codes (n, m) and (k, m) below `n_values`.

    In the widest float of the device. `d` None means `c`; each pair is then compared once.
    """
    if _kinds.is_dask_array(c):
        return _by_chunks(c, c if d is None else d, n_values)
    xp = place_of(c).xp
    small = code_dtype(xp, n_values)
    c, d = (x if x is None else xp.astype(x, small, copy=False) for x in (c, d))
    if _kinds.is_numpy_array(c):
        return _by_planes(c, d, n_values)
    return _by_products(c, d, n_values)


def _by_planes(c: Any, d: Any | None, n_values: int, threads: int = 0) -> Any:
    left = _bit_planes.pack(c, n_values)
    right = None if d is None else _bit_planes.pack(d, n_values)
    out = np.empty((c.shape[0], c.shape[0] if d is None else d.shape[0]))
    return _bit_planes.agreements(left, right, c.shape[1], out, threads=threads)


def _by_chunks(c: Array, d: Array, n_values: int) -> Array:
    """Compare all pairs of row chunks lazily, in Dask's own threads."""
    import dask.array

    return dask.array.blockwise(
        _chunk_by_planes,
        "ij",
        c.rechunk({1: -1}),
        "iu",
        d.rechunk({1: -1}),
        "ju",
        n_values=n_values,
        concatenate=True,
        dtype=np.float64,
        meta=np.empty((0, 0)),
    )


def _chunk_by_planes(c: Any, d: Any, n_values: int) -> Any:
    for codes, name in ((c, "C"), (d, "D")):  # lazy digits are checked here, once they exist
        check_digits(codes, n_values, name)
    small = code_dtype(np, n_values)
    c, d = (codes.astype(small, copy=False) for codes in (c, d))
    return _by_planes(c, d, n_values, threads=1)


def _by_products(c: Array, d: Array | None, n_values: int) -> Array:
    place = place_of(c)
    xp = place.xp
    wide = widest_float(xp, place.device)
    shape = (c.shape[0], (c if d is None else d).shape[0])
    heights = list(slices(shape[0], _ROWS))
    widths = heights if d is None else list(slices(shape[1], _ROWS))
    # Within one set, only tiles on and above the diagonal.
    pairs = [(i, j) for i in range(len(heights)) for j in range(i if d is None else 0, len(widths))]
    counts: dict[tuple[int, int], Any] = dict.fromkeys(pairs, 0.0)
    for digits in slices(c.shape[1], max(1, _COLUMNS // n_values)):
        left = _one_hot(xp, c[:, digits], n_values)
        right = xp.matrix_transpose(left if d is None else _one_hot(xp, d[:, digits], n_values))
        for i, j in pairs:
            counts[i, j] = counts[i, j] + xp.matmul(left[heights[i], :], right[:, widths[j]])
    n_digits = c.shape[1]

    def share(i: int, j: int) -> Array:
        tile = counts[i, j] if (i, j) in counts else xp.matrix_transpose(counts[j, i])
        return xp.astype(tile, wide) / n_digits

    if _kinds.is_jax_array(c) and 0 not in shape:  # JAX arrays are immutable
        lines = [[share(i, j) for j in range(len(widths))] for i in range(len(heights))]
        return xp.concat([xp.concat(line, axis=1) for line in lines], axis=0)
    out = xp.empty(shape, dtype=wide, device=place.device)
    for i, rows in enumerate(heights):
        for j, columns in enumerate(widths):
            out[rows, columns] = share(i, j)
    return out


def _one_hot(xp: Any, codes: Array, n_values: int) -> Array:
    """Encode (n, units) codes as (n, n_values * units) zeros and ones in float32."""
    values = xp.arange(n_values, dtype=codes.dtype, device=place_of(codes).device)
    # Units along the contiguous axis: comparisons run over it.
    equal = xp.astype(codes[:, None, :] == values[None, :, None], xp.float32)
    return xp.reshape(equal, (codes.shape[0], codes.shape[1] * n_values))
