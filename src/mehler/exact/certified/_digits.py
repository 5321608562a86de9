"""The exact functions to any number of decimal digits: middles of balls of enough bits.

Nothing global is read or set that is not put back. Arguments and errors as of the public functions
of the same name with ``dps=``; `rho` is one number, taken as an exact rational. Results are
mpmath.mpf. Without python-flint the same sums are taken of fixed-point numbers.

**Closed forms** for pools of one, two and three.

In the angle t = pi - theta = 2 arcsin sqrt((1+rho)/2), which has its digits near rho = -1:

    kappa_2 = t/pi,                                 K_2 = (sin t - t cos t)/pi,
    kappa_3 = 1/3 + 3/(4 pi^2) [t^2 - arccos^2(rho/2)],
    K_3 = rho/3 - 3/(4 pi^2) [Gamma(-rho) + 2 Gamma(rho/2)],
    Gamma(u) = u arccos^2 u - 2 sqrt(1-u^2) arccos u - 2 u.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from mehler._validate import require_integer
from mehler.exact.certified import _line, _plane
from mehler.exact.certified._ball import Ball, exact_rho, public_mpf, require_dps
from mehler.exact.certified._context import Fixed, precision, to_arb
from mehler.exact.certified._plane import Wedge

Compute = Callable[[Any, Fraction, int, int], Any]
# Orders, numbers of coefficients (each is a sum over partitions) and pools, of sums on a line and
# in the plane, beyond which nobody would wait: of balls, and of digits.
MOST_ORDER, MOST_COEFFICIENTS, LARGEST_LINE, LARGEST_WEDGE = 1000, 64, 10**8, 10**4


def require_pool(q: Any, most: int) -> int:
    """Return a pool size."""
    return require_integer("pool size q", q, most=most)


def require_order(name: str, k: Any) -> int:
    """Return the order of a moment."""
    return require_integer(name, k, least=0, most=MOST_ORDER)


def lost_bits(rho: Fraction) -> int:
    """Return how many bits cancel next to rho = -1, where K_2 is of order t^3."""
    x = 1 + rho
    return 3 * max(0, x.denominator.bit_length() - x.numerator.bit_length() + 1) if x else 0


def closed_probability(module: Any, rho: Fraction, q: int) -> Any:
    """Return kappa_q for q <= 3."""
    if q == 1 or abs(rho) == 1:
        return module.arb(0 if q > 1 and rho == -1 else 1)
    pi, t = module.arb.pi(), _angle(module, rho)
    if q == 2:
        return t / pi
    other = to_arb(module, rho / 2).acos()
    return module.arb(1) / 3 + 3 * (t * t - other * other) / (4 * pi * pi)


def closed_kernel(module: Any, rho: Fraction, q: int) -> Any:
    """Return K_q for q <= 3."""
    if q == 1:
        return to_arb(module, rho)
    pi, t = module.arb.pi(), _angle(module, rho)
    if q == 2:
        return (_sine(module, rho) + t * to_arb(module, rho)) / pi
    bracket = _gamma(module, -rho, t) + 2 * _gamma(module, rho / 2, to_arb(module, rho / 2).acos())
    return to_arb(module, rho) / 3 - 3 * bracket / (4 * pi * pi)


def _angle(module: Any, rho: Fraction) -> Any:
    return 2 * to_arb(module, (1 + rho) / 2).sqrt().asin()


def _sine(module: Any, u: Fraction) -> Any:
    return to_arb(module, 1 - u * u).sqrt()


def _gamma(module: Any, u: Fraction, arccos: Any) -> Any:
    exact = to_arb(module, u)
    return exact * arccos * arccos - 2 * _sine(module, u) * arccos - 2 * exact


def collision_enclosure(module: Any, rho: Fraction, q: int, bits: int) -> Any:
    """Enclose kappa_q at an exact correlation, by a closed form or a planar sum."""
    if q <= 3 or abs(rho) == 1:
        return closed_probability(module, rho, q)
    return Wedge(module, rho, q, bits).collision_probability()


def printed_kernel(module: Any, rho: Fraction, q: int, bits: int) -> Any:
    """Enclose sigma^2(q) rho kappa_q(rho)."""
    second = _line.expectation(module, q, _line.power(2), bits)
    return second * to_arb(module, rho) * collision_enclosure(module, rho, q, bits)


def max_moment(k: int, q: int, dps: int) -> mpmath.mpf:
    """Compute E M^k to relative error ``10**-dps``: about 20 ms for q = 64, dps = 30."""
    digits = require_dps(dps)
    k, q = require_order("order k", k), require_pool(q, LARGEST_LINE)
    if q == 1 and k % 2:
        return mpmath.mpf(0)
    power = _line.power(k)
    return _number(lambda m, bits: _line.expectation(m, q, power, bits), digits, _room(k, q))


def hermite_moment(i: int, q: int, dps: int) -> mpmath.mpf:
    """Compute h_i(q) = E He_i(M)/sqrt(i!) to absolute error ``10**-dps``."""
    digits = require_dps(dps)
    i, q = require_order("order i", i), require_pool(q, LARGEST_LINE)
    if i > 0 and (q == 1 or (q == 2 and i % 2 == 0)):
        return mpmath.mpf(0)

    def compute(module: Any, bits: int) -> Any:
        # Dividing by sqrt(i!) comes last.
        value = _line.expectation(module, q, _line.hermite_polynomial(i), bits)
        return value / module.arb(math.factorial(i)).sqrt()

    return _number(compute, digits, _room(i, q))


def collision_coefficients(q: int, n: int, dps: int) -> list[mpmath.mpf]:
    """Compute a_0(q), ..., a_(n-1)(q) to relative error ``10**-dps``.

    One integral for each partition of 1, ..., n: about 1 s for q = 64, n = 17, dps = 30.
    """
    digits = require_dps(dps)
    q = require_pool(q, LARGEST_WEDGE)
    n = require_integer("number of coefficients n", n, most=MOST_COEFFICIENTS)
    if q == 1:
        return [mpmath.mpf(1)] + [mpmath.mpf(0)] * (n - 1)
    # The last coefficients are the smallest, of order 1/(n q).
    room = math.ceil((min(n, q) + 4) * math.log2(q * n)) + 4 * n + 48
    bits = math.ceil((digits + 3) * math.log2(10) + 2 * math.log2(n * q))
    with precision(bits + room, proved=False) as module:
        series = [_public(a, digits) for a in _line.coefficients(module, q, n, bits)]
    # kappa_2 - 1/2 = arcsin(rho)/pi is odd: the even ones are 0 but for rounding.
    return [0 * a if q == 2 and i and i % 2 == 0 else a for i, a in enumerate(series)]


def collision_probability(rho: Any, q: int, dps: int) -> mpmath.mpf:
    """Compute kappa_q(rho) to absolute error ``10**-dps``; cost as of the balls."""
    return _at_rho(collision_enclosure, rho, q, dps, degree=0)


def maxout_kernel(rho: Any, q: int, dps: int) -> mpmath.mpf:
    """Compute K_q(rho) to relative error ``10**-dps``; cost as of the balls, except next to -1."""
    return _at_rho(_kernel, rho, q, dps, degree=4)


def locally_linear_kernel(rho: Any, q: int, dps: int) -> mpmath.mpf:
    """Compute sigma^2(q) rho kappa_q(rho) to `dps` digits of sigma^2(q)."""
    return _at_rho(printed_kernel, rho, q, dps, degree=4)


def _kernel(module: Any, rho: Fraction, q: int, bits: int) -> Any:
    if q <= 3:
        return closed_kernel(module, rho, q)
    if rho == 1:
        return _line.expectation(module, q, _line.power(2), bits)
    if rho == -1:
        return _plane.at_minus_one(module, q, bits)
    if (1 + rho) / 2 < Fraction(_plane.NEAR) ** 2:
        return _plane.near_minus_one(module, rho, q, bits)
    return Wedge(module, rho, q, bits).kernel()


def _at_rho(compute: Compute, rho: Any, q: int, dps: int, *, degree: int) -> mpmath.mpf:
    digits, q = require_dps(dps), require_pool(q, LARGEST_WEDGE)
    exact = exact_rho(rho)
    lost = lost_bits(exact) if q <= 3 else 0
    return _number(lambda m, bits: compute(m, exact, q, bits), digits, _room(degree, q) + lost)


def _room(degree: int, q: int) -> int:
    """Return bits for powers up to q, and t^degree where the density is not."""
    return 4 * q.bit_length() + math.ceil((degree + 1) * (4 + math.log2(degree + 1)))


def _number(compute: Callable[[Any, int], Any], digits: int, room: int) -> mpmath.mpf:
    bits = math.ceil((digits + 3) * math.log2(10))
    with precision(bits + room + 48, proved=False) as module:
        return _public(compute(module, bits), digits)


def _public(value: Any, digits: int) -> mpmath.mpf:
    """Return the middle of a ball as an ordinary mpf."""
    fixed = isinstance(value, Fixed)
    return public_mpf(value.real() if fixed else Ball.from_arb(value).value, digits)
