"""Check that one seed gives one function of a row."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import array_api_extra as xpx
import numpy as np

from mehler._arrays import (
    dense_host,
    disturb_global_state,
    dtype_name,
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

# Rows of one call that shows blocks: more than common sizes, with at most so many features.
_TALL, _ENTRIES, _SLOW = 10_050, 1 << 22, 2.0
# Rows of a call that caches are tried on: as text their middle is left out.
_SHORT, _LETTERS = 240, 1200
# Change of a row that shows in its features, and that a key of rounded rows may miss.
_NUDGE = 3e-3
_CALLS = "calls"
_STALE = (
    "returns an earlier call's features for other rows: it caches its output by shape, "
    "or by less than the rows"
)


def check_calls(subject: Subject) -> list[Finding]:
    """Call one map twice, and on the rows reordered, split, combined and moved."""
    rows = subject.rows
    phi = subject.map(subject.first)
    given = subject.place(rows)
    plain = subject.call(phi, rows, given=given)
    findings = [*_finite(plain), *_untouched(rows, given, "the call")]
    again = rows_apart(plain, subject.call(phi, rows), rows.shape[1])
    if again.size:
        cause = "redraws its weights on every call: the same rows have other features"
        where = {"row": int(again[0])}
        return [*findings, Finding(cause=cause, check=_CALLS, where=where, last=True)]
    if subject.redraw is not None:
        given = subject.place(rows)
        subject.redraw(subject.first, given, None)
        findings += _untouched(rows, given, "fitting a map")
    calls = _Calls(subject, phi, plain)
    in_turn = (
        calls.order,
        calls.caches,
        calls.company,
        calls.place,
        calls.number,
        calls.memory,
        calls.results,
        calls.hostile,
        calls.later,
    )
    for step in in_turn:
        defect = step()
        if defect is not None:
            return [*findings, defect]
    return findings


class _Calls:
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
            if z is None or not self._apart(z, index).size:
                continue
            # Whether position or company is to blame is tested below.
            return (
                self._stale(z)
                or self.place()
                or self.company()
                or _defect("features depend on the rows' order")
            )
        return None

    def caches(self) -> Finding | None:
        """Compare inner rows that change where most of what a cache may go by does not.

        Two rows change places, one is reversed, one moves a little: first and last rows, text,
        samples of rows, sums and lengths stay. Sums of the rows are exact in any order.
        """
        # Copies, since an address that is free may be given to the next array.
        rows = _on_grid(self._rows) if self._subject.domain.scalable else self._rows
        n, d = rows.shape
        total = max(_SHORT, -(-_LETTERS // d))
        index = np.arange(total) % n
        # Primes, which are in no sample of every k-th row.
        inner = [i for i in range(int(0.6 * total), total - 4) if _prime(i)]
        i = inner[0]
        j = next((j for j in inner if not np.array_equal(rows[index[i]], rows[index[j]])), i)
        others = np.stack([rows[index[i]][::-1], self._nudged(rows[index[i]])])
        what = f"{counted(total, 'row')} at once"
        # In this company no key of an earlier call is that of a later one.
        expected = self._call(np.concatenate([others[:1], rows, others[1:]]), what)
        first = None if expected is None else self._call(rows[index], what)
        if expected is None or first is None:
            return None
        swapped = index.copy()
        swapped[[i, j]] = swapped[[j, i]]
        turned, moved = (np.array(rows[index]) for _ in others)
        turned[i], moved[i] = others
        trials = (
            (rows[swapped], [i, j], expected[1 + swapped[[i, j]]]),
            (turned, [i], expected[:1]),
            (moved, [i], expected[-1:]),
        )
        for values, changed, wanted in trials:
            z = self._call(values, what)
            if z is None or z.shape != first.shape:
                continue
            stale = rows_apart(z[changed], wanted, d).size
            if stale and np.array_equal(z[changed], first[changed]):
                return _defect(_STALE)
        return None

    def _nudged(self, row: Any) -> Any:
        return (row * (1.0 + _NUDGE * np.resize([1.0, -1.0], row.shape))).astype(row.dtype)

    def company(self) -> Finding | None:
        """Compare single rows, a part of the rows, one row beside others."""
        half = np.arange(self._n)[self._n // 2 :]
        parts: list[tuple[str, Callable[[], Any], Any]] = [
            ("one row at a time", self._singly, np.arange(self._n)),
            ("a part of the rows", lambda: self._features_of(self._rows[half]), half),
        ]
        if self._n > 1:
            others = self._rows.copy()
            others[1:] = others[1:] * np.asarray(0.5, dtype=others.dtype)
            parts.append(
                ("other rows besides", lambda: self._features_of(others)[:1], np.arange(1))
            )
        for what, run, index in parts:
            z = self._attempt(run, what)
            apart = np.arange(0) if z is None else self._apart(z, index)
            if apart.size:
                return _defect(
                    f"features depend on the other rows of the batch: {what} changes them "
                    "(are rows centred or scaled by the batch?)",
                    row=int(index[apart[0]]),
                )
        return None

    def place(self) -> Finding | None:
        """Compare equal rows, which must have equal features in any position."""
        for i in (0, self._n - 1):
            equal = np.repeat(self._rows[i : i + 1], max(self._n, 24), axis=0)
            z = self._call(equal, "equal rows")
            if z is None:
                continue
            apart = rows_apart(z, z[[0] * len(z)], equal.shape[1])
            if apart.size:
                return self._stale(z) or _chunked(int(apart[0]))
        return None

    def number(self) -> Finding | None:
        """Compare thousands of repeated rows in one call; for Dask, other chunks."""
        start = self._subject.spent
        defect = self._repeated(_SHORT)
        if defect is not None:
            return defect
        each = (self._subject.spent - start) / _SHORT
        total = min(_TALL, max(self._n, _ENTRIES // self._plain.shape[1]))
        if each * total > _SLOW:
            total = max(self._n, int(_SLOW / each))
            self._subject.notes.skip(
                f"more than {counted(total, 'row')} at once", "the map is slow"
            )
        return self._repeated(total) or self._rechunked()

    def _repeated(self, total: int) -> Finding | None:
        """Compare rows repeated up to `total` in one call with the plain call."""
        index = np.arange(total) % self._n
        z = self._call(self._rows[index], f"{counted(total, 'row')} at once")
        apart = np.arange(0) if z is None else self._apart(z, index)
        if apart.size == total:
            return _defect(f"features depend on how many rows are given: {self._n} or {total}")
        return _chunked(int(apart[0])) if apart.size else None

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
        if z is not None and self._apart(z, index).size:
            return _defect("remembers an array by its address: new values in it are not seen")
        return None

    def results(self) -> Finding | None:
        """Compare features returned earlier, after a call on other rows."""
        kept = raw(self._phi, self._subject.place(self._rows))
        before = np.array(dense_host(kept)[0])
        self._call(self._rows[::-1], "reversed")
        if np.array_equal(dense_host(kept)[0], before, equal_nan=before.dtype.kind == "f"):
            return None
        return _defect(
            "overwrites the features that it returned before: every call returns the same memory"
        )

    def hostile(self) -> Finding | None:
        """Compare rows beside one of NaN or infinity; a map may refuse such rows."""
        if self._rows.dtype.kind != "f" or self._n < 2:
            return None
        for value in (np.nan, np.inf):
            rows = self._rows.copy()
            rows[self._n // 2] = value
            others = np.delete(np.arange(self._n), self._n // 2)
            try:
                z = self._subject.call(self._phi, rows)
            except Exception:  # a refusal, which the row deserves
                continue
            if rows_apart(z[others], self._plain[others], rows.shape[1]).size:
                return _defect(f"a row of {value} changes the features of other rows")
        return None

    def later(self) -> Finding | None:
        """Repeat the first call after all the others."""
        z = self._call(self._rows, "after other rows")
        if z is not None and self._apart(z, np.arange(self._n)).size:
            return _defect("features depend on the rows of earlier calls")
        return None

    def _stale(self, z: Any) -> Finding | None:
        """Return a finding if wrong features are those of an earlier call."""
        if not any(np.array_equal(z, other) for other in self._before[:-1]):
            return None
        return _defect(_STALE)

    def _rechunked(self) -> Finding | None:
        there = self._subject.place(self._rows)
        if not is_chunked(there):
            return None
        for size in (1, 5, self._n):
            parts = there.rechunk({0: size})
            call = functools.partial(self._subject.call, self._phi, self._rows, given=parts)
            z = self._attempt(call, f"chunks of {counted(size, 'row')}")
            if z is not None and self._apart(z, np.arange(self._n)).size:
                return _defect(
                    f"features depend on the chunks: {counted(size, 'row')} a chunk change them"
                )
        return None

    def _singly(self) -> Any:
        rows = [self._rows[i : i + 1] for i in range(self._n)]
        return np.concatenate([self._features_of(row) for row in rows])

    def _features_of(self, values: Any) -> Any:
        z = self._subject.call(self._phi, values)
        if len(z) <= len(self._plain):
            self._before.append(z)
        return z

    def _call(self, values: Any, what: str) -> Any:
        return self._attempt(lambda: self._features_of(values), what)

    def _attempt(self, run: Callable[[], Any], what: str) -> Any:
        return attempt(self._subject, run, what)

    def _apart(self, z: Any, index: Any) -> Any:
        return rows_apart(z, self._plain[index], self._rows.shape[1])


def attempt(subject: Subject, run: Callable[[], Any], what: str) -> Any:
    """Return the result, or None where a map refuses: that is noted, and no defect."""
    try:
        return run()
    except Exception as error:  # whatever a third party raises
        subject.notes.skip(what, reason_of(error))
        return None


def _on_grid(rows: Any) -> Any:
    """Round rows so that their sums and those of their squares are exact in any order."""
    if rows.dtype.kind != "f":
        return rows
    bits = 16 if rows.dtype.itemsize >= 8 else 4
    unit = 2.0 ** (np.ceil(np.log2(float(np.abs(rows).max()) or 1.0)) - bits)
    return (np.round(rows / unit) * unit).astype(rows.dtype)


def _prime(n: int) -> bool:
    return all(n % k for k in range(2, math.isqrt(n) + 1))


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
    return _defect(
        f"draws anew by chunk, or by place: equal rows have other features from row {row} on",
        row=row,
    )


def _defect(cause: str, **where: Any) -> Finding:
    return Finding(cause=cause, check=_CALLS, where=where)


_GLOBAL = "global random state"
# Constructors of PyTorch modules draw weights that are then overwritten, which maps cannot avoid;
# no feature depends on them.
_MOVED_BY_CONSTRUCTORS = ("torch", "torch.cuda")


def check_global_state(subject: Subject) -> list[Finding]:
    """Draw and call the map from other global states, and compare the states afterwards.

    A library that seeds a global generator inside ``draw(seed)`` leaves it in a state independent
    of the one before; that is remarked, and no defect. A call has no seed to set one to. Run this
    after other draws, so that effects of a first import are not attributed to the map.
    """
    before = global_states()
    try:
        features, after = subject.features(subject.first), global_states()
        set_global_states(before)
        if rows_apart(subject.features(subject.first), features, subject.rows.shape[1]).size:
            return []  # drawn from system entropy, not from these states
        findings = []
        for name, state in before.items():
            set_global_states(before)
            disturb_global_state(name, 12345)
            elsewhere = global_states()
            phi = subject.map(subject.first)
            # The first call belongs to the draw, since some maps draw their weights there.
            z, left = subject.call(phi, subject.rows), global_states()
            moved = after[name] != state or left[name] != elsewhere[name]
            cause = ""
            if rows_apart(z, features, subject.rows.shape[1]).size:
                cause = f"features depend on the global random state of {name}, not on the seed"
                cause += " alone"
            elif _moves(subject, phi, name):
                cause = f"a call changes the global random state of {name}"
            elif moved and after[name] == left[name]:
                subject.notes.remark(f"drawing seeds the global generator of {name}")
            elif moved and name in _MOVED_BY_CONSTRUCTORS:
                subject.notes.remark(f"drawing moves the global generator of {name} on")
            elif moved:
                cause = f"changes the global random state of {name}"
            findings += [Finding(cause=cause, check=_GLOBAL)] if cause else []
        return findings
    finally:
        set_global_states(before)


def _moves(subject: Subject, phi: Any, name: str) -> bool:
    """Whether a call sets a global state, or moves it on."""
    disturb_global_state(name, 54321)
    before = global_states()[name]
    subject.call(phi, subject.rows)
    return bool(global_states()[name] != before)


# (seed, rows) -> features, computed by a fresh process.
Elsewhere = Callable[[int, Any], Any]

# Seeds that code often treats as missing, or that exceed 8, 31 or 32 bits.
NOTABLE = (0, 1, 2**8, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
_SAME_SEED = "same seed"


def check_same_seed(subject: Subject) -> list[Finding]:
    """Draw some seeds, then all of them again: equal features, up to rounding.

    A map drawn before all of them must not change meanwhile, nor do maps that are fitted on other
    rows in between leave anything to the next draw.
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
        return _state_of_fits(subject, its)
    if len(other) == len(first):
        cause = "ignores its seed: two draws of one seed differ"
    elif other == [0]:
        cause = "seed 0 is not a seed: two draws differ"
    else:
        listed = ", ".join(str(seed) for seed in other)
        cause = f"seed {listed} is not a seed: two draws differ"
    return [Finding(cause=cause, check=_SAME_SEED, where={"seed": other[0]})]


