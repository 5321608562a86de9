"""Suspicions that rest on a pilot, looked at again: variances are known not to be negative."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from mehler.verify._verdict import Verdict
from mehler.verify.pairwise._measurement import Measurement, Plan
from mehler.verify.pairwise._worst_pair import judge
from mehler.verify.sampling._draw_groups import GROUP
from mehler.verify.sampling._sources import BLOCK
from mehler.verify.undeclared._nonnegative import Nonnegative, sizes


def with_guarantee(
    whole: Plan, plan: Plan, suspected: Measurement, name: str, reason: str
) -> tuple[Verdict, Measurement | None]:
    """Refute what a pilot's interval excludes only by an interval with a guarantee.

    Parameters
    ----------
    whole, plan : Plan
        All that may be spent, and what the suspicion was spent of.
    suspected : Measurement
    name, reason : str
        Of the check, and why it is open where nothing is refuted.

    Returns
    -------
    Verdict, Measurement or None
        Refuted, with what refutes it, or open.
    """
    sure = _confirmed(whole)
    found = judge(whole, sure, name, None)
    if found.status == "refuted":
        return found, sure
    return judge(plan, replace(suspected, may_refute=False, note=reason), name, None), None


def _confirmed(plan: Plan) -> Measurement:
    """Draw until intervals with a guarantee refute a claim, or more would not help.

    Samples are not negative, in units of their claims. An interval that is right only in the
    limit raises a suspicion; this decides whether it is true.
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
    # What is too large first: its refutation assumes nothing.
    larger = refuted & (ends.low > pairs.claim)
    return Measurement(
        observed=ends.mean,
        low=ends.low,
        high=ends.high,
        n_draws=drawn,
        n_looks=3 * pairs.n,
        detectable=math.inf,
        needed=0,
        method=ends.method(larger.any()),
        assumptions=ends.assumptions(larger.any()),
        may_refute=larger if larger.any() else refuted,
    )
