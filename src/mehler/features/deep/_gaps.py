"""Gaps 1 - rho of degree-1 units without cancellation: kinks turn lost digits into half of them."""

from __future__ import annotations

import math
from typing import Any

from mehler import _arrays


def arc_gap(near: _arrays.Array, far: _arrays.Array, linear: float, bend: float) -> _arrays.Array:
    r"""Compute linear (1 - cos t) - bend (sin t - t cos t), t the angle of the pair."""
    xp = _arrays.array_namespace(near)
    t = 2.0 * xp.atan2(near**0.5, far**0.5)
    # Below 1/2 by its series, whose first neglected term is below 1e-17 of the first.
    series: Any = 0.0 * t
    for k in range(9, 0, -1):
        series = (2 * k) / math.factorial(2 * k + 1) - series * t * t
    return linear * near - bend * xp.where(t < 0.5, series * t**3, xp.sin(t) - t * xp.cos(t))
