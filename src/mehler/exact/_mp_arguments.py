"""Validate arguments of arbitrary precision: digits, bits and one exact correlation."""

from __future__ import annotations

import math
import numbers
from fractions import Fraction
from typing import Any

import mpmath

from mehler._validate import integer

# A bit is log10(2) of a digit; fewer bits than this leave no significant digit.
LEAST_BITS = 24


def check_dps(dps: Any) -> int:
    """A number of decimal digits, at least 1."""
    return integer("decimal digits dps", dps)


def check_bits(bits: Any) -> int:
    """A working precision in bits, at least 24."""
    return integer("precision bits", bits, least=LEAST_BITS)


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
        if isinstance(value, str | numbers.Rational):
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
