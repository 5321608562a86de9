"""Tables in files, arrays and data frames: named columns, and a matrix of floats of some.

No code in a file is run. Sizes that a file declares are compared with `LIMIT` before anything is
unpacked, and a format that declares none is refused.
"""

from __future__ import annotations

import math
import os
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
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


@dataclass(frozen=True, kw_only=True)
class Table:
    """Named columns; `label` stands in messages, and `frame` is the expression of pandas for it.

    ``read(names, target)`` returns the matrix of some columns, and the target or None. `unusable`
    says what columns without numbers hold, `index` which columns were an index of pandas.
    """

    label: str
    columns: tuple[str, ...]
    read: Callable[[Sequence[str], str | None], tuple[np.ndarray, Any]]
    unusable: Mapping[str, str] = field(default_factory=dict)
    index: tuple[str, ...] = ()
    labels: Any = None
    frame: str = "frame"

    def changed(self, change: str) -> str:
        """Return two lines of pandas, the first of which makes numbers of the table."""
        last = "load_rows(frame)" if self.label == "data" else "frame.to_parquet('rows.parquet')"
        return f"frame = {change.replace('{}', self.frame, 1)}; {last}"


def open_table(data: Any, target: str | None, drop: Sequence[str]) -> Table:
    """Open a file, an array or a data frame, of which columns to `drop` may hold anything."""
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        label, kind = f"data={str(path)!r}", path.suffix.lower()
        require_file(path, label, f"a file of {', '.join(_OPENERS)}")
        if kind not in _OPENERS:
            raise ValueError(
                f"{label} is of kind {kind!r}, not of {', '.join(_OPENERS)}: read it with pandas, "
                "and write it with frame.to_parquet('rows.parquet')"
            )
        with _one_sentence(label, _remedy(path)):
            return _OPENERS[kind](path, label, target)
    if hasattr(data, "__arrow_c_stream__"):
        if hasattr(data, "iloc") and drop:  # pandas converts all columns or none
            data = data.loc[:, [str(name) not in drop for name in data.columns]]
        with _one_sentence("data", "drop or convert it"):
            table = _arrow("data").table(data)
        return _columns("data", table.schema, table.select, "frame")
    if isinstance(data, np.ma.MaskedArray):
        raise ValueError(
            "data is a MaskedArray: give data.filled(numpy.nan) with drop_missing=True"
        )
    if _arrays.is_array(data):
        if _arrays.is_chunked(data):
            _arrays.require_known_chunks(data)
        _require_size(8 * math.prod(data.shape), "data")
        data = _arrays.to_host(data)
    with _one_sentence("data", "give rows of one length"):
        values = np.asarray(data)
    if values.ndim == 0:  # a dict, a lazy frame, a sparse matrix
        kind = type(data).__name__
        raise ValueError(f"data is a {kind}, not an array of rows: give an array or a data frame")
    return _matrix(values, "data", "pandas.DataFrame(data)")


def require_file(path: Path, label: str, wanted: str) -> None:
    """Require a file that is no folder, pipe or device, nor a link to one, and is not empty."""
    if not path.is_file() or path.stat().st_size == 0:
        wrong = "is not a file" if path.exists() else "does not exist"
        raise ValueError(f"{label} {'is empty' if path.is_file() else wrong}: give {wanted}")


@contextmanager
def _one_sentence(label: str, remedy: str) -> Iterator[None]:
    """Make one sentence of what NumPy, zipfile and pyarrow raise; sentences of our own stay."""
    try:
        yield
    except Exception as error:  # of some twenty kinds
        if str(error).startswith(label):
            raise
        text = getattr(error, "strerror", "") or " ".join(map(str, error.args))
        text = text or type(error).__name__
        text = printable(" ".join(text.split()).partition(". ")[0][:120])
        raise ValueError(f"{label} cannot be read ({text}): {remedy}") from error


