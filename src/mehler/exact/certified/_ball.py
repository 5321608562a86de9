"""What a certified computation returns: a midpoint, a radius, and that it is proved."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

from mehler.exact._mp_arguments import exact_number


@dataclass(frozen=True)
class Ball:
    """The interval [value - radius, value + radius], which contains the number computed.

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
    """

    value: mpmath.mpf
    radius: mpmath.mpf
    proved: bool = True

    @classmethod
    def from_arb(cls, enclosure: Any) -> Ball:
        """The same interval as an ``arb`` holds, without rounding."""
        if not enclosure.is_finite():
            raise ArithmeticError("the enclosure became infinite; ask for more bits, as bits=256")
        return cls(_exact(enclosure.mid()), _exact(enclosure.rad()), True)

    def contains(self, x: Any) -> bool:
        """Whether x (a number, a decimal string, or a whole ball) lies inside; no rounding."""
        if isinstance(x, Ball):
            low, high = x._ends()
            return self._ends()[0] <= low and high <= self._ends()[1]
        return self._ends()[0] <= exact_number(x, name="x") <= self._ends()[1]

    def __contains__(self, x: Any) -> bool:
        """``x in ball``."""
        return self.contains(x)

    def overlaps(self, other: Ball) -> bool:
        """Whether both intervals can hold one number."""
        (low, high), (low_, high_) = self._ends(), other._ends()
        return low <= high_ and low_ <= high

    @property
    def digits(self) -> float:
        """Decimal digits of `value` that the radius leaves (of 1, where value is 0)."""
        if self.radius == 0:
            return math.inf
        size = abs(self.value) if self.value else mpmath.mpf(1)
        return max(0.0, float((mpmath.mag(size) - mpmath.mag(self.radius)) * math.log10(2)))

    def _ends(self) -> tuple[Fraction, Fraction]:
        value = exact_number(self.value, name="value")
        radius = exact_number(self.radius, name="radius")
        return value - radius, value + radius


def _exact(number: Any) -> mpmath.mpf:
    mantissa, exponent = number.man_exp()
    return mpmath.mp.make_mpf(mpmath.libmp.from_man_exp(int(mantissa), int(exponent)))
