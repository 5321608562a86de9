"""Exact verdicts on events claimed to have probability 0, from counts of independent trials."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mehler._validate import probability
from mehler.verify._arguments import check_resolution
from mehler.verify._verdict import Status, Verdict
from mehler.verify.budget._ledger import Ledger
from mehler.verify.budget._pay import pay
from mehler.verify.intervals import binomial


@dataclass(frozen=True)
class CheckOptions:
    """The options common to all checks, validated and paid for."""

    false_alarm: float
    resolution: float
    miss: float
    name: str


def check_options(
    false_alarm: float,
    resolution: float,
    miss: float,
    name: str,
    ledger: Ledger | None,
    *,
    below: float = 1.0,
    because: str = "a share lies in [0, 1]",
) -> CheckOptions:
    """Validate the options and pay; a resolution >= `below` could refute nothing."""
    resolution = check_resolution(resolution)
    if resolution >= below:
        raise ValueError(
            f"resolution={resolution!r} is vacuous: {because}, so nothing could be refuted; "
            f"give less than {below:g}"
        )
    paid = CheckOptions(
        probability("false_alarm", false_alarm), resolution, probability("miss", miss), name
    )
    pay(ledger, name, paid.false_alarm)
    return paid


def trials_for(asked: CheckOptions) -> int:
    """Return the least n for which 0 of n leaves an interval no wider than the resolution."""
    return math.ceil(math.log(2.0 / asked.false_alarm) / -math.log1p(-asked.resolution))


def zero_failures_verdict(
    asked: CheckOptions,
    happened: int,
    trials: int,
    *,
    claim: str,
    method: str,
    n_features: int,
    n_draws: int,
    assumptions: tuple[str, ...],
    where: Mapping[str, Any],
    seeds: Mapping[str, Any],
    reason: str,
) -> Verdict:
    """Return the verdict on an event claimed to have probability 0: one occurrence refutes."""
    interval = binomial(happened, trials, asked.false_alarm)
    status: Status = "holds"
    if happened:
        status = "refuted"
    elif interval[1] > asked.resolution:
        status = "inconclusive"
        reason = f"{trials} trials were allowed; {trials_for(asked)} would decide."
    return Verdict(
        status=status,
        check=asked.name,
        claim=claim,
        observed=happened / trials,
        exact=0.0,
        interval=interval,
        n_features=n_features,
        n_draws=n_draws,
        n_looks=1,
        false_alarm=asked.false_alarm,
        resolution=asked.resolution,
        # An event of probability p goes unseen in n trials with probability (1 - p)^n.
        detectable=-math.expm1(math.log(asked.miss) / trials),
        miss=asked.miss,
        method=method,
        assumptions=assumptions,
        where=where,
        seeds=seeds,
        reason=reason,
    )
