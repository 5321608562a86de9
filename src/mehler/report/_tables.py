"""Tables in files, arrays and data frames: named columns, and a matrix of floats of some.

No code in a file is run. Sizes that a file declares are compared with `LIMIT` before anything is
unpacked, and a format that declares none is refused.
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np

from mehler import _arrays
from mehler._text import install_command, printable

# Bytes of all rows as float64, and of what a file unpacks to.
LIMIT = 1 << 30
# Bytes of a header of NumPy's, of a label, of a line of text, and columns of text.
_LONGEST_HEADER, _LONGEST_LABEL, _LONGEST_LINE, _MOST_COLUMNS = 10_000, 1000, 1 << 23, 100_000
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
    notes: tuple[str, ...] = ()
    labels: Any = None
    frame: str = "frame"


def open_table(data: Any, target: str | None, drop: Sequence[str]) -> Table:
    """Open a file, an array or a data frame, of which columns to `drop` may hold anything."""
    if isinstance(data, str | os.PathLike):
        return _open_file(Path(data), target)
    if hasattr(data, "__arrow_c_stream__"):
        return _frame(data, drop)
    kind = type(data).__name__
    remedies = {"dict": "pandas.DataFrame(data)", "LazyFrame": "data.collect()"}
    remedies |= {"MaskedArray": "data.filled(numpy.nan) with drop_missing=True"}
    remedies |= {kind: "data.toarray()"} if hasattr(data, "tocsr") else {}
    if kind in remedies:
        raise ValueError(f"data is a {kind}, not an array of rows: give {remedies[kind]}")
    if _arrays.is_array(data):
        if _arrays.is_chunked(data):
            _arrays.require_known_chunks(data)
        _require_size(8 * math.prod(data.shape), "data")
        data = _arrays.to_host(data)
    try:
        values = np.asarray(data)
    except ValueError as error:
        text = str(error)[:80]
        raise ValueError(f"data is no array of numbers ({text}): give rows of one length") from None
    return _matrix(values, "data", frame="pandas.DataFrame(data)")


def _open_file(path: Path, target: str | None) -> Table:
    label, kind = f"data={str(path)!r}", path.suffix.lower()
    if not path.is_file():  # a folder, a pipe or a device, or a link to one or to nothing
        wrong = "is not a file" if path.exists() else "does not exist"
        raise ValueError(f"{label} {wrong}: give a file of {', '.join(_OPENERS)}")
    if kind not in _OPENERS:
        raise ValueError(
            f"{label} is of kind {kind or 'unknown'!r}, not of {', '.join(_OPENERS)}: read it with "
            "pandas, and write it with frame.to_parquet('rows.parquet')"
        )
    if path.stat().st_size == 0:
        raise ValueError(f"{label} is empty: give a file with rows of numbers")
    try:
        str(path).encode()
        return _OPENERS[kind](path, label, target)
    except UnicodeEncodeError:
        raise ValueError(f"{label} has a name that is no UTF-8: rename it") from None
    except OSError as error:
        raise ValueError(f"{label} cannot be read ({error.strerror or error})") from error


def _require_size(n_bytes: int, label: str) -> None:
    if n_bytes > LIMIT:
        raise ValueError(
            f"{label} takes {n_bytes / 2**30:.3g} GiB once read, above the limit of "
            f"{LIMIT / 2**30:g} GiB: give some of its rows or columns"
        )


def _damage(label: str, error: Exception) -> ValueError:
    """Return an error of a file; sentences of our own stay."""
    if str(error).startswith((label, "target")):
        return ValueError(str(error))
    text = " ".join(str(error).split()).partition(". ")[0][:80] or type(error).__name__
    if text.startswith("Object arrays") or "Python objects" in text:
        return ValueError(f"{label} holds pickled objects, which are not read: save numbers")
    return ValueError(f"{label} is damaged ({printable(text)}): save it again")


def _matrix(values: Any, label: str, **more: Any) -> Table:
    """Return the table of an array in memory or mapped from a file."""
    shape, dtype = values.shape, values.dtype
    if len(shape) != 2:
        raise ValueError(f"{label} has shape {shape}, not rows and columns: give one row a case")
    if 0 in shape:
        raise ValueError(f"{label} is empty, of shape {shape}: give rows of numbers")
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

    return Table(label=label, columns=columns, read=read, **more)


def _npy(path: Path, label: str, target: str | None) -> Table:
    with path.open("rb") as stream:
        magic, length = stream.read(8), int.from_bytes(stream.read(4), "little")
    frame = f"pandas.DataFrame(numpy.load({path.name!r}))"
    try:
        # NumPy reads a header of any length before it measures it.
        if magic[:6] != b"\x93NUMPY" or (magic[6:7] != b"\1" and length > _LONGEST_HEADER):
            raise ValueError("its header is none")
        values = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError:
        raise
    except Exception as error:  # NumPy raises some ten kinds
        raise _damage(label, error) from error
    return _matrix(values, label, frame=frame)


def _npz(path: Path, label: str, target: str | None) -> Table:
    """Return the array X of an archive, or its only one beside the array `target` of labels."""
    try:
        with ZipFile(path) as archive:
            members = archive.infolist()
        names = [info.filename.removesuffix(".npy") for info in members]
        others = [name for name in names if name != target]
        if ("X" not in names and len(others) != 1) or len(set(names)) < len(names):
            raise ValueError(
                f"{label} holds {', '.join(names)[:80] or 'nothing'}, and not one array X: "
                f"numpy.save('rows.npy', numpy.load({path.name!r})['NAME'])"
            )
        chosen = "X" if "X" in names else others[0]
        packed = [info for info, name in zip(members, names) if name in (chosen, target)]
        kinds = {info.compress_type for info in packed} - {ZIP_STORED, ZIP_DEFLATED}
        if kinds or any(info.flag_bits & 1 for info in packed):
            raise ValueError(
                f"{label} is encrypted, or packed by bzip2 or lzma, which declare no size: "
                "save it with numpy.savez_compressed"
            )
        _require_size(sum(info.file_size for info in packed), label)
        with np.load(path, allow_pickle=False) as arrays:
            values, labels = arrays[chosen], arrays[target] if target in names else None
    except OSError:
        raise
    except Exception as error:  # of zipfile, zlib and NumPy
        raise _damage(label, error) from error
    frame = f"pandas.DataFrame(numpy.load({path.name!r})[{chosen!r}])"
    if not isinstance(values, np.ndarray):
        raise _damage(label, ValueError(f"{chosen!r} is no array"))
    return _matrix(values, label, labels=labels, notes=(f"array {chosen}",), frame=frame)


def _arrow(label: str) -> Any:
    try:
        import pyarrow.compute
    except ImportError as error:
        raise ValueError(
            f"{label} needs pyarrow, which is not installed: {install_command('parquet')}, "
            "or save the rows as .npy"
        ) from error
    return pyarrow


def _kind_of(kind: Any) -> str | None:
    """Return what a column of an Arrow type holds; None for numbers."""
    from pyarrow import types as t

    if t.is_integer(kind) or t.is_floating(kind) or t.is_boolean(kind) or t.is_decimal(kind):
        return None
    words = {
        "nothing but gaps": t.is_null(kind),
        "text": t.is_string(kind) or t.is_large_string(kind) or str(kind) == "string_view",
        "categories": t.is_dictionary(kind),
        "dates or times": t.is_temporal(kind),
    }
    return next((word for word, fits in words.items() if fits), str(kind)[:40])


def _columns(
    label: str, schema: Any, read_columns: Callable[[list[str]], Any], **more: Any
) -> Table:
    """Return the table of Arrow columns; ``read_columns(keys)`` returns some of them."""
    pa = _arrow(label)
    keys = {name.strip() or f"Unnamed: {j}": name for j, name in enumerate(schema.names)}
    if len(keys) < len(schema.names):
        how = "frame.columns = [f'x{j}' for j in range(frame.shape[1])]"
        if "csv" in (frame := more.get("frame", "")):  # pandas numbers them
            how = f"frame = {frame}; frame.to_parquet('rows.parquet')"
        raise ValueError(f"{label} has two columns of one name: rename one, as in {how}")
    if not keys:
        raise ValueError(f"{label} has no columns: give rows of numbers")

    def read(names: Sequence[str], target: str | None) -> tuple[np.ndarray, Any]:
        wanted = [keys[name] for name in (*names, *([] if target is None else [target]))]
        try:
            table = read_columns(wanted)
            _require_size(8 * table.num_rows * len(names), label)
            values = np.empty((table.num_rows, len(names)), order="F")
            for j, key in enumerate(wanted[: len(names)]):
                values[:, j] = table.column(key).cast(pa.float64(), safe=False).to_numpy()
            return values, None if target is None else _labels(table.column(wanted[-1]), label)
        except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError) as error:
            raise _damage(label, error) from error

    kinds = {name: _kind_of(kind) for name, kind in zip(keys, schema.types)}
    more = {"unusable": {name: kind for name, kind in kinds.items() if kind}, **more}
    try:
        listed = json.loads((schema.metadata or {})[b"pandas"])["index_columns"]
        more = {"index": tuple(name for name in keys if name in listed), **more}
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    return Table(label=label, columns=tuple(keys), read=read, **more)


def _labels(column: Any, label: str) -> np.ndarray:
    """Return the labels of a target, as objects if they are no numbers; None where one lacks."""
    pa, kind = _arrow(label), _kind_of(column.type)
    if kind not in (None, "text", "categories", "nothing but gaps"):
        raise ValueError(f"{label}: the target holds {kind}: give numbers or labels")
    if kind is None and not column.null_count:
        return np.asarray(column.to_numpy())
    if kind in ("text", "categories"):
        # Of few labels each is kept once, however long and frequent they are.
        if kind == "text":
            column = column.cast(pa.large_string()).dictionary_encode()
        column = column.unify_dictionaries()
        marks = column.chunk(0).dictionary if column.num_chunks else pa.array([])
        texts = marks.cast(pa.large_string())
        if (pa.compute.max(pa.compute.binary_length(texts)).as_py() or 0) > _LONGEST_LABEL:
            raise ValueError(f"{label}: the target has a label of over {_LONGEST_LABEL} bytes")
    return np.array([*column.to_pylist(), None], dtype=object)[:-1]


def _frame(frame: Any, drop: Sequence[str]) -> Table:
    """Return the table of a data frame by its Arrow interface."""
    pa = _arrow("data")
    if hasattr(frame, "iloc") and drop:  # pandas converts all columns or none
        frame = frame.loc[:, [str(name) not in drop for name in frame.columns]]
    try:
        table = pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError) as error:
        text = " ".join(map(str, error.args))[:160]
        raise ValueError(f"data is no frame of numbers ({text}): drop or convert it") from error
    return _columns("data", table.schema, table.select)


def _parquet(path: Path, label: str, target: str | None) -> Table:
    pa = _arrow(label)
    from pyarrow import parquet

    def read_columns(keys: list[str]) -> Any:
        with parquet.ParquetFile(path, pre_buffer=False) as file:
            about = file.metadata
        _require_size(8 * len(keys) * about.num_rows, label)
        groups = [about.row_group(i) for i in range(about.num_row_groups)]
        chunks = (group.column(j) for group in groups for j in range(about.num_columns))
        _require_size(
            sum(c.total_uncompressed_size for c in chunks if c.path_in_schema in keys), label
        )
        # A label that is repeated is kept once.
        marks = [key for key in keys if _kind_of(schema.field(key).type) == "text"]
        with parquet.ParquetFile(path, pre_buffer=False, read_dictionary=marks) as file:
            return file.read(keys, use_threads=False)

    try:
        schema = parquet.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise _damage(label, error) from error
    return _columns(label, schema, read_columns, frame=f"pandas.read_parquet({path.name!r})")


def _feather(path: Path, label: str, target: str | None) -> Table:
    """Open Arrow's file format, whose messages are those of a stream behind eight bytes."""
    pa = _arrow(label)
    from pyarrow import ipc

    content = pa.memory_map(str(path)).read_buffer()
    if bytes(content[:6]) != b"ARROW1":
        raise ValueError(
            f"{label} is damaged, or an Arrow stream, which declares no size: frame = "
            "pyarrow.ipc.open_stream(FILE).read_pandas(); frame.to_parquet('rows.parquet')"
        )
    content = content.slice(8)
    try:
        messages = list(ipc.MessageReader.open_stream(pa.BufferReader(content)))
        _require_size(sum(map(_declared, messages)), label)
        schema = ipc.open_stream(content).schema
    except (pa.ArrowException, OSError, ValueError, MemoryError, struct.error) as error:
        raise _damage(label, error) from error

    def read_columns(keys: list[str]) -> Any:
        chosen = [schema.get_field_index(key) for key in keys]
        options = ipc.IpcReadOptions(included_fields=chosen, use_threads=False)
        table = ipc.open_stream(content, options=options).read_all()
        table.validate()
        return table

    return _columns(label, schema, read_columns, frame=f"pandas.read_feather({path.name!r})")


