r"""Catoni's influence function, its sums, and their level crossings.

.. math:: \psi(u) = \operatorname{sign}(u) \log(1 + |u| + u^2/2)

lies between -log(1 - u + u^2/2) and log(1 + u + u^2/2), so a sum of psi(a (X_i - mu)) has
exponential moments as soon as X has a variance, however heavy its tails.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Elements per block, so that temporaries stay in cache.
_BLOCK = 1 << 16


def psi(u: Any) -> Any:
    """Return psi(u), elementwise."""
    size = np.abs(u)
    return np.copysign(np.log1p(size * (1.0 + 0.5 * size)), u)


def score(samples: Any, theta: float, a: float) -> tuple[float, float]:
    """Return S(theta) = sum psi(a (X_i - theta)) and sum psi'(a (X_i - theta)).

    psi'(u) = (1 + |u|) / (1 + |u| + u^2/2), so the derivative of S is minus a times the second.
    """
    total, slope = 0.0, 0.0
    for start in range(0, samples.size, _BLOCK):
        u = a * (samples[start : start + _BLOCK] - theta)
        size = np.abs(u)
        inner = size * (1.0 + 0.5 * size)
        total += float(np.copysign(np.log1p(inner), u).sum())
        slope += float(((1.0 + size) / (1.0 + inner)).sum())
    return total, slope


def crossing(samples: Any, a: float, level: float) -> float:
    """Return the unique theta with S(theta) = level; S decreases strictly from +inf to -inf.

    Newton's method, falling back to bisection outside the bracket.
    """
    n = samples.size
    # At v/a beyond the extremes every |psi| is at least log(1 + v) >= |level| / n.
    reach = math.expm1(abs(level) / n) / a
    low, high = float(samples.min()) - reach, float(samples.max()) + reach
    theta = min(max(float(samples.mean()) - level / (a * n), low), high)
    for _ in range(200):
        total, slope = score(samples, theta, a)
        if total > level:
            low = theta
        else:
            high = theta
        step = (total - level) / (a * slope)
        previous, theta = theta, theta + step
        if not low <= theta <= high:
            theta = 0.5 * (low + high)
        # psi bends on the scale 1/a; below 1e-13 of it only rounding is left.
        if abs(theta - previous) <= 4e-16 * abs(theta) + 1e-13 / a:
            break
    return theta
