"""The public balls: validate arguments, set the precision, and call the sums."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mehler._validate import require_integer
from mehler.exact.certified import _digits, _line, _plane
from mehler.exact.certified._ball import Ball, exact_rho, require_bits
from mehler.exact.certified._context import precision, to_arb
from mehler.exact.certified._digits import (
    LARGEST_LINE,
    LARGEST_WEDGE,
    MOST_COEFFICIENTS,
    require_order,
    require_pool,
)
from mehler.exact.certified._plane import Wedge

# Rounding of sums of 10^5 terms, powers up to q, and cancellation between positive and negative
# parts; not part of any proof: too few would only widen the ball.
_GUARD_BITS = 48
# Below rho = -1 + 1/500 columns are 30 times as long: K is bracketed by K(-1) instead.
_BRACKET = Fraction(1, 500)
# Where the bracket may already be as sharp as asked, as it is for large pools.
_TRY_BRACKET = Fraction(1, 5)


def max_moment(k: int, q: int, *, bits: int = 128) -> Ball:
    r"""Return a ball around E M^k, M the maximum of q standard normals.

    .. math:: E M^k = \int t^k \, q \varphi(t) \Phi(t)^{q-1} \, dt

    Parameters
    ----------
    k : int
        Order, from 0 to 1000.
    q : int
        Pool size, from 1 to 10^8.
    bits : int
        Precision: the radius is about ``2**-bits`` times the moment.

    Returns
    -------
    Ball
        Contains the moment. Some ms for q = 64; time grows like sqrt(q).

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 1. Trapezoid error: Trefethen and Weideman (2014),
    Theorem 5.1.

    Examples
    --------
    >>> from mehler.exact import certified
    >>> 1 in certified.max_moment(2, 2)
    True
    """
    k = require_order("order k", k)
    return _expectation(_line.power(k), q, bits)


def sigma2(q: int, *, bits: int = 128) -> Ball:
    """Return a ball around sigma^2(q), the second moment of the maximum of q standard normals.

    Parameters
    ----------
    q, bits
        As for :func:`max_moment`, of order 2.

    Returns
    -------
    Ball
        Contains the moment.

    Examples
    --------
    >>> from mehler.exact import certified
    >>> "1.55132889542179204951132649831" in certified.sigma2(4, bits=64)
    True
    """
    return max_moment(2, q, bits=bits)


def hermite_moment(i: int, q: int, *, bits: int = 128) -> Ball:
    """Return a ball around h_i(q) = E He_i(M)/sqrt(i!).

    Parameters
    ----------
    i : int
        Order, from 0 to 1000.
    q : int
        Pool size, from 1 to 10^8.
    bits : int
        Precision: the radius is about ``2**-bits``.

    Returns
    -------
    Ball
        Contains the coefficient; cost as of :func:`max_moment`.

    Examples
    --------
    >>> from mehler.exact import certified
    >>> 0 in certified.hermite_moment(2, 2)
    True
    """
    i = require_order("order i", i)
    return _expectation(_line.hermite_polynomial(i), q, bits, scale=math.factorial(i))


def collision_coefficients(q: int, n: int, *, bits: int = 128) -> list[Ball]:
    """Return balls around a_0(q), ..., a_(n-1)(q), where kappa_q(rho) = sum a_i rho^i.

    Parameters
    ----------
    q : int
        Pool size, from 1 to 10^4.
    n : int
        How many, from 1 to 64.
    bits : int
        Precision: the radii are about ``2**-bits``.

    Returns
    -------
    list of Ball
        One rigorous integral for each partition of 1, ..., n: seconds for q = 64, n = 17.

    Examples
    --------
    >>> from mehler.exact import certified
    >>> "0.25" in certified.collision_coefficients(4, 1)[0]
    True
    """
    q, bits = require_pool(q, LARGEST_WEDGE), require_bits(bits)
    n = require_integer("number of coefficients n", n, most=MOST_COEFFICIENTS)
    return [Ball.from_arb(a) for a in _coefficients(q, n, bits)]


def collision_probability(rho: Any, q: int, *, bits: int = 128) -> Ball:
    """Return a ball around the collision probability kappa_q(rho).

    Parameters
    ----------
    rho : int, float, Fraction, str or mpmath.mpf
        One correlation in [-1, 1], taken as the exact number that it is.
    q : int
        Pool size, from 1 to 10^4.
    bits : int
        Precision: the radius is about ``2**-bits``.

    Returns
    -------
    Ball
        Contains the probability; exact at the ends. Under 1 s for q <= 16, 2 s for q = 64, and
        time grows like q.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from mehler.exact import certified
    >>> Fraction(2, 3) in certified.collision_probability("0.5", 2, bits=64)
    True
    """
    return _on_rho(_digits.collision_enclosure, rho, q, bits)


def maxout_kernel(rho: Any, q: int, *, bits: int = 128) -> Ball:
    """Return a ball around K_q(rho) = E max_j g_j max_j g'_j, for unit vectors.

    Parameters
    ----------
    rho, q, bits
        As for :func:`collision_probability`; the radius holds for rho >= -0.998 and at rho = -1.

    Returns
    -------
    Ball
        Contains the kernel. Between -1 and -0.998, where the sums would have to reach too far, it
        is the closed form for q = 3, to full precision, and for larger pools
        K(-1) + [0, (1+rho) kappa(rho)], which holds because kappa = K' is increasing: a radius
        of at most 3e-8 for q = 4, 4e-13 for q = 8 and 3e-36 for q = 32. About 1 s for q <= 16
        and 3 s for q = 64; at rho = -0.99 up to 15 s.

    Examples
    --------
    >>> from mehler.exact import certified
    >>> certified.maxout_kernel(1, 1).value
    mpf('1.0')
    """
    return _on_rho(kernel_enclosure, rho, q, bits)


def locally_linear_kernel(rho: Any, q: int, *, bits: int = 128) -> Ball:
    """Return a ball around sigma^2(q) rho kappa_q(rho), the kernel as printed in Theorem 1.

    Parameters
    ----------
    rho, q, bits
        As for :func:`collision_probability`.

    Returns
    -------
    Ball
        Contains the value.

    Examples
    --------
    >>> from mehler.exact import certified
    >>> 0 in certified.locally_linear_kernel(0, 3, bits=64)
    True
    """
    return _on_rho(_digits.printed_kernel, rho, q, bits)


def _expectation(polynomial: list[Fraction], q: int, bits: int, scale: int = 1) -> Ball:
    q, bits = require_pool(q, LARGEST_LINE), require_bits(bits)
    # Powers t^k are large where the density is not: about k log2(k)/2 + k log2(log q) bits.
    degree = len(polynomial)
    extra = _GUARD_BITS + 2 * q.bit_length() + math.ceil(degree * (4 + math.log2(degree)))
    with precision(bits + extra) as module:
        value = _line.expectation(module, q, polynomial, bits)
        return Ball.from_arb(value / module.arb(scale).sqrt())


@functools.lru_cache(maxsize=64)
def _coefficients(q: int, n: int, bits: int) -> tuple[Any, ...]:
    extra = _GUARD_BITS + math.ceil((min(n, q) + 2) * math.log2(q)) + 4 * n
    with precision(bits + extra) as module:
        return tuple(_line.coefficients(module, q, n, bits))


def _on_rho(compute: Callable[..., Any], rho: Any, q: int, bits: int) -> Ball:
    q, bits = require_pool(q, LARGEST_WEDGE), require_bits(bits)
    rho = exact_rho(rho)
    lost = _digits.lost_bits(rho) if q <= 3 else 0
    with precision(bits + _GUARD_BITS + 4 * q.bit_length() + lost) as module:
        return Ball.from_arb(compute(module, rho, q, bits))


def kernel_enclosure(module: Any, rho: Fraction, q: int, bits: int) -> Any:
    """Enclose K_q at an exact correlation, by the cheapest route."""
    if q <= 3:
        return _digits.closed_kernel(module, rho, q)
    if rho == 1:
        return _line.expectation(module, q, _line.power(2), bits)
    if rho == -1:
        return _plane.at_minus_one(module, q, bits)
    if 1 + rho < _TRY_BRACKET:
        kappa = _digits.collision_enclosure(module, rho, q, bits)
        if 1 + rho < _BRACKET or to_arb(module, 1 + rho) * kappa < module.arb(2) ** -bits:
            return _bracket(module, rho, q, bits, kappa)
    return Wedge(module, rho, q, bits).kernel()


def _bracket(module: Any, rho: Fraction, q: int, bits: int, kappa: Any) -> Any:
    """K(-1) + [0, (1 + rho) kappa(rho)], as 0 <= K' = kappa and kappa increases."""
    half = (to_arb(module, 1 + rho) * kappa / 2).upper()
    return _plane.at_minus_one(module, q, bits) + half + module.arb(0, half)
