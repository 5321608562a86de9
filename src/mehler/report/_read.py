"""`load_rows`: read and validate the user's rows as a `DataMatrix`."""

from __future__ import annotations

import re
import shlex
from ast import literal_eval
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._plural import counted
from mehler._text import install_command, printable
from mehler._validate import require_flag, require_iterable
from mehler.report._tables import Table, one_sentence, open_table

# Names in a message; ratio of scales that is warned of; largest value, with finite products.
_LISTED, _APART, _LARGEST = 12, 1000.0, 1e75
DIGITS = "scikit-learn digits (8×8)"
_ID_NAME = re.compile(r"(?i:(?<![a-z])(?:id|idx|index)(?![a-z]))|[a-z](?:Id|ID|Idx|Index)(?![a-z])")


@dataclass(frozen=True, kw_only=True)
class DataMatrix:
    """The user's data as read: nonzero rows as float64, at most 1 GiB, and a target.

    Parameters
    ----------
    name : str
        File name, "array", "data frame" or the default data set.
    values, index : array, shapes (n, d) and (n,)
        Rows, standardized if so requested, and their positions in the source.
    n_zero_rows : int
        Rows of zeros, which have no direction and were dropped.
    columns, lows, highs : tuple of str, arrays of shape (d,)
        Names, x0, x1, ... where there are none, and ranges before any scaling.
    warnings, choices : tuple of str
        Sentences on doubtful columns; decisions made while reading.
    target, target_name : array, shape (n,), and str, or None
        Values (floats) or labels (integers, booleans, strings) of the target column; its name.
    """

    name: str
    values: np.ndarray
    index: np.ndarray
    n_zero_rows: int
    columns: tuple[str, ...]
    lows: np.ndarray
    highs: np.ndarray
    warnings: tuple[str, ...]
    choices: tuple[str, ...]
    target: np.ndarray | None
    target_name: str | None

    def __repr__(self) -> str:
        return f"<DataMatrix: {self.lines()[0]}>"

    @property
    def n_rows(self) -> int:
        """Number of nonzero rows."""
        return len(self.values)

    def lines(self) -> tuple[str, ...]:
        """Return lines on what was read: rows, columns with their ranges, decisions, warnings."""
        n = self.n_rows + self.n_zero_rows
        line = f"{self.name}: {counted(n, 'row')}, {counted(len(self.columns), 'column')}"
        line += f", {self.n_zero_rows} of zeros left out" if self.n_zero_rows else ""
        line += f", target {self.target_name}" if self.target_name else ""
        lines = [line + (f" ({'; '.join(self.choices)})" if self.choices else "")]
        ranges = list(zip(self.columns, self.lows, self.highs))
        if rest := ranges[_LISTED:]:
            name = f"{counted(len(rest), 'more column')}, to {self.columns[-1]}"
            ranges[_LISTED:] = [(name, min(r[1] for r in rest), max(r[2] for r in rest))]
        lines += [f"  {name}: {low:.6g} to {high:.6g}" for name, low, high in ranges]
        return tuple(map(printable, (*lines, *(f"warning: {text}" for text in self.warnings))))


