"""Validate arguments of arbitrary precision: digits, bits and one exact correlation."""

from __future__ import annotations

import math
import numbers
from fractions import Fraction
from typing import Any

import mpmath

from mehler._validate import require_integer

# A bit is log10(2) of a digit; fewer bits than this leave no significant digit.
LEAST_BITS = 24
# Each operation on longer numbers is slow enough that nobody would wait for a sum of them.
MOST_BITS = 100_000


def require_dps(dps: Any) -> int:
    """A number of decimal digits, from 1 to 30,000."""
    return require_integer("decimal digits dps", dps, most=30_000)


def require_bits(bits: Any) -> int:
    """A working precision in bits, from 24 to 10^5."""
    return require_integer("precision bits", bits, least=LEAST_BITS, most=MOST_BITS)


def exact_rho(rho: Any) -> Fraction:
    """Return the correlation `rho` as an exact rational number.

    A float is its binary value; a string is read as decimal, so that ``"0.1"`` is one tenth and
    ``0.1`` is not.
    """
    value = exact_number(rho, name="rho")
    if not -1 <= value <= 1:
        raise ValueError(
            f"rho must lie in [-1, 1], not {rho!r}; divide inner products by both norms"
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
        raise ValueError(f"{name} must be a finite number, not {value!r}") from None
    raise TypeError(
        f"{name} must be one int, float, Fraction, decimal string or mpmath.mpf, "
        f"not {type(value).__name__}; arrays are for dps=None"
    )


def _from_text(value: str) -> Fraction:
    # An exponent of a million would be a number of a million digits; 1_000 is a slip.
    if "_" in value or len(value) > 10_000 or abs(_exponent(value)) > 10_000:
        raise ValueError("not a decimal number of a sensible size")
    return Fraction(value)


def _exponent(value: str) -> int:
    return int(value.lower().partition("e")[2] or 0)


def _from_mpf(value: Any) -> Fraction:
    sign, mantissa, exponent, _ = value._mpf_
    if not mantissa and exponent:
        raise ValueError("infinity and nan have no mantissa")
    return (-1) ** sign * int(mantissa) * Fraction(2) ** int(exponent)


def to_mpf(context: Any, value: Fraction) -> Any:
    """Round a rational number to the precision of the mpmath `context`."""
    return context.mpf(value.numerator) / value.denominator


def public_mpf(value: Any, digits: int | None = None) -> mpmath.mpf:
    """Convert a number of a private context to an ordinary mpf, with a few guard digits."""
    raw = value._mpf_
    if digits is not None:
        # Six guard digits, so that this rounding does not limit the promised accuracy.
        raw = mpmath.libmp.mpf_pos(raw, math.ceil((digits + 6) * math.log2(10)), "n")
    return mpmath.mp.make_mpf(raw)
