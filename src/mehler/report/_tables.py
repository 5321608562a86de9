"""Read columns of numbers from files, arrays and data frames; check declared sizes first."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np

from mehler import _arrays
from mehler._text import install_command, printable

# Bytes of all rows as float64, and of what a file unpacks to; of a label and of a line of text.
LIMIT, _LONGEST_LABEL, _LONGEST_LINE, _MOST_COLUMNS = 1 << 30, 1000, 1 << 23, 100_000
_NUMBER = r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*"
_MISSING = ["", "NA", "N/A", "n/a", "nan", "NaN", "-nan", "-NaN", "NULL", "null", "#N/A"]
_SAVE = "frame.to_parquet('rows.parquet')"


@dataclass(frozen=True, kw_only=True)
class Table:
    """Columns of an open source by name, those without numbers with their type, and error texts.

    ``read(names, target)`` returns numbers (n, d) and entries of the target column; `labels` are
    those of a source without such a column, and `frame` is the code that opens it in pandas.
    """

    label: str
    columns: tuple[str, ...]
    read: Callable[[Sequence[str], str | None], tuple[np.ndarray, Any]]
    frame: str
    unusable: Mapping[str, str] = field(default_factory=dict)
    index: tuple[str, ...] = ()
    labels: Any = None
    remedy: str = "convert it to numbers"

    def in_pandas(self, change: str) -> str:
        """Return two lines of pandas, of which the first makes numbers of the table."""
        last = "load_rows(frame)" if self.label == "data" else _SAVE
        return f"frame = {change.replace('{}', self.frame, 1)}; {last}"


def open_table(data: Any, target: str | None, drop: Sequence[str]) -> Table:
    """Open a file, an array or a data frame, of which columns to `drop` may hold anything."""
    if isinstance(data, str | os.PathLike):
        return _open_file(Path(data), target)
    if hasattr(data, "__arrow_c_stream__"):
        if hasattr(data, "iloc") and drop:  # pandas converts all columns or none
            data = data.loc[:, [str(name) not in drop for name in data.columns]]
        with one_sentence("data", "drop or convert it"):
            pa = _arrow("data")
            source = pa.dataset.dataset(pa.table(data))
            return _columns("data", source.schema, lambda keys: source, "frame")
    if isinstance(data, np.ma.MaskedArray):
        raise ValueError("data is a MaskedArray: give data.filled(numpy.nan) and drop_missing=True")
    if _arrays.is_array(data):
        _arrays.require_known_chunks(data)
        _require_size(8 * math.prod(data.shape), "data")
        data = _arrays.to_host(data)
    with one_sentence("data", "give rows of one length"):
        values = np.asarray(data)
    if values.ndim == 0:  # a dict, a lazy frame, a sparse matrix
        kind = type(data).__name__
        raise ValueError(f"data is a {kind}, not an array of rows: give an array or a data frame")
    return _matrix(values, "data", "pandas.DataFrame(data)")


def _open_file(path: Path, target: str | None) -> Table:
    label, kind, kinds = f"data={str(path)!r}", path.suffix.lower(), ", ".join(_OPENERS)
    if not path.is_file() or path.stat().st_size == 0:  # a folder, a pipe, a device
        wrong = "is not a file" if path.exists() else "does not exist"
        raise ValueError(f"{label} {'is empty' if path.is_file() else wrong}: give {kinds}")
    if kind not in _OPENERS:
        how = f"read it with pandas, and write it with {_SAVE}"
        raise ValueError(f"{label} is of kind {kind!r}, not of {kinds}: {how}")
    remedy = "save it again, as numbers"
    if _OPENERS[kind] is _csv:
        how = "sep=None, engine='python', comment='#', encoding='latin-1'"
        frame = f"pandas.read_csv({path.name!r}, {how})"
        remedy = f"frame = {frame}; {_SAVE}"
    with one_sentence(label, remedy):
        return replace(_OPENERS[kind](path, label, target), remedy=remedy)


@contextmanager
def one_sentence(label: str, remedy: str) -> Iterator[None]:
    """Turn errors of NumPy, zipfile and pyarrow into one sentence; keep our own."""
    try:
        yield
    except Exception as error:  # of some twenty kinds
        if str(error).startswith(label):
            raise
        text = getattr(error, "strerror", "") or " ".join(map(str, error.args))
        # Of pyarrow's sentences the last part is the reason.
        reason = " ".join(text.rpartition("': ")[2].removeprefix("Invalid: ").split())
        reason = printable(reason.partition(". ")[0][:120]) or type(error).__name__
        raise ValueError(f"{label} cannot be read ({reason}): {remedy}") from error


def _require_size(n_bytes: int, label: str) -> None:
    if n_bytes > LIMIT:
        raise ValueError(
            f"{label} takes {n_bytes / 2**30:.3g} GiB once read, above the limit of "
            f"{LIMIT / 2**30:g} GiB: give some of its rows or columns"
        )


def _matrix(values: Any, label: str, frame: str, labels: Any = None) -> Table:
    """Return the table of an array in memory or mapped from a file."""
    shape, dtype = values.shape, values.dtype
    if len(shape) != 2 or 0 in shape:
        raise ValueError(f"{label} is of shape {shape}, not (samples, columns): give a matrix")
    if dtype.kind not in "fiub":
        raise ValueError(f"{label} holds {str(dtype)[:40]}, not numbers: give real numbers")
    _require_size(8 * math.prod(shape), label)
    columns = tuple(f"x{j}" for j in range(shape[1]))

    def read(names: Sequence[str], target: str | None) -> tuple[np.ndarray, Any]:
        with np.errstate(over="ignore"):  # beyond float64 is infinite, and refused as such
            numbers = values.astype(np.float64, copy=False)
        if tuple(names) != columns:
            numbers = numbers[:, [columns.index(name) for name in names]]
        return numbers, None if target is None else values[:, columns.index(target)]

    return Table(label=label, columns=columns, read=read, labels=labels, frame=frame)


def _npy(path: Path, label: str, target: str | None) -> Table:
    _require_size(path.stat().st_size, label)  # of which a header may be all
    values = np.lib.format.open_memmap(path, mode="r")
    return _matrix(values, label, f"pandas.DataFrame(numpy.load({path.name!r}))")


def _npz(path: Path, label: str, target: str | None) -> Table:
    """Return the array X of an archive, or its only one apart from the array `target` of labels."""
    with ZipFile(path) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
    names = ["X"] if "X" in members else [name for name in members if name != target]
    if len(names) != 1:
        raise ValueError(
            f"{label} holds {', '.join(members)[:80] or 'nothing'}, and not one array X: "
            f"numpy.save('rows.npy', numpy.load({path.name!r})['NAME'])"
        )
    packed = [info for name, info in members.items() if name in (*names, target)]
    if {info.compress_type for info in packed} - {ZIP_STORED, ZIP_DEFLATED}:
        how = "packed by bzip2 or lzma, which declare no size"
        raise ValueError(f"{label} is {how}: save it with numpy.savez_compressed")
    _require_size(sum(info.file_size for info in packed), label)
    with np.load(path, allow_pickle=False) as arrays:
        values, labels = arrays[names[0]], arrays[target] if target in members else None
    frame = f"pandas.DataFrame(numpy.load({path.name!r})[{names[0]!r}])"
    return _matrix(values, label, frame, labels)


def _arrow(label: str) -> Any:
    try:
        import pyarrow.dataset
    except ImportError as error:
        command = install_command("parquet")
        raise ValueError(f"{label} needs pyarrow: {command}, or save the rows as .npy") from error
    return pyarrow


def _is_number(kind: Any) -> bool:
    from pyarrow.types import is_boolean, is_decimal, is_floating, is_integer

    return any(fits(kind) for fits in (is_boolean, is_decimal, is_floating, is_integer))


def _columns(label: str, schema: Any, scan: Callable[[list[str]], Any], frame: str) -> Table:
    """Return the table of Arrow columns; ``scan(keys)`` returns a dataset that has them."""
    pa = _arrow(label)
    keys = {name.strip() or f"Unnamed: {j}": name for j, name in enumerate(schema.names)}
    if len(keys) < len(schema.names):
        raise ValueError(f"{label} has two columns of one name: rename one")

    def read(names: Sequence[str], target: str | None) -> tuple[np.ndarray, Any]:
        scan_keys = [keys[name] for name in (*names, *([] if target is None else [target]))]
        scanner = scan(scan_keys).scanner(columns=scan_keys, use_threads=False)
        parts, n = [], 0
        for part in scanner.to_batches():
            n += part.num_rows
            _require_size(8 * n * len(names), label)
            parts.append(part)
        table = pa.Table.from_batches(parts, scanner.projected_schema)
        values = np.empty((n, len(names)), order="F")
        for j, key in enumerate(scan_keys[: len(names)]):
            values[:, j] = table.column(key).cast(pa.float64(), safe=False).to_numpy()
        return values, None if target is None else _labels(table.column(scan_keys[-1]), label)

    unnamed = [key for key in schema.names[1:] and schema.names[:1] if key in ("", "Unnamed: 0")]
    index_keys = (schema.pandas_metadata or {}).get("index_columns", unnamed)
    kinds = zip(keys, schema.types)
    return Table(
        label=label,
        columns=tuple(keys),
        read=read,
        unusable={name: str(kind)[:40] for name, kind in kinds if not _is_number(kind)},
        index=tuple(name for name, key in keys.items() if key in index_keys),
        frame=frame,
    )


def _labels(column: Any, label: str) -> np.ndarray:
    """Return the labels of a target, as objects if they are no numbers; None where one lacks."""
    pa = _arrow(label)
    if _is_number(column.type) and not column.null_count:
        return np.asarray(column.to_numpy())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    # A label is kept once, however long and frequent it is.
    encoded = column.unify_dictionaries().combine_chunks()
    marks = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)
    if max(len(str(mark)) for mark in marks) > _LONGEST_LABEL:
        raise ValueError(f"{label} has a label of over {_LONGEST_LABEL} bytes: give shorter ones")
    return np.asarray(marks[encoded.indices.cast(pa.int64()).fill_null(len(marks) - 1).to_numpy()])


def _columnar(path: Path, label: str, target: str | None) -> Table:
    """Open Parquet or Feather files, which declare the number of their rows."""
    dataset = _arrow(label).dataset
    kind: Any = "ipc"
    if path.suffix.lower() == ".parquet":
        texts = dataset.ParquetReadOptions(dictionary_columns=[target] if target else [])
        kind = dataset.ParquetFileFormat(read_options=texts)
    source = dataset.dataset(path, format=kind)

    def scan(keys: list[str]) -> Any:
        _require_size(8 * source.count_rows() * len(keys), label)
        return source

    name = "feather" if kind == "ipc" else "parquet"
    return _columns(label, source.schema, scan, f"pandas.read_{name}({path.name!r})")


def _csv(path: Path, label: str, target: str | None) -> Table:
    """Open a .csv or .tsv file: UTF-8, with names in its first line."""
    pa = _arrow(label)
    from pyarrow import csv

    mark, how = ("\t", ", sep='\\t'") if path.suffix.lower() == ".tsv" else (",", "")
    frame = f"pandas.read_csv({path.name!r}{how})"
    with path.open("rb") as file:
        first = file.readline(_LONGEST_LINE)
    if len(first) == _LONGEST_LINE or first.count(mark.encode()) >= _MOST_COLUMNS:
        raise ValueError(f"{label} has a line of over 8 MiB or {_MOST_COLUMNS:,} cells: give less")
    reading = pa.dataset.CsvFragmentScanOptions(
        csv.ConvertOptions(null_values=_MISSING, strings_can_be_null=True),
        csv.ReadOptions(use_threads=False, block_size=_LONGEST_LINE),
    )
    parsing = csv.ParseOptions(delimiter=mark, newlines_in_values=True)
    text = pa.dataset.CsvFileFormat(parsing, default_fragment_scan_options=reading)
    schema = pa.dataset.dataset(path, format=text).schema
    if len(schema.names) == 1 and re.search(r"[;|\t]", schema.names[0]):
        raise ValueError(f"one column alone, {schema.names[0]}")
    if any(re.fullmatch(_NUMBER, name, re.ASCII) for name in schema.names):
        remedy = f"frame = {frame[:-1]}, header=None); {_SAVE}"
        raise ValueError(f"{label} has numbers in its first line: {remedy}")

    def scan(keys: list[str]) -> Any:
        """Read numbers as floats, which the first block may have shown as integers."""
        kinds = {key: schema.field(key).type for key in keys}
        kinds = {k: t if pa.types.is_boolean(t) else pa.float64() for k, t in kinds.items()}
        kinds |= {key: pa.string() for key in keys if key.strip() == target}
        return pa.dataset.dataset(path, format=text, schema=pa.schema(kinds))

    return _columns(label, schema, scan, frame)


_OPENERS: dict[str, Callable[[Path, str, str | None], Table]] = {
    **dict.fromkeys((".csv", ".tsv"), _csv),
    **dict.fromkeys((".parquet", ".feather", ".arrow"), _columnar),
    **{".npy": _npy, ".npz": _npz},
}
