"""Verdict on maps whose estimates are the same for every seed."""

from __future__ import annotations

import math
from typing import Any

from mehler.verify._verdict import Status, Verdict
from mehler.verify._zero_failures import CheckOptions
from mehler.verify.checks.convergence._variance_at_size import PILOT, VarianceAtSize
from mehler.verify.sampling._draw_groups import GROUP


def unmoved(
    asked: CheckOptions,
    sides: list[VarianceAtSize],
    pilots: list[Any],
    sizes: tuple[int, int],
    seed: int,
) -> Verdict:
    """Refute features that are the same for every seed; leave equal estimates open."""
    shown = float(pilots[0].flat[0])
    # Equal estimates are no evidence: cosine-sine features have length 1 in every draw, and events
    # may be rare. Features that agree in every bit are evidence.
    fixed = sides[0].is_fixed(GROUP)
    status: Status = "refuted" if fixed else "inconclusive"
    return Verdict(
        status=status,
        check=asked.name,
        claim="estimates vary over seeds, with a variance that falls as 1/n_features",
        observed=0.0,
        exact=1.0,
        interval=(0.0, 0.0) if fixed else (0.0, math.inf),
        n_features=PILOT * GROUP * (sides[0].m + sides[1].m),
        n_draws=2 * PILOT * GROUP,
        n_looks=2,
        false_alarm=asked.false_alarm,
        resolution=asked.resolution,
        detectable=sizes[1] / sizes[0] - 1.0 if fixed else math.inf,
        miss=asked.miss,
        method="equality of features" if fixed else "equality of estimates",
        assumptions=("random features differ from seed to seed",),
        where={"sizes": f"{sizes[0]}, {sizes[1]}", "estimate": shown},
        seeds={"seed": seed},
        reason="All seeds gave the same features: the seed is ignored, or nothing is random."
        if fixed
        else "All seeds gave the same estimates at all pairs, though not the same features: give "
        "rows at which estimates vary.",
    )
