"""Check the claimed kernel at other sizes and precisions, and for columns that are not used."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mehler._plural import be, counted
from mehler.verify.checks.structure._same import apart
from mehler.verify.checks.structure._subject import Finding, Subject, reason_of
from mehler.verify.checks.structure._trials import (
    ASSUMED,
    ASSUMED_OF_BETS,
    MIDDLE,
    MOST_DRAWS,
    Trial,
    base_of,
    follows_rule,
    gram_of,
    has_rule,
    isolated,
    name_inputs,
    name_sizes,
    too_short,
    trial_at,
    trial_like,
)
from mehler.verify.intervals._nonnegative import Excess

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


INPUTS = (1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 130, 200)
# Both parities at every order of magnitude; failures beyond all right sizes follow no rule.
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 32, 63, 64, 65, 100, 127, 128, 129, 254, 255, 1000, 1001)
_STREAM_OF_SIZES = 100


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
        lambda d, k: trial_at(subject, d, norm, size, _STREAM_OF_SIZES + k),
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
        lambda m, k: trial_like(base, m, _STREAM_OF_SIZES + 200 + k),
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


_CHECK = "unused columns"
_STREAM_OF_UNUSED = 900
# Further widths, one odd and one even, if maps can be drawn for them.
_WIDE = (129, 130)
# Draws of the first test; draws that must confirm a suspicion; most draws of bets; and the
# fraction of draws that may use a column undetected by the last resort.
_PILOT, _AGAIN, _BETS, _SELDOM = 2, 4, 200, 0.01
_POINTS = 8
# Most features of one call.
_ENTRIES = 1 << 22


def check_unused(subject: Subject) -> list[Finding]:
    """Change one column of X after the other, then all those without effect at once.

    Where the kernel claims that such rows are far apart, the sum of their equal features is longer
    than claimed, and bets on that decide. Else thousands of draws do.
    """
    if subject.kernel is None or not subject.domain.scalable:
        return []
    own = subject.domain.n_inputs
    wide = []
    for d in dict.fromkeys((own, *_WIDE)):
        if subject.clock.over:
            subject.notes.skip("whether all columns of X are used, d", "time", d)
            continue
        try:
            found = _at(subject, d)
        except Exception as error:  # a map may refuse a width: noted, no defect
            subject.notes.skip("whether all columns of X are used, d", reason_of(error), d)
            continue
        if d == own and found:
            return found
        if d != own:
            wide.append(found)
    # A finding at one of two widths is better described by the wrong numbers of columns.
    listed = [one for found in wide for one in found]
    return [replace(one, late=len(listed) < len(wide)) for one in listed[-1:]]


def _at(subject: Subject, d: int) -> list[Finding]:
    if d < 2:
        return []
    rng = np.random.default_rng([subject.seed, _STREAM_OF_UNUSED, d])
    domain = subject.domain
    base = domain.keep(rng.standard_normal((1, d)), domain.norm)
    base = domain.keep(domain.norm * base / np.linalg.norm(base), domain.norm)
    seeds = subject.seeds(_STREAM_OF_UNUSED)
    unused = np.ones(d, dtype=bool)
    for k in range(_PILOT):
        unused &= _without_effect(subject, seeds.seed(k), base)
        if not unused.any():
            return []
    rows = np.repeat(base, _POINTS, axis=0)
    others = domain.norm * rng.standard_normal((_POINTS - 1, d)) / math.sqrt(d)
    rows[1:, unused] = (np.abs(others) if domain.nonnegative else others)[:, unused]
    if domain.cube:
        rows = np.minimum(rows, 1.0)
    for k in range(_PILOT, _PILOT + _AGAIN):
        if not _equal(_features(subject, seeds.seed(k), rows)):
            return []
    claim = gram_of(subject.kernel, rows)
    if not _far(claim):
        return []
    assumed = _bets(subject, rows, claim) or _many(subject, rows)
    if not assumed:
        return []
    where = {"columns": [int(j) for j in np.flatnonzero(unused)][:20]}
    return [Finding(cause=_words(unused), check=_CHECK, where=where, assumes=(assumed,))]


def _without_effect(subject: Subject, seed: int, base: Any) -> Any:
    """Return a mask of the columns that one draw does not use, a block of columns at a time."""
    d = base.shape[1]
    phi = subject.map_for(seed, base)
    plain = subject.call(phi, base)
    other = _elsewhere(base[0])
    found = np.ones(d, dtype=bool)
    size = max(1, _ENTRIES // plain.shape[1])
    for start in range(0, d, size):
        columns = np.arange(start, min(d, start + size))
        moved = np.repeat(base, columns.size, axis=0)
        moved[np.arange(columns.size), columns] = other[columns]
        found[columns] = _near(subject.call(phi, moved), plain)
    return found


def _features(subject: Subject, seed: int, rows: Any) -> Any:
    return subject.call(subject.map_for(seed, rows), rows)


def _elsewhere(row: Any) -> Any:
    """Return another value for each entry, of the same size and sign."""
    return 0.5 * row + 0.25 * np.abs(row).max() * np.where(row < 0.0, -1.0, 1.0)


def _near(z: Any, first: Any) -> Any:
    """Return a mask of the rows whose features equal those of the first, up to rounding."""
    return ~apart(z, np.repeat(first, len(z), axis=0), z.shape[1]).any(axis=1)


def _equal(z: Any) -> bool:
    return bool(_near(z, z[:1]).all())


def _far(claim: Any) -> bool:
    """Whether rows that differ only in these columns are claimed to have different features."""
    gap = np.diag(claim) + claim[0, 0] - 2.0 * claim[0]
    return bool(gap.max() > 1e-3 * claim[0, 0])


def _bets(subject: Subject, rows: Any, claim: Any) -> str:
    """Bet on the length of the sum of all rows' features."""
    unit = np.sqrt(np.diag(claim))
    scaled = claim / (unit[:, None] * unit[None, :])
    allowance = 0.25 * subject.resolution * len(rows) ** 2
    bets = Excess(np.array([scaled.sum() + allowance]))
    seeds = subject.seeds(_STREAM_OF_UNUSED + 1)
    level = -math.log(0.5 * subject.rate)
    subject.n_tests += 1
    for k in range(_BETS):
        phi = subject.map_for(seeds.seed(k), rows)
        gram = subject.gram(phi, rows)
        bets.add(np.array([max(0.0, float((gram / (unit[:, None] * unit)).sum()))]))
        wealth = float(bets.log_wealth[0])
        if wealth >= level:
            return ASSUMED_OF_BETS
        if (k >= 20 and wealth < 0.1 * k) or subject.clock.over:
            return ""
    return ""


