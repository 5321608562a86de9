"""E a(u) a(v) for correlated Gaussians by routes that share nothing with `mehler.exact`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

_STEP, _REACH = 0.15, 9.0


def by_angle(order: int, rho: float) -> float:
    """Integrate powers of the positive part: radius in closed form, angle by Gauss's rule.

    With (g, h) = r (cos t, sin t) the product is r^(2n) cos^n t cos^n(t - theta) where both are
    positive, E r^(2n) = 2^n n!, and t is uniform.
    """
    theta = math.acos(rho)
    low, high = theta - math.pi / 2, math.pi / 2
    x, w = np.polynomial.legendre.leggauss(40)
    t = (low + high) / 2 + (high - low) / 2 * x
    angular = (high - low) / 2 * float(w @ (np.cos(t) * np.cos(t - theta)) ** order)
    return 2**order * math.factorial(order) * angular / (2 * math.pi)


def by_trapezoid(a: Callable[[Any], Any], rho: float, s: float, t: float) -> float:
    """Integrate smooth functions by the trapezoidal rule in the plane.

    For functions that are analytic in a strip of half-width c its error is e^(-2 pi c/h): below
    1e-14 for tanh(3 g), whose strip is pi/6 wide, at h = 0.1, and for all others here.
    """
    step = min(_STEP, 0.3 / max(s, t, 1.0))
    g = np.arange(-_REACH, _REACH + step / 2, step)
    density = step * np.exp(-0.5 * g * g) / math.sqrt(2 * math.pi)
    v = rho * g[:, None] + math.sqrt(max(0.0, 1 - rho * rho)) * g
    return float((density * a(s * g)) @ a(t * v) @ density)


def absolute(rho: float) -> float:
    """Compute E |g| |g'|, which has a kink, by the area between two lines."""
    return 2 / math.pi * (math.sqrt(max(0.0, 1 - rho * rho)) + rho * math.asin(rho))
