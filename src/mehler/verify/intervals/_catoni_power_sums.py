r"""Catoni's score: its level crossings from samples, or enclosed by four power sums.

.. math:: \psi(u) = \operatorname{sign}(u) \log(1 + |u| + u^2/2)

lies between -log(1 - u + u^2/2) and log(1 + u + u^2/2), so a sum of psi(a (X_i - mu)) has
exponential moments as soon as X has a variance, however heavy its tails.

For every real u, abs(psi(u) - u + u^3/6) <= u^4/8: with D = 1 + u + u^2/2 and u >= 0,
psi'(u) - 1 + u^2/2 = (u^2/2)(u + u^2/2)/D lies in [0, u^3/2]. So S(theta) lies between two
polynomials in theta whose coefficients are power sums, and power sums of products of features are
matrix products. Where the band between them decides, the decision is that of S itself.
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


_EPS = float(np.finfo(np.float64).eps)


class CatoniPowerSums:
    """Bounds on the score S(theta) = sum psi(a (X_i - theta)) of n samples, for many pairs at once.

    `sums` are the first four power sums, shape (4, pairs); `a` is Catoni's scale, shape (pairs,).
    """

    def __init__(self, n: int, sums: Any, a: Any) -> None:
        s1, s2, s3, s4 = sums
        self.n, self.a = n, a
        self.mean = mean = s1 / n
        self._m2 = np.maximum(s2 - mean * s1, 0.0)
        self._m3 = s3 - 3.0 * mean * s2 + 2.0 * n * mean**3
        m4 = s4 - 4.0 * mean * s3 + 6.0 * mean**2 * s2 - 3.0 * n * mean**4
        # Pad by the rounding left by cancellation above, so that the band never shrinks.
        self._m4 = np.maximum(m4, 0.0) + 64.0 * _EPS * (s4 + 6.0 * mean**2 * s2 + n * mean**4)

    def score_range(self, theta: Any) -> tuple[Any, Any]:
        """Return lower and upper bounds on S(theta)."""
        middle, band = self._terms(self.mean - theta, 1.0)
        return middle - band, middle + band

    def interval(self, level: float) -> tuple[Any, Any]:
        """Return an interval containing {abs(S) <= level}; infinite where the band is too wide."""
        return self._end(level, -1.0), self._end(level, 1.0)

    def _terms(self, d: Any, sign: float) -> tuple[Any, Any]:
        """Return sum(u - u^3/6) and sum(u^4)/8 for u = a (Y + d), Y the centred samples.

        `sign` = -1 mirrors the samples, so that one routine serves both ends.
        """
        n, a, m2, m3, m4 = self.n, self.a, self._m2, sign * self._m3, self._m4
        cubes = m3 + 3.0 * m2 * d + n * d**3
        fourths = m4 + 4.0 * m3 * d + 6.0 * m2 * d**2 + n * d**4
        return a * n * d - a**3 * cubes / 6.0, a**4 * fourths / 8.0

    def _end(self, level: float, sign: float) -> Any:
        # Solve middle(d) + band(d) = -level by fixed point on the leading term, then make sure.
        lead = self.a * self.n
        first = -level / lead
        d = first
        for _ in range(40):
            middle, band = self._terms(d, sign)
            d = np.clip(d - (middle + band + level) / lead, 4.0 * first, 0.25 * first)
        d = d * (1.0 + 1e-9)
        middle, band = self._terms(d, sign)
        sure = middle + band <= -level
        return np.where(sure, self.mean - sign * d, sign * np.inf)
