"""Re-test suspicions raised by a pilot-based interval, with a guaranteed one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from mehler.verify._verdict import Verdict
from mehler.verify.pairwise._measurement import Measurement, MeasurementSpec
from mehler.verify.pairwise._worst_pair import verdict_of_worst_pair
from mehler.verify.sampling._choose_source import GROUP
from mehler.verify.sampling._sources import BLOCK
from mehler.verify.undeclared._nonnegative import Nonnegative, sizes


def with_guarantee(
    whole: MeasurementSpec, plan: MeasurementSpec, suspected: Measurement, name: str, reason: str
) -> tuple[Verdict, Measurement | None]:
    """Refute a suspicion based on a pilot only by an interval with a guarantee, else leave it open.

    `whole` is the full budget, `plan` the part that raised the suspicion, `reason` the text where
    nothing is refuted. Returns the verdict, and the measurement that refutes or None.
    """
    sure = _confirmed(whole)
    found = verdict_of_worst_pair(whole, sure, name, None)
    if found.status == "refuted":
        return found, sure
    return verdict_of_worst_pair(
        plan, replace(suspected, may_refute=False, note=reason), name, None
    ), None


def _confirmed(plan: MeasurementSpec) -> Measurement:
    """Draw until guaranteed intervals refute a claim, or more draws would not help.

    Samples are nonnegative, in units of their claims. The asymptotic interval only raised a
    suspicion.
    """
    pairs, source = plan.pairs, plan.source
    rate = plan.false_alarm / pairs.n
    seen, drawn = Nonnegative(pairs.claim, rate, plan.resolution, of=GROUP), 0
    for target in sizes(rate, cheap=source.per_draw > 1):
        until = plan.affordable(target)
        if until == drawn and drawn:
            continue
        while drawn < until and not (drawn and plan.clock.over):
            phi = plan.draws[drawn]
            step = max(1, BLOCK // source.per_draw)
            blocks = [
                source.samples(phi, np.arange(start, min(start + step, pairs.n)))
                for start in range(0, pairs.n, step)
            ]
            seen.add(np.concatenate(blocks, axis=1))
            drawn += 1
        ends = seen.look()
        refuted = ends.refuted(pairs.claim, plan.floor)
        if refuted.any() or plan.clock.over:
            break
    # Means that are too large first, since refuting them takes no assumption.
    larger = refuted & (ends.low > pairs.claim)
    return Measurement(
        observed=ends.mean,
        low=ends.low,
        high=ends.high,
        n_draws=drawn,
        n_intervals=3 * pairs.n,
        detectable=math.inf,
        needed=0,
        method=ends.method(larger.any()),
        assumptions=ends.assumptions(larger.any()),
        may_refute=larger if larger.any() else refuted,
        statistics=(seen.statistics(),),
    )
