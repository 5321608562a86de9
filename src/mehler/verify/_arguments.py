"""The options of checks, declared once, and validators of their arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Protocol, TypedDict

import numpy as np

from mehler import _run_seed
from mehler._arrays import Array, to_host
from mehler._validate import (
    require_integer,
    require_positive,
    require_probability,
    require_real,
    require_text,
)
from mehler.verify._verdict import Verdict


def in_decimals(operation: Callable[..., Decimal], *rates: float) -> float:
    """Return an operation on error rates as they are written: 0.9 * 0.05 is 0.045."""
    return float(operation(*(Decimal(repr(float(rate))) for rate in rates)))


# Counts of samples that are exact as floats.
MOST_SAMPLES = 2**53


def require_resolution(value: float) -> float:
    """Return a resolution for which the number of samples is a float."""
    number = require_positive("resolution", value)
    if number < 1e-100:  # sample sizes grow like the inverse square
        raise ValueError(f"resolution={value!r} must be at least 1e-100")
    return number


def relative_resolution(value: float) -> float:
    """Return a resolution in units of sqrt(k(x,x) k(y,y)), where claims lie in [-1, 1]."""
    number = require_resolution(value)
    if number >= 2.0:
        why = "every kernel lies in [-1, 1] times sqrt(k(x,x) k(y,y))"
        raise ValueError(f"resolution={value!r} is vacuous: {why}; give a fraction such as 0.02")
    return number


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


class Spends(Protocol):
    """The part of `Ledger` that a check needs."""

    def spend(self, label: str, false_alarm: float) -> None:
        """Pay for an evaluation, or raise BudgetExceeded."""


class Options(TypedDict, total=False):
    """Options that every check has, passed by keyword.

    Attributes
    ----------
    false_alarm : float
        Probability that a correct claim is refuted, shared by pairs, rows or coordinates through
        a union bound; default 1e-9.
    miss : float
        Probability that a deviation of the verdict's ``detectable`` is missed, and that a correct
        claim does not hold where the check plans its size; default 1e-6.
    ledger : Ledger
        Budget charged `false_alarm` before the test.
    name : str
        Name in the verdict and the ledger; default that of the check.

    Examples
    --------
    >>> from mehler import verify
    >>> strict = verify.Options(false_alarm=1e-12, name="coin")
    >>> verify.check_mean([0, 1] * 2000, 0.5, binary=True, resolution=0.2, **strict).check
    'coin'
    """

    false_alarm: float
    miss: float
    ledger: Spends | None
    name: str | None


class DrawOptions(Options, total=False):
    """Options of checks that draw maps, those of `Options` among them.

    A check that does not use one of them raises TypeError.

    Attributes
    ----------
    max_features : int
        Largest number of features to draw, over all draws; default as many as the resolution needs.
    time_limit : float
        Seconds of CPU time (or four times as many of waiting) after which drawing stops and a check
        is *inconclusive*, with the remedy. Default 60; None for none.
    seed : int
        Determines the seeds of all draws. Default 0; in a run of pytest with
        ``--mehler-fresh-seeds`` or ``--mehler-seed`` a seed of the test's own.

    Examples
    --------
    >>> quick = DrawOptions(time_limit=0.5, seed=3)  # check_kernel(..., **quick)
    """

    max_features: int | None
    time_limit: float | None
    seed: int | None


@dataclass(frozen=True)
class CheckOptions:
    """The options of one call of a check, validated."""

    false_alarm: float
    resolution: float
    miss: float
    name: str
    ledger: Spends | None = None
    max_features: int | None = None
    time_limit: float | None = None
    seed: int = 0

    def require_below(self, limit: float, because: str) -> None:
        """Raise ValueError for a resolution of `limit` or more, which could refute nothing."""
        if self.resolution >= limit:
            text = f"resolution={self.resolution!r} is vacuous: {because}, so nothing could be"
            raise ValueError(f"{text} refuted; give less than {limit:g}")

    def require_features(
        self, least: int, draws: str, remedy: str = "allow more, or draw smaller maps"
    ) -> None:
        """Raise ValueError if `max_features` allows fewer than `least`, those of some draws."""
        if self.max_features is not None and self.max_features < least:
            raise ValueError(f"max_features={self.max_features} is less than {draws}: {remedy}")

    def draws_within(self, n_draws: int, m: int) -> int:
        """Return as many draws of m features as `max_features` allows, one at least."""
        if self.max_features is None or not m:
            return n_draws
        return max(1, min(n_draws, self.max_features // m))

    def pay(self) -> None:
        if self.ledger is not None:
            self.ledger.spend(self.name, self.false_alarm)

    def verdict(self, **evidence: Any) -> Verdict:
        """Return the verdict at these options; a claim of 0 and one interval unless they differ."""
        usual = {"exact": 0.0, "n_intervals": 1, "seeds": {"seed": self.seed}}
        return Verdict(
            check=self.name,
            false_alarm=self.false_alarm,
            resolution=self.resolution,
            miss=self.miss,
            **{**usual, **evidence},
        )


# The defaults of all options; the time limit is in seconds.
DEFAULTS: dict[str, Any] = {"false_alarm": 1e-9, "miss": 1e-6, "time_limit": 60.0}
DEFAULTS |= dict.fromkeys(("ledger", "name", "max_features", "seed"))


def require_options(
    check: str, options: Mapping[str, Any], resolution: float, *, relative: bool = True
) -> CheckOptions:
    """Validate the options and the resolution; a `relative` one must give finite sample sizes."""
    options = DEFAULTS | dict(options)
    time_limit, most, ledger = (options[x] for x in ("time_limit", "max_features", "ledger"))
    if ledger is not None and not callable(getattr(ledger, "spend", None)):
        raise TypeError(f"ledger={ledger!r} must be a verify.Ledger")
    check_resolution = require_resolution if relative else partial(require_positive, "resolution")
    return CheckOptions(
        false_alarm=require_probability("false_alarm", options["false_alarm"]),
        resolution=check_resolution(resolution),
        miss=require_probability("miss", options["miss"]),
        name=require_text("name", options["name"], default=check),
        ledger=ledger,
        max_features=None if most is None else require_integer("max_features", most),
        time_limit=None if time_limit is None else require_positive("time_limit", time_limit),
        seed=root_seed(options["seed"]),
    )
