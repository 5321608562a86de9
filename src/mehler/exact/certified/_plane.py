r"""Planar sums over wedges: every expectation over two correlated maxima.

With (a, b) standard normal in the plane and c, s = cos, sin of theta/2, let

    X, Y = a c +- b s,   X', Y' = a s -+ b c,   G(a, b) = Phi_2(X, Y; cos theta),

the Gaussian measure of the wedge of opening pi - theta with its apex at (a, b). The maxima (M, M')
of q pairs fall at (X, Y) with density, in (a, b),

    f_1 + f_2 = q phi(a) phi(b) G^(q-1)  +  q (q-1) sin(theta) F_1 F_2 G^(q-2),
    F_1 = phi(X) Phi(X'),   F_2 = phi(Y) Phi(Y'),

where f_1 alone is the event D = D' (its mass is kappa_q). Both are summed by the trapezoid rule.
G is carried along each column by Taylor series: dG = F_1 dX + F_2 dY, and because
phi(X) phi(X') = phi(Y) phi(Y') = phi(a) phi(b) =: E,

    F_1' = -X X_t F_1 + X'_t E,    E' = -(a a_t + b b_t) E

along any straight line, subscripts t being the constant slopes. G starts from its value at the
origin, (pi - theta)/(2 pi).

The truth is the sum over all (i h, j h), corrected by the step error; what is summed is a finite
part of it.

**Step error.** Both densities have q factors. For kappa = int f_1: first in b, then in a,
(2 epsilon + epsilon^2) kappa. For K = int XY (f_1 + f_2) use, with w <= u,
|X + i w| |Y + i w| <= (X^2 + Y^2)/2 + w^2 and int (X^2 + Y^2)/2 (f_1 + f_2) = sigma^2, at most
1 + 2 log q: the error is at most epsilon (2 + epsilon) (sigma^2 + 2 u^2).

**What is left out.** G(a, b) <= Phi(a), |XY| <= a^2 c^2 + b^2 s^2, and

* for a < 0 one of X', Y' is negative, so F_1 F_2 <= phi(a) phi(b)/2 (Phi(-x) <= e^(-x^2/2)/2);
* F_1 F_2 <= e^(-a^2 c^2 - b^2 s^2)/(2 pi) always;
* F_1 F_2 <= e^(-a^2 c^2/2 - b^2/2)/(2 pi) always: for b > 0, either X' < 0, and the first bound
  holds; or a s > b c, and a^2 c^2/2 + b^2 s^2 >= b^2 (c^4/(2 s^2) + s^2) >= 0.73 b^2; by symmetry
  for b < 0.

**G.** Taylor series on pieces of a column. For complex z, |F_i(centre + z)| <= phi(0) e^(|z|^2/2),
as |phi(x + i y)| = e^(y^2/2) phi(x), |Phi(x + i y)| <= e^(y^2/2) Phi(x) and c^2 + s^2 = 1. By
Cauchy on |z| = R the terms from order n on are at most phi(0) e^(R^2/2) (t/R)^n/(1 - t/R), |t| < R.

The end rho = -1, where planar sums would have to reach as far as 1/cos(theta/2).

There the second maximum is minus the minimum of the same q >= 3 normals. With B = Phi(x) - Phi(y),

    E M M' = int int_{y<x} -x y q (q-1) phi(x) phi(y) B^(q-2) dx dy.

**Even q.** The integrand is symmetric in x and y: half of the sum over the whole lattice. On
x + i u, |B| = |(1 - Phi(y)) Phi(x + i u) - Phi(y) (1 - Phi(x + i u))| <= e^(u^2/2), so both sums
together are off by at most epsilon q (q-1)/2 (1 + u) (1 + 1.6), since E |g + i u| <= 1 + u, and
for h <= 1 h sum |y| phi(y) <= 1.3. Outside |x|, |y| <= T there is at most
3.2 q (q-1) h sum_{t>T} t phi(t).

**Odd q.** x, y = r +- d with d > 0: the trapezoid rule in r, whose sum is an entire function of d
that ``acb.integral`` integrates rigorously over [0, D]. For real d, B is the mass of an interval,
so its shift costs e^(u^2/2) only, and 2 q (q-1) (d^2 - r^2) e^(-r^2-d^2) B^(q-2)/(2 pi) has q
factors: after integration over d the error is at most epsilon q (q-1)/2 times 1 + u^2. Left out are
|r| > R and d > D, bounded with 0 <= B <= 1.

**Near -1**, K(rho) = K(-1) + int_0^t kappa sin over the angle t = pi - theta, where kappa is
analytic; Gauss-Legendre needs few nodes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from mehler.exact.certified._ball import exact_number
from mehler.exact.certified._context import FixedPoint, error, private_context, to_arb
from mehler.exact.certified._line import density, distribution, step_for, tail

# Approximate length of the pieces of a column that share one Taylor expansion.
_PIECE = 0.3


class Wedge:
    """Certified sums for one correlation -1 < rho < 1 and one pool size q >= 2."""

    def __init__(self, module: Any, rho: Fraction, q: int, bits: int) -> None:
        self.module, self.q = module, q
        self.cos = to_arb(module, (1 + rho) / 2).sqrt()
        self.sin = to_arb(module, (1 - rho) / 2).sqrt()
        self.real_cos, self.real_sin = float(self.cos), float(self.sin)
        # Sums are multiplied by q (q-1) and moments of size 300: some bits more.
        self.step = step_for(module, q, bits + 12 + 2 * math.log2(q))
        self.need = self.step.exponent + 4
        self.per = max(1, round(_PIECE / self.step.real_h))
        half = self.per * self.step.real_h / 2
        self.terms, radius = 4, 1.0
        while radius * radius / 2 + self.terms * math.log(half / radius) > -self.need - 4:
            self.terms += 1
            radius = math.sqrt(self.terms)
        t, big = self.per * self.step.h / 2, module.arb(radius)
        rest = density(module, module.arb(0)) * (big * big / 2).exp()
        # Of F_i. The series of G integrates two of them, slopes at most 1: 2 t <= 1 times as much.
        self.remainder = error(module, rest * (t / big) ** self.terms / (1 - t / big))

    def collision_probability(self) -> Any:
        """Return the ball of kappa."""
        q, module, e = self.q, self.module, self.step.epsilon
        total, h = module.arb(), self.step.h
        for j, b, start in self._axis():
            part = module.arb()
            up, down = self._reach(b)
            for i, g, _ in self._column(j, start, up, down, joint=False):
                part += self._pdf(i) * g ** (q - 1)
            left = self._left(down)
            beyond = tail(module, 0, up * h)
            beyond += (
                tail(module, 0, down * h) * left ** (q - 1) if down * h > 2 else left ** (q - 1)
            )
            total += self._pdf(j) * (h * part + error(module, beyond)) * (1 if j == 0 else 2)
        # |b| > B: both sides, and h sum phi(a) <= 1 + h over all a.
        total = h * total + error(module, 2 * tail(module, 0, self._side() * h) * (1 + h))
        return (q * total) / (1 + error(module, 2 * e + e * e))

    def kernel(self) -> Any:
        """Return the ball of K = E M M'."""
        q, module, step = self.q, self.module, self.step
        h, e = step.h, step.epsilon
        cos2, sin2, sine = self.cos * self.cos, self.sin * self.sin, 2 * self.cos * self.sin
        total = module.arb()
        for j, b, start in self._axis():
            pdf_b = self._pdf(j)
            part = module.arb()
            up, down = self._reach(b, joint=True)
            place2 = (j * h) * (j * h) * sin2
            for i, g, f1f2 in self._column(j, start, up, down, joint=True):
                inner = self._pdf(i) * pdf_b * g + (q - 1) * sine * f1f2
                part += ((i * h) * (i * h) * cos2 - place2) * inner * g ** (q - 2)
            beyond = self._beyond(up, down, pdf_b, place2)
            total += (h * part + error(module, beyond)) * (1 if j == 0 else 2)
        total = q * (h * total + error(module, self._outside()))
        size = 1 + 2 * module.arb(q).log() + 2 * step.u * step.u
        return total + error(module, e * (2 + e) * size)

    def _beyond(self, up: int, down: int, pdf_b: Any, place2: Any) -> Any:
        """Bound one column's h sum |XY| (f_1 + f_2)/q over a > up h and a < -down h."""
        q, module, h = self.q, self.module, self.step.h
        cos2, sine = self.cos * self.cos, 2 * self.cos * self.sin
        top, bottom = up * h, down * h
        first = pdf_b * (cos2 * tail(module, 2, top) + place2 * tail(module, 0, top))
        # (a^2 c^2 + b^2 s^2) e^(-a^2 c^2) falls at a rate of at least 2 a c^2 - 2/a there.
        rate = 2 * top * cos2 - 2 / top
        if not rate > 0:
            raise ArithmeticError("the column ends too early; ask for more bits, as bits=128")
        height = (top * top * cos2 + place2) * (-top * top * cos2 - place2).exp()
        second = (q - 1) * sine * height / (2 * module.arb.pi() * rate)
        # Below: h sum a^2 phi <= 1 and h sum phi <= 1 where the cut is too near for `tail`.
        near = not bottom * bottom > 4
        powers = module.arb(1) if near else tail(module, 2, bottom)
        mass = module.arb(1) if near else tail(module, 0, bottom)
        lower = pdf_b * (cos2 * powers + place2 * mass) * self._left(down) ** (q - 2)
        return first + second + lower * (1 + (q - 1) * sine / 2)

    def _outside(self) -> Any:
        """Bound h^2 sum |XY| (f_1 + f_2)/q over |b| > B and all a."""
        q, module, h = self.q, self.module, self.step.h
        edge = self._side() * h
        # h sum over all a: phi <= 1 + h, a^2 phi <= 1 + h, and with a c for a as many times 1/c.
        both = tail(module, 2, edge) + tail(module, 0, edge)
        root = (2 * module.arb.pi()).sqrt()
        wide = root / self.cos + 2 * h
        second = (q - 1) * 2 * self.cos * self.sin * both * wide / root
        return 2 * (both * (1 + h) + second)

    def _side(self) -> int:
        return self.step.points(math.sqrt(2 * self.need))

    def _reach(self, b: float, *, joint: bool = False) -> tuple[int, int]:
        """Return the number of steps up and down that a column is summed."""
        room = 2 * self.need - b * b
        if joint:
            room = max(room, (self.need - (b * self.real_sin) ** 2) / self.real_cos**2)
            room = max(room, 8 / self.real_cos**2)
        up = self.step.points(math.sqrt(max(room, 9.0)))
        # Phi(-t)^(q-2) <= e^(-(q-2) t^2/2)/2^(q-2), times phi(t).
        factors = max(self.q - 1, 1)
        spare = self.need - (self.q - 2) * math.log(2)
        return up, self.step.points(math.sqrt(2 * max(spare, 0.5) / factors))

    def _left(self, down: int) -> Any:
        """Compute Phi at the lower cut, which bounds G below it."""
        return distribution(self.module, -down * self.step.h)

    def _pdf(self, i: int) -> Any:
        cache: dict[int, Any] = self.__dict__.setdefault("_densities", {})
        if abs(i) not in cache:
            cache[abs(i)] = density(self.module, abs(i) * self.step.h)
        return cache[abs(i)]

    def _axis(self) -> Iterator[tuple[int, float, Any]]:
        """Yield (j, b, G(0, b)) for b = j h >= 0."""
        # (pi - theta)/2, whose tangent is cot(theta/2)
        apex = (self.cos / self.sin).atan()
        start = apex / self.module.arb.pi()
        side = self._side()
        for j, g, _ in self._march(0, 0, start, (0, 1), side, joint=False):
            yield j, j * self.step.real_h, g

    def _column(
        self, j: int, start: Any, up: int, down: int, *, joint: bool
    ) -> Iterator[tuple[int, Any, Any]]:
        yield from self._march(0, j, start, (1, 0), up, joint=joint)
        for i, g, f1f2 in self._march(0, j, start, (-1, 0), down, joint=joint):
            if i:
                yield i, g, f1f2

    def _march(
        self, i: int, j: int, g: Any, way: tuple[int, int], last: int, *, joint: bool
    ) -> Iterator[tuple[int, Any, Any]]:
        """Yield (index, G, F_1 F_2) along a line of the lattice: (i, j) and `last` steps on."""
        h, per, rest = self.step.h, self.per, self.remainder
        offsets = [(2 * k - per) * h / 2 for k in range(per + 1)]
        along = way[0] + way[1]
        for first in range(0, last + 1, per):
            middle = first * h - offsets[0]
            growth, f1, f2 = self._expand(i * h + way[0] * middle, j * h + way[1] * middle, way)
            base = g - growth(offsets[0]) + rest + rest
            for k in range(min(per, last + 1 - first)):
                t = offsets[k]
                f1f2 = (f1(t) + rest) * (f2(t) + rest) if joint else None
                value = base + growth(t) if first + k else g
                yield along * (first + k) + (i if way[0] else j), value, f1f2
            g = base + growth(offsets[per])

    def _expand(self, a: Any, b: Any, way: tuple[int, int]) -> tuple[Any, Any, Any]:
        """Return polynomials about (a, b) along `way`: G - G(a, b), F_1, F_2, sans remainders."""
        module, (da, db) = self.module, way
        e = [density(module, a) * density(module, b)]
        m = a * da + b * db
        e.append(-m * e[0])
        for n in range(1, self.terms):
            e.append((-m * e[n] - e[n - 1]) / (n + 1))
        series, slopes = [], []
        for sign in (1, -1):
            x, slope = a * self.cos + sign * b * self.sin, da * self.cos + sign * db * self.sin
            x_, slope_ = a * self.sin - sign * b * self.cos, da * self.sin - sign * db * self.cos
            f = [density(module, x) * distribution(module, x_)]
            drift, curve = -slope * x, slope * slope
            f.append(drift * f[0] + slope_ * e[0])
            for n in range(1, self.terms - 1):
                f.append((drift * f[n] - curve * f[n - 1] + slope_ * e[n]) / (n + 1))
            series.append(f)
            slopes.append(slope)
        growth = [module.arb()]
        growth += [
            (slopes[0] * p + slopes[1] * r) / (n + 1)
            for n, (p, r) in enumerate(zip(*series, strict=True))
        ]
        poly = module.arb_poly
        return poly(growth), poly(series[0]), poly(series[1])


