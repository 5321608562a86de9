r"""Coefficients of the collision series by the partition formula.

With psi_n = phi He_(n-1)/sqrt(n!) (n >= 1),

    a_i(q) = (i+1) sum over partitions lambda of i+1 with l <= q parts of
             q!/((q-l)! prod m_k!) (int Phi^(q-l) prod_j psi_(lambda_j) dt)^2,

m_k the multiplicities. Each integrand is a product of q Gaussian factors: trapezoid rule on one
grid for all of them, walking the tree of partitions so that each node costs one product.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from mehler.exact._multiprecision._fixed import Normal, power
from mehler.exact._multiprecision._step import decay, first_step, settled


def by_partitions(q: int, n: int, digits: int) -> list[Any]:
    """Compute a_0(q), ..., a_(n-1)(q)."""
    # An integral with l parts is of size q^-l and its square is multiplied by about q^l.
    deepest = min(n, q)
    bits = math.ceil(digits * math.log2(10)) + 2 * (deepest + 1) * q.bit_length() + 40
    normal = Normal(bits)
    h, proved = first_step(digits + math.ceil(deepest * math.log10(q)), q)
    while True:
        tree = _Tree(normal, q, n, digits, h)
        fine, coarse = tree.coefficients(1), tree.coefficients(2)
        worst = max(abs(f - c) for f, c in zip(fine, coarse, strict=True))
        if proved or settled(float(normal.context.mag(worst)), digits):
            return fine
        h *= 0.7


class _Tree:
    """The integrals of all partitions of 1, ..., n on one grid."""

    def __init__(self, normal: Normal, q: int, n: int, digits: int, h: float) -> None:
        self.normal, self.q, self.n = normal, q, n
        self.step = normal.fixed(h)
        end = math.ceil(math.sqrt(2 * decay(digits, q) + 2 * min(n, q) * math.log(q)) / h)
        grid = [i * self.step for i in range(-end, end + 1)]
        self.parity = end % 2
        self.parts = _parts(normal, grid, n)
        self.powers = _powers(normal, grid, q, min(n, q))

    def coefficients(self, every: int) -> list[Any]:
        """Compute a_0, ..., a_(n-1) with `every` times the step of the grid."""
        sums = [self.normal.context.zero] * (self.n + 1)
        parts, powers = self.parts, self.powers
        if every == 2:
            parts, powers = ([row[self.parity :: 2] for row in t] for t in (parts, powers))
        start = [self.normal.one] * len(parts[0])
        bits, step, real = self.normal.bits, self.step * every, self.normal.real

        def descend(
            product: list[int], length: int, largest: int, used: int, same: int, weight: Fraction
        ) -> None:
            """Visit every way to add parts no larger than `largest`, of which `same` are there."""
            for part in range(1, min(largest, self.n - used) + 1):
                times = same + 1 if part == largest else 1
                # q!/((q-l)! prod m_k!) grows by one factor of each with every part.
                count = weight * (self.q - length) / times
                longer = [x * y >> bits for x, y in zip(product, parts[part], strict=True)]
                total = sum(x * y >> bits for x, y in zip(longer, powers[length + 1], strict=True))
                integral = real(total * step >> bits)
                sums[used + part] += count.numerator * integral**2 / count.denominator
                if length + 1 < self.q:
                    descend(longer, length + 1, part, used + part, times, count)

        descend(start, 0, self.n, 0, 0, Fraction(1))
        return [(i + 1) * sums[i + 1] for i in range(self.n)]


def _powers(normal: Normal, grid: list[int], q: int, most: int) -> list[list[int]]:
    """Compute Phi^(q-l) on the grid, l = 0, ..., most."""
    bits = normal.bits
    cdf = [max(normal.cdf(t), 0) for t in grid]
    table = [[power(p, q - most, bits) for p in cdf]]
    for _ in range(most):
        table.append([x * p >> bits for x, p in zip(table[-1], cdf, strict=True)])
    return table[::-1]


def _parts(normal: Normal, grid: list[int], n: int) -> list[list[int]]:
    """Compute psi_0 (unused), psi_1, ..., psi_n on the grid."""
    bits, context = normal.bits, normal.context
    table = [[0] * len(grid), [normal.pdf(t) for t in grid]]
    # psi_(m+1) = (t psi_m - (m-1)/sqrt(m) psi_(m-1)) / sqrt(m+1)
    for m in range(1, n):
        back = normal.fixed((m - 1) / context.sqrt(m))
        over = normal.fixed(1 / context.sqrt(m + 1))
        rows = zip(grid, table[m], table[m - 1], strict=True)
        table.append(
            [
                ((t * now >> bits) - (back * before >> bits)) * over >> bits
                for t, now, before in rows
            ]
        )
    return table
