"""What each tool says about the mean of a stream of samples: whether a claim is wrong, and settled.

Python packages are called as installed; one that is not is left out. Two rules are written anew
from their formulas: R's mcunit 0.3.2 (no R here) and TensorFlow Probability's assertions on means,
whose module is not in the wheel of 0.25.0. Both are in their projects' sources.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np
from scipy.stats import norm

from mehler import verify


@dataclass(frozen=True)
class Stream:
    """Samples with what a test may know of them: the claimed mean, range and variance.

    `resolution` is the deviation that matters: mehler refutes none of less than a twentieth of it.
    """

    sample: Callable[[int], Any]
    claim: float
    variance: float
    bounds: tuple[float, float] | None
    resolution: float = 0.02


class Mehler:
    """By the known variance; `Bounded` by the range alone, `ToldNothing` by neither."""

    name = "mehler, exact variance"
    unbounded = True

    def _check(self, x: Any, s: Stream, resolution: float, alpha: float) -> Any:
        return verify.check_mean(
            x, s.claim, resolution=resolution, false_alarm=alpha, variance=s.variance
        )

    def wrong(self, x: Any, s: Stream, alpha: float) -> bool:
        return self._check(x, s, s.resolution, alpha).status == "refuted"

    def settled(self, x: Any, s: Stream, resolution: float, alpha: float) -> bool:
        return self._check(x, s, resolution, alpha).holds


class Bounded(Mehler):
    name = "mehler, range only"
    unbounded = False

    def _check(self, x: Any, s: Stream, resolution: float, alpha: float) -> Any:
        return verify.check_mean(
            x, s.claim, resolution=resolution, false_alarm=alpha, bounds=s.bounds
        )


class ToldNothing(Mehler):
    """Unless samples too rare to be seen carry what the verdict says."""

    name = "mehler, nothing declared"

    def _check(self, x: Any, s: Stream, resolution: float, alpha: float) -> Any:
        return verify.check_mean(x, s.claim, resolution=resolution, false_alarm=alpha)


class Ville:
    """Betting where there is a range, stopping at any sample; else its asymptotic sequence.

    That one starts at 100 samples unless told otherwise: with few of them not zero it needs more,
    and here begins, as the others, with all.
    """

    name = "ville"
    unbounded = True

    def wrong(self, x: Any, s: Stream, alpha: float) -> bool:
        import ville

        if s.bounds is None:
            sequence = ville.AsymptoticCS(alpha, t_opt=x.size, min_samples=x.size)
            return sequence.fit(x).excludes(s.claim) is not None
        return ville.BettingTest(s.claim, bounds=s.bounds, alpha=alpha).fit(x).rejected_

    def settled(self, x: Any, s: Stream, resolution: float, alpha: float) -> bool:
        import ville

        low, high = ville.BettingCS(bounds=s.bounds, alpha=alpha).fit(x).interval()
        return low <= s.claim <= high and high - low <= resolution


class Expectation:
    """Its normal mixture, told the variance and tuned for the number of samples."""

    name = "expectation"
    unbounded = True

    def _update(self, x: Any, s: Stream, alpha: float) -> Any:
        from expectation.seqtest.sequential_e_testing import (
            BoundaryConfig,
            EValueConfig,
            SequentialTesting,
        )

        return SequentialTesting(
            "mean",
            s.claim,
            "two_sided",
            config=EValueConfig(significance_level=alpha),
            known_variance=s.variance,
            boundary_config=BoundaryConfig(v_opt=x.size * s.variance, alpha_opt=alpha),
        ).update(x)

    def wrong(self, x: Any, s: Stream, alpha: float) -> bool:
        return bool(self._update(x, s, alpha).reject_null)

    def settled(self, x: Any, s: Stream, resolution: float, alpha: float) -> bool:
        low, high = self._update(x, s, alpha).confidence_bounds
        return low <= s.claim <= high and high - low <= resolution


class Fineness:
    """Agreement within k standard errors, k the normal quantile of the rate."""

    name = "fineness"
    unbounded = True
    settled = None  # agreement is no statement about what would have been seen

    def wrong(self, x: Any, s: Stream, alpha: float) -> bool:
        import fineness

        estimate = fineness.Estimate(float(x.mean()), se=float(x.std(ddof=1)) / math.sqrt(x.size))
        return not estimate.agrees_with(s.claim, tol=f"{norm.isf(alpha / 2.0):.6f}se")


class Stochtest:
    """Its two one-sided t-tests: the rate is that of accepting code that is off by the margin."""

    name = "stochtest"
    unbounded = True
    wrong = None  # no rate is stated at which correct code fails

    def settled(self, x: Any, s: Stream, resolution: float, alpha: float) -> bool:
        import stochtest

        try:
            stochtest.assert_that(x).has_expected_value_of(s.claim, resolution, alpha=alpha)
        except AssertionError:
            return False
        return True


class Mcunit:
    """expect_mc_iid_mean: up to seven normal tests on fresh samples, four times as many after one.

    A p-value below beta fails, one above gamma + beta passes, one between goes on with
    beta/gamma; beta = level/7, gamma = beta^(1/7) (Gandy and Scott 2020).
    """

    name = "mcunit's rule"
    unbounded = True
    settled = None  # no statement about what would have been seen
    steps, growth = 7, 4

    def wrong(self, x: Any, s: Stream, alpha: float) -> bool:
        """`x` holds the samples of all steps: their sizes are 1, 4, 4, ... in units of its 25th."""
        first = x.size // (1 + self.growth * (self.steps - 1))
        beta = alpha / self.steps
        gamma = beta ** (1.0 / self.steps)
        start = 0
        for step in range(self.steps):
            n = first if step == 0 else self.growth * first
            part, start = x[start : start + n], start + n
            z = abs(part.mean() - s.claim) / (part.std(ddof=1) / math.sqrt(n))
            p = 2.0 * norm.sf(z)
            if p <= beta:
                return True
            if p > gamma + beta:
                return False
            beta /= gamma
        return False


class Probability:
    """assert_true_mean_equal_by_dkwm: the band of Dvoretzky, Kiefer, Wolfowitz and Massart.

    The mean is at most that of the samples with the lowest share eps of them moved to the top of
    the range, eps = sqrt(log(2/alpha)/(2n)); at least the mirror image.
    """

    name = "TensorFlow Probability's rule"
    unbounded = False

    def _ends(self, x: Any, s: Stream, alpha: float) -> tuple[float, float]:
        eps = math.sqrt(math.log(2.0 / alpha) / (2.0 * x.size))
        moved = min(1.0, eps) * x.size
        whole, part = int(moved), moved - int(moved)
        order = np.append(np.sort(x), 0.0)
        low, high = s.bounds or (-math.inf, math.inf)
        bottom = order[:whole].sum() + part * order[whole]
        order = np.append(order[-2::-1], 0.0)
        top = order[:whole].sum() + part * order[whole]
        total = x.sum()
        return ((total - top + moved * low) / x.size, (total - bottom + moved * high) / x.size)

    def wrong(self, x: Any, s: Stream, alpha: float) -> bool:
        low, high = self._ends(x, s, alpha)
        return not low <= s.claim <= high

    def settled(self, x: Any, s: Stream, resolution: float, alpha: float) -> bool:
        low, high = self._ends(x, s, alpha)
        return low <= s.claim <= high and high - low <= resolution


def installed() -> list[Any]:
    """Those that can be asked here, with their versions in the name."""
    tools: list[Any] = [Mehler(), Bounded(), ToldNothing()]
    for tool in (Ville(), Expectation(), Stochtest(), Fineness()):
        package = type(tool).__name__.lower()
        if importlib.util.find_spec(package) is not None:
            tool.name = f"{package} {metadata.version(package)}"
            tools.append(tool)
    return [*tools, Mcunit(), Probability()]
