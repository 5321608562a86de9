"""Check that one seed gives one map: drawn again, with others in between, in another process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mehler.verify.checks.structure._finding import Finding, reason_of
from mehler.verify.checks.structure._same import rows_apart
from mehler.verify.checks.structure._subject import Subject

# (seed, rows) -> features, computed by a fresh process.
Elsewhere = Callable[[int, Any], Any]

# Seeds that code often treats as missing, or that exceed 8, 31 or 32 bits.
NOTABLE = (0, 1, 2**8, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
_CHECK = "same seed"


def check_same_seed(subject: Subject) -> list[Finding]:
    """Draw some seeds, then all of them again: equal features, up to rounding.

    A map drawn before all of them must not change meanwhile.
    """
    earlier = subject.map(subject.first)
    its = subject.call(earlier, subject.rows)
    first: dict[int, Any] = {}
    for seed in (subject.first, *NOTABLE):
        try:
            first[seed] = subject.features(seed)
        except Exception as error:  # a library may refuse a seed
            subject.notes.skip("seed", reason_of(error), seed)
    if _differs(subject, subject.call(earlier, subject.rows), its):
        cause = "a map changes when another one is drawn: they share their weights"
        return [Finding(cause=cause, check=_CHECK, where={"seed": subject.first})]
    other = [seed for seed, z in first.items() if _differs(subject, subject.features(seed), z)]
    if not other:
        return []
    if len(other) == len(first):
        cause = "ignores its seed: two draws of one seed differ"
    elif other == [0]:
        cause = "seed 0 is not a seed: two draws differ"
    else:
        listed = ", ".join(str(seed) for seed in other)
        cause = f"seed {listed} is not a seed: two draws differ"
    return [Finding(cause=cause, check=_CHECK, where={"seed": other[0]})]


def check_elsewhere(subject: Subject, elsewhere: Elsewhere) -> list[Finding]:
    """Draw one seed in a fresh process, where string hashes differ."""
    here = subject.features(subject.first)
    try:
        there = elsewhere(subject.first, subject.rows)
    except Exception as error:  # no process, failed import, or no time
        subject.notes.skip("a fresh process", reason_of(error))
        return []
    if not _differs(subject, there, here):
        return []
    cause = "a fresh process draws other features from the same seed"
    return [Finding(cause=cause, check="fresh process", where={"seed": subject.first})]


def _differs(subject: Subject, a: Any, b: Any) -> bool:
    return bool(rows_apart(a, b, subject.rows.shape[1]).size)
