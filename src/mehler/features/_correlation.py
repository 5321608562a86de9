"""Norms of rows, correlations and distances of pairs, safe for huge, tiny, close and zero rows.

The correlation rho of two rows is the cosine of their angle. At nearly equal or opposite rows
kernels depend on 1 - rho or 1 + rho (`near`, `far`), which are computed apart, with more digits.
Derivatives are safe too: the norm of a row of zeros has the derivative 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler.exact.activations import Pairs

_CLOSED = 4.0  # times eps^1.5: a smaller 1 - |rho| is rounding of equal or opposite rows


def lengths(xp: ModuleType, x: Array) -> Array:
    """Compute the Euclidean norm of each row, (n, 1), scaled so that squares cannot overflow."""
    largest = xp.max(xp.abs(x), axis=1, keepdims=True)
    mask, ones = largest > 0, xp.ones_like(largest)
    scale = xp.where(mask, largest, ones)
    square = xp.sum((x / scale) ** 2, axis=1, keepdims=True)
    return xp.where(mask, scale * xp.sqrt(xp.where(mask, square, ones)), xp.zeros_like(largest))


def directions(xp: ModuleType, x: Array, length: Array) -> Array:
    """Normalise rows; zero rows stay zero."""
    return x / xp.where(length > 0, length, xp.ones_like(length))


def pairs(x: Array, y: Array | None) -> tuple[Any, Any, Any]:
    """Return norms (n, 1) and (1, k), and correlations (n, k) in [-1, 1], in the widest float.

    Those of equal and opposite rows are exactly 1 and -1: rounding there would cost half the
    digits of functions with a square root at rho = 1. Rows are compared digit by digit only if
    some pair is that near, or if values are unavailable.
    """
    place = _arrays.place_of(x)
    xp, wide = place.xp, _arrays.widest_float(place.xp, place.device)
    sizes, units = [], []
    for rows in (x,) if y is None else (x, y):
        wider = xp.astype(rows, wide)
        sizes.append(lengths(xp, wider))
        units.append(directions(xp, wider, sizes[-1]))
    rho = xp.matmul(units[0], xp.matrix_transpose(units[-1]))
    if y is None:
        on_diagonal = xp.eye(x.shape[0], dtype=wide, device=place.device) > 0
        rho = xp.where(on_diagonal, xp.ones_like(rho), rho)
    apart = xp.abs(rho) < 1.0 - 64.0 * float(xp.finfo(wide).eps)
    if not _arrays.may_be_read(rho) or not bool(
        xp.all(apart if y is not None else apart | on_diagonal)
    ):
        rho = gaussian_pairs(x, y).rho
    return (
        sizes[0],
        xp.matrix_transpose(sizes[-1]),
        _arrays.graft(_arrays.clip(xp, rho, -1.0, 1.0), rho),
    )


# Rows of a block of pairs on NumPy: temporaries stay in cache, whose sets 256 columns would share.
BLOCK = 250


def over_blocks(function: Callable[[Array, Array | None], Array], x: Array, y: Array | None) -> Any:
    """Apply a symmetric function of rows by blocks, (n, k); with `y=None` by half of them."""
    n, k = (rows.shape[0] for rows in (x, x if y is None else y))
    out = np.empty((n, k), dtype=x.dtype)
    for rows in _arrays.slices(n, BLOCK):
        for columns in _arrays.slices(k, BLOCK):
            if y is not None:
                out[rows, columns] = function(x[rows], y[columns])
            elif columns.start >= rows.start:
                part = function(x[rows], x[columns] if columns.start > rows.start else None)
                out[rows, columns] = part
                if columns.start > rows.start:
                    out[columns, rows] = part.T
    return out


def products(x: Array, y: Array | None) -> Array:
    """Return inner products, (n, k), which are linear at rows of zeros, as correlations are not."""
    xp = _arrays.array_namespace(x)
    return xp.matmul(x, xp.matrix_transpose(x if y is None else y))


def gaussian_pairs(x: Array, y: Array | None) -> Pairs:
    r"""Return the correlations rho of rows, with 1 - rho and 1 + rho to 4 eps^1.5, or 1e-23.

    .. math:: 1 \mp \rho = \tfrac12|\hat x|^2 + \tfrac12|\hat y|^2 \mp
              \langle\hat x, \hat y\rangle

    Each entry of a direction is split into a multiple of 2^-25 and a rest. Products of multiples
    add up without rounding, so that the cancelling part is exact, and rests are rounded at 2^-25
    of their size. With ``y=None`` the diagonal is exactly 1.
    """
    left = SplitRows(x)
    right = left if y is None else SplitRows(y)
    pairs = left.paired(right, diagonal=y is None)
    if not _arrays.differentiable(x, *(() if y is None else (y,))):
        return pairs
    xp = pairs.xp
    rho, near, far, scales = pairs.rho, pairs.near, pairs.far, (pairs.x_scale, pairs.y_scale)
    # What is rounded to a grid has no derivative: take that of the plain product.
    plain = xp.matmul(left.unit, xp.matrix_transpose(right.unit))
    if y is None:
        plain = xp.where(near == 0.0, 2.0 * xp.ones_like(plain), plain)
    rho, near, far = (
        _arrays.graft(value, on) for value, on in ((rho, plain), (near, -plain), (far, plain))
    )
    covariance = _arrays.graft(rho * scales[0] * scales[1], products(x, y))
    return Pairs(rho, near, far, *scales, covariance=covariance)


class SplitRows:
    """Directions of rows as a coarse part, on a grid, and the rest, with half their squares."""

    def __init__(self, x: Array) -> None:
        place = _arrays.place_of(x)
        xp = place.xp
        x = xp.astype(x, _arrays.widest_float(xp, place.device))
        self.length = lengths(xp, x)
        self.unit = directions(xp, x, self.length)
        bits = round(-math.log2(float(xp.finfo(x.dtype).eps)))
        # Round to the grid: add and subtract a number whose neighbours are one step apart.
        # Squares are multiples of 2^-50: half the sum of two is one bit above eps.
        grid = 1.5 * 2.0 ** (bits - bits // 2 + 1)
        self.coarse = (self.unit + grid) - grid
        rest = self.unit - self.coarse
        # coarse . rest' + rest . unit' is one product.
        self.parts = xp.concat([self.coarse, rest], axis=1)
        self.turned_parts = xp.concat([rest, self.unit], axis=1)
        square = xp.sum(self.coarse**2, axis=1, keepdims=True)
        rest_square = xp.sum(rest * (self.coarse + self.unit), axis=1, keepdims=True)
        # A row of zeros is orthogonal to all.
        nonzero = self.length > 0
        self.coarse_half = 0.5 * xp.where(nonzero, square, xp.ones_like(self.length))
        self.rest_half = 0.5 * xp.where(nonzero, rest_square, xp.zeros_like(self.length))

    def __getitem__(self, rows: slice) -> SplitRows:
        """Return some of the rows."""
        part = object.__new__(SplitRows)
        part.__dict__.update({name: value[rows, :] for name, value in self.__dict__.items()})
        return part

    def paired(self, right: SplitRows, *, diagonal: bool) -> Pairs:
        """Pair all rows with all others; those on the diagonal are the same."""
        xp = _arrays.array_namespace(self.unit)
        transpose = xp.matrix_transpose
        coarse = xp.matmul(self.coarse, transpose(right.coarse))
        rest = xp.matmul(self.parts, transpose(right.turned_parts))
        halves = self.coarse_half + transpose(right.coarse_half)
        rests = self.rest_half + transpose(right.rest_half)
        near, far = (halves - coarse) + (rests - rest), (halves + coarse) + (rests + rest)
        small = xp.minimum(near, far)
        rho = xp.copysign(1.0 - small, far - near)
        closed = small < _CLOSED * float(xp.finfo(small.dtype).eps) ** 1.5
        if diagonal:
            device = _arrays.place_of(small).device
            n, k = (xp.arange(size, device=device) for size in small.shape)
            closed = closed | (n[:, None] == k[None, :])

        def ends(r: Array) -> Array:
            return xp.copysign(xp.ones_like(r), r)

        near = _arrays.replaced(closed, near, lambda r: 1.0 - ends(r), rho)
        far = _arrays.replaced(closed, far, lambda r: 1.0 + ends(r), rho)
        rho = _arrays.replaced(closed, rho, ends, rho)
        return Pairs(rho, near, far, self.length, transpose(right.length))


_ELEMENTS = 1 << 20  # differences per block: 8 MiB


def squared_distances(x: Array, y: Array | None, scale: float) -> Array:
    """Return scale^2 |x_i - y_j|^2, shape (n, k)."""
    return _of_differences(x, y, scale, 2, lambda xp, apart: apart * apart)


def cityblock_distances(x: Array, y: Array | None, scale: float) -> Array:
    """Return scale times the sum of absolute differences, shape (n, k)."""
    # The libraries disagree on the derivative at 0: that of the mean of both sides is the sign's.
    return _of_differences(
        x, y, scale, 1, lambda xp, apart: _arrays.with_derivative(xp.abs, xp.sign, apart)
    )


def _of_differences(
    x: Array, y: Array | None, scale: float, degree: int, term: Callable[..., Any]
) -> Array:
    """Sum a function `term` of the entries of scale (x_i - y_j), by blocks: (n, k)."""
    xp, y = _arrays.array_namespace(x), x if y is None else y
    # Differences of close rows are exact: before them come powers of 2 that cannot overflow.
    mantissa, exponent = math.frexp(scale)
    before, after = math.ldexp(1.0, min(0, exponent - 1)), math.ldexp(1.0, max(0, exponent - 1))
    x, y = (x, y) if before == 1.0 else (x * before, y * before)
    # Clip where all kernels are 0, so that the square stays finite.
    most = float(xp.finfo(x.dtype).max) ** 0.25
    sums = _arrays.power_distances(x, y, degree) if after == 1.0 else None
    if sums is not None:
        if sums.max() > most**degree:
            np.minimum(sums, most**degree, out=sums)
        return np.multiply(sums, (2.0 * mantissa) ** degree, out=sums)
    columns = max(1, min(x.shape[1], _ELEMENTS // y.shape[0]))
    rows = max(1, _ELEMENTS // (columns * y.shape[0]))
    parts = []
    for part in _arrays.slices(x.shape[0], rows):
        total: Any = 0.0
        for piece in _arrays.slices(x.shape[1], columns):
            differences = x[part, None, piece] - y[None, :, piece]
            differences = differences if after == 1.0 else differences * after
            differences = xp.clip(differences, -most, most)
            total = total + xp.sum(term(xp, differences), axis=2)
        parts.append(total * (2.0 * mantissa) ** degree)
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=0)
