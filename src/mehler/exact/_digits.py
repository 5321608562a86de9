"""Moments and kernels of maxout units to any number of decimal digits, by mpmath alone.

M is the largest of q standard normals g_j, M' that of q others g'_j of correlation rho with them.
K_q is the mean of M M', and kappa_q the chance that one j has both maxima. Moments of M are sums on
a line, of step h, without terms below e^-nats. K and kappa are sums over a plane of normals (a, b).
There the maxima are X, Y = a c +- b s, with c, s the cosine and sine of theta/2, rho = cos theta,
and all other pairs lie below them: in a wedge with its apex at (a, b), of Gaussian measure G.
:doc:`/theorems/certified-balls` has the formulas, and the errors that are left out here.
"""

from __future__ import annotations

import math
import numbers as abstract
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import numpy as np
from mpmath.calculus.quadrature import GaussLegendre
from numpy.typing import NDArray

from mehler._validate import require_integer, shown

# Largest orders, numbers of coefficients (each is a sum over partitions) and pools, of sums on a
# line and in the plane: larger ones take hours.
MOST_ORDER, MOST_COEFFICIENTS, LARGEST_LINE, LARGEST_WEDGE = 1000, 64, 10**8, 10**4
_NEAR = 0.04  # c below which integrating kappa from rho = -1 is cheaper than a plane for K


def require_dps(dps: object) -> int:
    """Return a number of decimal digits, at most 30,000: sums of more take hours."""
    return require_integer("decimal digits dps", dps, most=30_000)


def exact_rho(rho: Any) -> Fraction:
    """Return a correlation as an exact rational: a float's binary value, a string's decimal one."""
    value = exact_number(rho, name="rho")
    if not -1 <= value <= 1:
        raise ValueError(
            f"rho must lie in [-1, 1], not {shown(rho)}; divide inner products by both norms"
        )
    return value


def exact_number(value: Any, *, name: str) -> Fraction:
    """Convert an int, float, Fraction, decimal string or mpf to a Fraction without rounding."""
    try:
        if isinstance(value, str):
            # An exponent of a million would be a number of a million digits; 1_000 is a slip.
            exponent = int(value.lower().partition("e")[2] or 0)
            if "_" in value or len(value) > 10_000 or abs(exponent) > 10_000:
                raise ValueError("not a decimal number of a sensible size")
            return Fraction(value)
        # Before abstract.Real, which mpf claims to be: float(value) would round it.
        if hasattr(value, "_mpf_"):
            if not value._mpf_[1] and value._mpf_[2]:
                raise ValueError("infinity and nan have no mantissa")
            return Fraction(*map(int, mpmath.libmp.to_rational(value._mpf_)))
        if isinstance(value, abstract.Integral) and not isinstance(value, bool):
            return Fraction(int(value))  # NumPy's do not grow
        if isinstance(value, abstract.Real) and not isinstance(value, bool):
            return Fraction(value if isinstance(value, abstract.Rational) else float(value))
    except (ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"{name} must be a finite number, not {shown(value)}") from None
    raise TypeError(
        f"{name} must be one int, float, Fraction, decimal string or mpmath.mpf, "
        f"not {type(value).__name__}; arrays are for dps=None"
    )


def public_mpf(value: Any, digits: int) -> mpmath.mpf:
    """Convert a number of a private context to an ordinary mpf, with six guard digits."""
    bits = math.ceil((digits + 6) * math.log2(10))
    return mpmath.mp.make_mpf(mpmath.libmp.mpf_pos(value._mpf_, bits, "n"))


def require_pool(q: Any, most: int) -> int:
    return require_integer("pool size q", q, most=most)


def max_moment(k: int, q: int, dps: int) -> mpmath.mpf:
    """Compute E M^k, M the largest of q normals, to relative error ``10**-dps``."""
    digits = require_dps(dps)
    k = require_integer("order k", k, least=0, most=MOST_ORDER)
    q = require_pool(q, LARGEST_LINE)
    if q == 1 and k % 2:
        return mpmath.mpf(0)
    mp, nats = _context(digits, 4 * q.bit_length())
    h, grid = _line(mp, q, k, nats)
    return public_mpf(q * h * mp.fsum(t**k * density for t, density in grid), digits)


