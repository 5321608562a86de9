"""Exact values as balls, intervals that provably contain the number, by python-flint.

It is the extra ``certified``, imported by the first call. Of q pairs of normals of correlation rho,
kappa_q is the chance that one pair has both maxima, K_q the mean of their product. Integrals are by
Arb (Johansson 2018), and sums by the trapezoid rule: bounds of their errors, in step and in tails,
widen the ball. All are proved, with the notation here, on :doc:`/theorems/certified-balls`.
"""

from __future__ import annotations

import functools
import math
import operator
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from mehler._text import install_command
from mehler._validate import require_flag, require_instance, require_integer
from mehler.exact import _digits
from mehler.exact._digits import exact_number, exact_rho

__all__ = [
    "Ball",
    "collision_coefficients",
    "collision_probability",
    "hermite_moment",
    "locally_linear_kernel",
    "max_moment",
    "maxout_kernel",
    "sigma2",
]

# Rounding, powers up to q, and cancellation between positive and negative parts; not part of any
# proof: too few would only widen the ball.
_GUARD_BITS = 48
# Below rho = -1 + 1/500 columns are 30 times as long: K is bracketed by K(-1) instead.
_BRACKET = Fraction(1, 500)
_TRY_BRACKET = Fraction(1, 5)  # below, the bracket may be sharp enough, as for large pools
_lock = threading.RLock()  # flint.ctx belongs to the process: one computation at a time


def require_bits(bits: object) -> int:
    """Return a precision of 24 to 100,000 bits: fewer leave no digit, more take hours."""
    return require_integer("precision bits", bits, least=24, most=100_000)


