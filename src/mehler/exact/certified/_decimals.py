"""The exact functions to any number of decimal digits: middles of balls of enough bits.

Nothing global is read or set that is not put back. Arguments and errors as of the public functions
of the same name with ``dps=``; `rho` is one number, taken as an exact rational. Results are
mpmath.mpf. Without python-flint the same sums are taken of fixed-point numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from mehler._validate import require_integer
from mehler.exact._mp_arguments import exact_rho, public_mpf, require_dps
from mehler.exact._validate import require_pool
from mehler.exact.certified import _api, _closed, _line, _opposite
from mehler.exact.certified._ball import Ball
from mehler.exact.certified._context import Fixed, precision, to_arb
from mehler.exact.certified._wedge import Wedge


def max_moment(k: int, q: int, dps: int) -> Any:
    """Compute E M^k to relative error ``10**-dps``: about 20 ms for q = 64, dps = 30."""
    digits = require_dps(dps)
    k, q = require_integer("order k", k, least=0), require_pool(q, dps=digits)
    if q == 1 and k % 2:
        return mpmath.mpf(0)
    return _number(lambda module, bits: _moment(module, k, q, bits), digits, _room(k, q))


def hermite_moment(i: int, q: int, dps: int) -> Any:
    """Compute h_i(q) = E He_i(M)/sqrt(i!) to absolute error ``10**-dps``."""
    digits = require_dps(dps)
    i, q = require_integer("order i", i, least=0), require_pool(q, dps=digits)
    if i > 0 and (q == 1 or (q == 2 and i % 2 == 0)):
        return mpmath.mpf(0)

    def compute(module: Any, bits: int) -> Any:
        # Dividing by sqrt(i!) comes last.
        value = _line.expectation(module, q, _line.hermite_polynomial(i), bits)
        return value / module.arb(math.factorial(i)).sqrt()

    return _number(compute, digits, _room(i, q))


def collision_coefficients(q: int, n: int, dps: int) -> list[Any]:
    """Compute a_0(q), ..., a_(n-1)(q) to relative error ``10**-dps``, as a list.

    One integral for each partition of 1, ..., n: about 1 s for q = 64, n = 17, dps = 30.
    """
    digits = require_dps(dps)
    q = require_pool(q, dps=digits)
    n = require_integer("number of coefficients n", n)
    if q == 1:
        return [mpmath.mpf(1)] + [mpmath.mpf(0)] * (n - 1)
    # The last coefficients are the smallest, of order 1/(n q).
    room = math.ceil((min(n, q) + 4) * math.log2(q * n)) + 4 * n + 48
    bits = math.ceil((digits + 3) * math.log2(10) + 2 * math.log2(n * q))
    with precision(bits + room, proved=False) as module:
        series = [_public(a, digits) for a in _line.coefficients(module, q, n, bits)]
    # kappa_2 - 1/2 = arcsin(rho)/pi is odd: the even ones are 0 but for rounding.
    return [0 * a if q == 2 and i and i % 2 == 0 else a for i, a in enumerate(series)]


def collision_probability(rho: Any, q: int, dps: int) -> Any:
    """Compute kappa_q(rho) to absolute error ``10**-dps``; cost as of the balls."""
    rho, q, digits = _checked(rho, q, dps)
    lost = _closed.lost_bits(rho) if q <= 3 else _room(0, q)
    return _number(lambda module, bits: _api._kappa(module, rho, q, bits), digits, lost)


def maxout_kernel(rho: Any, q: int, dps: int) -> Any:
    """Compute K_q(rho) to relative error ``10**-dps``; cost as of the balls, except next to -1."""
    rho, q, digits = _checked(rho, q, dps)
    if q <= 3:
        compute = lambda module, bits: _closed.maxout_kernel(module, rho, q)  # noqa: E731
        return _number(compute, digits, _closed.lost_bits(rho))
    return _number(lambda module, bits: _product(module, rho, q, bits, 1), digits, _room(4, q))


def locally_linear_kernel(rho: Any, q: int, dps: int) -> Any:
    """Compute sigma^2(q) rho kappa_q(rho) to `dps` digits of sigma^2(q)."""
    rho, q, digits = _checked(rho, q, dps)

    def compute(module: Any, bits: int) -> Any:
        kappa = _api._kappa(module, rho, q, bits)
        return _moment(module, 2, q, bits) * to_arb(module, rho) * kappa

    return _number(compute, digits, _room(4, q) + _closed.lost_bits(rho))


def product_second_moment(rho: Any, q: int, dps: int) -> Any:
    """Compute S_q(rho) = E M^2 M'^2 to relative error ``10**-dps``; cost as `maxout_kernel`."""
    rho, q, digits = _checked(rho, q, dps)
    if q <= 2:
        compute = lambda module, bits: _closed.product_second_moment(module, rho, q)  # noqa: E731
        return _number(compute, digits, _closed.lost_bits(rho))
    return _number(lambda module, bits: _product(module, rho, q, bits, 2), digits, _room(8, q))


def _product(module: Any, rho: Fraction, q: int, bits: int, p: int) -> Any:
    """Compute E (M M')^p for q >= 3 by the cheapest route."""
    if rho == 1:
        return _moment(module, 2 * p, q, bits)
    if rho == -1:
        return _opposite.at_minus_one(module, q, bits, p)
    if (1 + rho) / 2 < Fraction(_opposite.NEAR) ** 2:
        return _opposite.near_minus_one(module, rho, q, bits, p)
    return Wedge(module, rho, q, bits).product_moment(p)


def _moment(module: Any, k: int, q: int, bits: int) -> Any:
    return _line.expectation(module, q, [Fraction(0)] * k + [Fraction(1)], bits)


def _room(degree: int, q: int) -> int:
    """Return bits for powers up to q, and t^degree where the density is not."""
    return 4 * q.bit_length() + math.ceil((degree + 1) * (4 + math.log2(degree + 1)))


def _number(compute: Callable[[Any, int], Any], digits: int, room: int) -> Any:
    bits = math.ceil((digits + 3) * math.log2(10))
    with precision(bits + room + 48, proved=False) as module:
        return _public(compute(module, bits), digits)


def _public(value: Any, digits: int) -> Any:
    """Return the middle of a ball as an ordinary mpf."""
    fixed = isinstance(value, Fixed)
    return public_mpf(value.real() if fixed else Ball.from_arb(value).value, digits)


def _checked(rho: Any, q: int, dps: int) -> tuple[Fraction, int, int]:
    digits = require_dps(dps)
    q = require_pool(q, dps=digits)
    return exact_rho(rho), q, digits