def hermite_moment(i: int, q: int, dps: int) -> mpmath.mpf:
    """Compute h_i(q) = E He_i(M)/sqrt(i!) to absolute error ``10**-dps``."""
    digits = require_dps(dps)
    i = require_integer("order i", i, least=0, most=MOST_ORDER)
    q = require_pool(q, LARGEST_LINE)
    if i > 0 and (q == 1 or (q == 2 and i % 2 == 0)):
        return mpmath.mpf(0)
    mp, nats = _context(digits, 4 * q.bit_length())
    h, grid = _line(mp, q, i, nats)
    t = np.array([t for t, _ in grid], dtype=object)
    before, current = 0 * t, 0 * t + mp.one
    for n in range(i):
        before, current = current, t * current - n * before
    total = mp.fsum(he * density for he, (_, density) in zip(current, grid, strict=True))
    return public_mpf(q * h * total / mp.sqrt(mp.factorial(i)), digits)


def _context(digits: int, room: float, guard: float = 40) -> tuple[Any, float]:
    """Return an mpmath context, safe in threads, and -log of the error that sums in it may have."""
    mp: Any = mpmath.mp.__class__()
    bits = math.ceil((digits + 3) * math.log2(10) + room)
    mp.prec = math.ceil(bits + guard)
    return mp, bits * math.log(2)


def _line(mp: Any, q: int, degree: int, nats: float) -> tuple[Any, list[tuple[Any, Any]]]:
    """Return a step and (t, phi(t) Phi(t)^(q-1)) to e^-nats; phi, Phi: normal density and law."""
    # Shifts of t by i u cost e^(q u^2/2) at most, and next to nothing up to u = 1/sqrt(2 log q),
    # where Phi^q turns; He_n oscillates with frequencies up to sqrt(n).
    step = max(
        math.pi * math.sqrt(2 / (q * nats)), math.tau / nats / math.sqrt(2 * math.log(q) + 1)
    )
    h = mp.mpf(1 / (1 / step + math.sqrt(degree) / 6))
    n = math.ceil((2 * math.sqrt(nats) + math.sqrt(degree) + 1) / float(h))
    points = [i * h for i in range(-n, n + 1)]
    return h, [(t, mp.npdf(t) * mp.ncdf(t) ** (q - 1)) for t in points]


def collision_coefficients(q: int, n: int, dps: int) -> list[mpmath.mpf]:
    """Compute a_i(q), i < n, where kappa_q(rho) = sum a_i rho^i, to relative error ``10**-dps``."""
    digits = require_dps(dps)
    q = require_pool(q, LARGEST_WEDGE)
    n = require_integer("number of coefficients n", n, most=MOST_COEFFICIENTS)
    if q == 1:
        return [mpmath.mpf(1)] + [mpmath.mpf(0)] * (n - 1)
    # The last coefficients are the smallest, of order 1/(n q), and weights are up to q^n. Step and
    # ends are those of the balls, with their proof.
    room = 2 * n + 16 + 2 * math.log2(q * n)
    mp, nats = _context(digits, room, (min(n, q) + 2) * math.log2(q) + 4 * n)
    h = mp.mpf(math.pi * math.sqrt(1.5 / (q * nats)))
    low = 2 * math.sqrt(max(0.0, nats / q - math.log(2) / 2))
    ends = (math.ceil(end / float(h)) for end in (low, 2 * math.sqrt(nats)))
    t = np.array([i * h for i in range(-next(ends), next(ends) + 1)], dtype=object)
    sums = partition_sums(mp.npdf, mp.ncdf, mp.sqrt, t, h, q, n)
    series = [public_mpf((i + 1) * a, digits) for i, a in enumerate(sums)]
    # kappa_2 - 1/2 = arcsin(rho)/pi is odd: the even ones are 0 but for rounding.
    return [0 * a if q == 2 and i and i % 2 == 0 else a for i, a in enumerate(series)]


Number = Callable[[Any], Any]


