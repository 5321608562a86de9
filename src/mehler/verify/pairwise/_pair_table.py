"""What a verdict on a kernel shows beside its worst pair: the other pairs, and an ignored seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._words import counted
from mehler.verify._pair_table import MOST_ROWS, PairRow, PairTable
from mehler.verify._verdict import Status
from mehler.verify.pairwise._measurement import Measurement, MeasurementSpec
from mehler.verify.sampling._output import call

# From the best outcome of a pair to the worst.
_STATUSES: tuple[Status, ...] = ("holds", "inconclusive", "refuted")
# Seeds whose features must all be equal before a draw is said to ignore its seed.
_ALIKE = 20


def pair_table(
    plan: MeasurementSpec,
    measured: Measurement,
    refuted: Any,
    outside: Any,
    width: Any,
    worst: int,
    status: Status,
) -> PairTable:
    """Return the pairs, the worst first: refuted ones, open ones, then the farthest off."""
    pairs = plan.pairs
    rank = np.where(refuted, 2, np.where(outside | ~(width <= plan.resolution), 1, 0))
    # Evidence of another form than an interval: a squared length, a sample out of bounds.
    rank[worst] = max(rank[worst], _STATUSES.index(status))
    off = measured.observed - pairs.claim
    ranked = np.lexsort((-np.nan_to_num(np.abs(off), nan=np.inf), -rank))
    order = [worst, *(int(k) for k in ranked if k != worst)][:MOST_ROWS]
    rows = tuple(
        PairRow(
            pair=(int(pairs.first[k]), int(pairs.second[k])),
            exact=float(pairs.claim[k] * pairs.unit[k]),
            measured=float(measured.observed[k] * pairs.unit[k]),
            interval=(
                float(measured.low[k] * pairs.unit[k]),
                float(measured.high[k] * pairs.unit[k]),
            ),
            off=float(off[k]),
            status=_STATUSES[rank[k]],
        )
        for k in order
    )
    counts = {name: int((rank == k).sum()) for k, name in enumerate(_STATUSES)}
    return PairTable(rows, dict(reversed(counts.items())))


def ignored_seed(plan: MeasurementSpec) -> str:
    """Say so if the draws of many seeds are the same in every bit; nothing otherwise."""
    rows = plan.pairs.left
    first = np.array(call(plan.draws[0], rows))  # a copy, which no later call overwrites
    for k in range(1, _ALIKE):
        if not np.array_equal(call(plan.draws[k], rows), first):
            return ""
    return f"draw ignores its seed: {counted(_ALIKE, 'seed')} gave the same features"
