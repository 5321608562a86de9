"""Validate the arguments of checks, naming the argument and the remedy, and pay."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _run_seed
from mehler._arrays import Array, to_host, usable_cores
from mehler._validate import (
    require_integer,
    require_positive,
    require_probability,
    require_real,
    require_text,
)
from mehler.verify._verdict import Verdict

# Sample sizes grow like the inverse square, which is still a float.
LEAST_RESOLUTION = 1e-100
# Counts of samples that are exact as floats.
MOST_SAMPLES = 2**53


def require_resolution(value: float) -> float:
    """Return a resolution for which the number of samples is a float."""
    number = require_positive("resolution", value)
    if number < LEAST_RESOLUTION:
        raise ValueError(f"resolution={value!r} must be at least {LEAST_RESOLUTION:g}")
    return number


def relative_resolution(value: float) -> float:
    """Return a resolution in units of sqrt(k(x,x) k(y,y)), where claims lie in [-1, 1]."""
    number = require_resolution(value)
    if number >= 2.0:
        raise ValueError(
            f"resolution={value!r} is vacuous: in units of sqrt(k(x,x) k(y,y)) every kernel lies "
            "in [-1, 1], so nothing could be refuted; give a fraction such as 0.02"
        )
    return number


def threads(n_jobs: int) -> int:
    """Return a number of threads; -1 is one for each core that may be used."""
    number = require_integer("n_jobs", n_jobs, least=-1, most=1024)
    if number == 0:
        raise ValueError("n_jobs=0 must be 1 or more, or -1 for one a core")
    return usable_cores() if number == -1 else number


def at_most(name: str, value: int | None, least: int = 1) -> int | None:
    """Return a limit on features or draws; None is none."""
    return None if value is None else require_integer(name, value, least=least)


def root_seed(seed: int | None) -> int:
    """Return the seed that determines all others; by default that of the test that runs, or 0."""
    return _run_seed.current() if seed is None else require_integer("seed", seed, least=0)


def bounds_pair(bounds: Any) -> tuple[float, float]:
    """Return ``(low, high)`` as finite floats with low < high."""
    try:
        low, high = (require_real("bounds", end) for end in bounds)
    except (TypeError, ValueError):
        raise TypeError(f"bounds={bounds!r} must be a pair (low, high) of numbers") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"bounds={bounds!r} must be finite with low < high")
    return low, high


def sample_vector(samples: Array) -> Any:
    """Return samples as a non-empty finite float64 vector on the host."""
    x = np.asarray(to_host(samples))
    if x.ndim != 1:
        raise ValueError(f"samples must have shape (n,) but has shape {x.shape}: pass one claim")
    if x.size == 0:
        raise ValueError("samples is empty: draw at least one sample")
    if np.iscomplexobj(x):
        raise ValueError(f"samples is complex ({x.dtype}): check real and imaginary parts apart")
    if x.dtype.kind not in "biuf":
        raise TypeError(f"samples has dtype {x.dtype}: pass real numbers")
    x = x.astype(np.float64)
    if not np.isfinite(x).all():
        bad = int(np.flatnonzero(~np.isfinite(x))[0])
        raise ValueError(f"samples holds NaN or infinity, first at index {bad}")
    return x


@dataclass(frozen=True)
class CheckOptions:
    """The options common to all checks, validated."""

    false_alarm: float
    resolution: float
    miss: float
    name: str

    def require_below(self, limit: float, because: str) -> None:
        """Raise ValueError for a resolution of `limit` or more, which could refute nothing."""
        if self.resolution >= limit:
            raise ValueError(
                f"resolution={self.resolution!r} is vacuous: {because}, so nothing could be "
                f"refuted; give less than {limit:g}"
            )

    def verdict(self, **found: Any) -> Verdict:
        """Return the verdict of what was found, at these options."""
        return Verdict(
            check=self.name,
            false_alarm=self.false_alarm,
            resolution=self.resolution,
            miss=self.miss,
            **found,
        )


def require_options(
    default: str, name: str | None, false_alarm: float, resolution: float, miss: float
) -> CheckOptions:
    """Validate the options, the name by its default."""
    name = require_text("name", name, default=default)
    resolution = require_resolution(resolution)
    return CheckOptions(
        require_probability("false_alarm", false_alarm),
        resolution,
        require_probability("miss", miss),
        name,
    )


def pay(ledger: Any, label: str, false_alarm: float) -> None:
    """Pay for one evaluation from the ledger of a check's caller, if there is one."""
    if ledger is None:
        return
    if not callable(getattr(ledger, "spend", None)):
        raise TypeError(f"ledger={ledger!r} must be a verify.Ledger")
    ledger.spend(label, false_alarm)