@dataclass(frozen=True)
class Ball:
    """The interval [value - radius, value + radius], which contains the number computed.

    Parameters
    ----------
    value, radius : mpmath.mpf
        Midpoint and radius, both exact; printed in decimals they hold this interval.
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
        """Return whether a number, a decimal string, or a whole ball lies inside, exactly."""
        if isinstance(x, Ball):
            low, high = x._ends()
            return self._ends()[0] <= low and high <= self._ends()[1]
        return self._ends()[0] <= exact_number(x, name="x") <= self._ends()[1]

    __contains__ = contains

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


def max_moment(k: int, q: int, *, bits: int = 128) -> Ball:
    r"""Return a ball around E M^k, M the maximum of q standard normals.

    .. math:: E M^k = \int t^k \, q \varphi(t) \Phi(t)^{q-1} \, dt

    Parameters
    ----------
    k, q, bits : int
        Order, from 0 to 1000; pool size, from 1 to 10^8; precision: the radius is about
        ``2**-bits`` times the moment.

    Returns
    -------
    Ball
        Contains the moment. 10 ms for q = 64, 20 ms for q = 10^6.

    Examples
    --------
    >>> from mehler.exact import certified
    >>> 1 in certified.max_moment(2, 2)
    True
    """
    k = require_integer("order k", k, least=0, most=_digits.MOST_ORDER)
    return _expectation(lambda flint, t: t**k, k, q, bits)


def sigma2(q: int, *, bits: int = 128) -> Ball:
    """Return a ball around sigma^2(q), the second moment of the maximum of q standard normals.

    `q` and `bits` are those of :func:`max_moment`.

    Examples
    --------
    >>> from mehler.exact import certified
    >>> "1.55132889542179204951132649831" in certified.sigma2(4, bits=64)
    True
    """
    return max_moment(2, q, bits=bits)


def hermite_moment(i: int, q: int, *, bits: int = 128) -> Ball:
    """Return a ball around h_i(q) = E He_i(M)/sqrt(i!), of a radius of about ``2**-bits``.

    Limits and cost are those of :func:`max_moment`.

    Examples
    --------
    >>> from mehler.exact import certified
    >>> 0 in certified.hermite_moment(2, 2)
    True
    """
    i = require_integer("order i", i, least=0, most=_digits.MOST_ORDER)

    def normalised(flint: Any, t: Any) -> Any:
        # flint's Hermite polynomials are the physicists'.
        scale = (flint.arb(2) ** i * math.factorial(i)).sqrt()
        return flint.acb(t / flint.arb(2).sqrt()).hermite_h(i) / scale

    return _expectation(normalised, i, q, bits)


def collision_coefficients(q: int, n: int, *, bits: int = 128) -> list[Ball]:
    """Return balls around a_0(q), ..., a_(n-1)(q), where kappa_q(rho) = sum a_i rho^i.

    `q` goes from 1 to 10^4 and `n` to 64; the radii are about ``2**-bits``. By a sum for each
    partition of 1, ..., n: seconds for q = 64, n = 17.

    Examples
    --------
    >>> from mehler.exact import certified
    >>> "0.25" in certified.collision_coefficients(4, 1)[0]
    True
    """
    q, bits = _digits.require_pool(q, _digits.LARGEST_WEDGE), require_bits(bits)
    n = require_integer("number of coefficients n", n, most=_digits.MOST_COEFFICIENTS)
    return [Ball.from_arb(a) for a in _coefficients(q, n, bits)]


def collision_probability(rho: Any, q: int, *, bits: int = 128) -> Ball:
    """Return a ball around the collision probability kappa_q(rho).

    Parameters
    ----------
    rho : int, float, Fraction, str or mpmath.mpf
        One correlation in [-1, 1], taken as the exact number that it is.
    q, bits : int
        Pool size, from 1 to 10^4; precision: the radius is about ``2**-bits``.

    Returns
    -------
    Ball
        Contains the probability; exact at the ends. 2 s for q <= 16, 3 s for q = 64, linear in q.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from mehler.exact import certified
    >>> Fraction(2, 3) in certified.collision_probability("0.5", 2, bits=64)
    True
    """
    return _on_rho(_collision, rho, q, bits)


def maxout_kernel(rho: Any, q: int, *, bits: int = 128) -> Ball:
    """Return a ball around K_q(rho) = E max_j g_j max_j g'_j, for unit vectors.

    Arguments are those of :func:`collision_probability`; the radius holds for rho >= -0.998 and at
    rho = -1. Between, for q >= 4, the ball is K(-1) + [0, (1+rho) kappa(rho)], which holds because
    kappa = K' is increasing: a radius of at most 3e-8 for q = 4, 4e-13 for q = 8 and 3e-36 for
    q = 32. About 2 s for q <= 16 and 4 s for q = 64; at rho = -0.99 up to 20 s.

    Examples
    --------
    >>> from mehler.exact import certified
    >>> certified.maxout_kernel(1, 1).value
    mpf('1.0')
    """
    return _on_rho(_kernel, rho, q, bits)


def locally_linear_kernel(rho: Any, q: int, *, bits: int = 128) -> Ball:
    """Return a ball around sigma^2(q) rho kappa_q(rho), the kernel as printed in Theorem 1.

    Arguments are those of :func:`collision_probability`.

    Examples
    --------
    >>> from mehler.exact import certified
    >>> 0 in certified.locally_linear_kernel(0, 3, bits=64)
    True
    """

    def compute(flint: Any, rho: Fraction, q: int, bits: int) -> Any:
        second = _integral(flint, lambda flint, t: t * t, 2, q, bits)
        return second * _arb(flint, rho) * _collision(flint, rho, q, bits)

    return _on_rho(compute, rho, q, bits)


@contextmanager
def _precision(bits: int) -> Iterator[Any]:
    """Yield python-flint at that working precision, which is restored afterwards."""
    try:
        import flint
    except ImportError as error:
        raise ImportError(
            f"mehler.exact.certified needs python-flint: {install_command('certified')}"
        ) from error
    with _lock:
        before = flint.ctx.prec, flint.ctx.cap
        flint.ctx.prec = bits
        try:
            yield flint
        finally:
            flint.ctx.prec, flint.ctx.cap = before


def _arb(flint: Any, value: Fraction) -> Any:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _error(flint: Any, bound: Any) -> Any:
    """Return the ball [-bound, bound], with the upper end of `bound`."""
    return flint.arb(0, bound.upper())


def _tail(flint: Any, k: int, start: Any) -> Any:
    """Bound the integral of t^k phi(t), phi the normal density, beyond `start`."""
    if not start * start >= k + 1:
        raise ArithmeticError("the tail bound needs a later cut; ask for more bits, as bits=128")
    return start**k * _density(flint, start) / (start - k / start)


def _density(flint: Any, t: Any) -> Any:
    return (-t * t / 2).exp() / (2 * flint.arb.pi()).sqrt()


def _law(flint: Any, t: Any) -> Any:
    """Compute Phi(t), with relative accuracy on the left."""
    return (-t / flint.arb(2).sqrt()).erfc() / 2


def _step(flint: Any, q: Any, bits: float) -> tuple[Any, Any, Any]:
    """Return a step h, a strip's half-width u (any is valid, this is best), an error of 2^-bits."""
    rough = math.pi * math.sqrt(2 / (float(q) * bits * math.log(2)))
    h = _arb(flint, Fraction(math.floor(rough * 2**20), 2**20))
    u = 2 * flint.arb.pi() / (q * h)
    epsilon = 2 * (q * u * u / 2).exp() / ((2 * flint.arb.pi() * u / h).exp() - 1)
    return h, u, epsilon