# Below this cosine of theta/2 integrating from rho = -1 is cheaper than a planar sum.
NEAR = 0.04


def at_minus_one(module: Any, q: int, bits: int) -> Any:
    """Return the ball of K at rho = -1."""
    step = step_for(module, q, bits + 12 + 2 * math.log2(q))
    return _even(module, q, step) if q % 2 == 0 else _odd(module, q, step, bits)


def _even(module: Any, q: int, step: Any) -> Any:
    n = step.points(step.gaussian_reach() + 1)
    grid = [i * step.h for i in range(-n, n + 1)]
    moment = [t * density(module, t) for t in grid]
    cdf = [distribution(module, t) for t in grid]
    total = module.arb()
    for i in range(len(grid)):
        row = module.arb()
        for j in range(i):
            row += moment[j] * (cdf[i] - cdf[j]) ** (q - 2)
        total -= moment[i] * row
    pairs = q * (q - 1)
    slack = step.epsilon * (1 + step.u) * module.arb(2.6) / 2
    slack += module.arb(3.2) * tail(module, 1, grid[-1])
    return pairs * (step.h * step.h * total + error(module, slack))


def _odd(module: Any, q: int, step: Any, bits: int) -> Any:
    h, pairs = step.h, q * (q - 1)
    n = step.points(math.sqrt(step.exponent + 4) + 1)
    grid = [i * h for i in range(n + 1)]
    far = math.ceil(math.sqrt(step.exponent + 4) + 1)
    integrate = _by_points if isinstance(module, FixedPoint) else _by_balls
    integral = integrate(module, q, h, grid, far, bits)
    slack = pairs * step.epsilon * (1 + step.u**2) / 2
    # r > R: r^2 e^(-r^2) and e^(-r^2) fall at rates 2 R - 2/R and 2 R; int e^(-d^2) <= 0.9, and
    # int d^2 e^(-d^2) <= 0.7.
    edge = grid[-1]
    beyond = (-edge * edge).exp() * (edge * edge + 1) / (2 * edge - 2 / edge)
    slack += 2 * pairs * beyond / module.arb.pi()
    # d > D >= 2: h sum of (r^2 + d^2) e^(-r^2) <= 2.8 (1 + d^2) for h <= 1, times
    # 2/(2 pi) < 1/2.8; and (1 + d^2) e^(-d^2) falls at a rate of at least D.
    end = module.arb(far)
    slack += pairs * (1 + end * end) * (-end * end).exp() / end
    return integral + error(module, slack)


