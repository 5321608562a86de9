"""`load_rows`: read and validate the user's rows as a `DataMatrix`; errors name every column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse

from mehler import _arrays
from mehler._plural import be, counted
from mehler._text import printable
from mehler._validate import require_flag, require_instance, require_positive
from mehler.data import MissingDataError, digits
from mehler.report.inputs import _columns
from mehler.report.inputs._columns import warnings_on
from mehler.report.inputs._numpy_files import read_npy, read_npz
from mehler.report.inputs._out_of_core import (
    ArraySource,
    Look,
    NotNumbers,
    Source,
    evenly_spaced,
    exceeds,
    is_large,
    missing,
)
from mehler.report.inputs._tables import FileSource, FrameSource, is_frame
from mehler.report.inputs._text import Layout, TextSource

# GiB that an archive may unpack to.
UNPACK_LIMIT = 1.0
# Of options whose default is neither None nor False.
_DEFAULTS = {"decimal": ".", "encoding": "utf-8", "skip_lines": 0, "unpack_limit": UNPACK_LIMIT}
_SUFFIXES = (".npy", ".npz", ".csv", ".tsv", ".parquet", ".feather", ".arrow")
_TEXT = (".csv", ".tsv")
_PACKED = (".gz", ".xz", ".bz2", ".zst", ".zip", ".tar", ".tgz", ".7z")
# Columns that are listed one a line.
_MOST_COLUMNS = 12


@dataclass(frozen=True, kw_only=True)
class DataMatrix:
    """Nonzero rows, float64, evenly spaced samples if the source exceeds 256 MiB.

    Parameters
    ----------
    name, path : str, str or None
        File name, "array", or the name of the default data set; the file, if there is one.
    values, index : array, shapes (n_held, d) and (n_held,)
        The rows that are held, standardized if that was asked for, and their positions in the
        source, counted from 0.
    n_zero_rows, n_not_held : int
        Rows of zeros, which have no direction and were dropped; other rows not in `values`.
    columns : tuple of str
        Names of the d columns; x0, x1, ... where the source has none.
    lows, highs : array, shape (d,)
        Range of each column over all rows of the source, as read, before any scaling.
    warnings, choices : tuple of str
        Sentences on columns that are likely not meant as they are; decisions made while reading:
        separator, header, columns left out, scaling.
    target, target_name : array, shape (n_held,), and str, or None
        Values (floats) or labels (integers, booleans, strings) of the target column; its name.
    options : tuple of str
        The command line's options that read the same rows again.
    """

    name: str
    path: str | None
    values: np.ndarray
    index: np.ndarray
    n_zero_rows: int
    n_not_held: int
    columns: tuple[str, ...]
    lows: np.ndarray
    highs: np.ndarray
    warnings: tuple[str, ...]
    choices: tuple[str, ...]
    target: np.ndarray | None
    target_name: str | None
    options: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """Number of nonzero rows, held or not."""
        return self.values.shape[0] + self.n_not_held

    def lines(self) -> tuple[str, ...]:
        """Say what was read: rows, columns by name with their ranges, decisions, warnings."""
        n = self.n_rows + self.n_zero_rows
        size = f"{counted(n, 'row')}, {counted(len(self.columns), 'column')}"
        zeros = f", {self.n_zero_rows} of zeros left out" if self.n_zero_rows else ""
        target = f", target {self.target_name}" if self.target_name else ""
        choices = f" ({'; '.join(self.choices)})" if self.choices else ""
        shown = range(min(len(self.columns), _MOST_COLUMNS))
        lines = [f"{self.name}: {size}{zeros}{target}{choices}"]
        lines += [f"  {self.columns[j]}: {self.lows[j]:.6g} to {self.highs[j]:.6g}" for j in shown]
        if len(self.columns) > len(shown):
            rest = slice(len(shown), None)
            lines.append(
                f"  {counted(len(self.columns) - len(shown), 'more column')}, to "
                f"{self.columns[-1]}: {self.lows[rest].min():.6g} to {self.highs[rest].max():.6g}"
            )
        return tuple(map(printable, (*lines, *(f"warning: {one}" for one in self.warnings))))


@contextmanager
def _printable_errors() -> Iterator[None]:
    """Escape control characters and line ends of names and cells in messages."""
    try:
        yield
    except ValueError as error:
        message = printable(str(error)).replace("\n", r"\n").replace("\t", r"\t")
        if message == str(error):
            raise
        raise ValueError(message) from error


@_printable_errors()
def load_rows(
    data: str | PathLike[str] | Any | None,
    *,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    target: str | Any | None = None,
    standardize: bool = False,
    drop_missing: bool = False,
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: Literal[".", ","] = ".",
    encoding: str = "utf-8",
    skip_lines: int = 0,
    array: str | None = None,
    unpack_limit: float = UNPACK_LIMIT,
) -> DataMatrix:
    r"""Read and validate rows of numbers, from a file, an array or a data frame.

    Files and Dask arrays are read block by block. Of more than 256 MiB as float64, 20,000 rows
    evenly spaced are held; all are validated.

    Parameters
    ----------
    data : path, array (n, d), data frame, DataMatrix or None
        A file: ``.csv``, ``.tsv``, ``.parquet``, ``.feather``, ``.arrow``, ``.npy`` or ``.npz``;
        an array of any library; a data frame of pandas, polars or pyarrow. A `DataMatrix` is
        returned as it is. None stands for scikit-learn's 8x8 digits.
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
    header : bool, optional
        Whether the first line of a text file holds names. Default: it does if none of its cells is
        a number, or if they are 0, 1, 2, ... in order, as pandas writes them; it is refused if some
        are numbers.
    delimiter : str, optional
        What separates the cells of a text file, as ``";"``. Default: a comma, or a tab in ``.tsv``.
        A file whose first 50 lines another of ``; | tab space ,`` splits evenly is then refused.
    decimal : {".", ","}
        Decimal mark of a text file.
    encoding : str
        Of a text file, as ``"latin-1"`` or ``"utf-16"``.
    skip_lines : int
        Lines of a text file above its header or its first row.
    array : str, optional
        Name of the array of a ``.npz``. Default X, or the first with two axes.
    unpack_limit : float
        Most GiB that a ``.npz``, or a file packed a hundredfold, may unpack to.

    Returns
    -------
    DataMatrix
        The rows, with their columns, ranges, and what was decided and left out.

    Raises
    ------
    TypeError, ValueError
        If there are not two nonzero rows or more of finite real numbers. The message names all
        columns that are not numbers, all rows with missing values, and the option that helps.

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
    limit = require_positive("unpack_limit", unpack_limit)
    require_flag("standardize", standardize)
    require_flag("drop_missing", drop_missing)
    layout = Layout(
        header=header,
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
        skip_lines=skip_lines,
    )
    if array is not None:
        require_instance("array", array, str)
    wanted, unwanted = (
        _columns.names_in(names, option) for names, option in ((columns, "columns"), (drop, "drop"))
    )
    source, labels = _open(data, target, layout, array, limit)
    named = target if labels is None else None
    use, place, notes = _columns.choose(source, columns=wanted, drop=unwanted, target=named)
    statistics = _scan(source, use, place, drop_missing)
    names = _names(source, use)
    values, entries, index = _take(source, use, place, statistics)
    if standardize:
        # Memory of the caller is left as it is.
        values = values.copy() if source.path is None else values
        _standardize(values, names, statistics)
        notes += ("standardized",)
    if statistics.n_bad_rows:
        notes += (f"{counted(statistics.n_bad_rows, 'row')} with missing values left out",)
    keep = _nonzero(values, source.label, statistics)
    n_zero = index.size - keep.size if standardize else statistics.n_zero_rows
    if keep.size < index.size:
        values, index = values[keep], index[keep]
        entries = None if entries is None else entries[keep]
    if labels is not None:
        entries = _align_labels(labels, statistics.n_rows, index)
    options = {
        "columns": _columns.joined(wanted) or None,
        "drop": _columns.joined(unwanted) or None,
        "target": target if isinstance(target, str) else None,
        "array": array,
        "unpack_limit": limit,
        **vars(layout),
        "standardize": standardize or None,
        "drop_missing": drop_missing or None,
    }
    return DataMatrix(
        name=source.name,
        path=source.path,
        values=values,
        index=index,
        n_zero_rows=n_zero,
        n_not_held=statistics.n_good - n_zero - keep.size,
        columns=names,
        lows=statistics.lows,
        highs=statistics.highs,
        warnings=warnings_on(names, statistics, standardize=standardize),
        choices=(*source.choices, *notes),
        target=entries,
        target_name=target if target is None or isinstance(target, str) else "target",
        options=_as_options(options),
    )


