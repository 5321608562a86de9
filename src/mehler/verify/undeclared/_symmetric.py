r"""Intervals for samples that are symmetric about their mean, without moment assumptions.

For D symmetric about 0 and every lambda, E exp(lambda D - lambda^2 D^2/2) <= 1, since
cosh(x) <= exp(x^2/2). So

    exp(+-lambda sum D_i - (lambda^2/2) sum D_i^2)

are nonnegative supermartingales, and so is their mean over fixed lambdas (de la Pena 1999): at
any time it has ever reached 2/alpha with probability at most alpha/2 on either side.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler.verify.intervals._self_normalised import effective_samples, half_widths
from mehler.verify.pairwise._measurement import FLOOR

# Below this many effective samples a few large ones decide, and more draws rarely help.
_FEW = 100.0


class SymmetricInspection:
    """The intervals of all centres of symmetry after n samples each, valid at all times together.

    `rate` is the error rate of one mean. Per mean: `off`, the mean deviation; `half`, the half
    width; `width`, including the deviation; `short`, where few large samples decide, and the error
    rate holds all the same.
    """

    # Large samples need no exception here.
    may_refute: Any = True

    def __init__(self, n: int, sums: Any, rate: float, resolution: float, rounding: float) -> None:
        self.n, self.resolution, self._rounding = n, resolution, rounding
        s1, s2, s3, s4 = sums
        self.off = m = s1 / n
        self._squares = np.maximum(s2 - m * s1, 0.0)
        fourths = np.maximum(s4 - 4.0 * m * s3 + 6.0 * m**2 * s2 - 3.0 * n * m**4, 0.0)
        self.short = effective_samples(self._squares, fourths) < _FEW
        self.half = self._half(rate)
        away = np.abs(self.off)
        self.outside = (away > self.half) & (away >= FLOOR * resolution)
        self.width = self.half + np.maximum(self.half, away)

    def _half(self, rate: float) -> Any:
        # t = 0, without allowance: the bets are paid by the samples' own sum of squares.
        return (
            half_widths(self.n, self._squares, math.log(2.0 / rate), 0.0, self.resolution)
            + self._rounding
        )

    @property
    def refuted(self) -> Any:
        """Where the interval excludes the claim."""
        return self.outside

    @property
    def decided(self) -> bool:
        """Whether some claim is refuted, or all hold."""
        if not np.isfinite(self.off).all() or self.outside.any():
            return True
        return bool((self.width <= self.resolution).all())

    def wanted(self, means: Any = True) -> float:
        """Return the sample size at which intervals would be narrow; see `Inspection.wanted`."""
        ratio = float(np.max(2.0 * self.half / self.resolution, initial=0.0, where=means))
        return self.n * ratio**2 if math.isfinite(ratio) else 2.0 * self.n

    def missed(self, miss: float) -> Any:
        """Return half widths at another error rate."""
        return self._half(miss)
