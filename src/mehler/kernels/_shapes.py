"""Kernel matrices in float64; SciPy is imported on first use."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def distances(x: Any, y: Any, metric: str = "euclidean") -> Any:
    """Return distances of rows, from differences, so that close rows do not cancel."""
    from scipy.spatial.distance import cdist

    return cdist(x, y, metric)


def angles(x: Any, y: Any) -> Any:
    """Return angles between rows, accurate to rounding at 0 and pi too."""
    u, v = (rows / np.linalg.norm(rows, axis=1)[:, None] for rows in (x, y))
    return 2.0 * np.arctan2(distances(u, v), distances(u, -v))


def rbf(x: Any, y: Any, gamma: float) -> Any:
    """exp(-gamma |x - y|^2)."""
    return np.exp(-gamma * distances(x, y, "sqeuclidean"))


def laplacian(x: Any, y: Any, gamma: float) -> Any:
    """exp(-gamma |x - y|_1)."""
    return np.exp(-gamma * distances(x, y, "cityblock"))


def matern(x: Any, y: Any, nu: float, length_scale: float) -> Any:
    """2^(1-nu) / Gamma(nu) s^nu K_nu(s) at s = sqrt(2 nu) |x - y| / length_scale, in logarithms."""
    from scipy.special import gammaln, kve

    s = math.sqrt(2.0 * nu) * distances(x, y) / length_scale
    # kve(nu, s) = K_nu(s) e^s neither under- nor overflows where s does not vanish.
    safe = np.where(s > 1e-12, s, 1.0)
    log = (1.0 - nu) * math.log(2.0) - gammaln(nu) + nu * np.log(safe) + np.log(kve(nu, safe))
    return np.where(s > 1e-12, np.exp(log - safe), 1.0)


def linear(x: Any, y: Any) -> Any:
    """<x, y>."""
    return x @ y.T


def exponential(x: Any, y: Any, gamma: float) -> Any:
    """exp(gamma <x, y>)."""
    return np.exp(gamma * (x @ y.T))


def polynomial(x: Any, y: Any, degree: int, gamma: float, coef0: float) -> Any:
    """(gamma <x, y> + coef0)^degree."""
    return (gamma * (x @ y.T) + coef0) ** degree


def arc_cosine(x: Any, y: Any, order: int) -> Any:
    """|x|^n |y|^n J_n(theta) / pi, for n = 0, 1, 2 and 4."""
    theta = angles(x, y)
    sine, cosine = np.sin(theta), np.cos(theta)
    # The digits lost near pi are below the rounding of k(x, x), the unit of all checks.
    rest = np.pi - theta
    shape = {
        0: lambda: rest,
        1: lambda: sine + rest * cosine,
        2: lambda: 3.0 * sine * cosine + rest * (1.0 + 2.0 * cosine**2),
        4: lambda: (
            5.0 * sine * cosine * (11.0 + 10.0 * cosine**2)
            + rest * (9.0 + 72.0 * cosine**2 + 24.0 * cosine**4)
        ),
    }[order]()
    return _lengths(x, y) ** order * shape / np.pi


def maxout(x: Any, y: Any, q: int) -> Any:
    """|x| |y| K_q(rho)."""
    from mehler import exact

    return _lengths(x, y) * exact.maxout_kernel(np.cos(angles(x, y)), q)


def collision(x: Any, y: Any, q: int) -> Any:
    """kappa_q(rho)."""
    from mehler import exact

    return exact.collision_probability(np.cos(angles(x, y)), q)


def skewed_chi2(x: Any, y: Any, skew: float) -> Any:
    """Product over entries of 1 / cosh(log((x + c) / (y + c)) / 2), which is Li et al.'s kernel."""
    left, right = np.log(x + skew), np.log(y + skew)
    total = np.zeros((x.shape[0], y.shape[0]))
    for i in range(x.shape[1]):
        half = 0.5 * np.abs(left[:, i, None] - right[None, :, i])
        total -= half + np.log1p(np.exp(-2.0 * half)) - math.log(2.0)
    return np.exp(total)


def additive_chi2(x: Any, y: Any) -> Any:
    """Sum over entries of 2 x y / (x + y), 0 where both are 0."""
    total = np.zeros((x.shape[0], y.shape[0]))
    for i in range(x.shape[1]):
        a, b = x[:, i, None], y[None, :, i]
        both = a + b
        total += np.divide(2.0 * a * b, both, out=np.zeros_like(both), where=both > 0.0)
    return total


def _lengths(x: Any, y: Any) -> Any:
    return np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(y, axis=1)[None, :]
