r"""Fixed-point normal density and distribution function.

A number x is the integer round(x 2^bits). On the grids of this package everything is at most a
few units large, so that one product is one integer product and one shift: about ten times faster
than mpf, and with nothing global to set or restore.
"""

from __future__ import annotations

import math
from typing import Any

import mpmath

# Taylor nodes per unit: 16 keeps both the table and the series short.
_PER_UNIT = 16


def private_context(bits: int) -> Any:
    """Return a new mpmath context, so that no thread sees another's precision."""
    context = mpmath.mp.__class__()
    context.prec = bits
    return context


def taylor_terms(half_width: float, bits: int) -> int:
    """Return the Taylor terms that leave < 2^-bits of a product of Gaussian densities and cdfs.

    Such a function F satisfies |F(x + z)| <= e^(|z|^2) for complex z, so by Cauchy on |z|^2 = n/2
    its n-th coefficient is at most (2 e/n)^(n/2).
    """
    n = 4
    while n * (math.log2(half_width) + 0.5 * math.log2(2 * math.e / n)) > -bits:
        n += 1
    return n + 1


class Normal:
    """phi and Phi in fixed point, by Taylor series about a lattice that is filled on demand."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.one = 1 << bits
        self.context = private_context(bits + 16)
        self._shift = bits - _PER_UNIT.bit_length() + 1
        self._terms = taylor_terms(0.5 / _PER_UNIT, bits)
        self._nodes: dict[int, tuple[list[int], list[int]]] = {}

    def fixed(self, value: Any) -> int:
        """Convert a number of any mpmath context to fixed point."""
        return int(self.context.nint(self.context.ldexp(self.context.mpf(value), self.bits)))

    def real(self, value: int) -> Any:
        """Convert fixed point to a real number."""
        return self.context.ldexp(self.context.mpf(value), -self.bits)

    def pdf(self, x: int) -> int:
        """phi(x)."""
        return self._evaluate(x, 0)

    def cdf(self, x: int) -> int:
        """Phi(x)."""
        return self._evaluate(x, 1)

    def _evaluate(self, x: int, which: int) -> int:
        node = (x + (1 << (self._shift - 1))) >> self._shift
        series = self._nodes.get(node) or self._expand(node)
        return horner(series[which], x - (node << self._shift), self.bits)

    def _expand(self, node: int) -> tuple[list[int], list[int]]:
        context = self.context
        t = context.mpf(node) / _PER_UNIT
        # phi' = -t phi gives (n+1) p_(n+1) = -t p_n - p_(n-1); the coefficients stay small.
        first = context.exp(-t * t / 2) / context.sqrt(2 * context.pi)
        pdf, place = [self.fixed(first)], node << self._shift
        pdf.append(-place * pdf[0] >> self.bits)
        for n in range(1, self._terms):
            pdf.append(((-place * pdf[n] >> self.bits) - pdf[n - 1]) // (n + 1))
        cdf = [self.fixed(context.erfc(-t / context.sqrt(2)) / 2)]
        cdf += [pdf[n] // (n + 1) for n in range(self._terms)]
        pair = pdf, cdf
        self._nodes[node] = pair
        return pair


def horner(coefficients: list[int], x: int, bits: int) -> int:
    """Evaluate the polynomial at x, all in fixed point."""
    total = 0
    for coefficient in reversed(coefficients):
        total = ((total * x) >> bits) + coefficient
    return total


def power(x: int, n: int, bits: int) -> int:
    """Compute x^n for 0 <= x <= 1; loses at most n units of the last place."""
    result = 1 << bits
    while n:
        if n & 1:
            result = (result * x) >> bits
        x = (x * x) >> bits
        n >>= 1
    return result