def partition_sums(
    pdf: Number, cdf: Number, sqrt: Number, t: NDArray[Any], h: Any, q: int, n: int
) -> list[Any]:
    """Compute a_i/(i+1), i < n, in the numbers of a grid t of step h, by partitions of i+1."""
    factors = [np.array([cdf(x) for x in t], dtype=object)]
    before, current = 0 * t, np.array([pdf(x) for x in t], dtype=object)
    for m in range(1, n + 1):
        factors.append(current / sqrt(h * 0 + math.factorial(m)))
        before, current = current, t * current - (m - 1) * before
    powers = [factors[0] ** (q - l) for l in range(min(n, q) + 1)]
    sums = [0 * h for _ in range(n + 1)]

    def descend(product: Any, length: int, last: int, total: int, same: int, count: int) -> None:
        """Visit every way to add parts no larger than the last, of which `same` are there."""
        for part in range(1, min(last, n - total) + 1):
            times = same + 1 if part == last else 1
            longer = product * factors[part]
            # A multinomial coefficient: the division leaves nothing.
            weight = count * (q - length) // times
            sums[total + part] += weight * (h * (longer * powers[length + 1]).sum()) ** 2
            if length + 1 < q:
                descend(longer, length + 1, part, total + part, times, weight)

    descend(1, 0, n, 0, 0, 1)
    return sums[1:]


def collision_probability(rho: Any, q: int, dps: int) -> mpmath.mpf:
    """Compute kappa_q(rho), that argmaxes agree, to absolute error ``10**-dps``: 2 s at q = 64."""
    digits, q, rho, mp, nats = _at_rho(rho, q, dps)
    return public_mpf(_collision(mp, rho, q, nats), digits)


def maxout_kernel(rho: Any, q: int, dps: int) -> mpmath.mpf:
    """Compute K_q(rho), E of a product of maxima, to relative error ``10**-dps``: up to 15 s."""
    digits, q, rho, mp, nats = _at_rho(rho, q, dps)
    if q <= 3:
        return public_mpf(closed_kernel(_functions(mp), rho, q), digits)
    if rho == 1:
        return max_moment(2, q, digits)
    if rho == -1:
        return public_mpf(_opposite(mp, q, nats), digits)
    c, s = _half_angle(mp, rho)
    near = c < _NEAR
    return public_mpf((_near_opposite if near else _planar)(mp, c, s, q, nats), digits)


def locally_linear_kernel(rho: Any, q: int, dps: int) -> mpmath.mpf:
    """Compute sigma^2(q) rho kappa_q(rho) to `dps` digits of sigma^2(q)."""
    digits, q, exact, mp, nats = _at_rho(rho, q, dps)
    kappa = _collision(mp, exact, q, nats)
    second = mp.mpf(max_moment(2, q, digits + 3))
    return public_mpf(second * exact.numerator / exact.denominator * kappa, digits)


def _at_rho(rho: Any, q: int, dps: int) -> tuple[int, int, Fraction, Any, float]:
    """Validate; return digits, q, the exact rho, an mpmath context, and nats of the sums."""
    digits, q = require_dps(dps), require_pool(q, LARGEST_WEDGE)
    exact = exact_rho(rho)
    room = 4 * q.bit_length() + 16 + (lost_bits(exact) if q <= 3 else 0)
    return digits, q, exact, *_context(digits, room)


def lost_bits(rho: Fraction) -> int:
    """Return how many bits cancel next to rho = -1, where K_2 is of order t^3."""
    x = 1 + rho
    return 3 * max(0, x.denominator.bit_length() - x.numerator.bit_length() + 1) if x else 0


def _functions(mp: Any) -> tuple[Any, ...]:
    return mp.sqrt, mp.asin, mp.acos, +mp.pi, lambda x: mp.mpf(x.numerator) / x.denominator


def closed_probability(functions: tuple[Any, ...], rho: Fraction, q: int) -> Any:
    """Return kappa_q for q <= 3, or at an end, by `functions`: sqrt, asin, acos, pi, of."""
    sqrt, asin, acos, pi, of = functions
    if q == 1 or abs(rho) == 1:
        return of(Fraction(0 if q > 1 and rho == -1 else 1))
    t = 2 * asin(sqrt(of((1 + rho) / 2)))
    if q == 2:
        return t / pi
    return of(Fraction(1, 3)) + 3 * (t * t - acos(of(rho / 2)) ** 2) / (4 * pi * pi)


def closed_kernel(functions: tuple[Any, ...], rho: Fraction, q: int) -> Any:
    """Return K_q for q <= 3."""
    sqrt, asin, acos, pi, of = functions
    t = 2 * asin(sqrt(of((1 + rho) / 2)))
    if q == 1:
        return of(rho)
    if q == 2:
        return (sqrt(of(1 - rho * rho)) + t * of(rho)) / pi

    def gamma(u: Fraction, arccos: Any) -> Any:
        return of(u) * arccos**2 - 2 * sqrt(of(1 - u * u)) * arccos - 2 * of(u)

    bracket = gamma(-rho, t) + 2 * gamma(rho / 2, acos(of(rho / 2)))
    return of(rho / 3) - 3 * bracket / (4 * pi * pi)


