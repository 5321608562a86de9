"""A self-normalised test of one mean, from samples without declared moments."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from mehler._plural import counted
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import FEW_EFFECTIVE, KURTOSIS
from mehler.verify.intervals._self_normalised import (
    COARSE,
    FINE,
    SHARE,
    effective_samples,
    half_widths,
    kurtosis_limit,
    samples_wanted,
)
from mehler.verify.sampling._sources import power_sums
from mehler.verify.undeclared._kurtosis_test import LEAST

# Fourth powers of samples between 1/_LARGE and _LARGE, and their sums, are floats.
_LARGE = 2.0**200


@dataclass(frozen=True)
class Measured:
    """An interval for a mean, its detectable effect, and whether its error rate holds."""

    interval: tuple[float, float]
    detectable: float
    method: str
    assumptions: tuple[str, ...]
    may_refute: bool = True
    note: str = ""
    statistics: Statistics | None = None


def reach(centre: float, *ends: tuple[float, float]) -> float:
    """Return the distance from the truth at which a claim surely lies outside the first interval.

    Valid whenever the second interval, which fails with probability `miss`, contains the truth.
    """
    return sum(max(centre - low, high - centre) for low, high in ends)


def undeclared_interval(
    x: Any, exact: float, false_alarm: float, miss: float, resolution: float
) -> Measured:
    """Measure a mean under a kurtosis bound that grows with the sample size.

    Samples whose own kurtosis is not five times smaller widen the interval and refute nothing,
    since larger ones may not have been seen yet.
    """
    size = float(abs(x).max())
    if size > 0.0 and not 1.0 / _LARGE < size < _LARGE:
        return _in_units(2.0 ** (math.frexp(size)[1] - 1), x, exact, false_alarm, miss, resolution)
    n, centre = x.size, float(x.mean())
    gaps = x - centre
    squares, fourths = float((gaps**2).sum()), float((gaps**4).sum())
    # Samples that differ by rounding only count as constant.
    effective = 0.0
    if squares > n * (1e-15 * size) ** 2:
        effective = float(effective_samples(squares, fourths))
    paid = 0.5 * SHARE * false_alarm
    t = FINE if effective >= samples_wanted(paid, FINE) else COARSE
    wanted = samples_wanted(paid, t)
    widened = math.sqrt(wanted / max(1.0, effective)) if 0.0 < effective < wanted else 1.0

    def ends(rate: float) -> tuple[float, float]:
        cost = math.log(2.0 / ((1.0 - SHARE) * rate))
        half = widened * float(half_widths(n, squares, cost, t, resolution))
        return centre - half, centre + half

    limit = kurtosis_limit(n, paid, t)
    assumptions = [f"the kurtosis of one sample is at most {limit:.4g}"]
    note = ""
    if not effective:
        rarest = min(1.0, -math.log(false_alarm) / n)
        note = (
            f"All {counted(n, 'sample')} agree: an event rarer than {rarest:.2g} could make "
            "the claim right. Declare variance= or bounds=."
        )
    elif effective >= wanted and n < LEAST:
        note = f"The mean is off; fewer than {LEAST} samples refute nothing."
    elif effective < wanted:
        assumptions.append(
            f"{FEW_EFFECTIVE} (as if {counted(max(1, int(effective)), 'sample')}): the "
            f"interval is widened, "
            "holds only in the limit, and refutes nothing"
        )
        note = (
            "The mean is off, but few large samples decide it, and nothing bounds what was not "
            "seen. Declare variance= or bounds=, or take more samples."
        )
    return Measured(
        ends(false_alarm),
        reach(centre, ends(false_alarm), ends(miss)),
        KURTOSIS,
        tuple(assumptions),
        may_refute=effective >= wanted and n >= LEAST,
        note=note,
        statistics=Statistics(
            "self normalised",
            {"look": None, "fixed": False, "rounding": 0.0, "shared": False},
            {"n": [n], "sums": power_sums(x[:, None] - exact)},
        ),
    )


def _in_units(
    unit: float, x: Any, exact: float, false_alarm: float, miss: float, resolution: float
) -> Measured:
    """Measure samples whose squares are no floats, in a unit of their size."""
    # The resolution only says which interval is sought: any number is valid.
    sought = min(max(resolution / unit, 1.0 / _LARGE), _LARGE)
    found = undeclared_interval(x / unit, exact / unit, false_alarm, miss, sought)
    ends = (unit * found.interval[0], unit * found.interval[1])
    return replace(found, interval=ends, detectable=unit * found.detectable, statistics=None)