def _expectation(polynomial: Callable[..., Any], degree: int, q: int, bits: int) -> Ball:
    q, bits = _digits.require_pool(q, _digits.LARGEST_LINE), require_bits(bits)
    with _precision(bits + _GUARD_BITS + 2 * q.bit_length() + 2 * degree) as flint:
        return Ball.from_arb(_integral(flint, polynomial, degree, q, bits))


def _integral(flint: Any, polynomial: Callable[..., Any], degree: int, q: int, bits: int) -> Any:
    """Enclose E p(M), for t^k and He_k/sqrt(k!), at most abs(t)^k beyond its roots in 2 sqrt(k)."""
    end = flint.arb(_reach(degree, q, bits))

    def integrand(t: Any, _analytic: bool) -> Any:
        t = t.real if t.imag == 0 else t  # real arithmetic is much cheaper
        weight = _density(flint, t) * _law(flint, t) ** (q - 1)
        return flint.acb(q * polynomial(flint, t) * weight)

    tolerance = flint.arb(2) ** -(bits + 8)
    value = flint.acb.integral(integrand, -end, end, rel_tol=tolerance, abs_tol=tolerance)
    return value.real + _error(flint, 2 * q * _tail(flint, degree, end))


def _reach(degree: int, q: int, bits: int) -> float:
    return math.sqrt(2 * (bits + 20 + 2 * math.log2(q)) + 4 * degree) + math.sqrt(degree) + 2


@functools.lru_cache(maxsize=64)
def _coefficients(q: int, n: int, bits: int) -> list[Any]:
    """Enclose a_0, ..., a_(n-1) by the partition formula, with one error for all partitions."""
    need = bits + 2 * n + 16 + 2 * math.log2(q * n)
    room = (min(n, q) + 2) * math.log2(q) + 4 * n
    with _precision(math.ceil(need + room) + _GUARD_BITS) as flint:
        arb, pi = flint.arb, flint.arb.pi()
        h, _, epsilon = _step(flint, arb(4 * q) / 3, need)
        decay = need * math.log(2)
        top = math.ceil(2 * math.sqrt(decay) / float(h))
        bottom = math.ceil(2 * math.sqrt(max(0, decay / q - math.log(2) / 2)) / float(h))
        t = np.array([i * h for i in range(-bottom, top + 1)], dtype=object)
        pdf, cdf = (functools.partial(function, flint) for function in (_density, _law))
        sums = _digits.partition_sums(pdf, cdf, arb.sqrt, t, h, q, n)
        root = arb(q).sqrt()
        tails = (pi / 2).sqrt() * root * (top * h / 2).erfc()
        tails += pi.sqrt() / root * (root * bottom * h / 2).erfc() / arb(2) ** (arb(q) / 2)
        balls = []
        for i, square in enumerate(sums, start=1):
            e = tails + epsilon * pi.sqrt() * root * 2**i
            size = 2 * abs(square).upper().sqrt() + e
            balls.append(i * (square + _error(flint, e * size)))
        return balls


def _on_rho(compute: Callable[..., Any], rho: Any, q: int, bits: int) -> Ball:
    q, bits = _digits.require_pool(q, _digits.LARGEST_WEDGE), require_bits(bits)
    rho = exact_rho(rho)
    lost = _digits.lost_bits(rho) if q <= 3 else 0
    with _precision(bits + _GUARD_BITS + 4 * q.bit_length() + lost) as flint:
        return Ball.from_arb(compute(flint, rho, q, bits))


def _functions(flint: Any) -> tuple[Any, ...]:
    arb = flint.arb
    return arb.sqrt, arb.asin, arb.acos, arb.pi(), functools.partial(_arb, flint)


def _collision(flint: Any, rho: Fraction, q: int, bits: int) -> Any:
    if q <= 3 or abs(rho) == 1:
        return _digits.closed_probability(_functions(flint), rho, q)
    return wedge(flint, rho, q, bits, joint=False)


