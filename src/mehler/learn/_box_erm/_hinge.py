"""Rows of the hinge family: piecewise linear, zero from margin 1 on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler.learn._box_erm._row_losses import RowLosses


@dataclass(frozen=True)
class HingeRows(RowLosses):
    """Curved rows are high * max(0, 1 - t): psi(theta) = theta."""

    def _curve(self, xp: Any, theta: Array) -> Array:
        return theta

    def maximiser(self, xp: Any, margins: Array) -> Array:
        """Return the whole slope below margin 1, 0 above."""
        return xp.where(margins < 1.0, self.high, self.low)

    def proximal(self, xp: Any, at: Array, rho: Array, theta: Array) -> Array:
        """Return the slope that moves the margin to 1, within the ends."""
        return self.clip(xp, rho * (1.0 - at))


def envelope(limits: Any, bound: float, tolerance: float, slope: float) -> HingeRows:
    """Return convex envelopes of min(slope max(0, 1 - t), bound) on [-limit, limit], by row.

    With b the bound, s the slope and l the limit, four cases:

    - s (1 + l) <= b: nothing is clipped; linear if l <= 1, else the hinge itself;
    - s (1 - l) >= b: all is clipped, the constant b;
    - l >= 1: the line from (-l, b) to (1, 0), then 0, which is a hinge of slope b / (1 + l);
    - else the chord from (-l, b) to (l, s (1 - l)).
    """
    inside = limits <= 1.0 + tolerance
    right = slope * (1.0 - limits)
    whole = slope * (1.0 + limits) <= bound * (1.0 + tolerance)
    flat = ~whole & (right >= bound)
    chord = ~whole & ~flat & inside
    linear = (whole & inside) | flat | chord
    # Chords have limits above 0: at 0 one of the first two cases applies.
    chord_slope = (bound - right) / np.where(chord, 2.0 * limits, 1.0)
    cases = [whole, flat, chord]
    nothing = np.zeros_like(limits)
    high = np.select(cases, [nothing + slope, nothing, chord_slope], bound / (1.0 + limits))
    at_zero = np.select(cases, [nothing + slope, nothing + bound, 0.5 * (bound + right)])
    return HingeRows.with_lines(linear, high, at_zero)
