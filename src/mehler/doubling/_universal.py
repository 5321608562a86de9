"""Bounds from the numbers of points, columns and entries alone."""

from __future__ import annotations

import math

from mehler._validate import require_integer
from mehler.doubling._points import Interval

# Balls of radius 1/2 that suffice for a unit ball of R^d: 2 for a segment, 7 for a disc, and
# 1 + 22 for d = 3 (22 caps of 30 degrees cover the sphere; one ball covers the inner half).
_HALF_BALLS = {0: 1, 1: 2, 2: 7, 3: 23}


# Larger numbers of columns are not all floats.
_LARGEST = 2**53


def log2_ceil(count: int) -> int:
    """Return the least k with 2^k >= count."""
    return (count - 1).bit_length()


def by_columns(n_varying: int) -> int:
    r"""Bound the doubling dimension of R^d by :math:`\lceil d \log_2 5\rceil` or less."""
    if n_varying in _HALF_BALLS:
        return log2_ceil(_HALF_BALLS[n_varying])
    return math.ceil(n_varying * math.log2(5))


def sparse_dimension(n_nonzero: int, n_inputs: int) -> Interval:
    r"""Enclose the doubling dimension of sparse unit vectors.

    .. math:: \Big\lceil\log_2\frac{2^s\binom ds}{V}\Big\rceil \le k \le
              \Big\lceil\log_2\Big(\binom ds N_s\Big)\Big\rceil, \qquad N_s \le 5^s

    The set has all unit vectors of d entries of which at most s are not 0. V counts the vectors of
    entries 0 and :math:`\pm1/\sqrt s` within distance 1 of one of them, and :math:`N_s` balls of
    half its radius cover a ball of :math:`\mathbb R^s`.

    Parameters
    ----------
    n_nonzero : int
        s, at most d.
    n_inputs : int
        d.

    Returns
    -------
    Interval
        Holds the dimension of Definition 2, whose centres lie anywhere. The upper end holds for
        vectors of any length too.

    Notes
    -----
    Both ends are of the order s log(d/s). Exact integers; cost of the order s^2 products of them.
    Proof: :doc:`/theorems/definition-2`, 6 and 7.

    References
    ----------
    Mroueh, Rennie, Goel (2015), after Theorem 2, where the order s log d stands without a constant.

    Examples
    --------
    >>> from mehler import doubling
    >>> doubling.sparse_dimension(1, 32)  # plus and minus 32 axes
    Interval(low=6, high=6)
    >>> doubling.sparse_dimension(10, 1000)
    Interval(low=32, high=102)
    """
    d = require_integer("n_inputs", n_inputs, most=_LARGEST)
    s = require_integer("n_nonzero", n_nonzero)
    if s > d:
        raise ValueError(f"n_nonzero={s} exceeds n_inputs={d}: at most all entries are not 0")
    # Vectors of fewer entries are in the set too.
    fewer = {s, *(s >> i for i in range(1, s.bit_length()))}
    low = max(max(_packing(nonzero, d) for nonzero in fewer), _by_sphere(s))
    high = log2_ceil(math.comb(d, s) * _HALF_BALLS.get(s, 5**s))
    return Interval(low, min(high, by_columns(d)))


def _packing(s: int, d: int) -> int:
    """Bound by a largest packing: none can be added, so balls around its points cover all."""
    near = sum(
        math.comb(s, i) * math.comb(d - s, s - i) * 2 ** (s - i) * _mostly_equal(i, s)
        for i in range(s + 1)
    )
    return log2_ceil(-(-(2**s * math.comb(d, s)) // near))


def _mostly_equal(i: int, s: int) -> int:
    """Count signs of i entries of which a are equal and the others not, 2a - i at least s/2."""
    return sum(math.comb(i, a) for a in range(i + 1) if 2 * (2 * a - i) >= s)


def _by_sphere(s: int) -> int:
    """Bound by the whole sphere of s coordinates: the area of caps of 30 degrees."""
    from scipy.special import betainc

    if s == 1:
        return 1
    caps = 2.0 / float(betainc(0.5 * (s - 1), 0.5, 0.25))
    return math.ceil(math.log2(caps) - 1e-9)
