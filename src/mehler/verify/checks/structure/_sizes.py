"""Check the claimed kernel at other sizes, lengths and precisions, and name where it fails."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mehler.verify.checks.structure._subject import Finding, Subject
from mehler.verify.checks.structure._trials import (
    ASSUMED,
    ASSUMED_OF_BETS,
    MIDDLE,
    MOST_DRAWS,
    Trial,
    base_of,
    too_short,
    trial_at,
    trial_like,
)

# Least wrong sizes that follow a rule, and least right sizes that do not.
_MANY, _CLEAR = 3, 3


def has_rule(wrong: Sequence[int], right: Sequence[int]) -> bool:
    """Whether a simple rule separates the wrong sizes from the right ones."""
    return min(wrong) > max(right) or max(wrong) < min(right) or follows_rule(wrong, right)


def follows_rule(wrong: Sequence[int], right: Sequence[int]) -> bool:
    """Whether the rule is about divisors, which no size-dependent parameter follows."""
    return any(_tells(rule, wrong, right) for _, rule in _RULES)


def isolated(wrong: Sequence[int], right: Sequence[int]) -> bool:
    """Whether the wrong sizes are few, or all above or all below the right ones."""
    outside = min(wrong) > max(right) or max(wrong) < min(right)
    return outside or 2 * len(wrong) <= len(right)


def name_rule(what: str, wrong: Sequence[int], right: Sequence[int]) -> str:
    """Return the simplest rule that separates the wrong sizes from the right ones.

    `what` is "features", m, or "columns of X", d.
    """
    letter = "m" if what == "features" else "d"
    fails = "the claimed kernel fails"
    listed = ", ".join(str(n) for n in wrong)
    for words, rule in _RULES:
        if all(rule(n) for n in wrong) and not any(rule(n) for n in right):
            return f"wrong for {words.format(letter)}: {fails} there"
    if min(wrong) > max(right):
        return f"wrong for more than {max(right)} {what}: {fails} at {listed}"
    if max(wrong) < min(right) and len(wrong) > 1:
        return f"wrong for fewer than {min(right)} {what}: {fails} at {listed}"
    for words, rule in _RULES:
        if _tells(rule, wrong, right):
            return f"wrong for {words.format(letter)}: {fails} at {listed}"
    return f"wrong for {letter} = {listed}: {fails} there"


def _tells(rule: Callable[[int], bool], wrong: Sequence[int], right: Sequence[int]) -> bool:
    """Whether a rule holds for all wrong sizes and, as small defects hide, for few right ones."""
    also = sum(rule(n) for n in right)
    if len(wrong) < _MANY or len(right) - also < _CLEAR:
        return False
    return all(rule(n) for n in wrong) and also <= 2 * len(wrong)


def _power(n: int) -> bool:
    return n & (n - 1) == 0


_RULES: tuple[tuple[str, Callable[[int], bool]], ...] = (
    ("even {}", lambda n: n % 2 == 0),
    ("odd {}", lambda n: n % 2 == 1),
    ("{} that is no power of 2", lambda n: not _power(n)),
    ("{} that is a power of 2", _power),
    ("{} that is a multiple of 4", lambda n: n % 4 == 0),
    ("{} that is no multiple of 4", lambda n: n % 4 != 0),
    ("{} that is a multiple of 8", lambda n: n % 8 == 0),
)


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
    """Run a first test at each value that the map does not refuse."""

    def pilot(value: object, k: int) -> Trial:
        trial = make(value, k)
        trial.pilot()
        return trial

    trials = {}
    for k, value in enumerate(values):
        name = getattr(value, "__name__", value)
        trial = subject.in_time(words, pilot, value, k, value=name)
        if trial is not None:
            trials[value] = trial
    return trials


def classify(
    subject: Subject,
    check: str,
    what: str,
    trials: dict[int, Trial],
    sensible: Callable[[Sequence[int], Sequence[int]], bool],
    reach: float,
) -> list[Finding]:
    """Refute the claim where it is wrong at some values and right at others, far apart.

    Wrong values must not exceed all right ones by more than the factor `reach`, and `sensible`
    decides whether they make sense as a defect of structure.
    """
    suspected = [value for value, trial in trials.items() if trial.suspicious]
    right = [value for value in trials if value not in suspected]
    if not suspected or not _wide_enough(right, suspected, reach):
        return []
    wrong: list[int] = []
    assumes: dict[str, None] = {}
    # Large maps first, since one draw of them has enough columns.
    for value in sorted(suspected, key=lambda each: -trials[each].columns):
        assumed = refuted(trials[value], [trials[other] for other in right])
        if assumed is not None:
            wrong.append(value)
            assumes |= dict.fromkeys(assumed)
        elif not trials[value].suspicious:
            right.append(value)
        if len(wrong) >= _CONFIRMED and has_rule(suspected, right):
            break
    if not wrong:
        return []
    wrong, right = sorted(wrong), sorted(right)
    if _wide_enough(right, wrong, reach) and (follows_rule(wrong, right) or sensible(wrong, right)):
        cause, where = name_rule(what, wrong, right), {check: wrong[0]}
        return [Finding(cause=cause, check=check, where=where, assumes=tuple(assumes))]
    subject.notes.remark(
        f"the claimed kernel fails at other {check}, {wrong[0]} among them, as that of a map "
        "does whose parameters depend on them"
    )
    return []


def _wide_enough(right: list[int], wrong: list[int], reach: float) -> bool:
    """Whether the kernel is right at enough values, far enough apart."""
    if len(right) < _RIGHT or max(right) < SPAN * min(right):
        return False
    return max(wrong) <= reach * max(right)


def refuted(trial: Trial, right: list[Trial]) -> tuple[str, ...] | None:
    """Return the assumptions under which a trial is refuted, beside right ones, or None."""
    if trial.infinite:
        return ()
    # Half of a family's rate for each of two tests. Pilots decide which trials are repeated, so
    # all of them have to be paid for.
    rate = 0.5 * trial.subject.rate / _TRIALS
    trial.subject.n_tests += 1
    if trial.decide(-math.log(rate)):
        return (ASSUMED_OF_BETS,)
    # The largest map that was right and whose columns can be matched.
    bases = sorted(right, key=lambda each: each.columns)
    fitting = [each for each in bases if each.columns <= MOST_DRAWS * trial.columns] or bases[:1]
    if not trial.short or not fitting:
        return None
    trial.subject.n_tests += 1
    return (ASSUMED,) if too_short(trial, fitting[-1], rate) else None


INPUTS = (1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 130, 200, 300)
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

    def sensible(wrong: Sequence[int], right: Sequence[int]) -> bool:
        if d0 in wrong:
            # The kernel is refuted anyway; only a failure beyond some width explains that.
            return min(wrong) > max(right)
        return isolated(wrong, right) and jumps(trials, wrong, right, d0)

    return classify(subject, "inputs", "columns of X", trials, sensible, math.inf)


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

    def sensible(wrong: Sequence[int], right: Sequence[int]) -> bool:
        return MIDDLE in right and isolated(wrong, right)

    return classify(subject, "sizes", "features", trials, sensible, SPAN)


_FITS = 500


def check_precision(subject: Subject) -> list[Finding]:
    """Test the claim on maps drawn for single-precision rows."""
    base = base_of(subject)
    if subject.rows.dtype != np.float64 or base.suspicious:
        return []

    def drawn(dtype: object, k: int) -> Trial:
        return trial_like(base, base.n_features, _FITS, dtype)

    trial = pilots(subject, [np.float32], drawn, "rows of dtype").get(np.float32)
    assumed = refuted(trial, [base]) if trial is not None and trial.suspicious else None
    if assumed is None:
        return []
    cause = "wrong for float32 rows: the claimed kernel fails there"
    return [Finding(cause=cause, check="precision", assumes=assumed)]


def check_other_rows(subject: Subject) -> list[Finding]:
    """Test the claim on maps fitted to other rows, longer and shorter ones."""
    if subject.redraw is None or not subject.domain.scalable:
        return []
    rows, seed = subject.rows, subject.first
    here = subject.features_for(seed, rows)
    for k, factor in enumerate((3.0, 1.0 / 3.0)):
        if subject.domain.cube and factor > 1.0:
            continue
        others = (factor * rows[::-1]).astype(rows.dtype)
        what = "maps fitted on other rows"
        there = subject.attempt(what, subject.features_for, seed, others, None, rows)
        if there is None or np.array_equal(there, here):
            continue
        base = base_of(subject)
        own, other = (
            trial_like(base, base.n_features, stream, fitted=fitted)
            for stream, fitted in ((_FITS + 10 + k, rows), (_FITS + 20 + k, others))
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


NORMS = (0.1, 0.3, 1.0, 2.5, 5.0, 10.0)
_STREAM_OF_LENGTHS = 800


def check_lengths(subject: Subject) -> list[Finding]:
    """Test the claimed kernel at rows of length 0.1 to 10."""
    domain = subject.domain
    if not domain.scalable:
        subject.notes.skip("rows of other lengths", "the given ones are normalised or whole")
        return []
    if base_of(subject).suspicious:
        # A kernel that is wrong at the base is no matter of length.
        return []
    size = MIDDLE if subject.resizable else None
    trials = pilots(
        subject,
        dict.fromkeys(domain.longest(subject.rows, norm) for norm in NORMS),
        lambda norm, k: trial_at(subject, domain.n_inputs, norm, size, _STREAM_OF_LENGTHS + k),
        "rows of length",
    )
    for norm in [norm for norm, trial in trials.items() if trial.infinite]:
        subject.notes.remark(f"features of rows of length {norm:g} are not finite")
        del trials[norm]
    suspected = [norm for norm, trial in trials.items() if trial.promising]
    if not suspected or len(suspected) == len(trials):
        return []
    level = -math.log(subject.rate / len(NORMS))
    subject.n_tests += len(suspected)
    wrong = [norm for norm in suspected if trials[norm].decide(level)]
    right = [norm for norm in trials if not trials[norm].promising]
    if not wrong or not right:
        return []
    cause = _name_lengths(subject, wrong, right)
    where = {"norm": wrong[0]}
    return [Finding(cause=cause, check="lengths", where=where, assumes=(ASSUMED_OF_BETS,))]


def _name_lengths(subject: Subject, wrong: list[float], right: list[float]) -> str:
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
    apart = subject.apart(z, z[[-1] * len(z)])
    if apart.size == 0 or apart[-1] >= len(grid) - 2:
        return None
    return float(grid[apart[-1] + 1])
