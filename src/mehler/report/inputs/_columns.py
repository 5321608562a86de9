"""Choose columns, say of all unusable ones what to do, and doubt those likely not meant."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np

from mehler._plural import counted
from mehler._validate import require_iterable
from mehler.report.inputs._out_of_core import Look, Source

# Columns that a message names at most, of thousands.
_MOST = 100


def names_in(columns: str | Sequence[str] | None, option: str) -> tuple[str, ...]:
    """Split names at commas, as in a line of CSV, or take a sequence of names."""
    if columns is None:
        return ()
    if isinstance(columns, str):
        return tuple(name.strip() for name in next(csv.reader([columns]), []))
    names = require_iterable(option, columns)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"{option}={columns!r} must be names of columns")
    return names


def choose(
    source: Source, *, columns: Sequence[str], drop: Sequence[str], target: str | None
) -> tuple[list[int], int | None, tuple[str, ...]]:
    """Return positions of the columns and of the target, and what was left out unasked."""
    place = {name: j for j, name in enumerate(source.columns)}
    options = {"columns": columns, "drop": drop, "target": [target] if target is not None else []}
    for option, names in options.items():
        for name in names:
            if name not in place:
                near = _near(name, source.columns)
                raise ValueError(f"--{option} {name!r} is no column of {source.label}: {near}")
    if target is not None and (target in columns or target in drop):
        raise ValueError(f"--target {target!r} is left out of the rows: do not name it twice")
    if set(columns) & set(drop):
        both = ", ".join(sorted(set(columns) & set(drop)))
        raise ValueError(f"--columns and --drop both name {both}: name it once")
    chosen = list(columns) or [name for name in source.columns if name not in source.index]
    use = [place[name] for name in dict.fromkeys(chosen) if name not in drop and name != target]
    if not use:
        raise ValueError(f"{source.label} has no columns left: keep one at least")
    unasked = [] if columns else [n for n in source.index if n not in drop and n != target]
    notes = tuple(f"index column {name} left out" for name in unasked)
    return use, None if target is None else place[target], notes


def refuse(
    label: str,
    names: Sequence[str],
    unusable: dict[str, str],
    statistics: Look | None,
    *,
    rows: bool,
    target: str | None,
) -> None:
    """Raise one ValueError for all columns and rows that cannot be used, if there are any.

    `names` are the columns that were looked at; `rows` says whether missing values are refused.
    """
    parts = []
    if unusable:
        listed = [f"column {name!r} holds {kind}" for name, kind in unusable.items()]
        rest = len(listed) - _MOST
        more = f", and {counted(rest, 'more column')}" if rest > 0 else ""
        remedy = f"remove with {_drop(list(unusable)[:_MOST], label)}, or encode as numbers"
        if not names:
            remedy = "no column is left; give one of numbers at least"
        parts.append(f": {', '.join(listed[:_MOST])}{more}: {remedy}")
    if statistics is not None and statistics.n_bad_rows and rows:
        parts.append(_missing(names, statistics, target, label))
    if parts:
        raise ValueError(label + ";".join(parts))


def _drop(names: Sequence[str], label: str) -> str:
    """Return the option that leaves columns out, of the command line or of Python."""
    if label == "data":
        return f"drop={list(names)}"
    return f"--drop {shlex.quote(joined(names))}"


def joined(names: Sequence[str]) -> str:
    """Join names by commas, as in a line of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def _missing(names: Sequence[str], statistics: Look, target: str | None, label: str) -> str:
    n_bad = statistics.n_bad_rows
    places = [int(j) for j in np.flatnonzero(statistics.n_bad)]
    first = where = other = ""
    if statistics.first_bad is not None:
        row, column, value = statistics.first_bad
        first = f" holds {value} at row {row}, column {column} ({names[column]!r}, from 0);"
    if places:
        where = " in " + ", ".join(f"{names[j]!r} ({statistics.n_bad[j]})" for j in places[:_MOST])
        other = f", the columns with {_drop([names[j] for j in places[:_MOST]], label)}"
    elif target is not None:
        where = f" in the target {target!r}"
    numbers = ", ".join(map(str, statistics.bad_rows))
    numbers += ", ..." if n_bad > len(statistics.bad_rows) else ""
    rows_out = "drop_missing=True" if label == "data" else "--drop-missing"
    return (
        f"{first} {n_bad} of {counted(statistics.n_rows, 'row')} {'has' if n_bad == 1 else 'have'} "
        f"missing or infinite values ({'row' if n_bad == 1 else 'rows'} {numbers}){where}: leave "
        f"the rows out with {rows_out}{other}, or remove or impute missing values"
    )