def _kernel(flint: Any, rho: Fraction, q: int, bits: int) -> Any:
    """Enclose K_q at an exact correlation, by the cheapest route."""
    if q <= 3:
        return _digits.closed_kernel(_functions(flint), rho, q)
    if rho == 1:
        return _integral(flint, lambda flint, t: t * t, 2, q, bits)
    if rho == -1:
        return opposite(flint, q, bits)
    if 1 + rho < _TRY_BRACKET:
        kappa = _collision(flint, rho, q, bits)
        if 1 + rho < _BRACKET or _arb(flint, 1 + rho) * kappa < flint.arb(2) ** -bits:
            return bracket(flint, rho, q, bits, kappa)
    return wedge(flint, rho, q, bits)


def bracket(flint: Any, rho: Fraction, q: int, bits: int, kappa: Any) -> Any:
    """Enclose K(-1) + [0, (1 + rho) kappa(rho)], as 0 <= K' = kappa and kappa increases."""
    half = (_arb(flint, 1 + rho) * kappa / 2).upper()
    return opposite(flint, q, bits) + half + flint.arb(0, half)


def wedge(flint: Any, rho: Fraction, q: int, bits: int, *, joint: bool = True) -> Any:
    """Enclose K, or kappa if not `joint`, by the sums of `_digits.planar` with all their errors."""
    arb, need = flint.arb, bits + 12 + 2 * math.log2(q)
    c, s = (_arb(flint, (1 + sign * rho) / 2).sqrt() for sign in (1, -1))
    h, u, epsilon = _step(flint, q, need)

    def rest(half: Any, n: int) -> Any:
        big = arb(n).sqrt()
        size = _density(flint, arb()) * (big * big / 2).exp() * (half / big) ** n
        return _error(flint, size / (1 - half / big))

    def beyond(a: Any) -> Any:
        return _error(flint, _law(flint, -a))  # the wedge lies beyond its apex

    pdf, cdf = (functools.partial(function, flint) for function in (_density, _law))
    numbers = _digits.Numbers(pdf, cdf, arb, operator.mul, operator.truediv, rest, beyond)
    nats = need * math.log(2) + 4
    total, side, top, bottom = _digits.planar(numbers, h, c, s, q, nats, joint=joint)
    step = float(h)
    cuts = (side * step, top * step * (math.sqrt(2) * float(c) if joint else 1))
    edge = arb(min(cuts) * (1 - 2.0**-40))
    outside = 8 * (_tail(flint, 2, edge) + _tail(flint, 0, edge))
    if bottom < side:
        outside += 2 * (1 + h) * _law(flint, -bottom * h) ** (q - 2)
    total = q * h * h * total + _error(flint, q * q * (1 + h) * outside)
    if not joint:
        return total / (1 + _error(flint, 2 * epsilon + epsilon * epsilon))
    size = 1 + 2 * arb(q).log() + 2 * u * u
    return total + _error(flint, epsilon * (2 + epsilon) * size)


def opposite(flint: Any, q: int, bits: int) -> Any:
    """Enclose K at rho = -1, for maxima and minima r +- d: a sum over r, integrated over d."""
    arb, pairs = flint.arb, q * (q - 1)
    h, u, epsilon = _step(flint, q, bits + 12 + 2 * math.log2(q))
    reach = math.sqrt((bits + 12 + 2 * math.log2(q)) * math.log(2) + 4) + 1
    grid = [i * h for i in range(math.ceil(reach / float(h)) + 1)]
    mass = [(-r * r).exp() * (1 if i == 0 else 2) for i, r in enumerate(grid)]
    factor = pairs * h / arb.pi()

    def integrand(d: Any, _analytic: bool) -> Any:
        d = d.real if d.imag == 0 else d
        total = flint.acb()
        for r, m in zip(grid, mass, strict=True):
            gap = _law(flint, r + d) - _law(flint, r - d)
            total += (d * d - r * r) * m * gap ** (q - 2)
        return factor * (-d * d).exp() * total

    tolerance = arb(2) ** -(bits + 8)
    far, edge = arb(math.ceil(reach)), grid[-1]
    value = flint.acb.integral(integrand, 0, far, rel_tol=tolerance, abs_tol=tolerance).real
    beyond = (-edge * edge).exp() * (edge * edge + 1) / (2 * edge - 2 / edge) / arb.pi()
    late = (1 + far * far) * (-far * far).exp() / far
    slack = pairs * (epsilon * (1 + u * u) / 2 + 2 * beyond + late)
    return value + _error(flint, slack)
