"""Decide which trials are wrong, and whether the structure of the map is to blame."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mehler.verify.checks.structure._finding import Finding, reason_of
from mehler.verify.checks.structure._subject import Subject
from mehler.verify.checks.structure.claim._names import follows_rule, has_rule
from mehler.verify.checks.structure.claim._other_lengths import ASSUMED, MOST_DRAWS, too_short
from mehler.verify.checks.structure.claim._trial import ASSUMED_OF_BETS, Trial

# Factors on the rows that are tried.
_FACTORS = 2.0 ** np.arange(-3.0, 3.01, 0.125)


def jumps(
    trials: Mapping[int, Trial], wrong: Sequence[int], right: Sequence[int], base: int
) -> bool:
    """Whether a common factor at the wrong sizes fits better than a power of the number of columns.

    `trials` are keyed by the number of columns; the claim was made at `base`. A map that divides
    rows by sqrt(d), as attention does, has the claimed kernel at one d only, which is no defect.
    """
    widths = np.array([*wrong, *right])
    logs = np.log([factor_of(trials[d]) for d in widths])
    is_wrong = np.arange(widths.size) < len(wrong)
    columns = np.log(widths / base)
    slope = (logs @ columns) / max(1e-12, float(columns @ columns))
    step = np.where(is_wrong, logs[is_wrong].mean(), 0.0)
    return bool(((logs - step) ** 2).sum() < ((logs - slope * columns) ** 2).sum())


def factor_of(trial: Trial) -> float:
    """Return the factor on the rows at which the claim best fits the mean forms."""
    claims, mean = trial.claims, trial.bets.mean
    kernel: Any = trial.subject.kernel

    def misfit(factor: float) -> float:
        rows = factor * claims.rows
        forms = claims.forms(np.asarray(kernel(rows, rows), dtype=np.float64))
        return float((((forms - mean) / claims.means) ** 2).sum())

    return float(min(_FACTORS, key=misfit))


# A wrong kernel is a structural defect only if it is right at _RIGHT values at least, spanning a
# factor SPAN. Parameters that depend on the size are right near one size only, and small maps
# look right where a defect hides in their scatter.
_RIGHT, SPAN = 3, 4.0
# Values at which a rule is confirmed before the other suspects are assumed to follow it.
_CONFIRMED = 4
# Trials of one family, of two tests each, that share its error rate.
_TRIALS = 32


def pilots(
    subject: Subject, values: Any, make: Callable[[Any, int], Trial], words: str
) -> dict[Any, Trial]:
    """Run a first test at each value; note and skip those that raise."""
    trials = {}
    for k, value in enumerate(values):
        if subject.clock.over:
            subject.notes.skip(words, "time", getattr(value, "__name__", value))
            continue
        try:
            trial = make(value, k)
            trial.pilot()
        except Exception as error:  # a map may refuse a size: noted, no defect
            subject.notes.skip(words, reason_of(error), getattr(value, "__name__", value))
            continue
        trials[value] = trial
    return trials


def judge(
    subject: Subject,
    check: str,
    trials: dict[int, Trial],
    name: Callable[[Sequence[int], Sequence[int]], str],
    told: Callable[[Sequence[int], Sequence[int]], bool],
    reach: float,
) -> list[Finding]:
    """Refute the claim where it is wrong at some values and right at others, far apart.

    Wrong values must not exceed all right ones by more than the factor `reach`, and `told` decides
    whether they make sense as a defect of structure.
    """
    suspected = [value for value, trial in trials.items() if trial.suspicious]
    right = [value for value in trials if value not in suspected]
    if not suspected or not _tells(right, suspected, reach):
        return []
    wrong: list[int] = []
    assumed: list[str] = []
    # Large maps first, since one draw of them has enough columns.
    for value in sorted(suspected, key=lambda each: -trials[each].columns):
        bad, assumption = refuted(subject, trials, value, right)
        if bad:
            wrong.append(value)
            assumed += assumption
        elif not trials[value].suspicious:
            right.append(value)
        if len(wrong) >= _CONFIRMED and has_rule(suspected, right):
            break
    if not wrong:
        return []
    wrong, right = sorted(wrong), sorted(right)
    if not (_tells(right, wrong, reach) and (follows_rule(wrong, right) or told(wrong, right))):
        subject.notes.remark(
            f"the claimed kernel fails at other {check}, {wrong[0]} among them, as that of a map "
            "does whose parameters depend on them"
        )
        return []
    assumes = tuple(dict.fromkeys(assumed))
    return [
        Finding(cause=name(wrong, right), check=check, where={check: wrong[0]}, assumes=assumes)
    ]


def _tells(right: list[int], wrong: list[int], reach: float) -> bool:
    """Whether the kernel is right at enough values, far enough apart."""
    if len(right) < _RIGHT or max(right) < SPAN * min(right):
        return False
    return max(wrong) <= reach * max(right)


def refuted(
    subject: Subject, trials: dict[Any, Trial], value: Any, right: list[Any]
) -> tuple[bool, tuple[str, ...]]:
    """Return whether a trial is refuted, and the assumptions of that."""
    trial = trials[value]
    if trial.infinite:
        return True, ()
    # Half of a family's rate for each of two tests. Pilots decide which trials are repeated, so
    # all of them have to be paid for.
    rate = 0.5 * subject.rate / _TRIALS
    subject.n_tests += 1
    if trial.decide(-math.log(rate)):
        return True, (ASSUMED_OF_BETS,)
    if not trial.short:
        return False, ()
    # The largest map that was right and whose columns can be matched.
    bases = sorted((trials[other] for other in right), key=lambda each: each.columns)
    fitting = [each for each in bases if each.columns <= MOST_DRAWS * trial.columns] or bases[:1]
    if not fitting:
        return False, ()
    subject.n_tests += 1
    return too_short(trial, fitting[-1], rate), (ASSUMED,)
