"""Check that one seed gives one function of a row."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import (
    dense_host,
    disturb_global_state,
    global_states,
    has_float64,
    is_chunked,
    place_of,
    set_global_states,
    to_host,
)
from mehler._plural import counted
from mehler.verify.checks.structure._same import rows_apart
from mehler.verify.checks.structure._subject import Finding, Subject, reason_of
from mehler.verify.sampling._pairs import raw

# One call on many rows, more than a common block size of 4096.
_TALL, _ENTRIES, _SLOW = 4200, 1 << 22, 2.0
# Repetitions of the rows in a first timing.
_SOME = 10
_CALLS = "calls"


def check_calls(subject: Subject) -> list[Finding]:
    """Call one map twice, and on the rows reordered, split, combined and moved."""
    rows = subject.rows
    phi = subject.map(subject.first)
    given = subject.place(rows)
    plain = subject.call(phi, rows, given=given)
    found = [*_finite(plain), *_untouched(rows, given, "the call")]
    again = rows_apart(plain, subject.call(phi, rows), rows.shape[1])
    if again.size:
        cause = "redraws its weights on every call: the same rows have other features"
        where = {"row": int(again[0])}
        return [*found, Finding(cause=cause, check=_CALLS, where=where, last=True)]
    if subject.redraw is not None:
        given = subject.place(rows)
        subject.redraw(subject.first, given, None)
        found += _untouched(rows, given, "fitting a map")
    looks = _Looks(subject, phi, plain)
    in_turn = (
        looks.order,
        looks.company,
        looks.place,
        looks.number,
        looks.memory,
        looks.results,
        looks.later,
    )
    for look in in_turn:
        defect = look()
        if defect is not None:
            return [*found, defect]
    return found


class _Looks:
    """Calls that must reproduce the plain call."""

    def __init__(self, subject: Subject, phi: Any, plain: Any) -> None:
        self._subject, self._phi, self._plain = subject, phi, plain
        self._rows = subject.rows
        self._n = self._rows.shape[0]
        self._before = [plain]

    def order(self) -> Finding | None:
        """Compare reversed rows, and other rows below the same first one."""
        mixed = np.concatenate([[0], np.arange(self._n)[:0:-1]])
        for what, index in (("reversed", np.arange(self._n)[::-1]), ("another order", mixed)):
            z = self._call(self._rows[index], what)
            if z is None or not self._off(z, index).size:
                continue
            # Whether position or company is to blame is tested below.
            return (
                self._stale(z)
                or self.place()
                or self.company()
                or _found("features depend on the rows' order")
            )
        return None

    def company(self) -> Finding | None:
        """Compare single rows, a part of the rows, one row beside others."""
        half = np.arange(self._n)[self._n // 2 :]
        parts: list[tuple[str, Callable[[], Any], Any]] = [
            ("one row at a time", self._singly, np.arange(self._n)),
            ("a part of the rows", lambda: self._phi_of(self._rows[half]), half),
        ]
        if self._n > 1:
            others = self._rows.copy()
            others[1:] = others[1:] * np.asarray(0.5, dtype=others.dtype)
            parts.append(("other rows besides", lambda: self._phi_of(others)[:1], np.arange(1)))
        for what, run, index in parts:
            z = self._attempt(run, what)
            off = np.arange(0) if z is None else self._off(z, index)
            if off.size:
                return _found(
                    f"features depend on the other rows of the batch: {what} changes them "
                    "(are rows centred or scaled by the batch?)",
                    row=int(index[off[0]]),
                )
        return None

    def place(self) -> Finding | None:
        """Compare equal rows, which must have equal features in any position."""
        for i in (0, self._n - 1):
            equal = np.repeat(self._rows[i : i + 1], max(self._n, 24), axis=0)
            z = self._call(equal, "equal rows")
            if z is None:
                continue
            off = rows_apart(z, z[[0] * len(z)], equal.shape[1])
            if off.size:
                return self._stale(z) or _chunked(int(off[0]))
        return None

    def number(self) -> Finding | None:
        """Compare thousands of repeated rows in one call; for Dask, other chunks."""
        start = self._subject.spent
        total = _SOME * self._n
        found = self._repeated(total)
        if found is not None:
            return found
        each = (self._subject.spent - start) / total
        total = min(_TALL, max(self._n, _ENTRIES // self._plain.shape[1]))
        if each * total > _SLOW:
            total = max(self._n, int(_SLOW / each))
            self._subject.notes.skip(
                f"more than {counted(total, 'row')} at once", "the map is slow"
            )
        found = self._repeated(total)
        if found is not None:
            return found
        return self._rechunked()

    def _repeated(self, total: int) -> Finding | None:
        """Compare rows repeated up to `total` in one call with the plain call."""
        index = np.arange(total) % self._n
        z = self._call(self._rows[index], f"{counted(total, 'row')} at once")
        off = np.arange(0) if z is None else self._off(z, index)
        if off.size == total:
            return _found(f"features depend on how many rows are given: {self._n} or {total}")
        return _chunked(int(off[0])) if off.size else None

    def memory(self) -> Finding | None:
        """Compare other rows written to the memory of earlier ones."""
        buffer = self._subject.place(self._rows)
        if not isinstance(buffer, np.ndarray):
            return None
        self._attempt(lambda: self._subject.call(self._phi, self._rows, given=buffer), "a buffer")
        index = np.arange(self._n)[::-1]
        buffer[:] = self._rows[index]
        z = self._attempt(
            lambda: self._subject.call(self._phi, self._rows[index], given=buffer), "a buffer"
        )
        if z is not None and self._off(z, index).size:
            return _found("remembers an array by its address: new values in it are not seen")
        return None

    def results(self) -> Finding | None:
        """Compare features returned earlier, after a call on other rows."""
        kept = raw(self._phi, self._subject.place(self._rows))
        before = np.array(dense_host(kept)[0])
        self._call(self._rows[::-1], "reversed")
        if np.array_equal(dense_host(kept)[0], before, equal_nan=before.dtype.kind == "f"):
            return None
        return _found(
            "overwrites the features that it returned before: every call returns the same memory"
        )

    def later(self) -> Finding | None:
        """Repeat the first call after all the others."""
        z = self._call(self._rows, "after other rows")
        if z is not None and self._off(z, np.arange(self._n)).size:
            return _found("features depend on the rows of earlier calls")
        return None

    def _stale(self, z: Any) -> Finding | None:
        """Return a finding if wrong features are those of an earlier call."""
        if not any(np.array_equal(z, other) for other in self._before[:-1]):
            return None
        return _found(
            "returns an earlier call's features for other rows: it caches its output by shape, "
            "or by less than the rows"
        )

    def _rechunked(self) -> Finding | None:
        there = self._subject.place(self._rows)
        if not is_chunked(there):
            return None
        for size in (1, 5, self._n):
            parts = there.rechunk({0: size})
            call = functools.partial(self._subject.call, self._phi, self._rows, given=parts)
            z = self._attempt(call, f"chunks of {counted(size, 'row')}")
            if z is not None and self._off(z, np.arange(self._n)).size:
                return _found(
                    f"features depend on the chunks: {counted(size, 'row')} a chunk change them"
                )
        return None

    def _singly(self) -> Any:
        rows = [self._rows[i : i + 1] for i in range(self._n)]
        return np.concatenate([self._phi_of(row) for row in rows])

    def _phi_of(self, values: Any) -> Any:
        z = self._subject.call(self._phi, values)
        if len(z) <= len(self._plain):
            self._before.append(z)
        return z

    def _call(self, values: Any, what: str) -> Any:
        return self._attempt(lambda: self._phi_of(values), what)

    def _attempt(self, run: Callable[[], Any], what: str) -> Any:
        try:
            return run()
        except Exception as error:  # a map may refuse: noted, no defect
            self._subject.notes.skip(what, reason_of(error))
            return None

    def _off(self, z: Any, index: Any) -> Any:
        return rows_apart(z, self._plain[index], self._rows.shape[1])


def _finite(z: Any) -> list[Finding]:
    bad = ~np.isfinite(z.astype(np.float64))
    if not bad.any():
        return []
    i, j = (int(k) for k in np.argwhere(bad)[0])
    cause = f"features are not finite: {z[i, j]} in column {j} of row {i}"
    return [Finding(cause=cause, check=_CALLS, where={"row": i, "column": j}, last=True)]


def _untouched(rows: Any, given: Any, doing: str) -> list[Finding]:
    after = np.asarray(to_host(given))
    if np.array_equal(after, rows, equal_nan=rows.dtype.kind == "f"):
        return []
    centred = rows.dtype.kind == "f" and np.allclose(after, rows - rows.mean(axis=0), atol=1e-6)
    verb = "centres" if centred else "changes"
    return [Finding(cause=f"{verb} its input in place: X is changed by {doing}", check=_CALLS)]


def _chunked(row: int) -> Finding:
    return _found(
        f"draws anew by chunk, or by place: equal rows have other features from row {row} on",
        row=row,
    )


def _found(cause: str, **where: Any) -> Finding:
    return Finding(cause=cause, check=_CALLS, where=where)


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
_SAME_SEED = "same seed"


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
        return [Finding(cause=cause, check=_SAME_SEED, where={"seed": subject.first})]
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
    return [Finding(cause=cause, check=_SAME_SEED, where={"seed": other[0]})]


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
