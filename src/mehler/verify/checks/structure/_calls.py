"""Rules of `check_structure` for one map: a row has the same features in any batch or layout.

A rule gets a `Candidate` c, the map under test with rows and a clock. It raises `Broken` at a
fault, remarks on what is odd, and records by c.skip and c.trying what it could not try. It draws
the map of the first seed again where calls may have left something behind in it.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import array_api_extra as xpx
import numpy as np

from mehler._arrays import dense_host, dtype_name, has_float64, may_be_written, place_of, stays_lazy
from mehler._plural import counted
from mehler.verify._maps import raw
from mehler.verify.checks.structure._candidate import Broken, Candidate

# Rows and letters from which on str(X), a cache's key, leaves out its middle; a visible change.
_SHORT, _LETTERS, _NUDGE = 240, 1200, 3e-3
# Most rows of one call, entries of its rows, entries of its features, and seconds.
_TALL, _WIDE, _ENTRIES, _SECONDS = 100_050, 1 << 23, 1 << 22, 1.0


def features_are_finite(c: Candidate) -> None:
    z = c.reference.astype(np.float64)
    for i, j in np.argwhere(~np.isfinite(z))[:1].tolist():
        raise Broken(f"features are not finite: {z[i, j]} in column {j} of row {i}")


def calls_are_repeatable(c: Candidate) -> None:
    """The same rows have the same features in every call, whatever was called in between."""
    phi = c.map(c.first)
    reference = c.call(phi, c.rows)
    # Sums in a changing order differ by less than rows that are moved by many units of rounding.
    slack = 0.125 * c.sensitivity(phi, c.rows, reference)
    why = "weights are drawn anew at every call, or earlier calls leave something behind"
    causes = [f"call {k} on the same rows has other features: {why}" for k in range(2, 6)]
    for cause in (*causes, "features depend on the rows of earlier calls"):
        if cause not in causes:
            half = c.rows[::-1] * np.asarray(0.5, c.rows.dtype)
            for batch in (half, np.concatenate([c.rows, c.rows[:, :1]], axis=1)):
                with contextlib.suppress(Exception):  # a refusal, which other widths deserve
                    c.call(phi, batch)
        with c.trying(cause):
            c.require_same(cause, c.call(phi, c.rows), reference, slack)


def rows_and_results_are_left_alone(c: Candidate) -> None:
    """No call changes its rows, and no call changes features that were returned before."""
    phi = c.map(c.first)
    c.call(phi, c.rows)
    fortran = np.asfortranarray(c.rows) if may_be_written(c.place(c.rows)) else None
    with c.trying("rows in Fortran order"):
        c.call(phi, c.rows, fortran)
    for what, rows in ("float32 rows", c.rows.astype(np.float32)), ("one row", c.rows[:1]):
        with c.trying(what):
            c.call(phi, rows)
    if c.change:
        raise Broken(c.change)
    result = raw(phi, c.place(c.rows))
    before = np.array(dense_host(result)[0])
    with c.trying("calls on reversed rows"):
        for _ in range(3):  # a map may take turns at two arrays
            c.call(phi, c.rows[::-1])
    if not np.array_equal(dense_host(result)[0], before, equal_nan=before.dtype.kind == "f"):
        raise Broken("a later call overwrites the features that an earlier one returned")
    if may_be_written(result):
        result[...] = 0
        c.require("writing to features changes those of later calls: copies are needed", phi)


def rows_do_not_see_each_other(c: Candidate) -> None:
    """A row has the same features alone and among other rows, even thousands, in any order."""
    phi, n, batch = c.map(c.first), len(c.rows), "features depend on the other rows of the batch"
    c.call(phi, c.rows)
    # By a fresh map: what an earlier call leaves behind is not the order.
    order, cause = np.arange(n)[::-1], "features depend on the order, or on the place, of the rows"
    c.require(cause, c.map(c.first), order, what="reversed rows")
    _look_for_caches(c, phi)
    others = c.rows * np.asarray([1.0] + [0.5] * (n - 1)).astype(c.rows.dtype)[:, None]
    with c.trying("other rows besides"):
        cause = f"{batch}: added rows change them"
        c.require_same(cause, c.call(phi, others)[:1], c.reference[:1])
    cause = f"{batch}: a part of the rows has other ones"
    c.require(cause, phi, np.arange(n)[n // 2 :], what="a part of the rows")
    cause = f"{batch}: alone a row has other ones (are rows centred or scaled?)"
    for i in range(n):
        c.require(cause, c.map(c.first), [i], what="one row at a time")
    middle, others = n // 2, np.delete(np.arange(n), n // 2)
    for value in ((np.nan, np.inf, 0.0) if c.rows.dtype.kind == "f" else (0,)) * (n > 1):
        rows = c.rows.copy()
        rows[middle] = value
        z = None
        with contextlib.suppress(Exception):  # a refusal, which the row may deserve
            z = c.call(phi, rows)
        if z is not None:
            cause = f"a row of {value:g} changes the features of other rows"
            c.require_same(cause, z[others], c.reference[others])
            if value == 0.0 and not np.isfinite(z[middle].astype(np.float64)).all():
                c.remarks["features of a row of zeros are not finite"] = None
    _compare_many(c, phi)


def _look_for_caches(c: Candidate, phi: Callable[..., Any]) -> None:
    """Change inner rows alone, which some caches overlook, and compare with a fresh map."""
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
    if row.dtype.kind == "f":
        nudge, early = np.copysign(_NUDGE * np.abs(row).max(), row), np.arange(d) < (d + 1) // 2
        nudges = ((row + nudge * half).astype(row.dtype) for half in (early, ~early))
        changes += [([i], change[None]) for change in (row[::-1], *nudges)]
    with c.trying("inner rows that change"):
        first = c.call(phi, tall)
        for places, values in changes:
            copy = tall.copy()
            copy[places] = values
            z, right = c.call(phi, copy)[places], c.features(c.first, values)
            if np.array_equal(z, first[places]):
                text = "other rows get the features of an earlier call: a cache goes by their shape"
                c.require_same(f"{text}, or by less than the rows", z, right)


def _compare_many(c: Candidate, phi: Callable[..., Any]) -> None:
    """Compare the features of repeated rows at many batch sizes, above powers of 2 and of 10."""
    n, start, totals = len(c.rows), c.clock.seconds, [_SHORT]
    for total in totals:
        index = np.arange(total) % n
        with c.trying(f"{counted(total, 'row')} at once"):
            wrong = c.differing(c.call(phi, c.rows[index]), c.reference[index], c.slack[index])
            if wrong.size == total:
                raise Broken(f"features depend on how many rows are given: {n} or {total}")
            if wrong.size:
                text = f"of {counted(total, 'row')} at once, equal rows have other features from"
                raise Broken(f"{text} row {wrong[0]} on: are blocks cut or drawn wrongly?")
        if total == _SHORT:
            seconds = (c.clock.seconds - start) / _SHORT
            most = min(_TALL, _ENTRIES // c.reference.shape[1], _WIDE // c.rows.shape[1])
            if seconds * most > _SECONDS:
                most = int(_SECONDS / seconds)
                c.skip(f"more than {counted(most, 'row')} at once", "the map is slow")
            units = [unit for unit in (1, 10 ** int(math.log10(most))) if most > _SHORT]
            sizes = {unit * 2 ** int(math.log2(most / unit)) + 1 for unit in units}
            sizes |= {size for size in (c.rows.shape[1], c.reference.shape[1]) if size <= most}
            totals += sorted(sizes)
    there = c.place(c.rows)
    for size in (1, 5, n) if stays_lazy(there) else ():
        what, array = f"chunks of {counted(size, 'row')}", there.rechunk({0: size})
        c.require(f"features depend on the chunks: {what}", phi, what=what, array=array)


def layouts_do_not_matter(c: Candidate) -> None:
    """The same numbers have the same features in every memory layout and precision."""
    phi = c.map(c.first)
    c.call(phi, c.rows)
    if may_be_written(buffer := c.place(c.rows)):
        layouts = {
            "rows in Fortran order": np.asfortranarray(c.rows),
            "strided rows": np.repeat(np.repeat(c.rows, 2, axis=1), 2, axis=0)[::2, ::2],
            "rows with negative strides": c.rows[::-1, ::-1].copy()[::-1, ::-1],
        }
        for what, array in layouts.items():
            c.require(f"{what} have other features", phi, what=what, array=array)
        back, what = np.arange(len(c.rows))[::-1], "a buffer used again"
        with c.trying(what):
            earlier = c.call(phi, c.rows, buffer)
            buffer[:] = new = c.rows[back]
            cause = "an array gets the features of an earlier call, whatever is in it now"
            c.require_same(cause, c.call(phi, new, buffer), c.features(c.first, new), c.slack[back])
            fortran = np.reshape(c.rows.ravel(), c.rows.shape, order="F")
            z = c.call(phi, fortran, fortran.copy(order="F"))
            if np.array_equal(z, earlier):
                cause = "rows in Fortran order have the features of the same memory in C order"
                c.require_same(cause, z, c.features(c.first, fortran))
    place = place_of(c.caller_rows)
    if c.rows.dtype.kind == "f" and has_float64(place.xp, place.device):
        _compare_precisions(c, phi)
    # A fresh map is called on integers first, since its weights may be drawn then.
    whole = np.rint(c.rows * np.asarray(4.0 / (float(np.abs(c.rows).max()) or 1.0), c.rows.dtype))
    whole = whole[(whole != 0.0).any(axis=1)]
    if c.rows.dtype.kind == "f" and whole.size:
        kind = dtype_name(xpx.default_dtype(place.xp, "integral", device=place.device))
        with c.trying("integer rows"):
            reference, fresh = c.call(phi, whole), c.map(c.first)
            slack = c.sensitivity(phi, whole, reference)
            cause = "integer rows have other features than the same numbers in floating point"
            c.require_same(cause, c.call(fresh, whole.astype(kind)), reference, slack)
            cause = "integer rows in the first call spoil later ones"
            c.require_same(cause, c.call(fresh, whole), reference, slack)


def _compare_precisions(c: Candidate, phi: Callable[..., Any]) -> None:
    """Compare single with double precision at numbers representable in both."""
    single = c.rows.astype(np.float32)
    with c.trying("rows in single and in double precision"):
        exact = c.call(phi, single.astype(np.float64))
        slack = c.sensitivity(phi, single.astype(np.float64), exact)
        if exact.dtype.kind == "f":  # where rounding shows in every digit, by chance less in some
            slack = np.maximum(slack, np.quantile(slack, 0.9, axis=1, keepdims=True))
        features = c.call(phi, single)
        if not np.isfinite(features.astype(np.float64)).all():
            c.remarks["features of float32 rows overflow"] = None
            return
        c.require_same("float32 rows have other features than float64 rows", features, exact, slack)
