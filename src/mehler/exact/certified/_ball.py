"""Exact numbers as arguments, and balls as results: midpoint, radius, whether it is proved."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any

import mpmath

from mehler._validate import require_flag, require_instance, require_integer, shown


def require_dps(dps: object) -> int:
    """Return a number of decimal digits; nobody would wait for sums of more than 30,000."""
    return require_integer("decimal digits dps", dps, most=30_000)


def require_bits(bits: object) -> int:
    """Return a precision in bits: fewer than 24 leave no digit, and nobody waits for 10^5."""
    return require_integer("precision bits", bits, least=24, most=100_000)


def exact_rho(rho: Any) -> Fraction:
    """Return the correlation `rho` as an exact rational number.

    A float is its binary value; a string is read as decimal, so that ``"0.1"`` is one tenth and
    ``0.1`` is not.
    """
    value = exact_number(rho, name="rho")
    if not -1 <= value <= 1:
        raise ValueError(
            f"rho must lie in [-1, 1], not {shown(rho)}; divide inner products by both norms"
        )
    return value


def exact_number(value: Any, *, name: str) -> Fraction:
    """Convert an int, float, Fraction, decimal string or mpf to a Fraction without rounding."""
    try:
        if isinstance(value, str):
            # An exponent of a million would be a number of a million digits; 1_000 is a slip.
            exponent = int(value.lower().partition("e")[2] or 0)
            if "_" in value or len(value) > 10_000 or abs(exponent) > 10_000:
                raise ValueError("not a decimal number of a sensible size")
            return Fraction(value)
        # Before numbers.Real, which mpf claims to be: float(value) would round it.
        if hasattr(value, "_mpf_"):
            if not value._mpf_[1] and value._mpf_[2]:
                raise ValueError("infinity and nan have no mantissa")
            return Fraction(*map(int, mpmath.libmp.to_rational(value._mpf_)))
        if isinstance(value, numbers.Integral) and not isinstance(value, bool):
            return Fraction(int(value))  # NumPy's do not grow
        if isinstance(value, numbers.Real) and not isinstance(value, bool):
            return Fraction(value if isinstance(value, numbers.Rational) else float(value))
    except (ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"{name} must be a finite number, not {shown(value)}") from None
    raise TypeError(
        f"{name} must be one int, float, Fraction, decimal string or mpmath.mpf, "
        f"not {type(value).__name__}; arrays are for dps=None"
    )


def public_mpf(value: Any, digits: int) -> mpmath.mpf:
    """Convert a number of a private context to an ordinary mpf, with six guard digits."""
    bits = math.ceil((digits + 6) * math.log2(10))
    return mpmath.mp.make_mpf(mpmath.libmp.mpf_pos(value._mpf_, bits, "n"))


@dataclass(frozen=True)
class Ball:
    """The interval [value - radius, value + radius], which contains the number computed.

    Printed in decimals it contains this interval, whatever precision mpmath prints in.

    Parameters
    ----------
    value, radius : mpmath.mpf
        Midpoint and radius, both exact.
    proved : bool
        Whether every error (rounding, step, tail, remainder) is inside the radius.

    Examples
    --------
    >>> import mpmath
    >>> ball = Ball(mpmath.mpf(1), mpmath.mpf(0.25), True)
    >>> "1.2" in ball, ball.contains(1.3)
    (True, False)
    >>> print(Ball(mpmath.mpf(1) / 3, mpmath.mpf("1e-9")))
    0.333333333333 +/- 1.01E-9
    """

    value: mpmath.mpf
    radius: mpmath.mpf
    proved: bool = True

    def __post_init__(self) -> None:
        for name, number in (("value", self.value), ("radius", self.radius)):
            if not mpmath.isfinite(require_instance(name, number, mpmath.mpf)):
                raise ValueError(f"{name}={number} must be finite")
        if self.radius < 0:
            raise ValueError(f"radius={self.radius} must be at least 0")
        require_flag("proved", self.proved)

    @classmethod
    def from_arb(cls, enclosure: Any) -> Ball:
        """Return the interval of an ``arb`` of python-flint, without rounding."""
        if not enclosure.is_finite():
            raise ArithmeticError("the enclosure became infinite; ask for more bits, as bits=256")
        return cls(_exact(enclosure.mid()), _exact(enclosure.rad()), True)

    def contains(self, x: Any) -> bool:
        """Return whether x lies inside, without rounding.

        Parameters
        ----------
        x : int, float, Fraction, str, mpmath.mpf or Ball
            A number, a decimal string, or a whole ball.
        """
        if isinstance(x, Ball):
            low, high = x._ends()
            return self._ends()[0] <= low and high <= self._ends()[1]
        return self._ends()[0] <= exact_number(x, name="x") <= self._ends()[1]

    def __contains__(self, x: Any) -> bool:
        """Return :meth:`contains` of x."""
        return self.contains(x)

    def overlaps(self, other: Ball) -> bool:
        """Return whether the two intervals intersect."""
        (low, high), (low_, high_) = self._ends(), other._ends()
        return low <= high_ and low_ <= high

    @property
    def digits(self) -> float:
        """Decimal digits of `value` that the radius leaves (of 1, where value is 0)."""
        if self.radius == 0:
            return math.inf
        size = abs(self.value) if self.value else mpmath.mpf(1)
        return max(0.0, float((mpmath.mag(size) - mpmath.mag(self.radius)) * math.log10(2)))

    def __str__(self) -> str:
        value, radius = self._exactly()
        # More digits than are certain, rounded, and the radius around that, rounded up.
        with localcontext(prec=int(min(self.digits, 1000.0)) + 4):
            printed = Decimal(value.numerator) / Decimal(value.denominator)
        wider = radius + abs(value - Fraction(printed))
        with localcontext(prec=3, rounding=ROUND_UP):
            return f"{printed} +/- {Decimal(wider.numerator) / Decimal(wider.denominator)}"

    def __repr__(self) -> str:
        return f"<Ball: {self}>"

    def _exactly(self) -> tuple[Fraction, Fraction]:
        return exact_number(self.value, name="value"), exact_number(self.radius, name="radius")

    def _ends(self) -> tuple[Fraction, Fraction]:
        value, radius = self._exactly()
        return value - radius, value + radius


def _exact(number: Any) -> mpmath.mpf:
    mantissa, exponent = number.man_exp()
    return mpmath.mp.make_mpf(mpmath.libmp.from_man_exp(int(mantissa), int(exponent)))