def load_rows(
    data: str | PathLike[str] | Any | None,
    *,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    target: str | Any | None = None,
    standardize: bool = False,
    drop_missing: bool = False,
) -> DataMatrix:
    r"""Read and validate rows of numbers, from a file, an array or a data frame.

    Rows may take 1 GiB as float64, which is checked by the size that a file declares before it is
    read. No code in a file is run. Text is UTF-8, with commas, in ``.tsv`` tabs, and its first line
    has names. For other layouts an error shows the two lines of pandas that read them.

    Parameters
    ----------
    data : path, array (n, d), data frame, DataMatrix or None
        A file: ``.csv``, ``.tsv``, ``.parquet``, ``.feather``, ``.npy`` or ``.npz`` with an array
        X; an array of any library; a table or stream of pandas, polars or pyarrow. A `DataMatrix`
        is returned as it is. None stands for scikit-learn's 8x8 digits with their labels.
    columns, drop : str or sequence of str, optional
        Names of the columns to take, or to leave out, separated by commas. Columns without names
        are x0, x1, and so on. Index columns of pandas are left out unless they are named.
    target : str or array (n,), optional
        The column of labels or values, which is left out of the rows; of a ``.npz`` also the name
        of another array; or the labels themselves.
    standardize : bool
        Whether columns are shifted to mean 0 and scaled to standard deviation 1.
    drop_missing : bool
        Whether rows with missing or infinite values are left out, instead of refused.

    Returns
    -------
    DataMatrix
        The rows, with their columns, ranges, and what was decided and left out.

    Raises
    ------
    TypeError, ValueError
        If there are not two nonzero rows or more of finite real numbers.

    Examples
    --------
    >>> from mehler.report import load_rows
    >>> read = load_rows([[1.0, 200.0], [2.0, 100.0], [4.0, 300.0]], standardize=True)
    >>> print("\n".join(read.lines()))
    array: 3 rows, 2 columns (standardized)
      x0: 1 to 4
      x1: 100 to 300
    """
    if isinstance(data, DataMatrix):
        return data
    require_flag("standardize", standardize)
    require_flag("drop_missing", drop_missing)
    include, exclude = _names(columns, "columns"), _names(drop, "drop")
    key = target if isinstance(target, str) else None
    table = _digits() if data is None else open_table(data, key, exclude)
    labels = _host_labels(table.labels if target is None or key is not None else target)
    column = key if labels is None else None
    names, notes = _choose(table, include, exclude, column)
    with one_sentence(table.label, table.remedy):
        values, entries = table.read(names, column)
    entries = entries if labels is None else labels
    if not (n := len(values)):
        raise ValueError(f"{table.label} is empty: give rows of numbers")
    if entries is not None and entries.shape != (n,):
        raise ValueError(f"target has shape {entries.shape}, but there are {n} rows: give one each")
    bad = ~np.isfinite(values).all(axis=1)
    bad |= False if entries is None else _lacking(entries)
    if bad.all() or (bad.any() and not drop_missing):
        raise ValueError(_missing(table, names, values, bad))
    index = np.flatnonzero(~bad)
    if bad.any():
        notes += (f"{counted(n - index.size, 'row')} with missing values left out",)
        values = values[index]
    lows, highs = values.min(axis=0), values.max(axis=0)
    if max(highs.max(), -lows.min()) > _LARGEST:
        raise ValueError(f"{table.label} has values above {_LARGEST:g}: rescale its columns first")
    warnings = _warnings(names, values, standardize)
    if standardize:
        values, notes = standardized(values), (*notes, "standardized")
    keep = np.max(np.abs(values), axis=1) > 1.0 / _LARGEST
    n_zero = int(np.sum(~keep))
    if len(values) - n_zero < 2:
        number = f"{counted(len(values) - n_zero, 'row')} that are not all zero"
        raise ValueError(f"{table.label} has {number}: give at least two")
    if n_zero:
        values, index = values[keep], index[keep]
    name = DIGITS if data is None else "array"
    if isinstance(data, str | PathLike):
        name = Path(data).name
    elif hasattr(data, "__arrow_c_stream__"):
        name = "data frame"
    return DataMatrix(
        name=name,
        values=values,
        index=index,
        n_zero_rows=n_zero,
        columns=names,
        lows=lows,
        highs=highs,
        warnings=warnings,
        choices=notes,
        target=None if entries is None else _labels(entries[index]),
        target_name=key if key or (target is None and data is not None) else "target",
    )


def _digits() -> Table:
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        command = install_command("sklearn")
        raise ValueError(f"the digits need scikit-learn: {command}, or give DATA") from None
    X, y = load_digits(return_X_y=True)
    return replace(open_table(X, None, ()), label="the digits", labels=y)


def _names(names: str | Sequence[str] | None, option: str) -> tuple[str, ...]:
    if isinstance(names, str):
        return tuple(name.strip() for name in names.split(","))
    members = () if names is None else require_iterable(option, names)
    if not all(isinstance(name, str) for name in members):
        raise TypeError(f"{option}={names!r} must be names of columns")
    return members


_ARGUMENT = re.compile(r"""(columns|drop|target|drop_missing)=(True|'[^']*'|"[^"]*")""")


def as_options(text: str) -> str:
    """Return a text in which arguments of `load_rows` are options of the command line.

    >>> as_options("leave out with drop='day,a name' or drop_missing=True")
    "leave out with --drop 'day,a name' or --drop-missing"
    """

    def option(match: re.Match[str]) -> str:
        flag = f"--{match[1].replace('_', '-')}"
        return flag if match[2] == "True" else f"{flag} {shlex.quote(literal_eval(match[2]))}"

    return re.sub(r"(^|of )data\b", r"\1DATA", _ARGUMENT.sub(option, text))


def _host_labels(labels: Any) -> np.ndarray | None:
    if labels is None:
        return None
    values = np.asarray(_arrays.to_host(labels) if _arrays.is_array(labels) else labels)
    if isinstance(labels, np.ma.MaskedArray) or values.dtype.kind not in "biufUO":
        raise ValueError(f"target is a {type(labels).__name__} of {values.dtype}: give labels")
    return values