def _near(name: str, names: Sequence[str]) -> str:
    near = get_close_matches(name, names, n=3) or names[:8]
    more = ", ..." if len(names) > len(near) else ""
    return "it has " + ", ".join(near) + more


# Ratio of scales that is worth a warning.
_APART = 1000.0
# Integers below the first are floats, and those of 64 bits are below the second.
_EXACT, _LARGEST = 2.0**53, 2.0**64
# Fewer rows are in increasing order by chance too often.
_FEW = 8
_ID_NAME = re.compile(r"(?i:(?<![a-z])(?:id|idx|index)(?![a-z]))|[a-z](?:Id|ID|Idx|Index)(?![a-z])")
_MOST_LISTED = 8


def warnings_on(names: Sequence[str], statistics: Look, *, standardize: bool) -> tuple[str, ...]:
    """Return sentences on the columns, by what was seen of their entries."""
    warnings = []
    alike = [name for j, name in enumerate(names) if _is_id(name, j, statistics)]
    if alike:
        like = "looks like an id" if len(alike) == 1 else "look like ids"
        warnings.append(f"{_listed(alike)} {like}, not a measurement: leave out with --drop")
    scales = np.maximum(np.abs(statistics.lows), np.abs(statistics.highs))
    filled = np.flatnonzero(scales > 0)
    if filled.size and not standardize:
        large = filled[np.argmax(scales[filled])]
        small = filled[np.argmin(scales[filled])]
        # By division, since products of large numbers overflow.
        if scales[small] < scales[large] / _APART:
            warnings.append(
                f"scales of columns differ by more than {_APART:.0f}: {names[large]!r} reaches "
                f"{scales[large]:.4g} and {names[small]!r} {scales[small]:.4g}, so the former "
                "decides alone which rows are alike: --standardize puts them on one scale"
            )
    rounded = statistics.integers & (scales >= _EXACT) & (scales < _LARGEST)
    if rounded.any():
        named = [names[int(j)] for j in np.flatnonzero(rounded)]
        warnings.append(
            f"{_listed(named)} of integers beyond 2^53, neighbours of which are one number as "
            "float64: subtract an offset, or --drop"
        )
    return tuple(warnings)


def _is_id(name: str, j: int, statistics: Look) -> bool:
    """Whether entries are distinct integers in order, or a range, or are called an id."""
    if not statistics.integers[j] or not statistics.n_good:
        return False
    low, high, n = float(statistics.lows[j]), float(statistics.highs[j]), statistics.n_good
    if low == high:
        return False
    if _ID_NAME.search(name):
        return True
    # Distinct integers in a range of n have the mean and the variance of the range. Rounding of
    # sums is below n 2^-53, which is 1e-9 at 10^7 rows; few entries that repeat are below it too,
    # and such a column is an id all the same.
    full = (
        high - low + 1 == n
        and np.isclose(statistics.means[j], (low + high) / 2, rtol=1e-9)
        and np.isclose(statistics.squares[j], n * (n * n - 1) / 12, rtol=1e-9)
    )
    return n >= _FEW and bool(statistics.increasing[j] or full)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"column{'s' * (len(names) > 1)} {', '.join(map(repr, names[:_MOST_LISTED]))}{more}"
