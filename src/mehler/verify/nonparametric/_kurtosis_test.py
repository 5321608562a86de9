"""Self-normalised intervals of many means, and where their error rates hold."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mehler._arrays import Array
from mehler._plural import counted
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import FEW_EFFECTIVE, Comparison
from mehler.verify.intervals._self_normalised import (
    COARSE,
    FINE,
    MARGIN,
    SHARE,
    effective_samples,
    half_widths,
    kurtosis_limit,
    samples_wanted,
    shortfall,
)

# Least kurtosis limit; a mean of ten features or more is far below it.
_LEAST_KURTOSIS = 20.0

# Least samples for a refutation at any error rate: events of probability 1e-3 have been seen by
# then.
LEAST = 4_000
# Ratio of successive inspection sizes, from the least that can refute, and the largest relative to
# the size that the first one asks for; if tails are too heavy to be decided at TAIL_PATIENCE times
# the first, stop after a few inspections.
STEP, PATIENCE, TAIL_PATIENCE, LEAST_LOOKS = 1.25, 4.0, 16.0, 4
# Below this many effective samples, n over their kurtosis, a few large ones decide.
FEW = 100.0


def _paid(rate: float, number: int) -> float:
    """Return the rate that an inspection spends on the sum of squares, at each allowance of two."""
    return SHARE * rate / (2.0 * number * (number + 1.0))


def least_samples(rate: float) -> int:
    """Return the least sample size at which an inspection at this rate can refute."""
    return math.ceil(_LEAST_KURTOSIS * -math.log(_paid(rate, 1)) / shortfall(COARSE))


# Rounding left of a sum of squares that should cancel, relative to it and times sqrt(n).
_CANCELLED = 64.0 * float(np.finfo(np.float64).eps)


class Means:
    """Means of deviations after n samples, from four power sums, and their intervals.

    Per mean: `off`, the mean deviation; `half`, the half width; `width`, including the deviation;
    `outside` and `refuted`, as in `Comparison`.
    """

    def __init__(self, n: int, sums: NDArray[np.float64], resolution: float) -> None:
        self.n, self.sums, self.resolution = n, sums, resolution
        s1, s2, s3, s4 = sums
        self.off = m = s1 / n
        self.squares = np.maximum(s2 - m * s1, 0.0)
        self.fourths = np.maximum(s4 - 4.0 * m * s3 + 6.0 * m**2 * s2 - 3.0 * n * m**4, 0.0)

    def compare(self, half: Array, may_refute: Any = True, ends: Any = None) -> None:
        """Set the half widths, and compare the intervals with the claim, 0.

        `ends` are the interval where it is not `half` about the mean on either side.
        """
        self.may_refute, self.half = may_refute, half
        self.ends = (self.off - half, self.off + half) if ends is None else ends
        low, high = self.ends
        self.compared = Comparison(self.off, 0.0, low, high, self.resolution, may_refute)
        self.outside, self.width = self.compared.outside, self.compared.width
        self.refuted = self.compared.refuted

    @property
    def decided(self) -> bool:
        """Whether some claim is refuted, or all hold."""
        return not np.isfinite(self.off).all() or self.compared.status != "inconclusive"

    def wanted(self, means: Any = True) -> float:
        """Return the size at which intervals of `means` are narrow enough, extrapolated."""
        ratio = float(np.max(2.0 * self.half / self.resolution, initial=0.0, where=means))
        return self.n * ratio**2 if math.isfinite(ratio) else 2.0 * self.n

    def _statistics(self, method: str, plan: dict[str, Any], block: int = 1) -> Statistics:
        """Return what decided, with sums added in blocks of samples."""
        ends = {"claim": 0.0, "low": self.ends[0], "high": self.ends[1]}
        return Statistics(method, plan, {**ends, "n": self.n, "sums": self.sums, "block": block})


class Inspection(Means):
    """The intervals of all pairs after n samples each, from power sums of their deviations.

    `rate` is the error rate of one pair over all inspections, `number` that of this inspection,
    from 1; `fixed` means that all draws are one map: else refutations need `confirm`. Per pair:
    `effective`, n over the kurtosis, 0 for constants; `may_refute`, where that suffices for the
    error rate, n >= LEAST, and fresh samples confirm it if they were taken; `short`, where few
    samples decide and intervals are widened. `limit` is the assumed bound on the kurtosis.
    """

    def __init__(
        self,
        n: int,
        sums: NDArray[np.float64],
        rate: float,
        number: int,
        resolution: float,
        rounding: float,
        fixed: bool = False,
    ) -> None:
        super().__init__(n, sums, resolution)
        self.fixed = fixed
        self._plan = {"look": number, "fixed": fixed, "rounding": rounding}
        # Samples or sums that differ by rounding only count as constant.
        varies = self.squares > n * (rounding**2 + 1e-24) + _CANCELLED * math.sqrt(n) * sums[1]
        self.effective = np.where(varies, effective_samples(self.squares, self.fourths), 0.0)
        paid, cost = _paid(rate, number), math.log(2.0 / ((1.0 - SHARE) * rate))
        precise = self.effective >= samples_wanted(paid, FINE)
        sizes = np.where(precise, samples_wanted(paid, FINE), samples_wanted(paid, COARSE))
        allowance = np.where(precise, FINE, COARSE)
        self.limit = kurtosis_limit(n, paid, FINE if precise.all() else COARSE)
        certain = (self.effective >= sizes) | fixed
        self.short = varies & ~certain
        self._tests: dict[str, Any] = {}
        self._lack = np.where(self.short, sizes / np.maximum(self.effective, 1.0), 1.0)
        half = half_widths(n, self.squares, cost, allowance, resolution)
        self._plain = half + rounding
        self.compare(half * np.sqrt(self._lack) + rounding, certain & (n >= LEAST))

    def confirm(self, confirmed: ArrayLike, fresh: int, sums: Array) -> None:
        """Refute nothing but what the last `fresh` samples have confirmed, a mask over the means.

        `sums` are their power sums.
        """
        self._tests = {"fresh": fresh, "fresh_sums": sums} if fresh else {}
        self.compare(self.half, self.may_refute & confirmed)

    def statistics(self, *, shared: bool, block: int = 1) -> Statistics:
        """Return what decided; `shared`: bets on squared lengths have half of the error rate."""
        decided = self._statistics("self normalised", {**self._plan, "shared": shared}, block)
        return replace(decided, tests={**decided.tests, **self._tests})

    def tails(self, most: float) -> Any:
        """Return where even `most` samples would be too few to bound the kurtosis.

        Effective samples grow like n at best.
        """
        return self.short & (self._lack * self.n > most)

    def needed(self, most: float) -> float:
        """Return the size that decides all pairs but those with heavy tails, 0 if unknown."""
        certain = ~self.tails(most)
        ratio = (2.0 * self._plain / self.resolution) ** 2
        factor = float(np.max(np.maximum(ratio, self._lack), initial=0.0, where=certain))
        return self.n * factor if math.isfinite(factor) else 0.0

    def beyond(self, most: float) -> bool:
        """Whether only heavy-tailed pairs are open, and `most` samples would leave one open.

        Widened intervals shrink like 1/n.
        """
        settled = (self.width <= self.resolution) | self.short
        narrow = 2.0 * self.half * self.n <= most * self.resolution
        return bool(settled.all() and (self.tails(most) & ~narrow).any())

    @property
    def kurtosis(self) -> float:
        """Largest sample kurtosis over the pairs."""
        varies = self.effective > 0.0
        return float(np.max(self.n / self.effective[varies], initial=1.0))

    def missed(self, miss: float) -> Any:
        """Return half widths at another error rate."""
        return half_widths(self.n, self.squares, math.log(2.0 / miss), COARSE, self.resolution)

    def assumptions(self, is_fixed: bool, noun: str = "") -> tuple[str, ...]:
        """Return what the error rate assumes of tails; a mean is that of one `noun`."""
        if self.may_refute.all() and is_fixed:
            return ("draws that agree in every bit are one fixed map",)
        lines = [
            f"the kurtosis of one sample is at most {self.limit:.4g}; the samples show at most "
            f"{self.kurtosis:.3g}, and refute nothing where it is more than "
            f"{self.limit / MARGIN:.3g}"
        ]
        if self.short.any():
            few, n = max(1, int(self.effective[self.short].min())), int(self.short.sum())
            lines.append(
                f"{FEW_EFFECTIVE} (as if {counted(few, 'sample')} at the worst of "
                f"{counted(n, noun) if noun else n}): "
                "their intervals are widened, hold only in the limit, and refute nothing"
            )
        return tuple(lines)
