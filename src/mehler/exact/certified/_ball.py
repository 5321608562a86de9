"""Exact numbers as arguments, and balls as results: midpoint, radius, whether it is proved."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from decimal import Decimal
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
    if isinstance(value, bool):
        raise TypeError(f"{name} must be a real number, not {value!r}")
    try:
        if isinstance(value, str):
            return _from_text(value)
        if isinstance(value, numbers.Integral):
            return Fraction(int(value))  # NumPy's do not grow
        if isinstance(value, numbers.Rational):
            return Fraction(value)
        # Before numbers.Real, which mpf claims to be: float(value) would round it.
        if hasattr(value, "_mpf_"):
            return _from_mpf(value)
        if isinstance(value, numbers.Real):
            return Fraction(float(value))
    except (ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"{name} must be a finite number, not {shown(value)}") from None
    raise TypeError(
        f"{name} must be one int, float, Fraction, decimal string or mpmath.mpf, "
        f"not {type(value).__name__}; arrays are for dps=None"
    )


def _from_text(value: str) -> Fraction:
    # An exponent of a million would be a number of a million digits; 1_000 is a slip.
    exponent = int(value.lower().partition("e")[2] or 0)
    if "_" in value or len(value) > 10_000 or abs(exponent) > 10_000:
        raise ValueError("not a decimal number of a sensible size")
    return Fraction(value)


def _from_mpf(value: Any) -> Fraction:
    sign, mantissa, exponent, _ = value._mpf_
    if not mantissa and exponent:
        raise ValueError("infinity and nan have no mantissa")
    return (-1) ** sign * int(mantissa) * Fraction(2) ** int(exponent)


def public_mpf(value: Any, digits: int | None = None) -> mpmath.mpf:
    """Convert a number of a private context to an ordinary mpf, with a few guard digits."""
    raw = value._mpf_
    if digits is not None:
        # Six guard digits, so that this rounding does not limit the promised accuracy.
        raw = mpmath.libmp.mpf_pos(raw, math.ceil((digits + 6) * math.log2(10)), "n")
    return mpmath.mp.make_mpf(raw)


# Digits that may be left out before a ball counts as one without certain digits.
_UNCERTAIN = 12


@dataclass(frozen=True)
class Ball:
    """The interval [value - radius, value + radius], which contains the number computed.

    ``str`` prints the digits that are certain: every number in the ball rounds to them. ``repr`` is
    a ball in decimals: its value lies inside this one, and it contains this one.

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
    >>> Ball(mpmath.mpf(1) / 3, mpmath.mpf("1e-9"))
    Ball(value=mpf('0.33333333333'), radius=mpf('1.01E-9'), proved=True)
    >>> print(Ball(mpmath.mpf(1) / 3, mpmath.mpf("1e-9")))
    0.33333333
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

    def __repr__(self) -> str:
        """Print all certified digits, whatever precision mpmath prints in at the moment."""
        value, radius = self._exactly()
        places = _places(radius / 20) if radius else value.denominator.bit_length() - 1
        printed, around = _around(value, radius, places)
        return f"Ball(value=mpf('{printed}'), radius=mpf('{around}'), proved={self.proved})"

    def __str__(self) -> str:
        """Print the digits that are certain: every number in the ball rounds to them.

        A ball without such a digit prints with its radius.
        """
        low, high = self._ends()
        # A binary fraction has a decimal place per bit behind the point.
        places = _places(high - low) if self.radius else low.denominator.bit_length() - 1
        for fewer in range(places, places - _UNCERTAIN, -1):
            rounded = [round(end * Fraction(10) ** fewer) for end in (low, high)]
            if rounded[0] == rounded[1] and (rounded[0] or not self.radius):
                return str(_decimal(rounded[0], fewer))
        value, radius = self._exactly()
        printed, around = _around(value, radius, _places(radius))
        return f"{printed or 0} +/- {around}"

    def _exactly(self) -> tuple[Fraction, Fraction]:
        return exact_number(self.value, name="value"), exact_number(self.radius, name="radius")

    def _ends(self) -> tuple[Fraction, Fraction]:
        value, radius = self._exactly()
        return value - radius, value + radius


def _exact(number: Any) -> mpmath.mpf:
    mantissa, exponent = number.man_exp()
    return mpmath.mp.make_mpf(mpmath.libmp.from_man_exp(int(mantissa), int(exponent)))


def _places(unit: Fraction) -> int:
    """Return the fewest decimal places whose unit 10^-places is at most `unit`."""
    # Estimate from the sizes of both integers, to within one place; then increase until it holds.
    bits = unit.numerator.bit_length() - unit.denominator.bit_length()
    places = math.floor(-(bits + 1) * math.log10(2)) - 1
    while Fraction(10) ** -places > unit:
        places += 1
    return places


def _decimal(integer: int, places: int) -> Decimal:
    digits = tuple(int(digit) for digit in str(abs(integer)))
    return Decimal((int(integer < 0), digits, -places))


def _around(value: Fraction, radius: Fraction, places: int) -> tuple[Decimal, Decimal]:
    """Round to so many places, and the radius around that up to three digits."""
    integer = round(value * Fraction(10) ** places)
    wider = radius + abs(value - integer * Fraction(10) ** -places)
    if wider == 0:
        return _decimal(integer, places), Decimal(0)
    finer = _places(wider / 100)
    return _decimal(integer, places), _decimal(math.ceil(wider * Fraction(10) ** finer), finer)
