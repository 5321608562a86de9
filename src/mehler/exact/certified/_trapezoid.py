r"""Bounds shared by the certified sums: step error and Gaussian tails.

**Step.** If f is analytic in |Im z| <= u and int |f(x +- i u)| dx <= N there (and on every line
between), the trapezoid sum T over all multiples of h obeys |T - int f| <= 2 N/(e^(2 pi u/h) - 1)
(Trefethen and Weideman 2014, Theorem 5.1). All integrands here are products of q factors phi, Phi,
or G; each is an integral int phi(. + w) over some set of w, and |phi(x + i u)| = e^(u^2/2) phi(x),
so that N is e^(q u^2/2) times a moment, and the error is a moment times

    epsilon = 2 e^(q u^2/2)/(e^(2 pi u/h) - 1).

**Tails.** t^k phi(t) is log-concave and falls for t > sqrt(k), hence for T^2 >= k + 1

    h sum_{n h > T, T in h Z} (n h)^k phi(n h) <= int_T^oo t^k phi <= T^k phi(T)/(T - k/T).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mehler.exact.certified._context import to_arb


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