def _state_of_fits(subject: Subject, features: Any) -> list[Finding]:
    """Draw a map again after one that was drawn for other rows, fewer and longer ones."""
    rows = subject.rows[: -(-len(subject.rows) // 2)][::-1]
    if subject.domain.scalable and not subject.domain.cube:
        rows = (3.0 * rows).astype(rows.dtype)
    other = subject.seeds(0).seed(1)

    def between() -> Any:
        subject.call(subject.map_for(other, rows), rows)
        return subject.features(subject.first)

    z = attempt(subject, between, "draws after a fit on other rows")
    if z is None or not _differs(subject, z, features):
        return []
    cause = "a draw depends on the draws before it: one for other rows changes the next"
    return [Finding(cause=cause, check=_SAME_SEED, where={"seed": subject.first})]


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
    """Call one map on rows in other layouts, in single precision, and of integers."""
    phi = subject.map(subject.first)
    plain = subject.call(phi, subject.rows)
    findings = []
    if isinstance(subject.given, np.ndarray):
        for what, make in _LAYOUTS.items():
            z = _attempt(subject, phi, subject.rows, make(subject.rows), what)
            if z is not None and rows_apart(z, plain, subject.rows.shape[1]).size:
                findings.append(Finding(cause=f"wrong for {what}: other features", check="layouts"))
                break
    return [*findings, *_precision(subject, phi), *_integers(subject, phi)]


def _integers(subject: Subject, phi: Any) -> list[Finding]:
    """Compare integers with the same numbers in the rows' own precision."""
    domain = subject.domain
    if subject.rows.dtype.kind != "f" or not (domain.scalable or domain.discrete):
        return []
    largest = 1.0 if domain.cube else 4.0
    whole = np.rint(subject.rows * (largest / float(np.abs(subject.rows).max() or 1.0)))
    whole = whole[(whole != 0.0).any(axis=1)].astype(subject.rows.dtype)
    place = place_of(subject.given)
    integral = dtype_name(xpx.default_dtype(place.xp, "integral", device=place.device))
    z, plain = (
        _attempt(subject, phi, values, subject.place(values), f"{values.dtype} rows")
        for values in (whole.astype(integral), whole)
    )
    if z is None or plain is None or not rows_apart(z, plain, whole.shape[1]).size:
        return []
    cause = "wrong for integer rows: they have other features than in floating point"
    return [Finding(cause=cause, check="layouts")]


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
    return attempt(subject, lambda: subject.call(phi, rows, given=given), what)


def _read_only(rows: Any) -> Any:
    locked = rows.copy()
    locked.flags.writeable = False
    return locked


_LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows in Fortran order": np.asfortranarray,
    "strided rows": lambda rows: np.repeat(np.repeat(rows, 2, axis=1), 2, axis=0)[::2, ::2],
    "read-only rows": _read_only,
}
