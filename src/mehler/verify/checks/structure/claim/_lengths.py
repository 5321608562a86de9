"""Detect features that are too short at one size and right at another."""

from __future__ import annotations

import numpy as np

from mehler.verify.checks.structure._coins import mostly
from mehler.verify.checks.structure.claim._trial import Trial

# Lengths are too short if blocks of equally many columns are smaller by this factor in nearly all
# draws. For a correct map they are in at most a fraction _CHANCE: half if columns have one law at
# both sizes, and the rest is for laws of another shape.
_SHARE, _CHANCE = 0.9, 0.6
# Most draws of the smaller map in one block.
MOST_DRAWS = 12
ASSUMED = (
    "where the claim holds at two sizes, squared lengths over equally many columns are smaller by "
    "a tenth at one of them in at most 60 % of draws"
)


def too_short(trial: Trial, base: Trial, rate: float) -> bool:
    """Compare fresh draws of a trial and of the base, at equal numbers of columns.

    No tail bound is needed, but an event too rare to be seen could still meet the claim. That the
    base meets it at as many columns speaks against that; the assumption says so.
    """
    ratio = base.columns / max(1, trial.columns)
    mine, theirs = (round(max(1.0, min(r, MOST_DRAWS))) for r in (ratio, 1.0 / ratio))
    ends = [len(trial.lengths), len(base.lengths)]

    def won(k: int) -> bool:
        if trial.subject.clock.over:
            return False
        for each, count in ((trial, mine), (base, theirs)):
            each.run(each.n + count)
        if len(trial.lengths) < ends[0] + mine or len(base.lengths) < ends[1] + theirs:
            return False
        ends[:] = [len(trial.lengths), len(base.lengths)]
        own = np.mean(trial.lengths[-mine:])
        return bool(own < _SHARE * np.mean(base.lengths[-theirs:]))

    return mostly(won, _CHANCE, rate)
