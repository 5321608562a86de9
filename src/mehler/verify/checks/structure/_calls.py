"""Rules of one map: it is one function of a row, in any company, order, layout and precision."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import array_api_extra as xpx
import numpy as np

from mehler._arrays import dense_host, dtype_name, has_float64, is_chunked, place_of
from mehler._plural import counted
from mehler.verify.checks.structure._candidate import Broken, Candidate
from mehler.verify.sampling._pairs import raw

_BATCH = "features depend on the other rows of the batch"


def features_are_finite(c: Candidate) -> None:
    """Features of the given rows are finite."""
    z = c.plain.astype(np.float64)
    bad = np.argwhere(~np.isfinite(z))
    if bad.size:
        i, j = (int(k) for k in bad[0])
        raise Broken(f"features are not finite: {z[i, j]} in column {j} of row {i}", row=i)


def calls_are_repeatable(c: Candidate) -> None:
    """The same rows have the same features in every call, whatever was called in between."""
    phi = c.map(c.first)
    plain = c.call(phi, c.rows)
    # Sums in a changing order differ by less than rows that are moved by many units of rounding.
    slack = 0.125 * c.moved(phi, c.rows, plain)

    def require_plain(cause: str) -> None:
        with c.trying(cause):
            if c.differing(c.call(phi, c.rows), plain, slack).size:
                raise Broken(cause)

    why = "weights are drawn anew at every call, or earlier calls leave something behind"
    for k in range(2, 6):
        require_plain(f"call {k} on the same rows has other features: {why}")
    half = c.rows[::-1] * np.asarray(0.5, c.rows.dtype)
    for other in (half, np.concatenate([c.rows, c.rows[:, :1]], axis=1)):
        with contextlib.suppress(Exception):  # a refusal, which rows of another width deserve
            c.call(phi, other)
    require_plain("features depend on the rows of earlier calls")


def rows_and_results_are_left_alone(c: Candidate) -> None:
    """No call changes its rows, and no call changes features that were returned before."""
    phi = c.map(c.first)
    c.call(phi, c.rows)
    with c.trying("rows in Fortran order"):
        c.call(phi, c.rows, np.asfortranarray(c.rows) if isinstance(c.given, np.ndarray) else None)
    for what, rows in (("float32 rows", c.rows.astype(np.float32)), ("one row", c.rows[:1])):
        with c.trying(what):
            c.call(phi, rows)
    if c.changed:
        raise Broken(f"X is changed in place by a call, of {c.changed}")
    result = raw(phi, c.place(c.rows))
    before = np.array(dense_host(result)[0])
    with c.trying("calls on reversed rows"):
        for _ in range(3):  # a map may take turns at two arrays
            c.call(phi, c.rows[::-1])
    if not np.array_equal(dense_host(result)[0], before, equal_nan=before.dtype.kind == "f"):
        raise Broken("a later call overwrites the features that an earlier one returned")
    if isinstance(result, np.ndarray) and result.flags.writeable:
        result[...] = 0
        c.require("writing to features changes those of later calls: copies are needed", phi)


def rows_do_not_see_each_other(c: Candidate) -> None:
    """A row has the same features alone, among other rows, in any order, of thousands too."""
    phi, n = c.map(c.first), len(c.rows)
    c.call(phi, c.rows)
    # By a fresh map: what an earlier call leaves behind is not the order.
    order, cause = np.arange(n)[::-1], "features depend on the order, or on the place, of the rows"
    c.require(cause, c.map(c.first), order, what="reversed rows")
    _look_for_caches(c, phi)
    others = c.rows.copy()
    others[1:] = others[1:] * np.asarray(0.5, dtype=others.dtype)
    with c.trying("other rows besides"):
        if c.differing(c.call(phi, others)[:1], c.plain[:1]).size:
            raise Broken(f"{_BATCH}: other rows besides change them")
    cause = f"{_BATCH}: a part of the rows has other ones"
    c.require(cause, phi, np.arange(n)[n // 2 :], what="a part of the rows")
    cause = f"{_BATCH}: alone a row has other ones (are rows centred or scaled?)"
    for i in range(n):
        c.require(cause, c.map(c.first), [i], what="one row at a time")
    _compare_bad_rows(c, phi)
    _compare_many(c, phi)


def _compare_bad_rows(c: Candidate, phi: Callable[..., Any]) -> None:
    """Compare rows beside one of NaN, infinity or zeros; a map may refuse such rows."""
    middle = len(c.rows) // 2
    others = np.delete(np.arange(len(c.rows)), middle)
    values = (np.nan, np.inf, 0.0) if c.rows.dtype.kind == "f" else (0,)
    for value in values if others.size else ():
        rows = c.rows.copy()
        rows[middle] = value
        with c.trying("a bad row", usual=True):  # a refusal, which the row may deserve
            z = c.call(phi, rows)
            if c.differing(z[others], c.plain[others]).size:
                raise Broken(f"a row of {value:g} changes the features of other rows")
            if value == 0.0 and not np.isfinite(z[middle].astype(np.float64)).all():
                c.remarks["features of a row of zeros are not finite"] = None


# Rows of a call that caches are tried on: as text their middle is left out. Change of a row that
# shows in its features, and that a key of rounded rows may miss.
_SHORT, _LETTERS, _NUDGE = 240, 1200, 3e-3


def _look_for_caches(c: Candidate, phi: Callable[..., Any]) -> None:
    """Compare inner rows that change where most of what a cache may go by does not.

    Two rows change places, one is reversed, one moves a little in half of its columns: first and
    last rows, text, samples of rows, sums, lengths and other columns stay. Maps drawn anew, which
    have no earlier calls, say what is right, so that equal features are certain to be stale.
    """
    rows, d = c.rows, c.rows.shape[1]
    if rows.dtype.kind == "f":  # on a grid, so that sums of rows and of squares are exact
        bits = 16 if rows.dtype.itemsize >= 8 else 4
        unit = 2.0 ** (np.ceil(np.log2(float(np.abs(rows).max()) or 1.0)) - bits)
        rows = (np.round(rows / unit) * unit).astype(rows.dtype)
    total = max(_SHORT, -(-_LETTERS // d))
    tall = rows[np.arange(total) % len(rows)]
    # Primes, which are in no sample of every k-th row.
    inner = [k for k in range(int(0.6 * total), total - 4) if all(k % p for p in (2, 3, 5, 7, 11))]
    i, row = inner[0], tall[inner[0]]
    j = next((j for j in inner if not np.array_equal(row, tall[j])), i)
    changes = [([i, j], tall[[j, i]])]
    if rows.dtype.kind == "f":
        nudge, early = row * (1.0 + _NUDGE * np.resize([1.0, -1.0], d)), np.arange(d) < (d + 1) // 2
        nudged = (np.where(half, nudge, row).astype(row.dtype) for half in (early, ~early))
        changes += [([i], other[None]) for other in (row[::-1], *nudged)]
    with c.trying("inner rows that change"):
        first = c.call(phi, tall)
        for changed, values in changes:
            other = tall.copy()
            other[changed] = values
            z, right = c.call(phi, other)[changed], c.features(c.first, values)
            if np.array_equal(z, first[changed]) and c.differing(z, right).size:
                text = "other rows get the features of an earlier call: a cache goes by their shape"
                raise Broken(f"{text}, or by less than the rows")


# Most rows of one call, more than common sizes of blocks; most entries of its rows and of its
# features; and most seconds.
_TALL, _WIDE, _ENTRIES, _SECONDS = 100_050, 1 << 23, 1 << 22, 1.0


def _compare_many(c: Candidate, phi: Callable[..., Any]) -> None:
    """Compare rows repeated up to thousands: 2^k + 1 and 1000 2^k + 1 among them.

    Blocks ``range(0, n - 1, size)`` leave out the last row if n - 1 is a multiple of their size.
    """
    start = c.clock.seconds
    _compare_repeated(c, phi, _SHORT)
    seconds = (c.clock.seconds - start) / _SHORT
    most = min(_TALL, _ENTRIES // c.plain.shape[1], _WIDE // c.rows.shape[1])
    if seconds * most > _SECONDS:
        most = int(_SECONDS / seconds)
        c.skip(f"more than {counted(most, 'row')} at once", "the map is slow")
    blocks = [unit * 2 ** int(math.log2(most / unit)) + 1 for unit in (1, 1000) if most > 2 * unit]
    for total in sorted(blocks):
        _compare_repeated(c, phi, total)
    there = c.place(c.rows)
    for size in (1, 5, len(c.rows)) if is_chunked(there) else ():
        what = f"chunks of {counted(size, 'row')}"
        cause = f"features depend on the chunks: {what}"
        c.require(cause, phi, what=what, array=there.rechunk({0: size}))


def _compare_repeated(c: Candidate, phi: Callable[..., Any], total: int) -> None:
    n = len(c.rows)
    index = np.arange(total) % n
    with c.trying(f"{counted(total, 'row')} at once"):
        wrong = c.differing(c.call(phi, c.rows[index]), c.plain[index], c.slack[index])
        if wrong.size == total:
            raise Broken(f"features depend on how many rows are given: {n} or {total}", rows=total)
        if wrong.size:
            raise Broken(
                f"of {counted(total, 'row')} at once, equal rows have other features from row "
                f"{wrong[0]} on: are blocks cut or drawn wrongly?",
                row=int(wrong[0]),
            )


def _read_only(rows: Any) -> Any:
    locked = rows.copy()
    locked.flags.writeable = False
    return locked


_LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows in Fortran order": np.asfortranarray,
    "strided rows": lambda rows: np.repeat(np.repeat(rows, 2, axis=1), 2, axis=0)[::2, ::2],
    "rows with negative strides": lambda rows: rows[::-1, ::-1].copy()[::-1, ::-1],
    "read-only rows": _read_only,
}


def layouts_do_not_matter(c: Candidate) -> None:
    """The same numbers have the same features in every memory layout and precision."""
    phi = c.map(c.first)
    c.call(phi, c.rows)
    if isinstance(c.given, np.ndarray):
        for what, make in _LAYOUTS.items():
            c.require(f"{what} have other features", phi, what=what, array=make(c.rows))
        _compare_memory(c, phi)
    if c.rows.dtype.kind == "f":
        _compare_precisions(c, phi)
        _compare_integers(c, phi)


def _compare_memory(c: Candidate, phi: Callable[..., Any]) -> None:
    """Compare other rows in memory that an earlier call has read, and in another order."""
    buffer, back, what = c.place(c.rows), np.arange(len(c.rows))[::-1], "a buffer used again"
    with c.trying(what):
        earlier = c.call(phi, c.rows, buffer)
        buffer[:] = c.rows[back]
        cause = "an array gets the features of an earlier call, whatever is in it now"
        c.require(cause, phi, back, what=what, array=buffer)
        fortran = np.reshape(c.rows.ravel(), c.rows.shape, order="F")
        z = c.call(phi, fortran, fortran.copy(order="F"))
        if np.array_equal(z, earlier) and c.differing(z, c.features(c.first, fortran)).size:
            raise Broken("rows in Fortran order have the features of the same memory in C order")


def _compare_precisions(c: Candidate, phi: Callable[..., Any]) -> None:
    """Compare single with double precision at numbers representable in both."""
    place = place_of(c.given)
    if not has_float64(place.xp, place.device):
        return
    single = c.rows.astype(np.float32)
    double = single.astype(np.float64)
    with c.trying("rows in single and in double precision"):
        exact = c.call(phi, double)
        slack = c.moved(phi, double, exact)
        if exact.dtype.kind == "f":  # where rounding shows in every digit, by chance less in some
            slack = np.maximum(slack, np.quantile(slack, 0.9, axis=1, keepdims=True))
        rounded = c.call(phi, single)
        if not np.isfinite(rounded.astype(np.float64)).all():
            c.remarks["features of float32 rows overflow"] = None
        elif (rows := c.differing(rounded, exact, slack)).size:
            raise Broken("float32 rows have other features than float64 rows", row=int(rows[0]))


def _compare_integers(c: Candidate, phi: Callable[..., Any]) -> None:
    """Compare integers with the same numbers in floating point.

    A fresh map is called on integers first, since its weights may be drawn then, and on the others
    later.
    """
    whole = np.rint(c.rows * (4.0 / (float(np.abs(c.rows).max()) or 1.0)))
    whole = whole[(whole != 0.0).any(axis=1)].astype(c.rows.dtype)
    if not whole.size:
        return
    place = place_of(c.given)
    kind = dtype_name(xpx.default_dtype(place.xp, "integral", device=place.device))
    with c.trying("integer rows"):
        plain, fresh = c.call(phi, whole), c.map(c.first)
        slack = c.moved(phi, whole, plain)
        if c.differing(c.call(fresh, whole.astype(kind)), plain, slack).size:
            raise Broken("integer rows have other features than the same numbers in floating point")
        if c.differing(c.call(fresh, whole), plain, slack).size:
            raise Broken("integer rows in the first call spoil later ones")
