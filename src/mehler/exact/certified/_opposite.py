r"""Certified K(-1) = -E[max min] of q >= 3 independent standard normals.

With B = Phi(x) - Phi(y),

    K(-1) = int int_{y<x} -x y q (q-1) phi(x) phi(y) B^(q-2) dx dy.

**Even q.** The integrand is symmetric in x and y: half of the sum over the whole lattice. On
x + i u, |B| = |(1 - Phi(y)) Phi(x + i u) - Phi(y) (1 - Phi(x + i u))| <= e^(u^2/2), so both sums
together are off by at most epsilon q (q-1)/2 (1 + u) (1 + 1.3), since E |g + i u| <= 1 + u and
h sum |y| phi(y) <= 0.8 + 2 h 0.25 <= 1.3 for h <= 1. Outside |x|, |y| <= T there is at most
2.6 q (q-1) h sum_{t>T} t phi(t).

**Odd q.** x, y = r +- d with d > 0: the trapezoid rule in r, whose sum is an entire function of d
that ``acb.integral`` integrates rigorously over [0, D]. For real d, B is the mass of an interval,
so its shift costs e^(u^2/2) only, and 2 q (q-1) (d^2 - r^2) e^(-r^2-d^2) B^(q-2)/(2 pi) has q
factors: after integration over d the error is at most epsilon q (q-1)/2 (1 + u^2). Left out are
|r| > R and d > D, bounded with 0 <= B <= 1.
"""

from __future__ import annotations

import math
from typing import Any

from mehler.exact.certified._flint import error
from mehler.exact.certified._trapezoid import density, distribution, step_for, tail


def kernel_at_minus_one(module: Any, q: int, bits: int) -> Any:
    """Return the ball of K(-1)."""
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
    slack = step.epsilon * (1 + step.u) * module.arb(2.3) / 2
    slack += module.arb(2.6) * tail(module, 1, grid[-1])
    return pairs * (step.h * step.h * total + error(module, slack))


def _odd(module: Any, q: int, step: Any, bits: int) -> Any:
    h, pairs = step.h, q * (q - 1)
    n = step.points(math.sqrt(step.exponent + 4) + 1)
    grid = [i * h for i in range(n + 1)]
    mass = [(-r * r).exp() * (1 if i == 0 else 2) for i, r in enumerate(grid)]
    root = module.arb(2).sqrt()
    scaled = [r / root for r in grid]
    factor = pairs * h / module.arb.pi()

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

    far = module.arb(math.ceil(math.sqrt(step.exponent + 4) + 1))
    integral = module.acb.integral(
        summed, 0, far, rel_tol=module.arb(2) ** -(bits + 8), abs_tol=module.arb(2) ** -(bits + 8)
    ).real
    slack = pairs * step.epsilon * (1 + step.u * step.u) / 2
    # r > R: r^2 e^(-r^2) and e^(-r^2) fall at rates 2 R - 2/R and 2 R; int e^(-d^2) <= 0.9, and
    # int d^2 e^(-d^2) <= 0.5.
    edge = grid[-1]
    beyond = (-edge * edge).exp() * (edge * edge + 1) / (2 * edge - 2 / edge)
    slack += 2 * pairs * beyond / module.arb.pi()
    # d > D >= 2: h sum of (r^2 + d^2) e^(-r^2) <= 2.8 (1 + d^2) for h <= 1, times 2/(2 pi) < 1/2.8;
    # and (1 + d^2) e^(-d^2) falls at a rate of at least D.
    slack += pairs * (1 + far * far) * (-far * far).exp() / far
    return integral + error(module, slack)
