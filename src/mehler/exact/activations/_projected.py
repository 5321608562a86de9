"""Distribution functions of one projection, and of an increasing function of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

# projected(p, scale): P(P <= p) for a projection of symmetric law with that scale, on the host.
Projected = Callable[[Any, Any], Any]


def gaussian(p: Any, scale: Any) -> Any:
    """Compute P(scale g <= p)."""
    from scipy.special import ndtr

    return np.where(scale > 0.0, ndtr(p / np.where(scale > 0.0, scale, 1.0)), p >= 0.0)


def on_sphere(d: int) -> Projected:
    """Return p -> P(scale sqrt(d) u_1 <= p), u uniform on the unit sphere.

    The square of u_1 is Beta(1/2, (d-1)/2).
    """

    def law(p: Any, scale: Any) -> Any:
        from scipy.special import betainc

        at = p / (np.where(scale > 0.0, scale, 1.0) * math.sqrt(d))
        if d == 1:
            tail = np.where(np.abs(at) >= 1.0, 1.0, 0.0)
        else:
            tail = betainc(0.5, (d - 1) / 2, np.minimum(at * at, 1.0))
        return np.where(scale > 0.0, 0.5 + 0.5 * np.sign(at) * tail, p >= 0.0)

    return law


def of_increasing(inverse: Callable[[Any], Any], t: Any, scale: Any, projected: Projected) -> Any:
    """For a non-decreasing activation a, {a(p) <= t} = {p <= sup {p : a(p) <= t}}."""
    return projected(np.asarray(inverse(t), dtype=np.float64), scale)