def _collision(mp: Any, rho: Fraction, q: int, nats: float) -> Any:
    if q <= 3 or abs(rho) == 1:
        return closed_probability(_functions(mp), rho, q)
    return _planar(mp, *_half_angle(mp, rho), q, nats, joint=False)


def _half_angle(mp: Any, rho: Fraction) -> tuple[Any, Any]:
    half = ((1 + rho) / 2, (1 - rho) / 2)
    c, s = (mp.sqrt(mp.mpf(x.numerator) / x.denominator) for x in half)
    return c, s


class Numbers(NamedTuple):
    """How to compute a sum over the plane: density, distribution function, products, errors."""

    pdf: Any
    cdf: Any
    of: Any
    times: Any
    over: Any
    # Errors, for balls: of n terms of a series at half a piece's length, and of G at the first a.
    rest: Callable[[Any, int], Any] = lambda half, n: 0
    beyond: Callable[[Any], Any] = lambda a: 0


def planar(
    numbers: Numbers, h: Any, c: Any, s: Any, q: int, nats: float, *, joint: bool = True
) -> tuple[Any, int, int, int]:
    """Return the sum for K, or for kappa if not `joint`, over q h^2, and its ends in steps.

    The ends are those of b, of a and of -a. Arrays are columns of the plane, one for each b; G and
    its derivatives F_1, F_2 go along a by Taylor series, from piece to piece.
    """
    pdf, cdf, of, times, over, *_ = numbers

    def vector(values: Any) -> Any:
        return np.array([of(x) for x in values], dtype=object)

    def at(polynomial: list[Any], t: Any) -> Any:
        total = polynomial[-1]
        for coefficient in reversed(polynomial[:-1]):
            total = times(total, t) + coefficient
        return total

    step, reach = float(h), math.sqrt(2 * nats)
    side = math.ceil(reach / step)
    # Of f_2, columns reach as far as e^(-a^2 c^2); below, Phi(a)^(q-2) ends them.
    last = math.ceil((max(reach, reach / float(c) / math.sqrt(2)) if joint else reach) / step)
    first = max(-side, -math.ceil(math.sqrt(2 * nats / max(q - 2, 1)) / step))
    # Pieces about 1 long share an expansion; its terms are at most e^(R^2/2) R^-n.
    per = max(1, round(1 / step))
    half = per * h / 2
    n_terms = 4
    while n_terms / 2 + n_terms * math.log(float(half) / math.sqrt(n_terms)) > -nats - 4:
        n_terms += 1
    rest = numbers.rest(half, n_terms)
    b = [j * h for j in range(side + 1)]
    density, places = vector(map(pdf, b)), vector((x * s) ** 2 for x in b)
    sine, total, g = of(2 * c * s), 0 * density, 0 * density + numbers.beyond(side * h)
    for i in range(-side, last + 1, per):
        a = i * h + half
        e = [pdf(a), -a * pdf(a)]
        for n in range(1, n_terms):
            e.append((-a * e[n] - e[n - 1]) / (n + 1))
        shared = [times(density, of(s * x)) for x in e]
        series = []
        for sign in (1, -1):
            x = [a * c + sign * y * s for y in b]
            law = (cdf(a * s - sign * y * c) for y in b)
            f = [vector(pdf(u) * phi for u, phi in zip(x, law))]
            drift, curve = vector(-c * u for u in x), of(c * c)
            f.append(times(f[0], drift) + shared[0])
            for n in range(1, n_terms - 1):
                slope = times(f[n], drift) - times(f[n - 1], curve) + shared[n]
                f.append(over(slope, n + 1))
            series.append(f)
        terms = enumerate(zip(*series, strict=True), start=1)
        growth = [0 * g, *(over(times(u + v, of(c)), n) for n, (u, v) in terms)]
        # At both ends two expansions, of slopes of at most 1 over a length of about 1.
        g = g - at(growth, of(-half)) + 2 * rest + 2 * rest
        for k in range(max(0, first - i), min(per, last + 1 - i)):
            t = of(k * h - half)
            wedge = g + at(growth, t)
            here = times(density, of(pdf((i + k) * h)))
            if joint:
                edges = times(at(series[0], t) + rest, at(series[1], t) + rest)
                here = times(here, wedge) + times(edges, (q - 1) * sine)
                here = times(here, of(((i + k) * h * c) ** 2) - places)
            total += times(here, _power(wedge, q - 2 if joint else q - 1, times, of))
        g = g + at(growth, of(half))
    return 2 * total.sum() - total[0], side, last, -first


