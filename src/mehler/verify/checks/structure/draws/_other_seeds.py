"""Detect seeds that give the same map: neighbours, single bits, few effective seeds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mehler._plural import counted
from mehler.verify.checks.structure._finding import Finding, reason_of
from mehler.verify.checks.structure._same import all_won
from mehler.verify.checks.structure._subject import Subject
from mehler.verify.checks.structure.one_map import NOTABLE

_CHECK = "other seeds"
# Consecutive seeds, unrelated seeds, and seconds for all of them.
_ROW, _FAR, _SECONDS = 18, 90, 1.0
_STREAM = 11
# Equal draws needed to call a seed ignored, and the fraction of other draws that they rule out.
_ALIKE, _SELDOM = 500, 0.2
# Least columns and rows of draws called the same without a relation between their seeds.
_COLUMNS, _ROWS = 64, 3
# Most pairs of seeds collected.
_SUSPECTS = 400
# Relations tested, which share the error rate.
_RELATIONS = 8
_INDEPENDENT = "draws from different seeds are independent"
_NO_CHANCE = "draws of features that all differ, within draws and between, are not equal by chance"


def check_other_seeds(subject: Subject) -> list[Finding]:
    """Draw small maps from many seeds and look for two that share half of their columns, or all.

    Codes and signs do so by chance, so a relation between two such seeds, a bit or a distance, is
    tested on other seeds: it is refuted if related draws agree where draws swapped between two
    pairs do not, a fair coin if draws are independent. Pairs without relation are refuted only if
    they are the same in full size, and apparently continuous.
    """
    drawn: dict[int, Any] = {}
    start = subject.spent
    for seed in _seeds(subject):
        if subject.clock.over or subject.spent - start > _SECONDS:
            subject.notes.skip("more seeds", f"time: {len(drawn)} were drawn")
            break
        try:
            drawn[seed] = subject.small(seed)
        except Exception as error:  # a library may refuse a seed
            subject.notes.skip("seed", reason_of(error), seed)
    if len(drawn) > 1 and len(_maps(drawn)) == 1:
        return _constant(subject, drawn)
    pairs = _agreeing(drawn)
    for low, high in _telling(pairs):
        for relation in (lambda s, a=low, b=high: s ^ (a ^ b), lambda s, a=low, b=high: s + b - a):
            subject.n_tests += 1
            if all_won(_swaps(subject, relation), subject.rate / _RELATIONS):
                return [_named(drawn, (low, high), _INDEPENDENT)]
    if pairs and _differ(list(_maps(drawn).values())):
        same = next((pair for pair in pairs if _same_in_full(subject, *pair)), None)
        if same is not None:
            return [_named(drawn, same, _NO_CHANCE)]
    return []


def agree(a: Any, b: Any) -> bool:
    """Whether two draws share half of their columns, bit for bit."""
    if a.shape != b.shape:
        return False
    if np.array_equal(a, b):
        return True
    mine, theirs = _columns(a), _columns(b)
    return len(mine) > 1 and 2 * len(mine & theirs) >= len(mine)


def _columns(z: Any) -> frozenset[bytes]:
    """Return the first nonzero columns; more would add nothing."""
    return frozenset(c.tobytes() for c in np.ascontiguousarray(z.T[:_COLUMNS]) if c.any())


def _seeds(subject: Subject) -> Iterator[int]:
    """Yield seeds, most informative first."""
    far = subject.seeds(_STREAM)
    base = far.seed(0)
    listed = [*NOTABLE, *(base ^ (1 << bit) for bit in range(31)), base, *range(2, _ROW)]
    listed += [far.seed(k) for k in range(1, _FAR)]
    yield from dict.fromkeys(listed)


def _maps(drawn: dict[int, Any]) -> dict[bytes, Any]:
    """Return the distinct draws."""
    return {z.tobytes(): z for z in drawn.values()}


def _agreeing(drawn: dict[int, Any]) -> list[tuple[int, int]]:
    """Return pairs of seeds that agree, the smaller seed first, nearest pairs first.

    A lookup of columns finds all pairs in one pass. Where nearly all pairs agree, columns take few
    values, and some of the pairs are enough.
    """
    owners: dict[bytes, list[int]] = {}
    suspects: set[tuple[int, int]] = set()
    for seed in sorted(drawn):
        columns = _columns(drawn[seed])
        common = Counter(other for column in columns for other in owners.get(column, ()))
        for column in columns:
            owners.setdefault(column, []).append(seed)
        suspects |= {(other, seed) for other, n in common.items() if 2 * n >= len(columns)}
        if len(suspects) > _SUSPECTS:
            break
    pairs = [pair for pair in suspects if agree(drawn[pair[0]], drawn[pair[1]])]
    return sorted(pairs, key=lambda pair: (pair[1] - pair[0], pair))


def _telling(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a few pairs whose relations differ."""
    found: dict[int, tuple[int, int]] = {}
    for low, high in pairs:
        found.setdefault(high - low, (low, high))
    return list(found.values())[: _RELATIONS // 2]


def _swaps(subject: Subject, relation: Callable[[int], int]) -> Iterator[int]:
    """Yield whether related draws agree (+1) where swapped ones do not (-1 for the reverse)."""
    far = subject.seeds(_STREAM + 1)
    for k in range(0, 400, 2):
        if subject.clock.over:
            subject.notes.skip("whether seeds that agree do so by chance", "time")
            return
        # Below 2^30, so that a sum is still a valid seed.
        s, u = (far.seed(k + i) >> 1 for i in (0, 1))
        try:
            a, b, c, d = (subject.small(seed) for seed in (s, relation(s), u, relation(u)))
        except Exception as error:  # the related seed may be refused
            subject.notes.skip("seeds related to others", reason_of(error))
            return
        yield int(agree(a, b) or agree(c, d)) - int(agree(a, d) or agree(c, b))


def _constant(subject: Subject, drawn: dict[int, Any]) -> list[Finding]:
    """Return a finding if all seeds gave the same features, unless the estimate is exact."""
    if subject.kernel is not None:
        gram = subject.gram(subject.map(subject.first), subject.rows)
        claim = np.asarray(subject.kernel(*(subject.rows.astype(np.float64),) * 2))
        if np.allclose(gram, claim, rtol=1e-4, atol=1e-4 * float(np.abs(claim).max())):
            subject.notes.remark("no seed changes the features, which are exact")
            return []
    same = next(iter(drawn.values()))
    far, n, start = subject.seeds(_STREAM + 2), len(drawn), subject.spent
    while n < _ALIKE and not subject.clock.over and subject.spent - start < 3.0 * _SECONDS:
        n += 1
        if not np.array_equal(subject.small(far.seed(n)), same):
            return []
    share = -math.expm1(math.log(subject.rate) / n)
    if share > _SELDOM:
        subject.notes.skip("whether any seed changes the features", f"time: {n} draws")
        return []
    assumed = f"a map whose seed matters differs in at least {share:.2g} of its draws"
    cause = "ignores its seed: every seed gives the same features"
    return [Finding(cause=cause, check=_CHECK, assumes=(assumed,))]


def _differ(maps: list[Any]) -> bool:
    """Whether in every row no value occurs twice in all these draws, up to sign."""
    if any(z.dtype.kind != "f" for z in maps):
        return False
    rows = np.abs(np.concatenate(maps, axis=1).astype(np.float64))
    eps = max(float(np.finfo(z.dtype).eps) for z in maps)
    ordered = np.sort(rows, axis=1)
    apart = np.diff(ordered, axis=1) > 4.0 * eps * ordered[:, 1:]
    return int((apart.all(axis=1) & (ordered[:, 0] > 0.0)).sum()) >= min(_ROWS, len(rows))


def _same_in_full(subject: Subject, low: int, high: int) -> bool:
    """Whether two seeds give the same map of many columns with distinct values."""
    a, b = subject.features(low), subject.features(high)
    return a.shape[1] >= _COLUMNS and _differ([a]) and np.array_equal(a, b)


def _named(drawn: dict[int, Any], pair: tuple[int, int], assumed: str) -> Finding:
    """Return the finding that seeds give the same features, with the effective number of seeds."""
    low, high = pair
    a, b = drawn[low], drawn[high]
    if np.array_equal(a, b):
        number = len(_maps(drawn))
        cause = f"seeds {low} and {high} give the same features"
        cause += f": {counted(len(drawn), 'seed')} gave {counted(number, 'map')}"
    else:
        shared = len(_columns(a) & _columns(b))
        cause = f"seeds {low} and {high} share {shared} of {counted(len(_columns(a)), 'feature')}"
    return Finding(cause=cause, check=_CHECK, where={"seeds": pair}, assumes=(assumed,))
