"""Detect columns of X that change nothing."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from mehler._plural import be, counted
from mehler.verify.checks.structure._finding import Finding, reason_of
from mehler.verify.checks.structure._same import apart
from mehler.verify.checks.structure._subject import Subject
from mehler.verify.checks.structure.claim._claims import gram_of
from mehler.verify.checks.structure.claim._trial import ASSUMED_OF_BETS
from mehler.verify.intervals._excess import Excess

_CHECK = "unused columns"
_STREAM = 900
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
    rng = np.random.default_rng([subject.seed, _STREAM, d])
    domain = subject.domain
    base = domain.keep(rng.standard_normal((1, d)), domain.norm)
    base = domain.keep(domain.norm * base / np.linalg.norm(base), domain.norm)
    seeds = subject.seeds(_STREAM)
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
    seeds = subject.seeds(_STREAM + 1)
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
    seeds = subject.seeds(_STREAM + 2)
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
