r"""Closed forms for pools of one, two and three, to relative accuracy at both ends.

In the angle t = pi - theta = 2 arcsin sqrt((1+rho)/2), which is exact near rho = -1:

    kappa_2 = t/pi,                                 K_2 = (sin t - t cos t)/pi,
    S_2 = 1 + rho^2 + 2 rho K',   K' = (sin t - t cos t)/pi - rho/2   (M = (u + |v|)/sqrt 2),
    kappa_3 = 1/3 + 3/(4 pi^2) [t^2 - arccos^2(rho/2)],
    K_3 = 9/(4 pi) + rho/3 - 3/(4 pi^2) [Gamma(-rho) + 2 Gamma(rho/2) + 3 pi],
    Gamma(u) = u arccos^2 u - 2 sqrt(1-u^2) arccos u - 2 u.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from mehler.exact._mp_arguments import to_mpf
from mehler.exact._multiprecision._fixed import private_context


class Closed:
    """The closed forms at one correlation, for q = 1, 2 or (without S) 3."""

    def __init__(self, rho: Fraction, q: int, digits: int) -> None:
        self.q = q
        # kappa_3 and K_2 cancel down to about t^2 and t^3 near -1; three times log2(1/t) bits more.
        lost = 2 * max(0, _log2_inverse(1 + rho))
        self.context = private_context(math.ceil(digits * math.log2(10)) + lost + 40)
        self.rho = to_mpf(self.context, rho)
        self.sin2 = to_mpf(self.context, 1 - rho * rho)
        half = self.context.sqrt(to_mpf(self.context, (1 + rho) / 2))
        self.angle = 2 * self.context.asin(half)

    def collision_probability(self) -> Any:
        """kappa_q."""
        pi, t = self.context.pi, self.angle
        if self.q == 1:
            return self.context.one
        if self.q == 2:
            return t / pi
        third = self.context.one / 3
        return third + 3 * (t**2 - self.context.acos(self.rho / 2) ** 2) / (4 * pi**2)

    def maxout_kernel(self) -> Any:
        """K_q."""
        pi, t, rho = self.context.pi, self.angle, self.rho
        if self.q == 1:
            return rho
        if self.q == 2:
            return (self.context.sqrt(self.sin2) + t * rho) / pi
        bracket = self._gamma(-rho, t, self.sin2)
        bracket += 2 * self._gamma(rho / 2, self.context.acos(rho / 2), 1 - rho**2 / 4) + 3 * pi
        return 9 / (4 * pi) + rho / 3 - 3 * bracket / (4 * pi**2)

    def product_second_moment(self) -> Any:
        """S_q = E M^2 M'^2 for q = 1 (Isserlis) and q = 2 (u and |v| are independent)."""
        rho = self.rho
        if self.q == 1:
            return 1 + 2 * rho**2
        return 1 + 2 * rho * (self.context.sqrt(self.sin2) + self.angle * rho) / self.context.pi

    def _gamma(self, u: Any, arccos: Any, one_minus_u2: Any) -> Any:
        return u * arccos**2 - 2 * self.context.sqrt(one_minus_u2) * arccos - 2 * u


def _log2_inverse(x: Fraction) -> int:
    """Return about log2(1/x), or 0 for x = 0, where the closed forms need no more bits."""
    return x.denominator.bit_length() - x.numerator.bit_length() + 1 if x else 0
