"""Check that one map is one function of a row, in any company, order, layout and precision."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import array_api_extra as xpx
import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, dense_host, dtype_name, has_float64, is_chunked, place_of
from mehler._plural import counted
from mehler.verify.checks.structure._subject import SMALL, Finding, Subject
from mehler.verify.sampling._pairs import raw

# Rows of one call that shows blocks, more than common sizes; most entries of its rows and of its
# features; and most seconds.
_TALL, _WIDE, _ENTRIES, _SLOW = 100_050, 1 << 23, 1 << 22, 2.0
# Rows of a call that caches are tried on: as text their middle is left out.
_SHORT, _LETTERS = 240, 1200
# Change of a row that shows in its features, and that a key of rounded rows may miss.
_NUDGE = 3e-3
_STALE = (
    "returns an earlier call's features for other rows: it caches its output by shape, "
    "or by less than the rows"
)


def check_calls(subject: Subject) -> list[Finding]:
    """Call one map twice, and on the rows reordered, split, combined and moved."""
    phi = subject.map(subject.first)
    plain = subject.call(phi, subject.rows)
    findings = _not_finite(plain)
    again = subject.apart(plain, subject.call(phi, subject.rows))
    if again.size:
        cause = "redraws its weights on every call: the same rows have other features"
        where = {"row": int(again[0])}
        return [*findings, Finding(cause=cause, check="calls", where=where, last=True)]
    calls = _Calls(subject, phi, plain)
    in_turn = (
        calls.order,
        calls.caches,
        calls.company,
        calls.place,
        calls.number,
        calls.memory,
        calls.results,
        calls.bad_rows,
        calls.later,
    )
    for step in in_turn:
        defect = step()
        if defect is not None:
            return [*findings, defect]
    return findings


class _Calls:
    """Calls that must reproduce the plain call."""

    def __init__(self, subject: Subject, phi: Callable[..., Any], plain: Array) -> None:
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

        Two rows change places, one is reversed, one moves a little in half of its columns: first
        and last rows, text, samples of rows, sums, lengths and other columns stay. Sums of the rows
        are exact in any order. Maps drawn anew, which have no earlier calls, say what is right.
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
        row, early = rows[index[i]], np.arange(d) < -(-d // 2)
        others = np.stack([row[::-1], _nudged(row, early), _nudged(row, ~early)])
        # Two maps, since a map that has seen a row may take its neighbour for the same.
        truths = [self._fresh(values) for values in (others[:2], others[2:])]
        what = f"{counted(total, 'row')} at once"
        first = self._call(rows[index], what)
        if first is None or truths[0] is None or truths[1] is None:
            return None
        changes = [([i, j], rows[index[[j, i]]], first[[j, i]])]
        changes += [
            ([i], *each)
            for each in zip(others[:, None], np.concatenate(truths)[:, None], strict=True)
        ]
        for changed, values, right in changes:
            other = rows[index]
            other[changed] = values
            z = self._call(other, what)
            if z is None or z.shape != first.shape:
                continue
            stale = self._subject.apart(z[changed], right).size
            if stale and np.array_equal(z[changed], first[changed]):
                return _defect(_STALE)
        return None

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
            z = self._subject.attempt(what, run)
            apart = np.arange(0) if z is None else self._apart(z, index)
            if apart.size:
                # Of a map that changes by itself, or by other draws, the batch is not to blame.
                return self._moved("features depend on earlier calls or draws") or _defect(
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
            apart = self._subject.apart(z, z[[0] * len(z)])
            if apart.size:
                return self._stale(z) or _chunked(int(apart[0]))
        return None

    def number(self) -> Finding | None:
        """Compare thousands of rows in one call, also of a small map; for Dask, other chunks."""
        subject, maps = self._subject, [(self._phi, self._plain)]
        if subject.resizable:
            small = subject.map_for(subject.first, self._rows, SMALL)
            maps.append((small, subject.call(small, self._rows)))
        for phi, plain in maps:
            start = subject.spent
            defect = self._repeated(phi, plain, _SHORT)
            seconds = (subject.spent - start) / _SHORT
            most = min(_TALL, _ENTRIES // plain.shape[1], _WIDE // self._rows.shape[1])
            if seconds * most > _SLOW:
                most = int(_SLOW / seconds)
                subject.notes.skip(f"more than {counted(most, 'row')} at once", "the map is slow")
            defect = defect or self._repeated(phi, plain, max(self._n, most))
            if defect is not None:
                return defect
        return self._rechunked()

    def _repeated(self, phi: Callable[..., Any], plain: Array, total: int) -> Finding | None:
        """Compare rows repeated up to `total` in one call with the plain call."""
        index = np.arange(total) % self._n
        rows = self._rows[index]
        what = f"{counted(total, 'row')} at once"
        z = self._subject.try_call(what, phi, rows)
        apart = np.arange(0) if z is None else self._subject.apart(z, plain[index])
        if apart.size == total:
            return _defect(f"features depend on how many rows are given: {self._n} or {total}")
        return _chunked(int(apart[0])) if apart.size else None

    def memory(self) -> Finding | None:
        """Compare other rows written to the memory of earlier ones, and read in another order."""
        buffer = self._subject.place(self._rows)
        if not isinstance(buffer, np.ndarray):
            return None
        index = np.arange(self._n)[::-1]
        self._call(self._rows, "a buffer", buffer)
        buffer[:] = self._rows[index]
        z = self._call(self._rows[index], "a buffer", buffer)
        if z is not None and self._apart(z, index).size:
            return _defect("remembers an array by its address: new values in it are not seen")
        # Other rows in the same memory.
        fortran = np.reshape(self._rows.ravel(), self._rows.shape, order="F")
        z = self._call(fortran, "rows in Fortran order", fortran.copy(order="F"))
        if z is not None and np.array_equal(z, self._plain) and self._n > 1:
            right = self._fresh(fortran)
            if right is not None and self._subject.apart(z, right).size:
                return _defect(
                    "wrong for rows in Fortran order: features of the same memory in C order"
                )
        return None

    def results(self) -> Finding | None:
        """Compare features returned earlier after three further calls, and write there.

        A map may take turns at two arrays.
        """
        kept = raw(self._phi, self._subject.place(self._rows))
        before = np.array(dense_host(kept)[0])
        for _ in range(3):
            self._call(self._rows[::-1], "reversed")
        after = dense_host(kept)[0]
        if not np.array_equal(after, before, equal_nan=before.dtype.kind == "f"):
            return _defect(
                "overwrites the features that it returned before: every call returns the same "
                "memory"
            )
        if isinstance(kept, np.ndarray) and kept.flags.writeable:
            kept[...] = 0
            z = self._call(self._rows, "after features were written to")
            if z is not None and self._apart(z, np.arange(self._n)).size:
                return _defect(
                    "gives its own memory away: writing to features changes those of later calls"
                )
        return None

    def bad_rows(self) -> Finding | None:
        """Compare rows beside one of NaN or infinity; a map may refuse such rows."""
        if self._rows.dtype.kind != "f" or self._n < 2:
            return None
        others = np.delete(np.arange(self._n), self._n // 2)
        for value in (np.nan, np.inf):
            rows = self._rows.copy()
            rows[self._n // 2] = value
            try:
                z = self._subject.call(self._phi, rows)
            except Exception:  # a refusal, which the row deserves
                continue
            if self._subject.apart(z[others], self._plain[others]).size:
                return _defect(f"a row of {value} changes the features of other rows")
        return None

    def later(self) -> Finding | None:
        """Repeat the first call after all the others, and after rows of another width."""
        wider = np.concatenate([self._rows, self._rows[:, :1]], axis=1)
        with contextlib.suppress(Exception):  # a refusal, which these rows deserve
            self._subject.call(self._phi, wider)
        return self._moved("features depend on the rows of earlier calls")

    def _moved(self, cause: str) -> Finding | None:
        """Return a finding if the first rows have other features now."""
        z = self._call(self._rows, "after other rows")
        moved = z is not None and self._apart(z, np.arange(self._n)).size
        return _defect(cause) if moved else None

    def _stale(self, z: Array) -> Finding | None:
        """Return a finding if wrong features are those of another call, too."""
        if sum(np.array_equal(z, other) for other in self._before) < 2:
            return None
        return _defect(_STALE)

    def _rechunked(self) -> Finding | None:
        there = self._subject.place(self._rows)
        if not is_chunked(there):
            return None
        for size in (1, 5, self._n):
            what = f"chunks of {counted(size, 'row')}"
            z = self._call(self._rows, what, there.rechunk({0: size}))
            if z is not None and self._apart(z, np.arange(self._n)).size:
                return _defect(
                    f"features depend on the chunks: {counted(size, 'row')} a chunk change them"
                )
        return None

    def _singly(self) -> Any:
        return np.concatenate([self._features_of(self._rows[[i]]) for i in range(self._n)])

    def _features_of(
        self, values: NDArray[np.float64], array: NDArray[np.float64] | None = None
    ) -> Any:
        z = self._subject.call(self._phi, values, array)
        if len(z) <= self._n:
            self._before.append(z)
        return z

    def _fresh(self, values: Array) -> Any:
        """Return the features by a map without earlier calls."""
        return self._subject.attempt(
            "a fresh map", self._subject.features, self._subject.first, values
        )

    def _call(
        self, values: NDArray[np.float64], what: str, array: NDArray[np.float64] | None = None
    ) -> Any:
        return self._subject.attempt(what, self._features_of, values, array)

    def _apart(self, z: Array, index: NDArray[np.int64]) -> Any:
        return self._subject.apart(z, self._plain[index])


def _nudged(row: Array, where: NDArray[np.bool_]) -> Any:
    step = _NUDGE * np.resize([1.0, -1.0], row.shape) * where
    return (row * (1.0 + step)).astype(row.dtype)


def _on_grid(rows: Array) -> Any:
    """Round rows so that their sums and those of their squares are exact in any order."""
    if rows.dtype.kind != "f":
        return rows
    bits = 16 if rows.dtype.itemsize >= 8 else 4
    unit = 2.0 ** (np.ceil(np.log2(float(np.abs(rows).max()) or 1.0)) - bits)
    return (np.round(rows / unit) * unit).astype(rows.dtype)


def _prime(n: int) -> bool:
    return all(n % k for k in range(2, math.isqrt(n) + 1))


def _not_finite(z: Array) -> list[Finding]:
    bad = ~np.isfinite(z.astype(np.float64))
    if not bad.any():
        return []
    i, j = (int(k) for k in np.argwhere(bad)[0])
    cause = f"features are not finite: {z[i, j]} in column {j} of row {i}"
    return [Finding(cause=cause, check="calls", where={"row": i, "column": j}, last=True)]


def _chunked(row: int) -> Finding:
    return _defect(
        f"draws anew by chunk, or by place: equal rows have other features from row {row} on",
        row=row,
    )


def _defect(cause: str, **where: Any) -> Finding:
    return Finding(cause=cause, check="calls", where=where)


def check_layouts(subject: Subject) -> list[Finding]:
    """Call one map on rows in other layouts, in single precision, and of integers."""
    phi = subject.map(subject.first)
    plain = subject.call(phi, subject.rows)
    findings = []
    if isinstance(subject.X, np.ndarray):
        for what, make in _LAYOUTS.items():
            z = subject.try_call(what, phi, subject.rows, make(subject.rows))
            if z is not None and subject.apart(z, plain).size:
                findings.append(Finding(cause=f"wrong for {what}: other features", check="layouts"))
                break
    return [*findings, *_precision(subject, phi), *_integers(subject, phi)]


def _integers(subject: Subject, phi: Callable[..., Any]) -> list[Finding]:
    """Compare integers with the same numbers in the rows' own precision.

    A fresh map is called on integers first, since its weights may be drawn then, and on the others
    later.
    """
    domain = subject.domain
    if subject.rows.dtype.kind != "f" or not (domain.scalable or domain.discrete):
        return []
    largest = 1.0 if domain.cube else 4.0
    whole = np.rint(subject.rows * (largest / float(np.abs(subject.rows).max() or 1.0)))
    whole = whole[(whole != 0.0).any(axis=1)].astype(subject.rows.dtype)
    place = place_of(subject.X)
    integral = dtype_name(xpx.default_dtype(place.xp, "integral", device=place.device))
    fresh = subject.map(subject.first)
    z, plain, later = (
        subject.try_call(f"{values.dtype} rows", each, values)
        for each, values in ((fresh, whole.astype(integral)), (phi, whole), (fresh, whole))
    )
    if plain is None or z is None:
        return []
    cause = "wrong for integer rows: they have other features than in floating point"
    if subject.apart(z, plain).size:
        return [Finding(cause=cause, check="layouts")]
    if later is not None and subject.apart(later, plain).size:
        return [Finding(cause="integer rows in the first call spoil later ones", check="layouts")]
    return []


def _precision(subject: Subject, phi: Callable[..., Any]) -> list[Finding]:
    """Compare single with double precision at numbers representable in both."""
    place = place_of(subject.X)
    if subject.rows.dtype.kind != "f" or not has_float64(place.xp, place.device):
        return []
    single = subject.rows.astype(np.float32)
    double = single.astype(np.float64)
    # The effect on the features of rounding the rows.
    eps = np.finfo(np.float32).eps
    noise = np.random.default_rng(subject.seed).standard_normal(double.shape)
    exact, moved, rounded = (
        subject.try_call(f"{rows.dtype} rows", phi, rows)
        for rows in (double, double * (1.0 + eps * noise), single)
    )
    if exact is None or moved is None or rounded is None:
        return []
    if not np.isfinite(rounded.astype(np.float64)).all():
        subject.notes.remark("features of float32 rows overflow")
        return []
    slack: Any = 0.0
    if exact.dtype.kind == "f":
        gap = np.abs(moved.astype(np.float64) - exact.astype(np.float64))
        slack = 16.0 * np.quantile(gap, 0.9, axis=1, keepdims=True)
    apart = subject.apart(rounded, exact, slack)
    if not apart.size:
        return []
    cause = "wrong for float32 rows: they have other features than in float64"
    return [Finding(cause=cause, check="layouts", where={"row": int(apart[0])})]


def _read_only(rows: Array) -> Any:
    locked = rows.copy()
    locked.flags.writeable = False
    return locked


_LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows in Fortran order": np.asfortranarray,
    "strided rows": lambda rows: np.repeat(np.repeat(rows, 2, axis=1), 2, axis=0)[::2, ::2],
    "read-only rows": _read_only,
}
