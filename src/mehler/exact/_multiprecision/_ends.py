r"""The ends rho -> -1, where the planar sums would have to reach as far as 1/cos(theta/2).

At rho = -1 the second maximum is minus the minimum of the same normals, so that

    E f(M M') = int int_{y<x} f(-xy) q (q-1) phi(x) phi(y) (Phi(x) - Phi(y))^(q-2) dy dx.

Beyond -1, K(rho) = K(-1) + int_0^t kappa sin and S(rho) = S(-1) + 4 int_0^t m sin over the angle
t = pi - theta, where kappa and m = E[M M'; D = D'] are analytic; Gauss-Legendre needs few nodes.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from mehler.exact._mp_arguments import exact_number, to_mpf
from mehler.exact._multiprecision._fixed import Normal, power, private_context
from mehler.exact._multiprecision._step import decay, first_step, negligible, settled
from mehler.exact._multiprecision._wedge import Wedge, working_bits

# Below this cosine of theta/2 integrating from rho = -1 is cheaper.
NEAR = 0.04


def product_moments_near(rho: Fraction, q: int, digits: int) -> tuple[Any, Any]:
    """Compute (K, S) for -1 < rho near -1 and q >= 3."""
    kernel, second = product_moments_at_minus_one(q, digits)
    normal = Normal(working_bits(q, digits))
    context = private_context(normal.bits + 20)
    angle = 2 * context.asin(context.sqrt(to_mpf(context, (1 + rho) / 2)))
    kappa, _ = Wedge(rho, q, digits, normal).same_winner()
    # K and kappa increase, so this bounds K(rho) - K(-1).
    rest = float(context.mag(kappa * to_mpf(context, 1 + rho))) * math.log(2) + 2 * math.log(q)
    if rest < -decay(digits, q):
        return kernel, second
    # Only as many digits as this remainder has to contribute.
    for node, weight in _legendre(context, _nodes_needed(float(angle), q, digits, rest)):
        t = angle * node
        near = exact_number(-context.cos(t), name="rho")
        kappa, product = Wedge(near, q, digits, normal).same_winner()
        kernel += weight * angle * context.sin(t) * kappa
        second += weight * angle * context.sin(t) * 4 * product
    return kernel, second


def product_moments_at_minus_one(q: int, digits: int) -> tuple[Any, Any]:
    """Compute E[-max min] and E[max^2 min^2] of q >= 3 independent standard normals."""
    normal = Normal(working_bits(q, digits))
    h = 0.8 * first_step(digits, q)[0]
    sums = _on_lattice if q % 2 == 0 else _on_half_planes
    coarse = sums(normal, q, digits, 2 * h)
    while True:
        fine = sums(normal, q, digits, h)
        worst = max(abs(f - c) for f, c in zip(fine, coarse, strict=True))
        if settled(float(normal.context.mag(worst)), digits):
            return fine
        h, coarse = h / 2, fine


def _on_lattice(normal: Normal, q: int, digits: int, h: float) -> tuple[Any, Any]:
    """Sum over the plane and halve, for even q: the integrand continues evenly past x = y."""
    bits, step = normal.bits, normal.fixed(h)
    n = math.ceil(math.sqrt(2 * decay(digits, q) + 8) / h)
    grid = [i * step for i in range(-n, n + 1)]
    pdf, cdf = [normal.pdf(t) for t in grid], [normal.cdf(t) for t in grid]
    floor = normal.fixed(negligible(digits, q, q - 2))
    kernel = second = 0
    for i, x in enumerate(grid):
        for j in range(i):
            gap = cdf[i] - cdf[j]
            if gap <= floor:
                break
            density = (pdf[i] * pdf[j] >> bits) * power(gap, q - 2, bits) >> bits
            xy = -x * grid[j] >> bits
            moment = density * xy >> bits
            kernel += moment
            second += moment * xy >> bits
    cell = q * (q - 1) * step * step >> bits
    return normal.real(kernel * cell >> bits), normal.real(second * cell >> bits)


def _on_half_planes(normal: Normal, q: int, digits: int, h: float) -> tuple[Any, Any]:
    """Sum over d > 0, for odd q: x, y = r +- d with d = exp(s - e^-s), s on the whole line."""
    bits, context, step = normal.bits, normal.context, normal.fixed(h)
    need = decay(digits, q) + 8
    n = math.ceil(math.sqrt(need) / h)
    floor = normal.fixed(negligible(digits, q, q - 2))
    kernel = second = 0
    # d runs from e^-need, where the integrand is negligible, to sqrt(need).
    # A step h in s is one of about h d in d; the integrand varies where d is a few units.
    step_s = h / 3
    low, high = -math.log(need + 1), math.log(need) / 2 + 0.5
    for k in range(math.floor(low / step_s), math.ceil(high / step_s) + 1):
        s = context.mpf(step_s) * k
        distance = context.exp(s - context.exp(-s))
        d = normal.fixed(distance)
        jacobian = normal.fixed(distance * (1 + context.exp(-s)))
        total = total_second = 0
        for i in range(-n, n + 1):
            x, y = i * step + d, i * step - d
            gap = normal.cdf(x) - normal.cdf(y)
            if gap <= floor:
                continue
            density = (normal.pdf(x) * normal.pdf(y) >> bits) * power(gap, q - 2, bits) >> bits
            xy = -x * y >> bits
            moment = density * xy >> bits
            total += moment
            total_second += moment * xy >> bits
        kernel += total * jacobian >> bits
        second += total_second * jacobian >> bits
    cell = 2 * q * (q - 1) * step * normal.fixed(step_s) >> bits
    return normal.real(kernel * cell >> bits), normal.real(second * cell >> bits)


def _nodes_needed(angle: float, q: int, digits: int, rest: float) -> int:
    """Return the number of Gauss-Legendre nodes on [0, angle] for kappa sin, which grows like t^q.

    The nearest singularities lie at t = +- i tau, cosh tau = 1 + 2/(q-1) at the least (where
    |x|^2 + |y|^2 - 2 rho x.y stops being positive on pairs of winning cones).
    """
    tau = math.acosh(1 + 2 / (q - 1))
    w = complex(-1, 2 * tau / angle)
    limit = abs(w + (w * w - 1) ** 0.5)
    limit = max(limit, 1 / limit)
    best = math.inf
    for part in range(1, 20):
        rho = 1 + (limit - 1) * part / 20
        growth = q * math.log((rho + 2 + 1 / rho) / 4)
        best = min(best, (decay(digits, q) + rest + growth + 4) / (2 * math.log(rho)))
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