def _open(
    data: Any, target: Any, layout: Layout, array: str | None, limit: float
) -> tuple[Source, Any]:
    """Return the source, and labels that are not among its columns."""
    labels = None if target is None or isinstance(target, str) else target
    if data is None:
        try:
            values = digits().X.reshape(-1, 64)
        except MissingDataError as error:
            raise ValueError(f"DATA is not given, and {error}; or give a file") from error
        return ArraySource(values, "scikit-learn digits (8×8)", "DATA"), labels
    if isinstance(data, str | PathLike):
        path = Path(data)
        label = f"DATA={str(path)!r}"
        try:
            return _open_file(path, label, target, layout, array, limit)
        except OSError as error:
            raise ValueError(f"{label} cannot be read ({error.strerror or error})") from error
    if is_frame(data):
        return FrameSource(data), labels
    if sparse.issparse(data):
        raise ValueError("data is a sparse matrix of SciPy: give data.toarray()")
    chunked = _arrays.is_array(data) and _arrays.is_chunked(data)
    if not isinstance(data, np.memmap) and not (chunked and is_large(data)):
        data = np.asarray(_arrays.to_host(data))
    return ArraySource(data, "array", "data"), labels


def _open_file(
    path: Path, label: str, target: Any, layout: Layout, array: str | None, limit: float
) -> tuple[Source, Any]:
    """Return the source of a file by its suffix, and labels, those of a ``.npz`` too."""
    if not path.exists():
        raise ValueError(f"{label} does not exist: check the path")
    if not path.is_file():
        raise ValueError(f"{label} is not a file: give one of {', '.join(_SUFFIXES)}")
    labels = None if isinstance(target, str) else target
    kind = path.suffix.lower()
    if kind in _PACKED:
        raise ValueError(f"{label} is compressed: unpack it, and give the file inside")
    if kind not in _SUFFIXES:
        raise ValueError(
            f"{label} is of kind {kind or 'unknown'!r}: give one of {', '.join(_SUFFIXES)}"
        )
    if path.stat().st_size == 0:
        raise ValueError(f"{label} is empty: give a file with rows of numbers")
    of_text = _as_options(vars(layout))
    if of_text and kind not in _TEXT:
        raise ValueError(f"{label} is no text file: leave out {of_text[0]}")
    if array is not None and kind != ".npz":
        raise ValueError(f"{label} is no .npz of several arrays: leave out --array")
    if kind == ".npz":
        name = target if isinstance(target, str) else None
        source, entries = read_npz(path, label, array=array, target=name, limit=limit)
        return source, labels if entries is None else entries
    if kind == ".npy":
        return read_npy(path, label), labels
    if kind in _TEXT:
        return TextSource(path, label, layout), labels
    return FileSource(path, label, limit), labels