def _planar(mp: Any, c: Any, s: Any, q: int, nats: float, *, joint: bool = True) -> Any:
    """Compute K, or kappa if not `joint`, in integers, which are faster than mpmath's numbers."""
    bits = mp.prec
    of, times = (lambda x: int(mp.ldexp(x, bits))), (lambda x, y: x * y >> bits)
    numbers = Numbers(mp.npdf, mp.ncdf, of, times, operator.floordiv)
    h = mp.mpf(math.pi * math.sqrt(2 / (q * nats)))
    total = planar(numbers, h, c, s, q, nats, joint=joint)[0]
    return q * h * h * mp.ldexp(mp.mpf(int(total)), -bits)


def _power(x: Any, n: int, times: Callable[..., Any], of: Callable[[int], Any]) -> Any:
    if n < 2:
        return x if n else of(1)
    root = _power(x, n // 2, times, of)
    square = times(root, root)
    return times(square, x) if n % 2 else square


def _opposite(mp: Any, q: int, nats: float) -> Any:
    """Sum K at rho = -1, for q > 3, where the maximum is r + d and the minimum r - d."""
    h = mp.mpf(math.pi * math.sqrt(2 / (q * nats)))
    n = math.ceil((math.sqrt(nats) + 2) / float(h))
    if q % 2 == 0:
        # The integrand is even in d, so that the trapezoid rule serves.
        nodes = [(k * h, h) for k in range(1, n + 1)]
    else:
        width = h / 6  # d = exp(s - e^-s) has no end at 0
        low, high = -math.log(nats) / float(width), math.log(n * float(h)) / float(width)
        places = [k * width for k in range(math.floor(low), math.ceil(high) + 1)]
        nodes = [(mp.exp(s - mp.exp(-s)), width * (1 + mp.exp(-s))) for s in places]
        nodes = [(d, weight * d) for d, weight in nodes]
    r = [k * h for k in range(n + 1)]
    mass = [mp.exp(-x * x) * (1 if k == 0 else 2) for k, x in enumerate(r)]
    total = mp.zero
    for d, weight in nodes:
        gaps = ((mp.ncdf(x + d) - mp.ncdf(x - d)) ** (q - 2) for x in r)
        row = mp.fsum((d * d - x * x) * m * gap for x, m, gap in zip(r, mass, gaps, strict=True))
        total += weight * mp.exp(-d * d) * row
    return q * (q - 1) * h * total / mp.pi


def _near_opposite(mp: Any, c: Any, s: Any, q: int, nats: float) -> Any:
    """Compute K(-1) + int_0^t kappa sin over the angle t = pi - theta, by Gauss and Legendre."""
    total, angle = _opposite(mp, q, nats), 2 * mp.asin(c)
    size = 2 * c * c * _planar(mp, c, s, q, nats, joint=False)
    need = nats + float(mp.log(size + mp.ldexp(1, -mp.prec)))
    if need < 0:
        return total
    # mpmath's rules have 3 2^(k-1) nodes.
    degree = max(1, math.ceil(math.log2(_nodes(float(angle), q, need) / 3)) + 1)
    for node, weight in GaussLegendre(mp).calc_nodes(degree, mp.prec):
        t = angle * (1 + node) / 2
        kappa = _planar(mp, mp.sin(t / 2), mp.cos(t / 2), q, nats, joint=False)
        total += weight * angle / 2 * kappa * mp.sin(t)
    return total


def _nodes(angle: float, q: int, need: float) -> float:
    """Return how many nodes bring an integrand that grows like t^q to e^-need of its integral.

    The nearest singularities lie at t = +- i tau, cosh tau = 1 + 2/(q-1) at the least.
    """
    w = complex(-1, 2 * math.acosh(1 + 2 / (q - 1)) / angle)
    limit = abs(w + (w * w - 1) ** 0.5)
    radii = (1 + (max(limit, 1 / limit) - 1) * part / 20 for part in range(1, 20))
    return min((need + q * math.log((r + 2 + 1 / r) / 4)) / (2 * math.log(r)) for r in radii)
