"""Distinct points of a set, their diameter, and what their columns say of the doubling dimension.

The doubling dimension is the least k such that 2^k balls of half its radius cover any ball.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_integer


@dataclass(frozen=True)
class Interval:
    """A number between two bounds, `low` and `high`, both included.

    Examples
    --------
    >>> width = Interval(1.0, 1.5)
    >>> width.exact, float(width)
    (False, 1.5)
    """

    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Whether lower and upper bound agree."""
        return self.low == self.high

    def __float__(self) -> float:
        """Return the upper end: bounds increase in their arguments, so it is the safe one."""
        return float(self.high)

    def __contains__(self, value: float) -> bool:
        """Return whether a value lies between the bounds."""
        return self.low <= value <= self.high


# Differences cost one pass over a block per column; beyond this many a matrix product is faster.
_FEW_COLUMNS = 8
_FEW_ROWS = 64  # few points are always compared by differences, which are accurate to rounding
_ALL_PAIRS = 20_000  # most points of which the diameter is that of all pairs
_BLOCK = 1 << 21  # elements of a block of distances on the host: 16 MiB
_UNIT = 2.0**-52
_TINY = 2.0**-1000  # squares of the scaled differences underflow below this


class Points:
    """The distinct rows of a matrix on the host in float64, in inner coordinates.

    ``host = data[rows] / scale - shift``, the scale a power of two. A squared distance s of inner
    coordinates is computed with an error of at most ``relative * s + absolute``.
    """

    def __init__(self, x: Array) -> None:
        rows = _host_rows(x)
        # Keep the order of the data, so that choices do not depend on how rows sort.
        self.rows = np.sort(np.unique(rows, axis=0, return_index=True)[1])
        rows = rows[self.rows]
        self.n_varying = int(np.any(rows != rows[:1], axis=0).sum())
        self.n, self.n_inputs = rows.shape
        largest = float(np.max(np.abs(rows)))
        self.scale = 2.0 ** (math.frexp(largest)[1] - 1) if largest > 0 else 1.0
        rows = rows / self.scale
        self.shift = np.zeros(self.n_inputs)
        self.direct = self.n_inputs <= _FEW_COLUMNS or self.n <= _FEW_ROWS
        if not self.direct:
            self.shift = rows.mean(axis=0)  # products cancel if rows share a large offset
            rows = rows - self.shift
        self.host = rows
        reach = float(np.sqrt(np.max(np.einsum("ij,ij->i", rows, rows))))
        self.relative = (self.n_inputs + 4) * _UNIT
        self.absolute = _TINY if self.direct else (self.n_inputs + 8) * _UNIT * (2.1 * reach) ** 2

    def subset(self, which: NDArray[np.int64]) -> Points:
        """Return a subset of the points, in the same coordinates."""
        part = copy.copy(self)
        part.n = int(which.size)
        part.rows, part.host = self.rows[which], self.host[which]
        return part

    def upper(self, squared: Any) -> Any:
        """Return an upper bound of the true squared distance."""
        return np.maximum(squared, 0.0) * (1 + 2 * self.relative) + self.absolute

    def lower(self, squared: Any) -> Any:
        """Return a lower bound of the true squared distance."""
        return np.maximum(squared * (1 - 2 * self.relative) - self.absolute, 0.0)

    def limit_above(self, squared: float) -> float:
        """Return the largest computed value of a squared distance of at most `squared`."""
        return (squared + self.absolute) * (1 + 3 * self.relative)

    def limit_below(self, squared: float) -> float:
        """Return a value such that one computed as no more is a squared distance <= `squared`."""
        return (squared - self.absolute) * (1 - 3 * self.relative)

    def squared(self, rows: Any, columns: Any) -> NDArray[np.float64]:
        """Compute squared distances of points, by indices or slices; they may be below 0."""
        return self.squared_from(self.host[rows], self.host[columns])

    def squared_from(
        self, a: NDArray[np.float64], b: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Compute squared distances of vectors (k, d), in inner coordinates, to others or all."""
        b = self.host if b is None else b
        if self.direct:
            total = (a[:, :1] - b[:, :1].T) ** 2
            for k in range(1, self.n_inputs):
                step = a[:, k : k + 1] - b[:, k : k + 1].T
                total = total + step * step
            return total
        # One product: (x, |x|^2, 1) with (-2 z, 1, |z|^2).
        left = np.concatenate([a, np.sum(a * a, axis=1, keepdims=True), np.ones((len(a), 1))], 1)
        right = np.concatenate(
            [-2.0 * b, np.ones((len(b), 1)), np.sum(b * b, axis=1, keepdims=True)], 1
        )
        return left @ right.T

    def blocks(self) -> Iterator[slice]:
        """Yield slices of all points whose distances to all fit in a block."""
        return _arrays.slices(self.n, max(1, _BLOCK // self.n))

    def original(self, centre: NDArray[np.float64]) -> NDArray[np.float64]:
        """Transform a vector from inner coordinates to those of the data."""
        return (np.asarray(centre) + self.shift) * self.scale


def _host_rows(x: Array) -> NDArray[np.float64]:
    """Return the matrix on the host in float64; refuse non-finite values, also of lazy arrays."""
    _arrays.require_matrix(x)
    _arrays.require_small(x, name="X", reason="its points are compared with each other")
    _arrays.require_values(x, "X")
    rows = _arrays.to_host(x).astype(np.float64)
    _arrays.require_finite(rows, name="X")
    # Adding 0 turns -0 into 0: equal numbers must give equal rows.
    return rows + 0.0


def diameter(X: Array) -> Interval:
    r"""Return the diameter of a finite set, :math:`\max_{x, z} |x - z|`.

    Parameters
    ----------
    X : array, shape (n, d)
        The points.

    Returns
    -------
    Interval
        In the units of X. Up to 20,000 different points all pairs are looked at, in O(n^2 d), and
        the ends differ by rounding only. Beyond, in O(n d), the upper end is twice the radius of a
        ball that holds the set, at most :math:`\sqrt 3` times the truth.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(diameter(np.asarray([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))), 12)
    5.0
    """
    points = Points(X)
    return diameter_of(points) if points.n <= _ALL_PAIRS else _swept(points)


def diameter_of(points: Points) -> Interval:
    """Compute the diameter from all pairs."""
    if points.n == 1:
        return Interval(0.0, 0.0)
    largest = 0.0
    for rows in points.blocks():
        # Each pair once: the columns from this block on.
        squared = points.squared(rows, slice(rows.start, points.n))
        largest = max(largest, float(squared.max()))
    return _ends(points, largest, largest)


def _swept(points: Points) -> Interval:
    """Bound the diameter by going to the farthest point again and again: its balls hold all."""
    low, high = 0.0, math.inf
    centre = points.host.mean(axis=0)
    for _ in range(8):
        squares = points.squared_from(centre[None, :])[0]
        high = min(high, float(squares.max()))
        far = points.host[int(squares.argmax())]
        across = points.squared_from(far[None, :])[0]
        low = max(low, float(across.max()))
        centre = (far + points.host[int(across.argmax())]) / 2
    return _ends(points, low, 4 * high)


def _ends(points: Points, low: float, high: float) -> Interval:
    """Return the diameter, in the units of the data, from computed bounds on its square."""
    below = math.nextafter(math.sqrt(float(points.lower(np.float64(low)))), 0.0)
    above = math.nextafter(math.sqrt(float(points.upper(np.float64(high)))), math.inf)
    # Scaling is exact but where it leaves the range of normal floats.
    first, last = below * points.scale, above * points.scale
    first = math.nextafter(first, 0.0) if first / points.scale > below else first
    last = math.nextafter(last, math.inf) if last / points.scale < above else last
    return Interval(first, last)


# Balls of radius 1/2 that suffice for a unit ball of R^d: 2 for a segment, 7 for a disc, and
# 1 + 22 for d = 3 (22 caps of 30 degrees cover the sphere; one ball covers the inner half).
_HALF_BALLS = {0: 1, 1: 2, 2: 7, 3: 23}

_LARGEST = 2**53  # larger numbers of columns are not all floats


def log2_ceil(count: int) -> int:
    """Return the least k with 2^k >= count."""
    return (count - 1).bit_length()


def by_columns(n_varying: int) -> int:
    r"""Bound the dimension of R^d, d = `n_varying`, by :math:`\lceil d \log_2 5\rceil` or less."""
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
        The upper end holds for vectors of any length too. Cost: about s^2 products of integers.
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
    """Return log2 of the size of a packing: if no vector can be added, its balls cover them all."""
    near = sum(
        math.comb(s, i) * math.comb(d - s, s - i) * 2 ** (s - i) * _mostly_equal(i, s)
        for i in range(s + 1)
    )
    return log2_ceil(-(-(2**s * math.comb(d, s)) // near))


def _mostly_equal(i: int, s: int) -> int:
    """Count signs of i entries that agree with other signs in a places, 2a - i at least s/2."""
    return sum(math.comb(i, a) for a in range(i + 1) if 2 * (2 * a - i) >= s)


def _by_sphere(s: int) -> int:
    """Return log2 of how many caps of 30 degrees, by area, cover the sphere of s coordinates."""
    from scipy.special import betainc

    if s == 1:
        return 1
    caps = 2.0 / float(betainc(0.5 * (s - 1), 0.5, 0.25))
    return math.ceil(math.log2(caps) - 1e-9)
