"""The claimed kernel at longer and shorter rows: clipped, saturated, or simply wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler.verify.checks.structure._finding import Finding, reason_of
from mehler.verify.checks.structure._same import mostly, rows_apart
from mehler.verify.checks.structure._subject import Subject
from mehler.verify.checks.structure.claim._trial import (
    ASSUMED_OF_BETS,
    MIDDLE,
    Trial,
    base_of,
    trial_at,
)

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


NORMS = (0.1, 0.3, 1.0, 2.5, 5.0, 10.0)
_STREAM = 800


def check_lengths(subject: Subject) -> list[Finding]:
    """Test the claimed kernel at rows of length 0.1 to 10."""
    domain = subject.domain
    if not domain.scalable:
        subject.notes.skip("rows of other lengths", "the given ones are normalised or whole")
        return []
    if base_of(subject).suspicious:
        # A kernel that is wrong at the base is no matter of length.
        return []
    trials: dict[float, Trial] = {}
    size = MIDDLE if subject.resizable else None
    for k, norm in enumerate(dict.fromkeys(domain.longest(subject.rows, n) for n in NORMS)):
        if subject.clock.over:
            subject.notes.skip("rows of length", "time", f"{norm:g}")
            continue
        try:
            trial = trial_at(subject, domain.n_inputs, norm, size, _STREAM + k)
            trial.pilot()
        except Exception as error:  # a map may refuse: noted, no defect
            subject.notes.skip("rows of length", reason_of(error), f"{norm:g}")
            continue
        if trial.infinite:
            subject.notes.remark(f"features of rows of length {norm:g} are not finite")
            continue
        trials[norm] = trial
    suspected = [norm for norm, trial in trials.items() if trial.promising]
    if not suspected or len(suspected) == len(trials):
        return []
    level = -math.log(subject.rate / len(NORMS))
    subject.n_tests += len(suspected)
    wrong = [norm for norm in suspected if trials[norm].decide(level)]
    right = [norm for norm in trials if not trials[norm].promising]
    if not wrong or not right:
        return []
    where = {"norm": wrong[0]}
    cause = _name(subject, wrong, right)
    return [Finding(cause=cause, check="lengths", where=where, assumes=(ASSUMED_OF_BETS,))]


def _name(subject: Subject, wrong: list[float], right: list[float]) -> str:
    if min(wrong) > max(right):
        clipped = _clipped(subject, max(wrong))
        return clipped or f"wrong for rows longer than {max(right):g}: the claimed kernel fails"
    if max(wrong) < min(right):
        return f"wrong for rows shorter than {min(right):g}: the claimed kernel fails"
    listed = ", ".join(f"{norm:g}" for norm in wrong)
    return f"wrong for rows of length {listed}: the claimed kernel fails"


def _clipped(subject: Subject, norm: float) -> str:
    """Find the length beyond which rows in one direction have constant features."""
    d = subject.domain.n_inputs
    diagonal = np.full(d, 1.0 / math.sqrt(d))
    axis = np.zeros(d)
    axis[0] = 1.0
    along, beside = (_end(subject, direction, norm) for direction in (axis, diagonal))
    if along is None:
        return ""
    # Entries are clipped, not norms, if rows along the diagonal may be longer than on an axis.
    entries = beside is None or beside > 1.1 * along
    return f"{'entries larger' if entries else 'rows longer'} than {along:.3g} are clipped"


def _end(subject: Subject, direction: Any, norm: float) -> float | None:
    phi = subject.map(subject.first)
    grid = np.linspace(0.0, norm, 401)[1:]
    rows = grid[:, None] * direction
    try:
        z = subject.call(phi, rows)
    except Exception:  # the kernel fails there, whatever this says
        return None
    off = rows_apart(z, z[[-1] * len(z)], rows.shape[1])
    if off.size == 0 or off[-1] >= len(grid) - 2:
        return None
    return float(grid[off[-1] + 1])