def _many(subject: Subject, rows: Any) -> str:
    """Draw until columns used in one draw of a hundred would have been seen."""
    n = math.ceil(math.log(0.5 * subject.rate) / math.log1p(-_SELDOM))
    seeds = subject.seeds(_STREAM_OF_UNUSED + 2)
    subject.n_tests += 1
    size = 8 if subject.resizable else None
    for k in range(n):
        if subject.clock.over:
            subject.notes.skip("whether columns that change nothing are ever used", "time")
            return ""
        phi = subject.map_for(seeds.seed(k), rows, size)
        if not _equal(subject.call(phi, rows)):
            return ""
    return f"columns that are used are used in more than {_SELDOM:.0%} of draws"


def _words(unused: Any) -> str:
    """Describe the columns that change nothing."""
    index = np.flatnonzero(unused)
    first, last, d = int(index[0]), int(index[-1]), unused.size
    if index.size == last - first + 1:
        listed = f"column {first} changes" if first == last else f"columns {first} to {last} change"
        if last == d - 1:
            return f"the first {counted(first, 'column')} only {be(first)} used: {listed} nothing"
        if first == 0:
            used = d - last - 1
            return f"the last {counted(used, 'column')} only {be(used)} used: {listed} nothing"
        return f"{listed} nothing"
    listed = ", ".join(str(j) for j in index[:5]) + (", ..." if index.size > 5 else "")
    return f"{index.size} of {counted(d, 'column')} of X change nothing: {listed}"
