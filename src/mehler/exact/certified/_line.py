r"""Bounds shared by the certified sums: step error and Gaussian tails.

**Step.** If f is analytic in |Im z| <= u and int |f(x +- i u)| dx <= N there (and on every line
between), the trapezoid sum T over all multiples of h obeys |T - int f| <= 2 N/(e^(2 pi u/h) - 1)
(Trefethen and Weideman 2014, Theorem 5.1). All integrands here are products of q factors phi, Phi,
or G; each is an integral int phi(. + w) over some set of w, and |phi(x + i u)| = e^(u^2/2) phi(x),
so that N is e^(q u^2/2) times a moment, and the error is a moment times

    epsilon = 2 e^(q u^2/2)/(e^(2 pi u/h) - 1).

**Tails.** t^k phi(t) is log-concave and falls for t > sqrt(k), hence for T^2 >= k + 1

    h sum_{n h > T, T in h Z} (n h)^k phi(n h) <= int_T^oo t^k phi <= T^k phi(T)/(T - k/T).

**Integrals.** Certified integrals int p(t) phi(t)^l Phi(t)^(q-l) dt with polynomials p.

Let P be p with absolute coefficients. By the rules of :mod:`_trapezoid` the sum over
|t| <= T misses the integral by at most

    epsilon (2 pi)^(-(l-1)/2) E P(|g| + u)  +  2 (2 pi)^(-(l-1)/2) sum_{t > T} P phi,

since phi^l <= (2 pi)^(-(l-1)/2) phi and Phi <= 1. Both are linear in the coefficients of P, with
E (|g| + u)^k <= 2^k (sqrt((2k-1)!!) + u^k) because E |g|^k <= sqrt(E g^(2k)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mehler.exact.certified._context import error, to_arb


@dataclass(frozen=True)
class Step:
    """A step h, its strip half-width u, and the bound epsilon."""

    h: Any
    u: Any
    epsilon: Any
    real_h: float
    exponent: float  # epsilon is about e^-exponent

    def points(self, reach: float) -> int:
        """Return the number of multiples of h that reach at least so far."""
        return math.ceil(reach / self.real_h)

    def gaussian_reach(self) -> float:
        """Return the point where phi is below e^-exponent."""
        return math.sqrt(2 * self.exponent)


def step_for(module: Any, q: int, bits: float) -> Step:
    """Return the step whose epsilon, for q factors, is about 2^-bits."""
    exponent = bits * math.log(2)
    # Any u > 0 gives a valid bound; this one is the best: epsilon = 2 e^(-2 pi^2/(q h^2)).
    rough = math.pi * math.sqrt(2 / (q * exponent))
    exact = Fraction(math.floor(rough * 2**20), 2**20)
    h = to_arb(module, exact)
    u = module.arb(2 * math.pi / (rough * q))
    pi = module.arb.pi()
    epsilon = 2 * (q * u * u / 2).exp() / ((2 * pi * u / h).exp() - 1)
    return Step(h, u, epsilon, float(exact), exponent)


def density(module: Any, t: Any) -> Any:
    """Compute phi(t)."""
    return (-t * t / 2).exp() / (2 * module.arb.pi()).sqrt()


def distribution(module: Any, t: Any) -> Any:
    """Compute Phi(t), with relative accuracy on the left."""
    return (-t / module.arb(2).sqrt()).erfc() / 2


def tail(module: Any, k: int, cut: Any) -> Any:
    """Bound h sum (n h)^k phi(n h) over n h > cut, cut a multiple of h with cut^2 >= k + 1."""
    if not cut * cut >= k + 1:
        raise ArithmeticError("the tail bound needs a later cut; ask for more bits, as bits=128")
    return cut**k * density(module, cut) / (cut - k / cut)


class Line:
    """The grid of one pool size, ready for polynomials up to some degree."""

    def __init__(self, module: Any, q: int, degree: int, bits: float) -> None:
        self.module, self.q = module, q
        # Room for E(|g| + u)^degree, so that the moment does not eat the digits.
        size = degree * (2 + math.log2(2 + math.sqrt(2 * bits / q) + math.sqrt(degree)))
        step = step_for(module, q, bits + size)
        self.h = step.h
        reach = math.sqrt(degree + 1) + step.gaussian_reach() + 1
        n = step.points(reach)
        self.t = [i * step.h for i in range(-n, n + 1)]
        self.pdf = [density(module, t) for t in self.t]
        self.cdf = [distribution(module, t) for t in self.t]
        double, self.weights = module.arb(1), []
        for k in range(degree + 1):
            moment = module.arb(2) ** k * (double.sqrt() + step.u**k)
            self.weights.append(step.epsilon * moment + 2 * tail(module, k, self.t[-1]))
            double *= 2 * k + 1

    def bound(self, absolute: list[Any], parts: int) -> Any:
        """Return the ball [-e, e] of step and tail error; `absolute` are the coefficients of P."""
        total = sum(
            (c * w for c, w in zip(absolute, self.weights, strict=False)), self.module.arb()
        )
        return error(self.module, total / (2 * self.module.arb.pi()).sqrt() ** (parts - 1))


def expectation(module: Any, q: int, coefficients: list[Fraction], bits: int) -> Any:
    """Compute E p(M) for the maximum M of q standard normals."""
    line = Line(module, q, len(coefficients) - 1, bits + 8 + math.log2(q))
    exact = [module.arb(module.fmpq(c.numerator, c.denominator)) for c in coefficients]
    polynomial = module.arb_poly(exact)
    total = module.arb()
    for t, pdf, cdf in zip(line.t, line.pdf, line.cdf, strict=True):
        total += polynomial(t) * pdf * cdf ** (q - 1)
    return q * (line.h * total + line.bound([abs(c) for c in exact], 1))


def power(k: int) -> list[Fraction]:
    """Return the coefficients of t^k, constant first."""
    return [Fraction(0)] * k + [Fraction(1)]


def hermite_polynomial(n: int) -> list[Fraction]:
    """Return the coefficients of He_n, constant first."""
    before, current = [Fraction(0)], [Fraction(1)]
    for k in range(n):
        longer = [Fraction(0), *current]
        for j, c in enumerate(before):
            longer[j] -= k * c
        before, current = current, longer
    return current


def coefficients(module: Any, q: int, n: int, bits: int) -> list[Any]:
    """Compute a_0, ..., a_(n-1) by the partition formula.

    a_i = (i+1) sum over partitions of i+1 with l <= q parts of q!/((q-l)! prod m_k!) I^2,
    I = int Phi^(q-l) prod psi_(lambda_j), psi_m = phi He_(m-1)/sqrt(m!).
    """
    # The weight of I^2 is up to q^l: half of its bits are lost in the square root of a_i.
    line = Line(module, q, n, bits + 16 + min(n, q) * math.log2(q))
    arb, poly = module.arb, module.arb_poly
    factors, absolute = [[arb()]], [poly([])]
    for m in range(1, n + 1):
        scale = 1 / arb(math.factorial(m)).sqrt()
        exact = [scale * module.arb(int(c)) for c in hermite_polynomial(m - 1)]
        he = poly(exact)
        factors.append([he(t) * pdf for t, pdf in zip(line.t, line.pdf, strict=True)])
        absolute.append(poly([abs(c) for c in exact]))
    powers = [[cdf ** (q - l) for cdf in line.cdf] for l in range(min(n, q) + 1)]
    sums = [arb() for _ in range(n + 1)]

    def descend(
        product: list[Any], size: Any, length: int, largest: int, used: int, same: int,
        weight: Fraction,
    ) -> None:  # fmt: skip
        """Visit every way to add parts no larger than `largest`, of which `same` are there."""
        for part in range(1, min(largest, n - used) + 1):
            times = same + 1 if part == largest else 1
            count = weight * (q - length) / times
            longer = [x * y for x, y in zip(product, factors[part], strict=True)]
            bigger = size * absolute[part]
            total = sum((x * y for x, y in zip(longer, powers[length + 1], strict=True)), arb())
            integral = line.h * total + line.bound(bigger.coeffs(), length + 1)
            # A square of a ball, not a product of two: the sign may be unknown.
            sums[used + part] += integral**2 * module.fmpq(count.numerator, count.denominator)
            if length + 1 < q:
                descend(longer, bigger, length + 1, part, used + part, times, count)

    descend([arb(1)] * len(line.t), poly([1]), 0, n, 0, 0, Fraction(1))
    return [(i + 1) * sums[i + 1] for i in range(n)]