def _remedy(path: Path) -> str:
    if path.suffix.lower() not in (".csv", ".tsv"):
        return "save it again, as numbers"
    frame = f"pandas.read_csv({path.name!r}, sep=None, comment='#', encoding='latin-1')"
    return f"frame = {frame}; frame.to_parquet('rows.parquet')"


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
        raise ValueError(f"{label} is of shape {shape}, not rows and columns: give one row a case")
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
    """Return the array X of an archive, or its only one beside the array `target` of labels."""
    with ZipFile(path) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
    others = [name for name in members if name != target]
    if "X" not in members and len(others) != 1:
        raise ValueError(
            f"{label} holds {', '.join(members)[:80] or 'nothing'}, and not one array X: "
            f"numpy.save('rows.npy', numpy.load({path.name!r})['NAME'])"
        )
    name = "X" if "X" in members else others[0]
    packed = [info for each, info in members.items() if each in (name, target)]
    if {info.compress_type for info in packed} - {ZIP_STORED, ZIP_DEFLATED}:
        how = "packed by bzip2 or lzma, which declare no size"
        raise ValueError(f"{label} is {how}: save it with numpy.savez_compressed")
    _require_size(sum(info.file_size for info in packed), label)
    with np.load(path, allow_pickle=False) as arrays:
        values, labels = arrays[name], arrays[target] if target in members else None
    frame = f"pandas.DataFrame(numpy.load({path.name!r})[{name!r}])"
    return _matrix(values, label, frame, labels)


def _arrow(label: str) -> Any:
    try:
        import pyarrow.compute
    except ImportError as error:
        command = install_command("parquet")
        raise ValueError(f"{label} needs pyarrow: {command}, or save the rows as .npy") from error
    return pyarrow


def _is_number(kind: Any) -> bool:
    from pyarrow.types import is_boolean, is_decimal, is_floating, is_integer

    return any(fits(kind) for fits in (is_boolean, is_decimal, is_floating, is_integer))


