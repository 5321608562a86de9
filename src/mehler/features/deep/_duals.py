"""Expected products of units in closed form, for numbers of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from mehler.exact.activations import Activation, Sides, Waves, erf_kernel, polynomials
from mehler.features.deep._layers import Elementwise, Layer, Maxout


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


def _correlation(numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
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
        rho = _correlation(numbers, p, r, c, sign)
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
        rho = _correlation(numbers, p, r, c, sign)
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
    rho = _correlation(numbers, p, r, c, sign)
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
