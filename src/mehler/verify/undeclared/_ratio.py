"""Lower confidence bounds on the ratio of two nonnegative means, with a guarantee.

The smaller mean A has an upper confidence bound U under a bound on two moments. Against the claim B
<= U the wealth of bets on the other samples is no larger than against B <= A, where it is a
nonnegative supermartingale if B <= A, so U may come from the same inspection. Where the means are
close, `Inspection` on the differences is more powerful, under a bounded kurtosis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.verify.intervals._excess import Excess
from mehler.verify.intervals._nonnegative import upper_ends
from mehler.verify.intervals._self_normalised import MARGIN
from mehler.verify.sampling._sources import power_sums
from mehler.verify.undeclared._kurtosis_test import LEAST, Inspection

# Ratio of successive inspection sizes.
_STEP = 1.25


@dataclass(frozen=True)
class Ratio:
    """B/A, a guaranteed lower bound of it, and its assumptions."""

    observed: float
    low: float
    n: int
    assumptions: tuple[str, ...]


def ratios(
    more: Callable[[int, int], tuple[Any, Any]], false_alarm: float, *, of: int, most: int
) -> Iterator[Ratio]:
    """Yield lower bounds on B/A at growing sizes up to `most`; all hold except with `false_alarm`.

    `more` maps (start, stop) to independent nonnegative samples of means A and B, each made of `of`
    independent draws.
    """
    a, b, n, number = np.empty(0), np.empty(0), LEAST // of, 1
    while n <= most:
        new = more(a.size, n)
        a, b = np.append(a, new[0]), np.append(b, new[1])
        paid = 0.25 * false_alarm / (number * (number + 1.0))
        observed = float(b.mean() / a.mean())
        upper = float(upper_ends(n, a.mean(), (a * a).mean(), paid))
        low = _exceeds(b, upper, 0.5 * false_alarm)
        kappa = float((a * a).mean() / a.mean() ** 2)
        rests = f"their mean square is at most {MARGIN * kappa:.3g} times their squared mean"
        if low <= 1.0:
            low, rests = max(low, _near(a, b, 0.25 * false_alarm, number)), "their kurtosis is"
            rests += f" at most {MARGIN:g} times that of those seen"
        yield Ratio(observed, low, n, (rests,))
        number, n = number + 1, math.ceil(_STEP * n)


def _exceeds(b: Any, upper: float, rate: float) -> float:
    """Return a lower bound on B/U, 0 unless bets against B <= U have won."""
    if not math.isfinite(upper):
        return 0.0
    bets = Excess(np.array([upper]))
    bets.add(b[:, None])
    low = float(bets.lower_ends(-math.log(rate))[0])
    return low / upper if low > upper else 0.0


def _near(a: Any, b: Any, rate: float, number: int) -> float:
    """Return a lower bound on B/A from one on B - A, 0 where the kurtosis is too large."""
    centre = float(a.mean())
    look = Inspection(a.size, power_sums(((b - a) / centre)[:, None]), rate, number, 1.0, 0.0)
    gap = float(look.off[0] - look.half[0])
    return 1.0 + gap if look.may_refute[0] and gap > 0.0 else 0.0
