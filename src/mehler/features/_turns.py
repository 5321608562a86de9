"""Angles of rows in turns, without their whole turns, however many these are.

Numbers are split into parts so short that floats hold their products. The whole part of each
product is subtracted without rounding before any sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler import _arrays


def turns_of(xp: Any, rows: _arrays.Array, frequencies: _arrays.Array) -> _arrays.Array:
    r"""Compute :math:`\langle w, x\rangle/2\pi`, less whole numbers, shape (n, m).

    Rows (n, d) and frequencies w in radians (d, m) are taken as the numbers that the floats are.
    The error is at most 8 d eps, and more where a frequency has digits below the least float.
    """
    info = xp.finfo(rows.dtype)
    place = _arrays.place_of(rows)
    digits = 1 - round(math.log2(float(info.eps)))
    largest = largest_of(xp, rows)
    # The last digit: 2^-digits of a turn for the largest row, or the least number there is.
    needed = max(0, math.frexp(largest)[1]) + digits
    depth = min(needed, round(math.log2(float(info.max))) + digits - 3)
    inverse = _words(np.asarray(_arrays.to_host(frequencies), dtype=np.float64), digits // 2, depth)
    words = [_arrays.from_host(word, place, rows.dtype) for word in inverse]
    total: Any = 0.0
    for j in range(rows.shape[1]):
        for x in _halves(xp, rows[:, j : j + 1], digits):
            for word in words:
                # Products that overflow are whole numbers.
                product = x * word[j : j + 1, :]
                rest = product - xp.round(product)
                total = total + xp.where(xp.isfinite(product), rest, xp.zeros_like(rest))
            total = total - xp.round(total)
    return total


def largest_of(xp: Any, rows: _arrays.Array) -> float:
    """Return the largest absolute entry, without a temporary of the size of the rows."""
    if 0 in rows.shape:
        return 0.0
    rows = _arrays.without_gradient(rows)
    if 0 in rows.shape:
        return 0.0
    return max(float(xp.max(rows)), -float(xp.min(rows)))


def _words(frequencies: Any, digits: int, depth: int) -> Iterator[Any]:
    """Yield parts of w/2 pi, each of so many digits, down to 2^-depth: they add up to it."""
    mantissas, exponents = np.frexp(frequencies)
    whole = np.ldexp(mantissas, 53).astype(np.int64).astype(object)
    # 2^shift w and 1/2 pi as integers.
    shift = 53 - exponents.astype(object)
    deep = depth + 64 + max(0, int(np.max(exponents)))
    numbers = (whole * _inverse_turn(deep)) >> np.maximum(shift + deep - depth, 0)
    longest = max(abs(int(number)).bit_length() for number in numbers.flat)
    for first in range(0, longest, digits):
        last = first + digits >= longest
        part = numbers >> first if last else (numbers >> first) & ((1 << digits) - 1)
        yield np.ldexp(part.astype(np.float64), first - depth)


def _inverse_turn(bits: int) -> int:
    """Return 2^bits/(2 pi), rounded down but for the last digits."""
    from mpmath.libmp import pi_fixed

    return int((1 << (2 * bits + 31)) // int(pi_fixed(bits + 32)))


def _halves(xp: Any, x: _arrays.Array, digits: int) -> Iterator[_arrays.Array]:
    """Yield the leading half of the digits of `x`, and the others, by Veltkamp's splitting."""
    split = 2.0 ** -(-digits // 2)
    # Its product must not overflow.
    large = xp.abs(x) > float(xp.finfo(x.dtype).max) / (4.0 * split)
    small = xp.where(large, xp.full_like(x, 0.25 / split), xp.ones_like(x))
    moved = (split + 1.0) * (x * small)
    high = (moved - (moved - x * small)) / small
    yield high
    yield x - high