def _by_balls(module: Any, q: int, h: Any, grid: list[Any], far: int, bits: int) -> Any:
    """Integrate the trapezoid sums over r rigorously over d."""
    mass = [(-r * r).exp() * (1 if i == 0 else 2) for i, r in enumerate(grid)]
    root = module.arb(2).sqrt()
    scaled = [r / root for r in grid]
    factor = q * (q - 1) * h / module.arb.pi()

    def summed(d: Any, _analytic: bool) -> Any:
        """The trapezoid sum over r, for real or complex d."""
        # The rule's nodes are real, and real arithmetic is much cheaper.
        d = d.real if d.imag == 0 else d
        e, d2 = d / root, d * d
        total = module.acb() if isinstance(d, module.acb) else module.arb()
        for r, s, m in zip(grid, scaled, mass, strict=True):
            gap = ((s + e).erf() - (s - e).erf()) / 2
            total += (d2 - r * r) * m * gap ** (q - 2)
        return module.acb(factor * (-d2).exp() * total)

    tolerance = module.arb(2) ** -(bits + 8)
    return module.acb.integral(
        summed, 0, module.arb(far), rel_tol=tolerance, abs_tol=tolerance
    ).real


def _by_points(module: Any, q: int, h: Any, grid: list[Any], far: int, bits: int) -> Any:
    """Integrate over d = exp(s - e^-s) by the trapezoid rule in s, which has no end."""
    arb, mp = module.arb, module.mp
    root, total = arb(2).sqrt(), arb()
    mass = [(-r * r).exp() * (1 if i == 0 else 2) for i, r in enumerate(grid)]
    width = h.real() / 6
    low, high = -math.log(bits), math.log(far)
    for k in range(math.floor(low / float(width)), math.ceil(high / float(width)) + 1):
        s = width * k
        distance = mp.exp(s - mp.exp(-s))
        d, row = arb(distance), arb()
        for r, m in zip(grid, mass, strict=True):
            gap = (((r + d) / root).erf() - ((r - d) / root).erf()) / 2
            row += (d * d - r * r) * m * gap ** (q - 2)
        total += row * (-d * d).exp() * arb(distance * (1 + mp.exp(-s)))
    return q * (q - 1) * h * arb(width) * total / arb.pi()


