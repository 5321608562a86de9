"""The claimed kernel at other sizes, in single precision, and on rows not used for fitting."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mehler.verify.checks.structure._finding import Finding, reason_of
from mehler.verify.checks.structure._subject import Subject
from mehler.verify.checks.structure.claim._judge import SPAN, judge, jumps, pilots, refuted
from mehler.verify.checks.structure.claim._names import isolated, name_inputs, name_sizes
from mehler.verify.checks.structure.claim._trial import (
    ASSUMED_OF_BETS,
    MIDDLE,
    base_of,
    trial_at,
    trial_like,
)

INPUTS = (1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 130, 200)
# Both parities at every order of magnitude; failures beyond all right sizes follow no rule.
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 32, 63, 64, 65, 100, 127, 128, 129, 254, 255, 1000, 1001)
_STREAM = 100


def check_inputs(subject: Subject) -> list[Finding]:
    """Test the claim at other numbers of columns of X, odd and even, below and beyond 64."""
    d0, norm = subject.domain.n_inputs, subject.domain.norm
    size = MIDDLE if subject.resizable else None
    if subject.domain.discrete:
        subject.notes.skip("other numbers of columns of X", "the rows hold whole numbers")
        return []
    values = sorted({*INPUTS, max(1, d0 // 2), d0, d0 + 1, 2 * d0})
    trials = pilots(
        subject,
        values,
        lambda d, k: trial_at(subject, d, norm, size, _STREAM + k),
        "maps of columns of X, d",
    )
    others = [d for d in trials if d > 1 and d != d0]
    if not others:
        # If besides only rows of one column are accepted, they are broadcast.
        trials.pop(1, None)

    def told(wrong: Sequence[int], right: Sequence[int]) -> bool:
        if d0 in wrong:
            # The kernel is refuted anyway; only a failure beyond some width explains that.
            return min(wrong) > max(right)
        return isolated(wrong, right) and jumps(trials, wrong, right, d0)

    return judge(subject, "inputs", trials, name_inputs, told, math.inf)


def check_sizes(subject: Subject) -> list[Finding]:
    """Test the claim at other numbers of features."""
    if not subject.resizable:
        return []
    base = base_of(subject)
    trials = pilots(
        subject,
        sorted({*SIZES, MIDDLE}),
        lambda m, k: trial_like(base, m, _STREAM + 200 + k),
        "maps of features, m",
    )

    def told(wrong: Sequence[int], right: Sequence[int]) -> bool:
        return MIDDLE in right and isolated(wrong, right)

    return judge(subject, "sizes", trials, name_sizes, told, SPAN)


_GIVEN_STREAM = 500


def check_precision(subject: Subject) -> list[Finding]:
    """Test the claim on maps drawn for single-precision rows."""
    base = base_of(subject)
    if subject.rows.dtype != np.float64 or base.suspicious:
        return []
    trials = pilots(
        subject,
        [np.float32],
        lambda dtype, k: trial_like(base, base.n_features, _GIVEN_STREAM, dtype),
        "rows of dtype",
    )
    if np.float32 not in trials or not trials[np.float32].suspicious:
        return []
    bad, assumed = refuted(subject, {**trials, "base": base}, np.float32, ["base"])
    if not bad:
        return []
    cause = "wrong for float32 rows: the claimed kernel fails there"
    return [Finding(cause=cause, check="precision", assumes=assumed)]


def check_other_rows(subject: Subject) -> list[Finding]:
    """Test the claim on maps fitted to other rows, longer and shorter ones."""
    if subject.redraw is None or not subject.domain.scalable:
        return []
    rows, seed = subject.rows, subject.first
    here = subject.call(subject.map_for(seed, rows), rows)
    for k, factor in enumerate((3.0, 1.0 / 3.0)):
        if subject.domain.cube and factor > 1.0:
            continue
        others = (factor * rows[::-1]).astype(rows.dtype)
        try:
            there = subject.call(subject.map_for(seed, others), rows)
        except Exception as error:  # a map may refuse: noted, no defect
            subject.notes.skip("maps fitted on other rows", reason_of(error))
            continue
        if there.shape == here.shape and np.array_equal(there, here):
            continue
        base = base_of(subject)
        own, other = (
            trial_like(base, base.n_features, stream, fitted=fitted)
            for stream, fitted in ((_GIVEN_STREAM + 10 + k, rows), (_GIVEN_STREAM + 20 + k, others))
        )
        for trial in (own, other):
            trial.pilot()
        if own.suspicious or not other.promising:
            continue
        subject.n_tests += 1
        if other.decide(math.log(2.0 / subject.rate)):
            cause = "the claimed kernel fails on rows that the map was not fitted on"
            return [Finding(cause=cause, check="other rows", assumes=(ASSUMED_OF_BETS,))]
    return []
