"""The claimed kernel at the given size, in single precision and on rows not used for fitting."""

from __future__ import annotations

import math

import numpy as np

from mehler.verify.checks.structure._finding import Finding, reason_of
from mehler.verify.checks.structure._subject import Subject
from mehler.verify.checks.structure.claim._judge import pilots, refuted
from mehler.verify.checks.structure.claim._trial import ASSUMED_OF_BETS, base_of, trial_like

_STREAM = 500


def check_precision(subject: Subject) -> list[Finding]:
    """Test the claim on maps drawn for single-precision rows."""
    base = base_of(subject)
    if subject.rows.dtype != np.float64 or base.suspicious:
        return []
    trials = pilots(
        subject,
        [np.float32],
        lambda dtype, k: trial_like(base, base.n_features, _STREAM, dtype),
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
            for stream, fitted in ((_STREAM + 10 + k, rows), (_STREAM + 20 + k, others))
        )
        for trial in (own, other):
            trial.pilot()
        if own.suspicious or not other.promising:
            continue
        subject.looks += 1
        if other.decide(math.log(2.0 / subject.rate)):
            cause = "the claimed kernel fails on rows that the map was not fitted on"
            return [Finding(cause=cause, check="other rows", assumes=(ASSUMED_OF_BETS,))]
    return []