def near_minus_one(module: Any, rho: Fraction, q: int, bits: int) -> Any:
    """Compute K for -1 < rho near -1, without the error of the integral."""
    total = at_minus_one(module, q, bits)
    angle = 2 * to_arb(module, (1 + rho) / 2).sqrt().asin()
    kappa = Wedge(module, rho, q, bits).collision_probability()
    # K increases by at most this.
    rest = math.log(max(float(kappa * to_arb(module, 1 + rho)), 1e-300)) + 2 * math.log(q)
    if rest < -bits * math.log(2):
        return total
    context = private_context(bits + 20)
    # Only as many digits as this remainder has to contribute.
    needed = max(30, bits + math.ceil(rest / math.log(2)) + 10)
    for node, weight in _legendre(context, _nodes_needed(float(angle), q, bits, rest)):
        node, weight = (to_arb(module, exact_number(x, name="node")) for x in (node, weight))
        t = angle * node
        # 1 + rho of the node, which keeps its digits: 2 sin^2(t/2).
        half = (t / 2).sin()
        near = _middle(module, 2 * half * half) - 1
        value = Wedge(module, near, q, needed).collision_probability()
        total += weight * angle * t.sin() * value
    return total


def _middle(module: Any, value: Any) -> Fraction:
    if isinstance(module, FixedPoint):
        return Fraction(value.raw, 1 << value.bits)
    mantissa, exponent = value.mid().man_exp()
    return int(mantissa) * Fraction(2) ** int(exponent)


