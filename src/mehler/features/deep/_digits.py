"""The same kernels in arbitrary precision and as balls: one recursion, two kinds of numbers.

Correlations are quotients here, not gaps: an independent route to the float64 kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from mehler.exact.certified import precision, require_bits, require_dps
from mehler.features.deep._layers import Layer
from mehler.features.deep._numbers import Balls, Digits
from mehler.features.deep._recursion import Dual, dual_of

_GUARD = 10


def to_digits(
    layer: Layer, rows: list[Any], depth: int, w: float, b: float, tangent: bool, dps: Any
) -> Any:
    """Compute the kernel of two lists of rows to `dps` digits, as an object array of mpf."""
    dps, dual = require_dps(dps), dual_of(layer)

    def pair(x: Any, y: Any) -> Any:
        digits = dps + _GUARD + depth // 2
        while True:
            numbers = Digits(digits)
            found = _Network(dual, numbers, depth, w, b, tangent).of(x, y)
            # Kinks turn digits that 1 - rho lacks into half of them.
            needed = dps + _GUARD + depth // 2 + numbers.lost_digits
            if digits >= needed:
                return numbers.public(found, dps)
            digits = needed

    return _matrix(pair, *rows)


def to_balls(
    layer: Layer, rows: list[Any], depth: int, w: float, b: float, tangent: bool, bits: Any
) -> Any:
    """Compute the kernel of two lists of rows as an object array of balls."""
    bits, dual = require_bits(bits), dual_of(layer)
    with precision(bits + 48 + 4 * depth) as module:
        numbers = Balls(module, bits + 16 + 2 * depth)

        def pair(x: Any, y: Any) -> Any:
            return numbers.public(_Network(dual, numbers, depth, w, b, tangent).of(x, y))

        return _matrix(pair, *rows)


def _matrix(pair: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """Compute all pairs, each of them once if both are the same rows."""
    left = [[Fraction(float(value)) for value in row] for row in np.asarray(x)]
    right = left if y is None else [[Fraction(float(v)) for v in row] for row in np.asarray(y)]
    out = np.empty((len(left), len(right)), dtype=object)
    for i, one in enumerate(left):
        for j, two in enumerate(right):
            out[i, j] = out[j, i] if y is None and j < i else pair(one, two)
    return out


class _Network:
    """One pair of rows through the layers."""

    def __init__(
        self, dual: Dual, numbers: Any, depth: int, w: float, b: float, tangent: bool
    ) -> None:
        self.dual, self.numbers, self.depth, self.tangent = dual, numbers, depth, tangent
        self.w, self.b = Fraction(w), Fraction(b)

    def of(self, x: list[Fraction], y: list[Fraction]) -> Any:
        """Compute the kernel at one pair of rows."""
        number = self.numbers.number
        w, b = number(self.w), number(self.b)
        xx, yy, xy = (self._first(*pair) for pair in ((x, x), (y, y), (x, y)))
        same = x == y
        # Exactly parallel, of either sign; units of degree 1 without biases keep the one.
        sign = int(math.copysign(1, xy)) if xy * xy == xx * yy and xy != 0 else 0
        p, r, c = number(xx), number(yy), number(xy)
        theta = c
        for _ in range(self.depth):
            value = self.dual.moment(self.numbers, p, r, c, sign)
            if self.tangent:
                slope = self.dual.slope(self.numbers, p, r, c, sign)
            p_new = w * self.dual.moment(self.numbers, p, p, p, 1) + b
            r_new = p_new if same else w * self.dual.moment(self.numbers, r, r, r, 1) + b
            p, r, c = p_new, r_new, p_new if same else w * value + b
            if self.tangent:
                theta = c + w * slope * theta
            sign = 1 if same else self.dual.sign_after(sign) if self.b == 0 else 0
        return theta if self.tangent else c

    def _first(self, x: list[Fraction], y: list[Fraction]) -> Fraction:
        product = sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))
        return self.w * product / len(x) + self.b
