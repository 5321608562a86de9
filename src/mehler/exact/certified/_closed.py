r"""Closed forms for pools of one, two and three.

In the angle t = pi - theta = 2 arcsin sqrt((1+rho)/2), which has its digits near rho = -1:

    kappa_2 = t/pi,                                 K_2 = (sin t - t cos t)/pi,
    S_2 = 1 + rho^2 + 2 rho K',   K' = (sin t - t cos t)/pi - rho/2   (M = (u + |v|)/sqrt 2),
    kappa_3 = 1/3 + 3/(4 pi^2) [t^2 - arccos^2(rho/2)],
    K_3 = rho/3 - 3/(4 pi^2) [Gamma(-rho) + 2 Gamma(rho/2)],
    Gamma(u) = u arccos^2 u - 2 sqrt(1-u^2) arccos u - 2 u.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mehler.exact.certified._context import to_arb


def lost_bits(rho: Fraction) -> int:
    """Return how many bits cancel next to rho = -1, where K_2 is of order t^3."""
    x = 1 + rho
    return 3 * max(0, x.denominator.bit_length() - x.numerator.bit_length() + 1) if x else 0


def collision_probability(module: Any, rho: Fraction, q: int) -> Any:
    """Return kappa_q for q <= 3."""
    if q == 1 or abs(rho) == 1:
        return module.arb(0 if q > 1 and rho == -1 else 1)
    pi, t = module.arb.pi(), _angle(module, rho)
    if q == 2:
        return t / pi
    other = to_arb(module, rho / 2).acos()
    return module.arb(1) / 3 + 3 * (t * t - other * other) / (4 * pi * pi)


def maxout_kernel(module: Any, rho: Fraction, q: int) -> Any:
    """Return K_q for q <= 3."""
    if q == 1:
        return to_arb(module, rho)
    pi, t = module.arb.pi(), _angle(module, rho)
    if q == 2:
        return (_sine(module, rho) + t * to_arb(module, rho)) / pi
    bracket = _gamma(module, -rho, t) + 2 * _gamma(module, rho / 2, to_arb(module, rho / 2).acos())
    return to_arb(module, rho) / 3 - 3 * bracket / (4 * pi * pi)


def product_second_moment(module: Any, rho: Fraction, q: int) -> Any:
    """Return S_q = E M^2 M'^2 for q = 1 (Isserlis) and q = 2 (u and |v| are independent)."""
    if q == 1:
        return to_arb(module, 1 + 2 * rho**2)
    return 1 + 2 * to_arb(module, rho) * maxout_kernel(module, rho, 2)


def _angle(module: Any, rho: Fraction) -> Any:
    return 2 * to_arb(module, (1 + rho) / 2).sqrt().asin()


def _sine(module: Any, u: Fraction) -> Any:
    return to_arb(module, 1 - u * u).sqrt()


def _gamma(module: Any, u: Fraction, arccos: Any) -> Any:
    exact = to_arb(module, u)
    return exact * arccos * arccos - 2 * _sine(module, u) * arccos - 2 * exact
