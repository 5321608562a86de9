r"""Integrals over the maximum M itself, whose density is q phi(t) Phi(t)^(q-1)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mehler.exact._multiprecision._fixed import private_context
from mehler.exact._multiprecision._step import decay, first_step, settled

_GUARD_BITS = 30


def max_moment(k: int, q: int, digits: int) -> Any:
    """Compute E M^k to relative accuracy; sign changes of the integrand cost O(1) only."""
    if q == 1 and k % 2:
        return private_context(_bits(q, digits)).mpf(0)
    return expectation(lambda context, t: t**k, q, digits, order=k)


def hermite_moment(i: int, q: int, digits: int) -> Any:
    """Compute E He_i(M)/sqrt(i!) to absolute accuracy; exactly 0 where it vanishes by symmetry."""
    if i > 0 and (q == 1 or (q == 2 and i % 2 == 0)):
        return private_context(_bits(q, digits)).mpf(0)

    def normalised_hermite(context: Any, t: Any) -> Any:
        before, current = context.zero, context.one
        for n in range(i):
            root = context.sqrt(n + 1)
            before, current = current, (t * current - context.sqrt(n) * before) / root
        return current

    # h_i can be as large as sqrt(q/2); He_i(t)/sqrt(i!) stays below e^(t^2/4).
    return expectation(normalised_hermite, q, digits, order=0, wide=True)


def expectation(
    function: Callable[[Any, Any], Any], q: int, digits: int, *, order: int, wide: bool = False
) -> Any:
    """Compute E function(M), for growth like t^order, or like e^(t^2/4) if `wide`."""
    context = private_context(_bits(q, digits) + 2 * order.bit_length())
    need = decay(digits, q) + 4
    # |t|^order e^(-t^2/2) peaks at sqrt(order); from there on it falls faster than a Gaussian.
    reach = math.sqrt(order) + math.sqrt((4 if wide else 2) * need)
    h = 0.7 * first_step(digits, q)[0]
    root2, density0 = context.sqrt(2), q / context.sqrt(2 * context.pi)
    while True:
        n = math.ceil(reach / h)
        step = context.mpf(h)
        even, odd, scale = context.zero, context.zero, context.zero
        for i in range(-n, n + 1):
            t = i * step
            density = density0 * context.exp(-t * t / 2)
            value = density * (context.erfc(-t / root2) / 2) ** (q - 1) * function(context, t)
            scale += abs(value)
            if i % 2:
                odd += value
            else:
                even += value
        # T(h) - T(2h) = h (odd - even), relative to the mass of the integrand.
        if settled(float(context.mag((odd - even) / scale)), digits):
            return (even + odd) * step
        h *= 0.7


def _bits(q: int, digits: int) -> int:
    return math.ceil(digits * math.log2(10)) + 2 * q.bit_length() + _GUARD_BITS
