r"""Planar quadrature: every expectation over two correlated maxima as a sum over wedges.

With (a, b) standard normal in the plane and c, s = cos, sin of theta/2, let

    X, Y = a c +- b s,   X', Y' = a s -+ b c,   G(a, b) = Phi_2(X, Y; cos theta),

the Gaussian measure of the wedge of opening pi - theta with its apex at (a, b). The maxima (M, M')
of q pairs fall at (X, Y) with density, in (a, b),

    q phi(a) phi(b) G^(q-1)  +  q (q-1) sin(theta) F_1 F_2 G^(q-2),
    F_1 = phi(X) Phi(X'),   F_2 = phi(Y) Phi(Y'),

where the first term alone is the event D = D' (its mass is kappa_q). Both are summed by the
trapezoid rule. G is carried along each column by Taylor series: dG = F_1 dX + F_2 dY, and because
phi(X) phi(X') = phi(Y) phi(Y') = phi(a) phi(b) =: E,

    F_1' = -X X_t F_1 + X'_t E,    E' = -(a a_t + b b_t) E

along any straight line, subscripts t being the constant slopes. G starts from its value at the
origin, (pi - theta)/(2 pi).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from mehler.exact._mp_arguments import to_mpf
from mehler.exact._multiprecision._fixed import Normal, horner, power, taylor_terms
from mehler.exact._multiprecision._step import decay, first_step, negligible, settled

# Approximate length of the pieces of a column that share one Taylor expansion.
_PIECE = 0.3
_GUARD_BITS = 40


def working_bits(q: int, digits: int) -> int:
    """Return the fixed-point bits: powers of G lose q units of the last place, sums a factor q."""
    return math.ceil(digits * math.log2(10)) + 2 * q.bit_length() + _GUARD_BITS


class Wedge:
    """Sums for one correlation -1 < rho < 1 and one pool size, to a number of decimal digits."""

    def __init__(self, rho: Fraction, q: int, digits: int, normal: Normal | None = None) -> None:
        self.q, self.digits = q, digits
        self.normal = normal = normal or Normal(working_bits(q, digits))
        self.bits = normal.bits
        context = normal.context
        cos = context.sqrt(to_mpf(context, (1 + rho) / 2))
        sin = context.sqrt(to_mpf(context, (1 - rho) / 2))
        self.cos, self.sin = normal.fixed(cos), normal.fixed(sin)
        self.real_cos, self.real_sin = float(cos), float(sin)
        self.apex = normal.fixed(context.atan2(cos, sin) / context.pi)

    def same_winner(self) -> tuple[Any, Any]:
        """Compute P(D = D') and E[M M'; D = D']."""
        mass, product, _ = self._settle(joint=False)
        return mass, product

    def product_moments(self) -> tuple[Any, Any, Any]:
        """Compute the total mass (a check: it is 1), E M M' and E M^2 M'^2."""
        return self._settle(joint=True)

    def _settle(self, *, joint: bool) -> tuple[Any, Any, Any]:
        h, proved = first_step(self.digits, self.q)
        while True:
            fine, coarse = self._sums(h, joint=joint)
            worst = max(abs(f - c) for f, c in zip(fine, coarse, strict=True))
            if proved or settled(worst.bit_length() - self.bits, self.digits):
                first, second, third = (self.normal.real(total) for total in fine)
                return first, second, third
            h *= 0.7

    def _sums(self, h: float, *, joint: bool) -> tuple[list[int], list[int]]:
        """Compute trapezoid sums of 1, XY, (XY)^2 against the density, at steps h and 2h."""
        bits, q, normal = self.bits, self.q, self.normal
        lattice = _Lattice(self, h, joint=joint)
        step = lattice.step
        cos2, sin2 = self.cos**2 >> bits, self.sin**2 >> bits
        sine = 2 * self.cos * self.sin >> bits
        floor = normal.fixed(negligible(self.digits, q, q - 2 if joint else q - 1))
        totals = {1: [0, 0, 0], 2: [0, 0, 0]}
        densities: dict[int, int] = {}
        for j, start in enumerate(lattice.axis()):
            column = [0, 0, 0], [0, 0, 0]
            b2_sin2 = (((j * step) ** 2 >> bits) * sin2) >> bits
            pdf_b = normal.pdf(j * step)
            for i, g, f1f2 in lattice.column(j, start):
                if g <= floor:
                    continue
                pdf_a = densities.get(abs(i))
                if pdf_a is None:
                    pdf_a = densities[abs(i)] = normal.pdf(abs(i) * step)
                density = pdf_a * pdf_b >> bits
                if joint and q > 1:
                    rest = power(g, q - 2, bits)
                    density = (density * g >> bits) + (q - 1) * (sine * f1f2 >> bits)
                    density = density * rest >> bits
                else:
                    density = density * power(g, q - 1, bits) >> bits
                xy = ((((i * step) ** 2 >> bits) * cos2) >> bits) - b2_sin2
                moment = density * xy >> bits
                terms = density, moment, (moment * xy >> bits) if joint else 0
                for part in column if i % 2 == 0 else column[:1]:
                    for k in range(3):
                        part[k] += terms[k]
            # b and -b are mirror images: b = 0 counts once, every other column twice.
            for every, part in zip((1, 2), column, strict=True):
                if j % every == 0:
                    for k in range(3):
                        totals[every][k] += part[k] * (1 if j == 0 else 2)
        cell = q * step * step >> bits
        fine = [total * cell >> bits for total in totals[1]]
        return fine, [4 * total * cell >> bits for total in totals[2]]


class _Lattice:
    """The values of G (and F_1 F_2) on the points (i h, j h)."""

    def __init__(self, wedge: Wedge, h: float, *, joint: bool) -> None:
        self.wedge, self.joint = wedge, joint
        self.h, self.step = h, wedge.normal.fixed(h)
        self.need = decay(wedge.digits, wedge.q) + 4
        self.columns = math.ceil(math.sqrt(2 * self.need) / h)
        self.per = max(1, round(_PIECE / h))
        self.terms = taylor_terms(self.per * h / 2, wedge.bits)

    def axis(self) -> Iterator[int]:
        """Return G(0, j h), j = 0, 1, ..."""
        for piece in self._march(0, 0, self.wedge.apex, (0, 1), self.columns):
            yield from (g for _, g, _ in piece)

    def column(self, j: int, start: int) -> Iterator[tuple[int, int, int]]:
        """Yield (i, G(i h, j h), F_1 F_2) wherever the density is not negligible."""
        wedge, b = self.wedge, j * self.h
        room = 2 * self.need - b * b
        if self.joint:
            # F_1 F_2 <= phi(X) phi(Y) = e^(-a^2 c^2 - b^2 s^2)/(2 pi), which reaches further in a.
            room = max(room, (self.need - (b * wedge.real_sin) ** 2) / wedge.real_cos**2)
        up = math.ceil(math.sqrt(max(room, 1.0)) / self.h)
        for piece in self._march(0, j, start, (1, 0), up):
            yield from piece
        down = math.ceil(math.sqrt(2 * self.need) / self.h)
        factors = max(wedge.q - 2, 0)
        floor = negligible(wedge.digits, wedge.q, factors)
        for piece in self._march(0, j, start, (-1, 0), down):
            yield from ((i, g, f) for i, g, f in piece if i != 0)
            # G decreases along the way: once negligible, it stays so.
            if piece[-1][1] <= wedge.normal.fixed(floor):
                return

    def _march(
        self, i: int, j: int, g: int, way: tuple[int, int], count: int
    ) -> Iterator[list[tuple[int, int, int]]]:
        """Yield pieces of (index, G, F_1 F_2) along a line of the lattice, from (i, j) on."""
        bits, step, per = self.wedge.bits, self.step, self.per
        along = way[0] or way[1]
        half = per * step // 2
        for first in range(0, count, per):
            middle_a = (i + first * way[0]) * step + half * way[0]
            middle_b = (j + first * way[1]) * step + half * way[1]
            growth, f1, f2 = self._expand(middle_a, middle_b, way)
            origin = horner(growth, -half, bits)
            piece = []
            for k in range(per):
                t = k * step - half
                f1f2 = horner(f1, t, bits) * horner(f2, t, bits) >> bits if self.joint else 0
                index = (i if way[0] else j) + along * (first + k)
                piece.append((index, g + horner(growth, t, bits) - origin, f1f2))
            yield piece
            g += horner(growth, per * step - half, bits) - origin

    def _expand(
        self, a: int, b: int, way: tuple[int, int]
    ) -> tuple[list[int], list[int], list[int]]:
        """Return Taylor coefficients about (a, b) along `way` of G - G(a, b), F_1 and F_2."""
        wedge, bits = self.wedge, self.wedge.bits
        cos, sin, normal = wedge.cos, wedge.sin, wedge.normal
        da, db = way
        e = [normal.pdf(a) * normal.pdf(b) >> bits]
        m = a * da + b * db
        e.append(-m * e[0] >> bits)
        for n in range(1, self.terms):
            e.append(((-m * e[n] >> bits) - e[n - 1]) // (n + 1))
        series, slopes = [], []
        for sign in (1, -1):
            x, slope = (a * cos + sign * b * sin) >> bits, da * cos + sign * db * sin
            x_, slope_ = (a * sin - sign * b * cos) >> bits, da * sin - sign * db * cos
            f = [normal.pdf(x) * normal.cdf(x_) >> bits]
            drift, curve = -slope * x >> bits, slope * slope >> bits
            f.append((drift * f[0] + slope_ * e[0]) >> bits)
            for n in range(1, self.terms):
                f.append(((drift * f[n] - curve * f[n - 1] + slope_ * e[n]) >> bits) // (n + 1))
            series.append(f)
            slopes.append(slope)
        growth = [0]
        for n, (f1, f2) in enumerate(zip(*series, strict=True)):
            growth.append(((slopes[0] * f1 + slopes[1] * f2) >> bits) // (n + 1))
        return growth, series[0], series[1]