def _choose(
    table: Table, include: Sequence[str], exclude: Sequence[str], target: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns to read, and notes on index columns left out by default."""
    # Columns of pandas that are dropped are gone already.
    dropped = () if table.label == "data" else exclude
    options = {"columns": include, "drop": dropped, "target": () if target is None else (target,)}
    for option, names in options.items():
        for name in set(names) - set(table.columns):
            there = ", ".join(map(printable, table.columns[:_LISTED]))
            raise ValueError(f"{option}={name!r} is not a column of {table.label}: it has {there}")
    index = [] if include else [n for n in table.index if n not in (*exclude, target)]
    left_out = {*exclude, *index, target}
    names = tuple(n for n in dict.fromkeys(include or table.columns) if n not in left_out)
    if not names:
        raise ValueError(f"{table.label} has no columns left: keep one at least")
    if odd := [name for name in names if name in table.unusable]:
        number, odd = counted(len(odd), "column"), odd[:_LISTED]
        descriptions = ", ".join(f"{name!r} ({table.unusable[name]})" for name in odd)
        dates = [name for name in odd if table.unusable[name].startswith(("date", "time"))]
        frame = f"{{}}.drop(columns={dates})" if dates else "{}"
        if texts := [name for name in odd if name not in dates]:
            frame = f"pandas.get_dummies({frame}, columns={texts})"
        raise ValueError(
            f"{table.label} has {number} without numbers, {descriptions}: leave out with "
            f"drop={','.join(odd)!r}, or {table.in_pandas(frame)}"
        )
    return names, tuple(f"index column {name} left out" for name in index)


def _missing(table: Table, names: Sequence[str], values: np.ndarray, bad: np.ndarray) -> str:
    """Return the text of the error on rows that lack a value, with options and lines that help."""
    finite = np.isfinite(values)
    place, remedies = "in the target", "drop_missing=True"
    if not finite.all():
        row, column = (int(i) for i in np.argwhere(~finite)[0])
        place = f"{values[row, column]} at row {row} of {names[column]!r}"
        lacking = [name for name, full in zip(names, finite.all(axis=0)) if not full][:_LISTED]
        filled = table.in_pandas("{}.pipe(lambda frame: frame.fillna(frame.mean()))")
        remedies += f" or drop={','.join(lacking)!r}, or {filled}"
    return (
        f"{table.label} lacks finite values in {np.sum(bad)} of {counted(len(values), 'row')} "
        f"({place}): leave out with {remedies}"
    )


def _lacking(entries: np.ndarray) -> np.ndarray:
    """Return where labels are None, or numbers that are not finite."""
    if entries.dtype.kind == "O":
        return np.array([entry is None or entry != entry for entry in entries], dtype=bool)
    return ~np.isfinite(entries) if entries.dtype.kind == "f" else np.zeros(len(entries), bool)


def _labels(entries: np.ndarray) -> np.ndarray:
    """Return values or labels: integers or floats if all entries are, else strings."""
    if entries.dtype.kind != "O":
        return entries
    texts = np.array([str(entry).strip() for entry in entries])
    for kind in (np.int64, np.float64):
        with suppress(ValueError, OverflowError):
            return texts.astype(kind)
    return texts


def standardized(values: np.ndarray) -> np.ndarray:
    """Return columns of mean 0 and deviation 1 as a copy; constant ones become 0."""
    mean, scale = values.mean(axis=0), values.std(axis=0)
    constant = values.min(axis=0) == values.max(axis=0)
    values = values - np.where(constant, values[0], mean)
    values /= np.where(constant, 1.0, scale)
    return values


def _warnings(names: Sequence[str], values: np.ndarray, standardize: bool) -> tuple[str, ...]:
    """Return sentences on doubtful columns: those like an id, and a scale that outweighs others."""
    warnings, scales = [], np.max(np.abs(values), axis=0)
    if ids := [repr(name) for name, column in zip(names, values.T) if _is_id(name, column)]:
        columns = f"columns {', '.join(ids[:_LISTED])} are" if ids[1:] else f"column {ids[0]} is"
        warnings.append(f"{columns} like an id, not a measurement: leave it out")
    large, small = int(np.argmax(scales)), int(np.argmin(np.where(scales > 0, scales, np.inf)))
    # By division, since products of large numbers overflow.
    if not standardize and 0 < scales[small] < scales[large] / _APART:
        warnings.append(
            f"{names[large]!r} reaches {scales[large]:.4g} and {names[small]!r} "
            f"{scales[small]:.4g}, so the former alone decides which rows are alike: standardize "
            "the columns"
        )
    return tuple(warnings)


def _is_id(name: str, entries: np.ndarray) -> bool:
    """Whether the entries are integers that increase, or whose column is called an id."""
    in_order = len(entries) >= 8 and bool(np.all(entries[1:] > entries[:-1]))
    whole = np.array_equal(entries, np.floor(entries)) and bool(np.any(entries != entries[0]))
    return whole and (in_order or bool(_ID_NAME.search(name)))
