r"""Homogeneous activations: a multiple of a power on each side of 0.

.. math:: a(t) = \alpha\,t_+^D + \beta\,(-t)_+^D, \qquad \alpha = a(1),\ \beta = a(-1)

follows from :math:`a(ct) = c^Da(t)` for c > 0; for D = 0, a(0) is free.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.exact.activations._arc_cosine import arc_cosine, half_moment
from mehler.exact.activations._geometry import Pairs
from mehler.exact.activations._projected import Projected

# Points at which homogeneity is checked, besides -1, 0 and 1.
_AT = np.array([0.25, 0.7, 3.0, 64.0])


@dataclass(frozen=True)
class Sides:
    """A homogeneous function: its degree, and its values at 1, -1 and 0."""

    degree: int
    right: float
    left: float
    centre: float

    def power(self, power: int) -> Sides:
        """Return a power of the function."""
        values = (value**power for value in (self.right, self.left, self.centre))
        return Sides(self.degree * power, *values)

    def moment(self, pairs: Pairs) -> tuple[_arrays.Array, _arrays.Array]:
        """Compute E a(u) a(v), and the scale of its rounding error: the value at equal rows."""
        xp, order = pairs.xp, self.degree
        same, opposite = self.right**2 + self.left**2, 2.0 * self.right * self.left
        value = same * arc_cosine(pairs.rho, pairs.near, pairs.far, order)
        if opposite != 0.0:
            value = value + opposite * arc_cosine(-pairs.rho, pairs.far, pairs.near, order)
        one = xp.ones_like(value)
        size = (abs(self.right) + abs(self.left)) ** 2 * half_moment(2 * order)
        if order == 0:
            return self._at_zero(pairs, value), (size + self.centre**2) * one
        factor = (pairs.x_scale * pairs.y_scale) ** order
        # Huge rows at right or opposite angles: 0 times infinity.
        nothing = (value == 0.0) & ~xp.isfinite(factor)
        product = xp.where(nothing, one, factor) * value
        if order == 1 and pairs.differentiable:
            # At a row of zeros nothing but the linear part has a derivative.
            zero = _arrays.constant(factor) == 0.0
            linear = xp.where(zero, pairs.product, xp.zeros_like(value))
            product = product + 0.25 * (self.right - self.left) ** 2 * linear
        return product, factor * size

    def _at_zero(self, pairs: Pairs, value: _arrays.Array) -> _arrays.Array:
        """Correct pairs with a zero row, for which every unit is a(0)."""
        xp = pairs.xp
        mean = (self.right + self.left) * half_moment(0)
        one = xp.ones_like(pairs.x_scale * pairs.y_scale * pairs.rho)
        x_zero, y_zero = one * pairs.x_scale == 0.0, one * pairs.y_scale == 0.0
        value = xp.where(x_zero | y_zero, self.centre * mean * one, value * one)
        return xp.where(x_zero & y_zero, self.centre**2 * one, value)

    def cdf(self, t: Any, scale: Any, projected: Projected) -> Any:
        """Compute P(a(p) <= t) for a projection of symmetric law without an atom at 0."""
        return self._side(self.right, t, scale, projected) + self._side(
            self.left, t, scale, projected
        )

    def _side(self, at_one: float, t: Any, scale: Any, projected: Projected) -> Any:
        """Compute P(p > 0, at_one p^degree <= t)."""
        if self.degree == 0 or at_one == 0.0:
            return np.where(at_one <= t, 0.5, 0.0) + 0.0 * scale
        end = np.maximum(t / at_one, 0.0) ** (1.0 / self.degree)
        if at_one > 0.0:
            return np.where(t < 0.0, 0.0, projected(end, scale) - 0.5)
        # P(p >= end) by symmetry.
        return np.where(t < 0.0, projected(-end, scale), 0.5)


def sides(function: Any, degree: int, name: str) -> Sides:
    """Return the Sides of a homogeneous function, or raise ValueError naming it."""
    right, left, centre = (float(value) for value in _values(function, [1.0, -1.0, 0.0]))
    for sign, value in ((1.0, right), (-1.0, left)):
        found = _values(function, sign * _AT)
        expected = value * _AT**degree
        off = np.abs(found - expected) > 1e-12 * np.abs(expected)
        if np.any(off):
            at = float(sign * _AT[off][0])
            raise ValueError(
                f"the activation {name!r} is said to be homogeneous of degree {degree}, but it is "
                f"{float(found[off][0]):.6g} at {at:g} and {value:.6g} at {sign:g}: leave degree "
                "out, or mend it"
            )
    if degree > 0 and centre != 0.0:
        raise ValueError(
            f"the activation {name!r} is said to be homogeneous of degree {degree}, but it is "
            f"{centre:.6g} at 0, not 0: leave degree out, or mend it"
        )
    return Sides(degree, right, left, centre)


def _values(function: Any, at: Any) -> Any:
    return np.asarray(function(np.asarray(at, dtype=np.float64)), dtype=np.float64)
