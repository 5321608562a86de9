"""Numbers to compute with: mpmath's to so many digits, or balls of python-flint."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mehler import exact
from mehler.exact.certified import (
    Ball,
    collision_enclosure,
    exact_number,
    kernel_enclosure,
    private_context,
    public_mpf,
    to_arb,
    to_mpf,
)


class Digits:
    """mpmath numbers of a private context."""

    def __init__(self, digits: int) -> None:
        self.digits = digits
        self._context = private_context(math.ceil((digits + 5) * math.log2(10)))
        # How many digits the smallest gap 1 - |rho| lacks.
        self.lost_digits = 0

    def number(self, value: Fraction) -> Any:
        """Round a fraction."""
        return to_mpf(self._context, value)

    @property
    def pi(self) -> Any:
        """Return pi."""
        return +self._context.pi

    def sqrt(self, x: Any) -> Any:
        """Compute the square root; of rounding below 0, 0."""
        return self._context.sqrt(max(x, 0 * x))

    def asin(self, x: Any) -> Any:
        """Compute the arcsine."""
        return self._context.asin(x)

    def exp(self, x: Any) -> Any:
        """Compute the exponential."""
        return self._context.exp(x)

    def is_zero(self, x: Any) -> bool:
        """Return whether a variance is 0."""
        return bool(x == 0)

    def increasing(self, function: Callable[[Any], Any], rho: Any, exact: bool) -> Any:
        """Evaluate an increasing function at a correlation."""
        one = self._context.one
        if not exact:
            gap = 1 - abs(rho)
            lost = int(-self._context.log10(gap)) + 1 if gap > 0 else self.digits
            self.lost_digits = max(self.lost_digits, lost)
        return function(min(max(rho, -one), one))

    def maxout_kernel(self, rho: Any, q: int) -> Any:
        """Compute K_q."""
        return self._own(exact.maxout_kernel(rho, q, self.digits))

    def collision_probability(self, rho: Any, q: int) -> Any:
        """Compute kappa_q."""
        return self._own(exact.collision_probability(rho, q, self.digits))

    def _own(self, value: Any) -> Any:
        return self._context.make_mpf(value._mpf_)

    def public(self, value: Any, dps: int) -> Any:
        """Return an ordinary mpf."""
        return public_mpf(value, dps)


class Balls:
    """Balls, under a precision that is set outside."""

    def __init__(self, module: Any, bits: int) -> None:
        self._module, self._bits = module, bits

    def number(self, value: Fraction) -> Any:
        """Enclose a fraction."""
        return to_arb(self._module, value)

    @property
    def pi(self) -> Any:
        """Enclose pi."""
        return self._module.arb.pi()

    def sqrt(self, x: Any) -> Any:
        """Enclose the square root of what is known not to be negative."""
        return x.max(self._module.arb(0)).sqrt()

    def asin(self, x: Any) -> Any:
        """Enclose the arcsine."""
        return x.asin()

    def exp(self, x: Any) -> Any:
        """Enclose the exponential."""
        return x.exp()

    def is_zero(self, x: Any) -> bool:
        """Return whether a variance is 0, which only an exact one is."""
        return bool(x == 0)

    def increasing(self, function: Callable[[Any], Any], rho: Any, exact: bool) -> Any:
        """Enclose an increasing function over a ball of correlations, by its ends."""
        ball = Ball.from_arb(rho)
        value, radius = (exact_number(one, name="rho") for one in (ball.value, ball.radius))
        ends = [
            min(max(end, Fraction(-1)), Fraction(1)) for end in (value - radius, value + radius)
        ]
        if ends[0] == ends[1]:
            return function(self.number(ends[0]))
        low, high = (function(self.number(end)) for end in ends)
        return low.union(high)

    def maxout_kernel(self, rho: Any, q: int) -> Any:
        """Enclose K_q at an exact correlation."""
        return kernel_enclosure(self._module, self._exact(rho), q, self._bits)

    def collision_probability(self, rho: Any, q: int) -> Any:
        """Enclose kappa_q at an exact correlation."""
        return collision_enclosure(self._module, self._exact(rho), q, self._bits)

    def _exact(self, rho: Any) -> Fraction:
        # Ends of balls are binary fractions, which a ball of enough bits holds exactly.
        return exact_number(Ball.from_arb(rho).value, name="rho")

    def public(self, value: Any) -> Ball:
        """Return a Ball."""
        return Ball.from_arb(value)
