"""The same kernels in arbitrary precision and as balls: one recursion, two kinds of numbers.

Correlations are quotients here, not gaps: an independent route to the float64 kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from mehler import exact
from mehler.exact.activations import Activation, Sides, Waves, erf_kernel, polynomials
from mehler.exact.certified import (
    Ball,
    collision_enclosure,
    exact_number,
    kernel_enclosure,
    precision,
    private_context,
    public_mpf,
    require_bits,
    require_dps,
    to_arb,
    to_mpf,
)
from mehler.features.deep._layers import Elementwise, Layer, Maxout


class Digits:
    """mpmath numbers of a private context."""

    def __init__(self, digits: int) -> None:
        self.digits = digits
        self._context = private_context(math.ceil((digits + 5) * math.log2(10)))
        # How many digits the smallest gap 1 - |rho| lacks.
        self.lost_digits = 0

    def number(self, value: Fraction) -> Any:
        """Round a fraction."""
        return to_mpf(self._context, value)

    @property
    def pi(self) -> Any:
        """Return pi."""
        return +self._context.pi

    def sqrt(self, x: Any) -> Any:
        """Compute the square root; of rounding below 0, 0."""
        return self._context.sqrt(max(x, 0 * x))

    def asin(self, x: Any) -> Any:
        """Compute the arcsine."""
        return self._context.asin(x)

    def exp(self, x: Any) -> Any:
        """Compute the exponential."""
        return self._context.exp(x)

    def is_zero(self, x: Any) -> bool:
        """Return whether a variance is 0."""
        return bool(x == 0)

    def increasing(self, function: Callable[[Any], Any], rho: Any, exact: bool) -> Any:
        """Evaluate an increasing function at a correlation."""
        one = self._context.one
        if not exact:
            gap = 1 - abs(rho)
            lost = int(-self._context.log10(gap)) + 1 if gap > 0 else self.digits
            self.lost_digits = max(self.lost_digits, lost)
        return function(min(max(rho, -one), one))

    def maxout_kernel(self, rho: Any, q: int) -> Any:
        """Compute K_q."""
        return self._own(exact.maxout_kernel(rho, q, self.digits))

    def collision_probability(self, rho: Any, q: int) -> Any:
        """Compute kappa_q."""
        return self._own(exact.collision_probability(rho, q, self.digits))

    def _own(self, value: Any) -> Any:
        return self._context.make_mpf(value._mpf_)

    def public(self, value: Any, dps: int) -> Any:
        """Return an ordinary mpf."""
        return public_mpf(value, dps)


class Balls:
    """Balls, under a precision that is set outside."""

    def __init__(self, module: Any, bits: int) -> None:
        self._module, self._bits = module, bits

    def number(self, value: Fraction) -> Any:
        """Enclose a fraction."""
        return to_arb(self._module, value)

    @property
    def pi(self) -> Any:
        """Enclose pi."""
        return self._module.arb.pi()

    def sqrt(self, x: Any) -> Any:
        """Enclose the square root of what is known not to be negative."""
        return x.max(self._module.arb(0)).sqrt()

    def asin(self, x: Any) -> Any:
        """Enclose the arcsine."""
        return x.asin()

    def exp(self, x: Any) -> Any:
        """Enclose the exponential."""
        return x.exp()

    def is_zero(self, x: Any) -> bool:
        """Return whether a variance is 0, which only an exact one is."""
        return bool(x == 0)

    def increasing(self, function: Callable[[Any], Any], rho: Any, exact: bool) -> Any:
        """Enclose an increasing function over a ball of correlations, by its ends."""
        ball = Ball.from_arb(rho)
        value, radius = (exact_number(one, name="rho") for one in (ball.value, ball.radius))
        ends = [
            min(max(end, Fraction(-1)), Fraction(1)) for end in (value - radius, value + radius)
        ]
        if ends[0] == ends[1]:
            return function(self.number(ends[0]))
        low, high = (function(self.number(end)) for end in ends)
        return low.union(high)

    def maxout_kernel(self, rho: Any, q: int) -> Any:
        """Enclose K_q at an exact correlation."""
        return kernel_enclosure(self._module, self._exact(rho), q, self._bits)

    def collision_probability(self, rho: Any, q: int) -> Any:
        """Enclose kappa_q at an exact correlation."""
        return collision_enclosure(self._module, self._exact(rho), q, self._bits)

    def _exact(self, rho: Any) -> Fraction:
        # Ends of balls are binary fractions, which a ball of enough bits holds exactly.
        return exact_number(Ball.from_arb(rho).value, name="rho")

    def public(self, value: Any) -> Ball:
        """Return a Ball."""
        return Ball.from_arb(value)


class Dual(Protocol):
    """E a(u) a(v), and of gradients, from variances p and r, the covariance c, and its sign.

    The sign is 1 or -1 where the correlation is known to be that, else 0.
    """

    def sign_after(self, sign: int) -> int:
        """Return the sign of parallel rows after the layer, without biases; 0 if not parallel."""

    def moment(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute E a(u) a(v)."""

    def slope(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute E a'(u) a'(v)."""


def _correlation_of(numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
    if numbers.is_zero(p) or numbers.is_zero(r):
        return numbers.number(Fraction(0))
    return numbers.number(Fraction(sign)) if sign else c / numbers.sqrt(p * r)


@dataclass(frozen=True)
class MaxoutDual:
    """K_q and kappa_q."""

    q: int

    def sign_after(self, sign: int) -> int:
        """Opposite rows have other winners, unless there is one."""
        return sign if self.q == 1 else max(sign, 0)

    def moment(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute s_x s_z K_q(rho)."""
        rho = _correlation_of(numbers, p, r, c, sign)
        if self.q == 1:
            return c
        if self.q == 2:
            return 2 * numbers.sqrt(p * r) * _arc(numbers, 1, rho, bool(sign))
        kernel = numbers.increasing(lambda at: numbers.maxout_kernel(at, self.q), rho, bool(sign))
        return numbers.sqrt(p * r) * kernel

    def slope(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute kappa_q(rho)."""
        if self.q == 1:
            return numbers.number(Fraction(1))
        rho = _correlation_of(numbers, p, r, c, sign)
        if self.q == 2:
            return 2 * _arc(numbers, 0, rho, bool(sign))
        return numbers.increasing(
            lambda at: numbers.collision_probability(at, self.q), rho, bool(sign)
        )


@dataclass(frozen=True)
class HomogeneousDual:
    """Arc-cosine kernels."""

    sides: Sides
    derivative: Sides | None

    def sign_after(self, sign: int) -> int:
        """Opposite rows stay parallel for even and odd functions."""
        if sign >= 0 or abs(self.sides.right) != abs(self.sides.left):
            return max(sign, 0)
        return 1 if self.sides.right == self.sides.left else -1

    def moment(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute the kernel of both sides."""
        return _of_sides(self.sides, numbers, p, r, c, sign)

    def slope(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute that of the derivative."""
        if self.derivative is None:
            raise ValueError("the derivative of a function that jumps has no kernel")
        return _of_sides(self.derivative, numbers, p, r, c, sign)


def _of_sides(sides: Sides, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
    right, left, centre = (Fraction(x) for x in (sides.right, sides.left, sides.centre))
    zeros = numbers.is_zero(p) + numbers.is_zero(r)
    if zeros:
        at_zero = centre**zeros * ((right + left) / 2) ** (2 - zeros)
        return numbers.number(at_zero if sides.degree == 0 else Fraction(0))
    rho = _correlation_of(numbers, p, r, c, sign)
    total = numbers.number(right**2 + left**2) * _arc(numbers, sides.degree, rho, bool(sign))
    if right * left:
        total = total + numbers.number(2 * right * left) * _arc(
            numbers, sides.degree, -rho, bool(sign)
        )
    return total * numbers.sqrt(p * r) ** sides.degree


def _arc(numbers: Any, order: int, rho: Any, exact: bool) -> Any:
    """Compute A_n, which increases with the correlation."""
    one, (p, q) = numbers.number(Fraction(1)), polynomials(order)

    def at(rho: Any) -> Any:
        # pi - theta
        angle = 2 * numbers.asin(numbers.sqrt((one + rho) / 2))
        sine = numbers.sqrt((one - rho) * (one + rho))
        parts = [sum((k * rho**i for i, k in enumerate(each)), 0 * rho) for each in (p, q)]
        return (angle * parts[0] + sine * parts[1]) / (2 * numbers.pi)

    return numbers.increasing(at, rho, exact)


@dataclass(frozen=True)
class ErfDual:
    """Williams' kernel, without correlations."""

    def sign_after(self, sign: int) -> int:
        """Lengths change the angle."""
        return 0

    def moment(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute the arcsine."""
        return 2 * numbers.asin(2 * c / numbers.sqrt((1 + 2 * p) * (1 + 2 * r))) / numbers.pi

    def slope(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute its derivative in the covariance."""
        return 4 / (numbers.pi * numbers.sqrt((1 + 2 * p) * (1 + 2 * r) - 4 * c * c))


@dataclass(frozen=True)
class WavesDual:
    """Sums of waves."""

    waves: Waves
    derivative: Waves

    def sign_after(self, sign: int) -> int:
        """Lengths change the angle."""
        return 0

    def moment(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Sum over pairs of frequencies."""
        return _of_waves(self.waves, numbers, p, r, c)

    def slope(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute that of the derivative."""
        return _of_waves(self.derivative, numbers, p, r, c)


def _of_waves(waves: Waves, numbers: Any, p: Any, r: Any, c: Any) -> Any:
    total = 0 * c
    for f, a in waves:
        for g, b in waves:
            weight = Fraction((complex(a) * complex(b)).real)
            if weight:
                square = f * f * p + g * g * r + 2 * f * g * c
                total = total + numbers.number(weight) * numbers.exp(-square / 2)
    return total


def dual_of(layer: Layer) -> Dual:
    """Return the closed forms of a layer; ValueError if it has none."""
    if isinstance(layer, Maxout):
        return MaxoutDual(layer.q)
    assert isinstance(layer, Elementwise)
    a: Activation = layer.activation
    if a.waves:
        return WavesDual(a.checked_waves(), a.slope.waves)
    if a.degree is not None:
        sides = a.sides()
        return HomogeneousDual(sides, a.slope.sides() if a.degree else None)
    if a.kernel is erf_kernel:
        return ErfDual()
    raise ValueError(
        f"{a.title} has no closed form for dps= and bits=, as maxout, erf and activations that "
        "carry a degree or waves have: leave them out"
    )


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
