"""Rows of the logistic loss: smooth, with the binary entropy as psi."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler.learn._box_erm._row_losses import RowLosses

_NEWTON = 8  # from the last iteration's root; the next iteration removes the rest


def softplus(xp: Any, x: Array) -> Array:
    """Compute log(1 + exp(x)) without overflow."""
    return xp.where(x > 0, x, xp.zeros_like(x)) + xp.log1p(xp.exp(-xp.abs(x)))


def sigmoid(xp: Any, x: Array) -> Array:
    """Compute 1 / (1 + exp(-x)) without overflow."""
    small = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, xp.ones_like(x), small) / (1.0 + small)


def entropy(xp: Any, theta: Array) -> Array:
    """Compute the binary entropy in nats; 0 at both ends."""
    least = float(xp.finfo(theta.dtype).smallest_normal)

    def part(p: Array) -> Array:
        return -p * xp.log(xp.where(p > least, p, xp.full_like(p, least)))

    return part(theta) + part(1.0 - theta)


@dataclass(frozen=True)
class LogisticRows(RowLosses):
    """Curved rows are log(1 + exp(-t)), and its tangent where the slope would pass -high."""

    def _curve(self, xp: Any, theta: Array) -> Array:
        return entropy(xp, theta)

    def maximiser(self, xp: Any, margins: Array) -> Array:
        """Return minus the slope of the loss, within the ends."""
        return self.clip(xp, sigmoid(xp, -margins))

    def proximal(self, xp: Any, at: Array, rho: Array, theta: Array) -> Array:
        """Solve t = at + sigmoid(-t) / rho by Newton's method within a bracket."""
        low, high = at, at + 1.0 / rho
        t = at + theta / rho
        for _ in range(_NEWTON):
            slope = sigmoid(xp, -t)
            miss = t - at - slope / rho
            low, high = xp.where(miss < 0.0, t, low), xp.where(miss < 0.0, high, t)
            new = t - miss / (1.0 + slope * (1.0 - slope) / rho)
            t = xp.where((new >= low) & (new <= high), new, 0.5 * (low + high))
        return self.clip(xp, sigmoid(xp, -t))


def envelope(limits: Any, bound: float, tolerance: float) -> LogisticRows:
    """Return convex envelopes of min(log(1 + exp(-t)), bound) on [-limit, limit], by row.

    With b the bound and l the limit:

    - log(1 + e^l) <= b: nothing is clipped, the loss itself;
    - log(1 + e^-l) >= b: all is clipped, the constant b;
    - else the tangent through (-l, b) up to where it touches, then the loss; or the chord to the
      right end where it would touch beyond that.

    The line of slope -h touches where the loss has that slope, and is H(h) + h l at -l, H the
    binary entropy: increasing in h up to sigmoid(l). Bisection keeps the side below b, where the
    line is nowhere above the clipped loss.
    """
    right = softplus(np, -limits)
    whole = softplus(np, limits) <= bound * (1.0 + tolerance)
    flat = ~whole & (right >= bound)
    ends = sigmoid(np, -limits)
    chord = ~whole & ~flat & (entropy(np, ends) + ends * limits >= bound)
    linear = flat | chord
    nothing = np.zeros_like(limits)
    chord_slope = (bound - right) / np.where(chord, 2.0 * limits, 1.0)
    tangent = _tangent_slope(np.where(whole | linear, 0.0, limits), bound)
    high = np.select([whole, flat, chord], [sigmoid(np, limits), nothing, chord_slope], tangent)
    at_zero = np.select([flat, chord], [nothing + bound, 0.5 * (bound + right)])
    return LogisticRows.with_lines(linear, high, at_zero)


def _tangent_slope(limits: Any, bound: float) -> Any:
    low, high = np.zeros_like(limits), sigmoid(np, limits)
    for _ in range(60):  # bisect an interval of length at most 1 down to rounding
        middle = 0.5 * (low + high)
        below = entropy(np, middle) + middle * limits <= bound
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low