def _declared(message: Any) -> int:
    """Return the bytes to which the buffers of a message unpack, by the format's FlatBuffers."""
    if message.type not in ("record batch", "dictionary"):
        return 0
    data = bytes(message.metadata)

    def number(form: str, at: int) -> int:
        return int(struct.unpack_from(form, data, at)[0])

    def place(table: int, i: int) -> int:
        """Return where field i of a table is; 0 if it is absent."""
        fields = table - number("<i", table)
        offset = number("<H", fields + 4 + 2 * i) if 4 + 2 * i < number("<H", fields) else 0
        return table + offset if offset else 0

    def followed(at: int) -> int:
        return at + number("<I", at)

    batch = followed(place(followed(0), 2))
    batch = followed(place(batch, 1)) if message.type == "dictionary" else batch
    buffers, total = followed(place(batch, 2)), 0
    for i in range(number("<I", buffers)):
        start, length = number("<q", buffers + 4 + 16 * i), number("<q", buffers + 12 + 16 * i)
        packed = place(batch, 3) and length >= 8
        size = struct.unpack_from("<q", message.body, start)[0] if packed else -1
        total += length if size < 0 else size
    return total


def _csv(path: Path, label: str, target: str | None) -> Table:
    """Open text of UTF-8 with one delimiter and a first line of names."""
    pa = _arrow(label)
    from pyarrow import csv

    mark = "\t" if path.suffix.lower() == ".tsv" else ","

    def refusal(wrong: str, options: str) -> ValueError:
        frame = f"frame = pandas.read_csv({path.name!r}, {options})"
        return ValueError(f"{label} {wrong}: {frame}; frame.to_parquet('rows.parquet')")

    def batches(kinds: Mapping[str, Any] | None = None) -> Iterator[Any]:
        try:
            yield from csv.open_csv(
                path,
                csv.ReadOptions(use_threads=False, block_size=_LONGEST_LINE),
                csv.ParseOptions(delimiter=mark, newlines_in_values=True),
                csv.ConvertOptions(
                    column_types=kinds,
                    include_columns=kinds and list(kinds),
                    null_values=_MISSING,
                    strings_can_be_null=True,
                ),
            )
        except (pa.ArrowException, UnicodeError) as error:
            text = " ".join(str(error).replace("CSV parse error: ", "").split())[:100]
            if "UTF8" in text or "codec" in text or "\ufffd" in text:
                raise refusal("is no text of UTF-8", "encoding='latin-1'") from error
            wrong = f"is no table of cells between {mark!r} ({printable(text)})"
            raise refusal(wrong, "sep=None") from error

    with path.open("rb") as file:
        first = file.readline(_LONGEST_LINE)
    if first.startswith(b"#"):
        raise refusal("has a comment above its header", "comment='#'")
    if b"\0" in first or "\ufffd" in first.decode(errors="replace"):
        encoding = "utf-16" if b"\0" in first else "latin-1"
        raise refusal("is no text of UTF-8", f"encoding={encoding!r}")
    if len(first) == _LONGEST_LINE or first.count(mark.encode()) >= _MOST_COLUMNS:
        wrong = f"has a line of over {_LONGEST_LINE >> 20} MiB or {_MOST_COLUMNS:,} cells"
        raise refusal(wrong, "sep=None")
    batch = next(batches(), None)
    if batch is None:
        raise ValueError(f"{label} is empty but for a header: give rows of numbers")
    names = batch.schema.names
    if any(re.fullmatch(_NUMBER, name, re.ASCII) for name in names):
        raise refusal("has numbers in its first line", "header=None")
    unusable = {name.strip(): kind for name, kind in zip(names, map(_kind_of, batch.schema.types))}
    for name in [name for name in names if unusable[name.strip()] == "text"]:
        number = pa.compute.match_substring_regex(batch[name], f"^{_NUMBER}$")
        odd = batch[name].filter(pa.compute.invert(number))[:1]
        short = pa.compute.utf8_slice_codeunits(odd, 0, 30).to_pylist()
        unusable[name.strip()] = f"text, {(short or [''])[0]!r}"

    def read_columns(keys: list[str]) -> Any:
        types = {key: batch.schema.field(key).type for key in keys}
        kinds = {k: t if pa.types.is_boolean(t) else pa.float64() for k, t in types.items()}
        kinds |= {key: pa.string() for key in keys if key.strip() == target}
        parts, n = [], 0
        for part in batches(kinds):
            n += part.num_rows
            _require_size(8 * n * len(keys), label)
            parts.append(part)
        return pa.Table.from_batches(parts)

    more = {
        "unusable": {name: kind for name, kind in unusable.items() if kind},
        "index": ("Unnamed: 0",) if names[0] in ("", "Unnamed: 0") and len(names) > 1 else (),
        "frame": f"pandas.read_csv({path.name!r})",
    }
    return _columns(label, batch.schema, read_columns, **more)


_OPENERS: dict[str, Callable[[Path, str, str | None], Table]] = {
    **dict.fromkeys((".csv", ".tsv"), _csv),
    **{".parquet": _parquet, ".feather": _feather, ".arrow": _feather},
    **{".npy": _npy, ".npz": _npz},
}
