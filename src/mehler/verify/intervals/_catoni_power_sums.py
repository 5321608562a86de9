"""Enclose Catoni's interval from four power sums, without the samples themselves.

For every real u, abs(psi(u) - u + u^3/6) <= u^4/8: with D = 1 + u + u^2/2 and u >= 0,
psi'(u) - 1 + u^2/2 = (u^2/2)(u + u^2/2)/D lies in [0, u^3/2]. So S(theta) lies between two
polynomials in theta whose coefficients are power sums, and power sums of products of features are
matrix products. Where the band between them decides, the decision is that of S itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
