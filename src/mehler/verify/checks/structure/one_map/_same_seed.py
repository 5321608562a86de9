"""Draw the same map again: by seed, in another process, or from rows in other layouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import (
    disturb_global_state,
    global_states,
    has_float64,
    place_of,
    set_global_states,
)
from mehler.verify.checks.structure._finding import Finding, reason_of
from mehler.verify.checks.structure._same import rows_apart
from mehler.verify.checks.structure._subject import Subject

_GLOBAL = "global random state"
# Constructors of PyTorch modules draw weights that are then overwritten, which maps cannot avoid;
# no feature depends on them.
_MOVED_BY_CONSTRUCTORS = ("torch", "torch.cuda")


def check_global_state(subject: Subject) -> list[Finding]:
    """Draw and call the map from other global states, and compare the states afterwards.

    A library that seeds a global generator inside ``draw(seed)`` leaves it in a state independent
    of the one before; that is remarked, and no defect. Run this after other draws, so that effects
    of a first import are not attributed to the map.
    """
    before = global_states()
    try:
        first = subject.features(subject.first)
        after = global_states()
        set_global_states(before)
        if rows_apart(subject.features(subject.first), first, subject.rows.shape[1]).size:
            return []  # drawn from system entropy, not from these states
        found = []
        for name, state in before.items():
            set_global_states(before)
            disturb_global_state(name, 12345)
            elsewhere = global_states()
            z = subject.features(subject.first)
            left = global_states()
            if rows_apart(z, first, subject.rows.shape[1]).size:
                cause = f"features depend on the global random state of {name}, not on the seed"
                found.append(Finding(cause=cause + " alone", check=_GLOBAL))
            elif after[name] != state or left[name] != elsewhere[name]:
                if after[name] == left[name]:
                    subject.notes.remark(f"drawing seeds the global generator of {name}")
                elif name in _MOVED_BY_CONSTRUCTORS:
                    subject.notes.remark(f"drawing moves the global generator of {name} on")
                else:
                    cause = f"changes the global random state of {name}"
                    found.append(Finding(cause=cause, check=_GLOBAL))
        return found
    finally:
        set_global_states(before)


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


def check_layouts(subject: Subject) -> list[Finding]:
    """Call one map on rows in Fortran order, strided, read-only and in single precision."""
    phi = subject.map(subject.first)
    plain = subject.call(phi, subject.rows)
    found = []
    if isinstance(subject.given, np.ndarray):
        for what, make in _LAYOUTS.items():
            z = _attempt(subject, phi, subject.rows, make(subject.rows), what)
            if z is not None and rows_apart(z, plain, subject.rows.shape[1]).size:
                found.append(Finding(cause=f"wrong for {what}: other features", check="layouts"))
                break
    return found + _precision(subject, phi)


def _precision(subject: Subject, phi: Any) -> list[Finding]:
    """Compare single with double precision at numbers representable in both."""
    place = place_of(subject.given)
    if subject.rows.dtype.kind != "f" or not has_float64(place.xp, place.device):
        return []
    single = subject.rows.astype(np.float32)
    double = single.astype(np.float64)
    # The effect on the features of rounding the rows.
    eps = np.finfo(np.float32).eps
    noise = np.random.default_rng(subject.seed).standard_normal(double.shape)
    exact, moved, found = (
        _attempt(subject, phi, rows, subject.place(rows), f"{rows.dtype} rows")
        for rows in (double, double * (1.0 + eps * noise), single)
    )
    if exact is None or moved is None or found is None:
        return []
    if not np.isfinite(found.astype(np.float64)).all():
        subject.notes.remark("features of float32 rows overflow")
        return []
    slack: Any = 0.0
    if exact.dtype.kind == "f":
        gap = np.abs(moved.astype(np.float64) - exact.astype(np.float64))
        slack = 16.0 * np.quantile(gap, 0.9, axis=1, keepdims=True)
    off = rows_apart(found, exact, double.shape[1], slack)
    if not off.size:
        return []
    cause = "wrong for float32 rows: they have other features than in float64"
    return [Finding(cause=cause, check="layouts", where={"row": int(off[0])})]


def _attempt(subject: Subject, phi: Any, rows: Any, given: Any, what: str) -> Any:
    try:
        return subject.call(phi, rows, given=given)
    except Exception as error:  # a map may refuse: noted, no defect
        subject.notes.skip(what, reason_of(error))
        return None


def _read_only(rows: Any) -> Any:
    locked = rows.copy()
    locked.flags.writeable = False
    return locked


_LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows in Fortran order": np.asfortranarray,
    "strided rows": lambda rows: np.repeat(np.repeat(rows, 2, axis=1), 2, axis=0)[::2, ::2],
    "read-only rows": _read_only,
}
