r"""The end rho = -1, where planar sums would have to reach as far as 1/cos(theta/2).

There the second maximum is minus the minimum of the same q >= 3 normals. With B = Phi(x) - Phi(y),

    E (M M')^p = int int_{y<x} (-x y)^p q (q-1) phi(x) phi(y) B^(q-2) dx dy.

**Even q.** The integrand is symmetric in x and y: half of the sum over the whole lattice. On
x + i u, |B| = |(1 - Phi(y)) Phi(x + i u) - Phi(y) (1 - Phi(x + i u))| <= e^(u^2/2), so both sums
together are off by at most epsilon q (q-1)/2 (1 + u^p) (1 + 1.6), since E |g + i u|^p <= 1 + u^p,
and for h <= 1 h sum |y| phi(y) <= 1.3 and h sum y^2 phi(y) <= 1.6. Outside |x|, |y| <= T there is
at most 3.2 q (q-1) h sum_{t>T} t^p phi(t).

**Odd q.** x, y = r +- d with d > 0: the trapezoid rule in r, whose sum is an entire function of d
that ``acb.integral`` integrates rigorously over [0, D]. For real d, B is the mass of an interval,
so its shift costs e^(u^2/2) only, and 2 q (q-1) (d^2 - r^2)^p e^(-r^2-d^2) B^(q-2)/(2 pi) has q
factors: after integration over d the error is at most epsilon q (q-1)/2 times 1 + u^2 for p = 1,
4 + 2 u^4 for p = 2. Left out are |r| > R and d > D, bounded with 0 <= B <= 1.

**Near -1**, K(rho) = K(-1) + int_0^t kappa sin and S(rho) = S(-1) + 4 int_0^t m sin over the angle
t = pi - theta, where kappa and m = E[M M'; D = D'] are analytic; Gauss-Legendre needs few nodes.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from mehler.exact._mp_arguments import exact_number
from mehler.exact.certified._context import FixedPoint, error, private_context, to_arb
from mehler.exact.certified._trapezoid import density, distribution, step_for, tail
from mehler.exact.certified._wedge import Wedge

# Below this cosine of theta/2 integrating from rho = -1 is cheaper than a planar sum.
NEAR = 0.04


def at_minus_one(module: Any, q: int, bits: int, p: int = 1) -> Any:
    """Return the ball of E (M M')^p at rho = -1, for p = 1 or 2."""
    step = step_for(module, q, bits + 12 + 2 * math.log2(q))
    return _even(module, q, step, p) if q % 2 == 0 else _odd(module, q, step, bits, p)


def _even(module: Any, q: int, step: Any, p: int) -> Any:
    n = step.points(step.gaussian_reach() + 1)
    grid = [i * step.h for i in range(-n, n + 1)]
    moment = [t**p * density(module, t) for t in grid]
    cdf = [distribution(module, t) for t in grid]
    total = module.arb()
    for i in range(len(grid)):
        row = module.arb()
        for j in range(i):
            row += moment[j] * (cdf[i] - cdf[j]) ** (q - 2)
        total += (-1) ** p * moment[i] * row
    pairs = q * (q - 1)
    slack = step.epsilon * (1 + step.u**p) * module.arb(2.6) / 2
    slack += module.arb(3.2) * tail(module, p, grid[-1])
    return pairs * (step.h * step.h * total + error(module, slack))


def _odd(module: Any, q: int, step: Any, bits: int, p: int) -> Any:
    h, pairs = step.h, q * (q - 1)
    n = step.points(math.sqrt(step.exponent + 4) + 1)
    grid = [i * h for i in range(n + 1)]
    far = math.ceil(math.sqrt(step.exponent + 4) + 1)
    integral = (_by_points if isinstance(module, FixedPoint) else _by_balls)(
        module, q, h, grid, far, bits, p
    )
    slack = pairs * step.epsilon * (1 + step.u**2 if p == 1 else 4 + 2 * step.u**4) / 2
    # r > R: r^2p e^(-r^2) and e^(-r^2) fall at rates 2 R - 2 p/R and 2 R; int e^(-d^2) <= 0.9, and
    # int d^2p e^(-d^2) <= 0.7.
    edge = grid[-1]
    beyond = p * (-edge * edge).exp() * (edge ** (2 * p) + 1) / (2 * edge - 2 * p / edge)
    slack += 2 * pairs * beyond / module.arb.pi()
    # d > D >= 2: h sum of (r^2 + d^2)^p e^(-r^2) <= 2.8 p (1 + d^2p) for h <= 1, times
    # 2/(2 pi) < 1/2.8; and (1 + d^2p) e^(-d^2) falls at a rate of at least D.
    end = module.arb(far)
    slack += p * pairs * (1 + end ** (2 * p)) * (-end * end).exp() / end
    return integral + error(module, slack)


def _by_balls(module: Any, q: int, h: Any, grid: list[Any], far: int, bits: int, p: int) -> Any:
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
            total += (d2 - r * r) ** p * m * gap ** (q - 2)
        return module.acb(factor * (-d2).exp() * total)

    tolerance = module.arb(2) ** -(bits + 8)
    return module.acb.integral(
        summed, 0, module.arb(far), rel_tol=tolerance, abs_tol=tolerance
    ).real


def _by_points(module: Any, q: int, h: Any, grid: list[Any], far: int, bits: int, p: int) -> Any:
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
            row += (d * d - r * r) ** p * m * gap ** (q - 2)
        total += row * (-d * d).exp() * arb(distance * (1 + mp.exp(-s)))
    return q * (q - 1) * h * arb(width) * total / arb.pi()


def near_minus_one(module: Any, rho: Fraction, q: int, bits: int, p: int) -> Any:
    """Compute E (M M')^p for -1 < rho near -1, without the error of the integral."""
    total = at_minus_one(module, q, bits, p)
    angle = 2 * to_arb(module, (1 + rho) / 2).sqrt().asin()
    kappa = Wedge(module, rho, q, bits).collision_probability()
    # The moments increase, K by at most this and S by a few times as much.
    rest = math.log(max(float(kappa * to_arb(module, 1 + rho)), 1e-300)) + 2 * math.log(q)
    if rest < -bits * math.log(2):
        return total
    context = private_context(bits + 20)
    # Only as many digits as this remainder has to contribute.
    needed = max(30, bits + math.ceil(rest / math.log(2)) + 10)
    for node, weight in _legendre(context, _nodes_needed(float(angle), q, bits, rest)):
        node, weight = (to_arb(module, exact_number(one, name="node")) for one in (node, weight))
        t = angle * node
        # 1 + rho of the node, which keeps its digits: 2 sin^2(t/2).
        half = (t / 2).sin()
        near = _middle(module, 2 * half * half) - 1
        wedge = Wedge(module, near, q, needed)
        value = wedge.collision_probability() if p == 1 else 4 * wedge.shared_product()
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