def _columns(
    label: str, schema: Any, read_columns: Callable[[list[str]], Any], frame: str
) -> Table:
    """Return the table of Arrow columns; ``read_columns(keys)`` returns some of them."""
    pa = _arrow(label)
    keys = {name.strip() or f"Unnamed: {j}": name for j, name in enumerate(schema.names)}
    if len(keys) < len(schema.names):
        raise ValueError(f"{label} has two columns of one name: rename one")

    def read(names: Sequence[str], target: str | None) -> tuple[np.ndarray, Any]:
        wanted = [keys[name] for name in (*names, *([] if target is None else [target]))]
        with _one_sentence(label, "save it again, as numbers"):
            table = read_columns(wanted)
            _require_size(8 * table.num_rows * len(names), label)
            values = np.empty((table.num_rows, len(names)), order="F")
            for j, key in enumerate(wanted[: len(names)]):
                values[:, j] = table.column(key).cast(pa.float64(), safe=False).to_numpy()
            return values, None if target is None else _labels(table.column(wanted[-1]), label)

    try:
        listed = schema.pandas_metadata["index_columns"]
    except (TypeError, KeyError, ValueError, RecursionError):  # none, or broken
        unnamed = ".read_csv" in frame and keys and schema.names[0] in ("", "Unnamed: 0")
        listed = schema.names[:1] if unnamed and len(keys) > 1 else []
    kinds = zip(keys, schema.types)
    return Table(
        label=label,
        columns=tuple(keys),
        read=read,
        unusable={name: str(kind)[:40] for name, kind in kinds if not _is_number(kind)},
        index=tuple(name for name, key in keys.items() if key in listed),
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
    joined = column.unify_dictionaries().combine_chunks()
    marks = np.array([*joined.dictionary.to_pylist(), None], dtype=object)
    if max(len(str(mark)) for mark in marks) > _LONGEST_LABEL:
        raise ValueError(f"{label} has a label of over {_LONGEST_LABEL} bytes: give shorter ones")
    return np.asarray(marks[joined.indices.cast(pa.int64()).fill_null(len(marks) - 1).to_numpy()])


def _parquet(path: Path, label: str, target: str | None) -> Table:
    pa = _arrow(label)
    from pyarrow import parquet

    schema, about = parquet.read_schema(path), parquet.read_metadata(path)

    def read_columns(keys: list[str]) -> Any:
        groups = [about.row_group(i) for i in range(about.num_row_groups)]
        chunks = [group.column(j) for group in groups for j in range(about.num_columns)]
        sizes = [c.total_uncompressed_size for c in chunks if c.path_in_schema in keys]
        _require_size(max(sum(sizes), 8 * len(keys) * about.num_rows), label)
        marks = [key for key in keys if pa.types.is_string(schema.field(key).type)]
        with parquet.ParquetFile(path, pre_buffer=False, read_dictionary=marks) as file:
            return file.read(keys, use_threads=False)

    return _columns(label, schema, read_columns, f"pandas.read_parquet({path.name!r})")


def _feather(path: Path, label: str, target: str | None) -> Table:
    """Open Arrow's file format, whose messages are those of a stream behind eight bytes."""
    pa = _arrow(label)
    from pyarrow import ipc

    content = pa.memory_map(str(path)).read_buffer()
    if bytes(content[:6]) != b"ARROW1":
        raise ValueError(
            f"{label} is no Feather file; an Arrow stream declares no size: frame = "
            "pyarrow.ipc.open_stream(FILE).read_pandas(); frame.to_parquet('rows.parquet')"
        )
    content = content.slice(8)
    messages = list(ipc.MessageReader.open_stream(pa.BufferReader(content)))
    _require_size(sum(map(_declared, messages)), label)
    schema = ipc.open_stream(content).schema

    def read_columns(keys: list[str]) -> Any:
        chosen = [schema.get_field_index(key) for key in keys]
        options = ipc.IpcReadOptions(included_fields=chosen, use_threads=False)
        table = ipc.open_stream(content, options=options).read_all()
        table.validate()
        return table

    return _columns(label, schema, read_columns, f"pandas.read_feather({path.name!r})")


def _declared(message: Any) -> int:
    """Return the bytes to which the buffers of a message unpack, by the format's FlatBuffers."""
    if message.type not in ("record batch", "dictionary"):
        return 0

    def number(form: str, at: int) -> int:
        return int(struct.unpack_from(form, message.metadata, at)[0])

    def place(table: int, i: int) -> int:
        """Return where field i of a table is; 0 if it is absent."""
        fields = table - number("<i", table)
        offset = number("<H", fields + 4 + 2 * i) if 4 + 2 * i < number("<H", fields) else 0
        return table + offset if offset else 0

    def target(at: int) -> int:
        return at + number("<I", at)

    batch = target(place(target(0), 2))
    batch = target(place(batch, 1)) if message.type == "dictionary" else batch
    buffers, total = target(place(batch, 2)), 0
    for at in range(buffers + 4, buffers + 4 + 16 * number("<I", buffers), 16):
        start, size = number("<q", at), number("<q", at + 8)
        if place(batch, 3) and size >= 8:  # packed, behind its size, or -1 if it is not
            declared = struct.unpack_from("<q", message.body, start)[0]
            size = size if declared < 0 else declared
        total += size
    return total


def _csv(path: Path, label: str, target: str | None) -> Table:
    """Open text of UTF-8 with names in its first line."""
    pa = _arrow(label)
    from pyarrow import csv

    mark, frame = "\t" if path.suffix.lower() == ".tsv" else ",", f"pandas.read_csv({path.name!r})"

    def batches(kinds: Mapping[str, Any] | None = None) -> Any:
        reading = csv.ReadOptions(use_threads=False, block_size=_LONGEST_LINE)
        parsing = csv.ParseOptions(delimiter=mark, newlines_in_values=True)
        conversion = csv.ConvertOptions(
            column_types=kinds,
            include_columns=kinds and list(kinds),
            null_values=_MISSING,
            strings_can_be_null=True,
        )
        return csv.open_csv(path, reading, parsing, conversion)

    with path.open("rb") as file:
        first = file.readline(_LONGEST_LINE)
    if len(first) == _LONGEST_LINE or first.count(mark.encode()) >= _MOST_COLUMNS:
        raise ValueError(f"{label} has a line of over 8 MiB or {_MOST_COLUMNS:,} cells: give less")
    schema = batches().schema
    if any(re.fullmatch(_NUMBER, name, re.ASCII) for name in schema.names):
        how = f"frame = {frame[:-1]}, header=None); frame.to_parquet('rows.parquet')"
        raise ValueError(f"{label} has numbers in its first line: {how}")

    def read_columns(keys: list[str]) -> Any:
        types = {key: schema.field(key).type for key in keys}
        kinds = {k: t if pa.types.is_boolean(t) else pa.float64() for k, t in types.items()}
        kinds |= {key: pa.string() for key in keys if key.strip() == target}
        parts, n = [], 0
        with _one_sentence(label, _remedy(path)):
            for part in batches(kinds):
                n += part.num_rows
                _require_size(8 * n * len(keys), label)
                parts.append(part)
        return pa.Table.from_batches(parts)

    return _columns(label, schema, read_columns, frame)


_OPENERS: dict[str, Callable[[Path, str, str | None], Table]] = {
    **dict.fromkeys((".csv", ".tsv"), _csv),
    **{".parquet": _parquet, ".feather": _feather, ".arrow": _feather},
    **{".npy": _npy, ".npz": _npz},
}