def _as_options(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the command line's options for arguments that are not at their defaults."""
    words: list[str] = []
    for name, value in values.items():
        flag = name.replace("_", "-")
        if value == _DEFAULTS.get(name):
            continue
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            words += [f"--{flag}", f"{value:g}" if isinstance(value, float) else str(value)]
    return tuple(words)


def _scan(source: Source, use: list[int], place: int | None, drop_missing: bool) -> Look:
    """Return the statistics of all rows; refuse columns that are not finite numbers."""
    unusable = {n: source.unusable[n] for n in _names(source, use) if n in source.unusable}
    statistics, label = None, source.label
    # Columns that one pass finds unusable are left out of the next.
    while use := [j for j in use if source.columns[j] not in unusable]:
        try:
            statistics = source.look(use, place)
        except NotNumbers as error:
            unusable |= error.columns
            continue
        if not statistics.n_rows:
            raise ValueError(
                f"{label} is empty, or all its cells are missing: give rows of numbers"
            )
        empty = np.flatnonzero(statistics.n_bad == statistics.n_rows)
        if not empty.size:
            break
        unusable |= {source.columns[use[j]]: "nothing but missing values" for j in empty}
    else:
        statistics = None
    target = None if place is None else source.columns[place]
    names = _names(source, use)
    _columns.refuse(label, names, unusable, statistics, rows=not drop_missing, target=target)
    assert statistics is not None  # there is a column, and it can be used
    if not statistics.n_good:
        raise ValueError(
            f"{label}: every row has a missing or infinite value: leave out the columns that lack "
            "most, with --drop, or impute missing values"
        )
    return statistics


def _names(source: Source, use: Sequence[int]) -> tuple[str, ...]:
    return tuple(source.columns[j] for j in use)


def _take(
    source: Source, use: list[int], place: int | None, statistics: Look
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """Take all rows, or some of very many, without those that lack a value.

    Return them with their targets and their positions.
    """
    n, d = statistics.n_rows, len(use)
    index = evenly_spaced(n, d) if exceeds(n, d) else np.arange(n)
    values, entries = source.take(use, place, index)
    if statistics.n_bad_rows:
        bad = ~np.isfinite(values).all(axis=1) | (False if entries is None else missing(entries))
        keep = np.flatnonzero(~bad)
        values, index = values[keep], index[keep]
        entries = None if entries is None else entries[keep]
    return values, None if entries is None else source.labels(entries), index


def _standardize(values: np.ndarray, names: Sequence[str], statistics: Look) -> None:
    """Shift and scale rows in place by the moments of all; constant columns become 0."""
    constant = statistics.lows == statistics.highs
    shift = np.where(constant, statistics.lows, statistics.means)
    scale = np.where(constant, 1.0, statistics.stds)
    if not np.isfinite(scale).all():
        name = names[int(np.argmin(np.isfinite(scale)))]
        raise ValueError(f"--standardize: the squares of column {name!r} overflow; scale it first")
    values -= shift
    values /= scale


def _nonzero(values: np.ndarray, label: str, statistics: Look) -> np.ndarray:
    """Return the positions of rows that have a direction; refuse fewer than two."""
    keep = np.flatnonzero(np.any(values, axis=1))
    if keep.size < 2:
        among = f" among {len(values)} evenly spaced ones" * (len(values) < statistics.n_good)
        nonzero = f"{counted(keep.size, 'row')} that {be(keep.size)} not all zero{among}"
        raise ValueError(f"{label} has {nonzero}: give at least two")
    return keep


def _align_labels(labels: Any, n: int, index: np.ndarray) -> np.ndarray:
    """Return the labels of the rows that are held."""
    labels = np.asarray(_arrays.to_host(labels) if _arrays.is_array(labels) else labels)
    if labels.shape != (n,):
        raise ValueError(f"target has shape {labels.shape}, but there are {n} rows: give one each")
    if labels.dtype.kind not in "biufUO":
        raise ValueError(f"target holds {labels.dtype}: give numbers or labels")
    aligned = labels[index]
    if labels.dtype.kind == "O":
        aligned = aligned.astype(str)
    if aligned.dtype.kind == "f" and not np.isfinite(aligned).all():
        raise ValueError("target has missing or infinite values: leave those rows out")
    return aligned
