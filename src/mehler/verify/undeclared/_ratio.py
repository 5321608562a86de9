"""Whether one mean of nonnegative samples exceeds another one: both ends have a guarantee.

The smaller mean A has an upper end U that fails with a chance that two moments bound. Against the
claim B <= U the wealth of bets on the other samples is no larger than against B <= A, where it is
a nonnegative supermartingale if B <= A, so U may come from the same look. Where the means are near
to each other `Look` on the differences sees more, under a bounded kurtosis.
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
from mehler.verify.undeclared._kurtosis_test import LEAST, Look

# Looks are at so many times the samples of the one before.
_STEP = 1.25


@dataclass(frozen=True)
class Ratio:
    """B/A, a lower bound of it with a guarantee, and what that rests on."""

    observed: float
    low: float
    n: int
    assumptions: tuple[str, ...]


def ratios(
    more: Callable[[int, int], tuple[Any, Any]], false_alarm: float, *, of: int, most: int
) -> Iterator[Ratio]:
    """Yield lower bounds of B/A at growing sizes; any of them fails with chance `false_alarm`.

    Parameters
    ----------
    more : callable
        (start, stop) -> samples of mean A and of mean B, independent, none negative.
    false_alarm : float
    of : int
        How many independent draws a sample is made of.
    most : int
        Samples after which to stop.
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
    """Return a lower bound of B/U, 0 where bets against B <= U have not won."""
    if not math.isfinite(upper):
        return 0.0
    bets = Excess(np.array([upper]))
    bets.add(b[:, None])
    low = float(bets.lower_ends(-math.log(rate))[0])
    return low / upper if low > upper else 0.0


def _near(a: Any, b: Any, rate: float, number: int) -> float:
    """Return a lower bound of B/A from one of B - A, 0 where the kurtosis is too large."""
    centre = float(a.mean())
    look = Look(a.size, power_sums(((b - a) / centre)[:, None]), rate, number, 1.0, 0.0)
    gap = float(look.off[0] - look.half[0])
    return 1.0 + gap if look.may_refute[0] and gap > 0.0 else 0.0