def _nodes_needed(angle: float, q: int, bits: int, rest: float) -> int:
    """Return the number of Gauss-Legendre nodes on [0, angle] for kappa sin, which grows like t^q.

    The nearest singularities lie at t = +- i tau, cosh tau = 1 + 2/(q-1) at the least (where
    |x|^2 + |y|^2 - 2 rho x.y stops being positive on pairs of winning cones).
    """
    tau = math.acosh(1 + 2 / (q - 1))
    w = complex(-1, 2 * tau / angle)
    limit = abs(w + (w * w - 1) ** 0.5)
    limit = max(limit, 1 / limit)
    best = math.inf
    need = (bits + 10) * math.log(2) + 2 * math.log(q) + rest
    for part in range(1, 20):
        radius = 1 + (limit - 1) * part / 20
        growth = q * math.log((radius + 2 + 1 / radius) / 4)
        best = min(best, (need + growth) / (2 * math.log(radius)))
    return max(4, math.ceil(best))


def _legendre(context: Any, n: int) -> list[tuple[Any, Any]]:
    """Compute Gauss-Legendre nodes and weights on [0, 1] by Newton's method."""
    rule = []
    for k in range(1, n + 1):
        x = context.cos(context.pi * (4 * k - 1) / (4 * n + 2))
        step = context.one
        while True:
            before, value = context.one, x
            for m in range(2, n + 1):
                before, value = value, ((2 * m - 1) * x * value - (m - 1) * before) / m
            slope = n * (x * value - before) / (x * x - 1)
            if context.mag(step) < -context.prec // 2:
                break
            step = value / slope
            x -= step
        rule.append(((1 + x) / 2, 1 / ((1 - x * x) * slope * slope)))
    return rule
