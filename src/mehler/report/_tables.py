"""Tables in files, arrays and data frames: named columns, and a matrix of floats of some.

No code in a file is run. Sizes that a file declares are compared with `LIMIT` before anything is
unpacked, and a format that declares none is refused.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np

from mehler import _arrays
from mehler._text import install_command

# Bytes of all rows as float64, and of what a file unpacks to.
LIMIT = 1 << 30
# Bytes of a header of NumPy's, of a label, of a line of text, and columns of text.
_LONGEST_HEADER, _LONGEST_LABEL, _LONGEST_LINE, _MOST_COLUMNS = 10_000, 1000, 1 << 23, 100_000
_NUMBER = r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*"
_MISSING = ["", "NA", "N/A", "n/a", "nan", "NaN", "-nan", "-NaN", "NULL", "null", "#N/A"]
_DAMAGES = (
    *(ValueError, TypeError, SyntaxError, TokenError, RecursionError, MemoryError, EOFError),
    *(OverflowError, KeyError, struct.error, zlib.error, BadZipFile, NotImplementedError),
)


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
        return _matrix(np.asarray(data), "data", frame="pandas.DataFrame(data)")
    except ValueError as error:
        raise _damage("data", error) from error


def _open_file(path: Path, target: str | None) -> Table:
    label, kind = f"DATA={str(path)!r}", path.suffix.lower()
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
    """Return an error of a file; the words of our own stay."""
    if str(error).startswith((label, "target")):
        return ValueError(str(error))
    text = " ".join(str(error).split()).partition(". ")[0][:80] or type(error).__name__
    if label == "data":
        return ValueError(f"data is no array of numbers ({text}): give rows of one length")
    return ValueError(f"{label} is damaged ({text}): save it again")


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
        shape, order, dtype, offset = _header(stream, path.stat().st_size, label)
    if 0 in shape:  # which cannot be mapped
        return _matrix(np.empty(shape), label)
    frame = f"pandas.DataFrame(numpy.load({path.name!r}))"
    return _matrix(np.memmap(path, dtype, "r", offset, shape, order), label, frame=frame)


def _header(stream: Any, n_bytes: int, label: str) -> tuple[tuple[int, ...], Any, np.dtype, int]:
    """Return shape, order, type and offset of an array, from a header that is a literal.

    NumPy would read a header of any length, and trust its shape.
    """
    head, form = stream.read(_LONGEST_HEADER), np.lib.format
    width = 2 if head[6:7] == b"\1" else 4
    end = 8 + width + int.from_bytes(head[8 : 8 + width], "little")
    read = form.read_array_header_1_0 if width == 2 else form.read_array_header_2_0
    try:
        if head[:6] != b"\x93NUMPY" or head[6:7] not in (b"\1", b"\2", b"\3") or end > len(head):
            raise ValueError("its header is none, or cut short")
        shape, by_columns, dtype = read(io.BytesIO(head[8:end]))
        if dtype.hasobject:
            raise ValueError(f"{label} holds pickled objects, which are not read: save numbers")
        if any(not 0 <= n < 2**63 for n in shape) or dtype.itemsize < 1:
            raise ValueError("its header describes no array")
        if math.prod(shape) * dtype.itemsize > n_bytes - end:
            raise ValueError("its header promises more than there is")
    except _DAMAGES as error:
        raise _damage(label, error) from error
    return shape, "F" if by_columns else "C", dtype, end


def _npz(path: Path, label: str, target: str | None) -> Table:
    """Return the array X of an archive, or its only one beside the array `target` of labels."""
    try:
        with ZipFile(path) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            names = [info.filename.removesuffix(".npy") for info in archive.infolist()]
            others = [name for name in names if name != target]
            if ("X" not in names and len(others) != 1) or len(members) < len(names):
                raise ValueError(
                    f"{label} holds {', '.join(names)[:80] or 'nothing'}, and not one array X: "
                    f"numpy.save('rows.npy', numpy.load({path.name!r})['NAME'])"
                )
            chosen = ["X" if "X" in names else others[0], *([target] if target in names else [])]
            packed = [members[name] for name in chosen]
            kinds = {m.compress_type for m in packed} - {ZIP_STORED, ZIP_DEFLATED}
            if kinds or any(m.flag_bits & 1 for m in packed):
                raise ValueError(
                    f"{label} is encrypted, or packed by bzip2 or lzma, which declare no size: "
                    "save it with numpy.savez_compressed"
                )
            _require_size(sum(member.file_size for member in packed), label)
            arrays = [_unpacked(archive, member, label) for member in packed]
    except _DAMAGES as error:
        raise _damage(label, error) from error
    labels = arrays[1] if len(arrays) > 1 else None
    frame = f"pandas.DataFrame(numpy.load({path.name!r})[{chosen[0]!r}])"
    return _matrix(arrays[0], label, labels=labels, notes=(f"array {chosen[0]}",), frame=frame)


def _unpacked(archive: ZipFile, member: ZipInfo, label: str) -> np.ndarray:
    with archive.open(member) as stream:
        shape, order, dtype, offset = _header(stream, member.file_size, label)
    with archive.open(member) as stream:  # to the end, where its checksum is compared
        content = stream.read(member.file_size)
    return np.frombuffer(content, dtype, math.prod(shape), offset).reshape(shape, order=order)


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
        except (pa.ArrowException, *_DAMAGES) as error:
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
    except (pa.ArrowException, OSError, *_DAMAGES) as error:
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

    remedy = f"frame = pandas.read_csv({path.name!r}{{}}); frame.to_parquet('rows.parquet')"

    def refusal(wrong: str, options: str = "") -> ValueError:
        return ValueError(f"{label} {wrong}: {remedy.format(options)}")

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
                raise refusal("is no text of UTF-8", ", encoding='latin-1'") from error
            if "straddl" in text:
                wrong = f"has a line of over {_LONGEST_LINE >> 20} MiB"
                raise refusal(wrong, ", engine='python'") from error
            wrong = f"is no table of cells between {mark!r} ({text})"
            raise refusal(wrong, ", sep=None") from error

    with path.open("rb") as file:
        first = file.readline(_LONGEST_LINE)
    if first.startswith(b"#"):
        raise refusal("has a comment above its header", ", comment='#'")
    if b"\0" in first:
        raise refusal("is no text of UTF-8", ", encoding='utf-16'")
    if "\ufffd" in first.decode(errors="replace"):
        raise refusal("is no text of UTF-8", ", encoding='latin-1'")
    if len(first) == _LONGEST_LINE or first.count(mark.encode()) >= _MOST_COLUMNS:
        raise refusal(f"has a line of over {_LONGEST_LINE >> 20} MiB or {_MOST_COLUMNS:,} cells")
    batch = next(batches(), None)
    if batch is None:
        raise ValueError(f"{label} is empty but for a header: give rows of numbers")
    names = batch.schema.names
    if any(re.fullmatch(_NUMBER, name, re.ASCII) for name in names):
        raise refusal("has numbers in its first line", ", header=None")
    unusable = {}
    for name, column in zip(names, batch.columns):
        if kind := _kind_of(column.type):
            unusable[name.strip()] = kind
        if kind == "text":
            number = pa.compute.match_substring_regex(column, f"^{_NUMBER}$")
            odd = column.filter(pa.compute.invert(number))[:1]
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

    index = ("Unnamed: 0",) if names[0] in ("", "Unnamed: 0") and len(names) > 1 else ()
    more = {"unusable": unusable, "index": index, "frame": f"pandas.read_csv({path.name!r})"}
    return _columns(label, batch.schema, read_columns, **more)


_OPENERS: dict[str, Callable[[Path, str, str | None], Table]] = {
    **dict.fromkeys((".csv", ".tsv"), _csv),
    **{".parquet": _parquet, ".feather": _feather, ".arrow": _feather},
    **{".npy": _npy, ".npz": _npz},
}
