"""Exact verdicts on events claimed to have probability 0, from counts of independent trials."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mehler.verify._arguments import CheckOptions
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import Status, Verdict
from mehler.verify.intervals import binomial


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
    return asked.verdict(
        status=status,
        claim=claim,
        observed=happened / trials,
        exact=0.0,
        interval=interval,
        n_features=n_features,
        n_draws=n_draws,
        n_intervals=1,
        # An event of probability p goes unseen in n trials with probability (1 - p)^n.
        detectable=-math.expm1(math.log(asked.miss) / trials),
        method=method,
        assumptions=assumptions,
        where=where,
        seeds=seeds,
        reason=reason,
        statistics=(Statistics("no event", {}, {"n": [trials], "count": [happened]}),),
    )
