"""Tables of Arrow columns, converted to floats in blocks of rows: data frames and files."""

from __future__ import annotations

import json
import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mehler._text import install_command
from mehler.report.inputs import _out_of_core
from mehler.report.inputs._out_of_core import Block, NotNumbers, Source

# Float64 bytes per byte of a file: more than this, data do not pack.
_PACKED = 100
# pyarrow's own message, by which its error is recognised.
_REPEATED = "duplicate field names"


def arrow(label: str) -> Any:
    """Import pyarrow, or say what to install."""
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError as error:
        raise ValueError(
            f"{label} needs pyarrow, which is not installed: {install_command('parquet')}, "
            "or save the rows as .npy"
        ) from error
    return pyarrow


def short(value: object) -> str:
    """Quote a value in at most 30 characters."""
    text = str(value)
    return repr(text if len(text) <= 30 else text[:29] + "…")


def unique(names: Sequence[str]) -> tuple[str, ...]:
    """Number repeated names, as pandas does: a, a.1, a.2."""
    chosen: dict[str, None] = {}
    for name in names:
        tries = (f"{name}.{k}" if k else name for k in range(len(names) + 1))
        chosen[next(name for name in tries if name not in chosen)] = None
    return tuple(chosen)


class TableSource(Source):
    """Columns of Arrow types, in batches of rows."""

    def __init__(self, name: str, label: str, path: str | None) -> None:
        self.name, self.label, self.path = name, label, path
        if path is not None and any("\ud800" <= letter <= "\udfff" for letter in path):
            raise ValueError(f"{label} has a name that is no UTF-8: rename it")
        self.pa = arrow(label)
        self.unusable = {}

    @abstractmethod
    def batches(self, use: Sequence[int], target: int | None) -> Iterator[Any]:
        """Yield the columns at `use`, and then that of the target, of some rows at a time."""

    def blocks(self, use: Sequence[int], target: int | None) -> Iterator[Block]:
        """Convert batches to floats; missing values become NaN."""
        size = _out_of_core.rows_per_block(len(use))
        for batch in self.batches(use, target):
            for start in range(0, batch.num_rows, size):
                piece = batch.slice(start, size)
                values = np.empty((piece.num_rows, len(use)))
                for j in range(len(use)):
                    values[:, j] = self._floats(piece.column(j))
                yield values, None if target is None else self._labels(piece.column(len(use)))

    def _floats(self, column: Any) -> np.ndarray:
        if self.pa.types.is_boolean(column.type):
            column = column.cast(self.pa.int8())
        return np.asarray(self._plain(column).to_numpy(zero_copy_only=False), dtype=np.float64)

    def _labels(self, column: Any) -> np.ndarray:
        if self._is_numeric(column.type) and not column.null_count:
            return np.asarray(self._plain(column).to_numpy(zero_copy_only=False))
        labels = np.empty(len(column), dtype=object)
        labels[:] = self._plain(column).to_pylist()
        return labels

    def _plain(self, column: Any) -> Any:
        decimal = self.pa.types.is_decimal(column.type)
        return column.cast(self.pa.float64()) if decimal else column

    def _is_numeric(self, kind: object) -> bool:
        t = self.pa.types
        tests = (t.is_integer, t.is_floating, t.is_boolean, t.is_decimal, t.is_null)
        return any(test(kind) for test in tests)

    def described(self, column: Any) -> str | None:
        """Return the kind of a column, with an example; None if it is numeric."""
        kind, t = column.type, self.pa.types
        if self._is_numeric(kind):
            return None
        kinds = {
            "text": t.is_string(kind) or t.is_large_string(kind) or str(kind) == "string_view",
            "categories": t.is_dictionary(kind),
            "dates": t.is_date(kind),
            "times": t.is_timestamp(kind) or t.is_time(kind),
            "durations": t.is_duration(kind),
        }
        word = next((word for word, fits in kinds.items() if fits), f"{kind}, not numbers")
        # As Python's values, since pyarrow lacks functions for some kinds, as polars' strings.
        values = column[:1000].to_pylist()
        example = next((value for value in values if value is not None), None)
        return word if example is None else f"{word} ({short(example)})"


class FileSource(TableSource):
    """A Parquet, Feather or Arrow file, whose schema may say which columns were pandas' index."""

    def __init__(self, path: Path, label: str, limit: float) -> None:
        super().__init__(path.name, label, str(path))
        self._kind = "a parquet" if path.suffix.lower() == ".parquet" else "an Arrow or Feather"
        with path.open("rb") as file:
            if file.read(4) == b"FEA1":
                raise ValueError(
                    f"{label} is a Feather file of version 1: write it again, with "
                    "pandas.read_feather(FILE).to_feather(FILE)"
                )
        with self._checked():
            schema, n_rows, batches_of = self._opened()
            names = schema.names
            if len(set(names)) < len(names):
                raise self.pa.ArrowInvalid(_REPEATED)
            size = 8 * len(names) * n_rows
            if size > limit * 2**30 and size > _PACKED * path.stat().st_size:
                raise ValueError(
                    f"{label} unpacks to {size / 2**30:.2g} GiB, above the limit of {limit:g} GiB: "
                    "save it without compression, or raise --unpack-limit"
                )
            first = next(batches_of(names), None)
        if not names:
            raise ValueError(f"{label} has no columns: give a file with rows of numbers")
        self.columns = tuple(names)
        listed = self._index_of_pandas((schema.metadata or {}).get(b"pandas"))
        self.index = tuple(name for name in names if name in listed)
        columns = [self.pa.nulls(0, kind) for kind in schema.types] if first is None else first
        described = {name: self.described(column) for name, column in zip(names, columns)}
        self.unusable = {name: kind for name, kind in described.items() if kind}

    def _index_of_pandas(self, metadata: bytes | None) -> list[Any]:
        """Return the entries of pandas' index: names of columns, and dicts for ranges."""
        if metadata is None:
            return []
        try:
            listed = json.loads(metadata)["index_columns"]
            if isinstance(listed, list):
                return listed
        except (ValueError, TypeError, KeyError, RecursionError):
            pass
        raise ValueError(
            f"{self.label} has metadata of pandas that do not name its index: write it again, with "
            "DataFrame.to_parquet or to_feather"
        )

    def batches(self, use: Sequence[int], target: int | None) -> Iterator[Any]:
        """Read the columns in question only, where the format allows."""
        chosen = [*use, *([] if target is None else [target])]
        with self._checked():
            yield from self._opened()[2]([self.columns[j] for j in chosen])

    def _opened(self) -> tuple[Any, int, Callable[[list[str]], Iterator[Any]]]:
        """Return the schema, the number of rows, 0 where a stream does not know it, and a reader.

        The reader takes names of columns and yields batches.
        """
        from pyarrow import dataset, fs, ipc

        parquet = self._kind == "a parquet"
        form: Any = "ipc"
        if parquet:
            form = dataset.ParquetFileFormat(pre_buffer=False, use_buffered_stream=True)
        place = os.path.abspath(str(self.path))
        try:
            table = dataset.dataset(place, format=form, filesystem=fs.LocalFileSystem())
        except self.pa.ArrowInvalid:
            if parquet:
                raise
            stream = ipc.open_stream(self.pa.OSFile(place))
            return stream.schema, 0, lambda names: (batch.select(names) for batch in stream)

        def scan(names: list[str]) -> Iterator[Any]:
            size = _out_of_core.rows_per_block(len(names))
            ahead = {"batch_readahead": 1, "fragment_readahead": 1, "use_threads": False}
            return iter(table.scanner(names, batch_size=size, **ahead).to_batches())

        return table.schema, table.count_rows(), scan

    @contextmanager
    def _checked(self) -> Iterator[None]:
        try:
            yield
        except (self.pa.ArrowException, OSError, NotImplementedError) as error:
            first = (str(error).splitlines() or ["no message"])[0]
            if _REPEATED in first:
                raise ValueError(
                    f"{self.label} has columns of the same name: rename them"
                ) from error
            raise ValueError(
                f"{self.label} is not {self._kind} file or is damaged ({first})"
            ) from error


def is_frame(data: Any) -> bool:
    """Whether this is a table with named columns, of pandas, polars, pyarrow or others."""
    return hasattr(data, "columns") and hasattr(data, "__arrow_c_stream__")


class FrameSource(TableSource):
    """A data frame; the index of pandas is no column."""

    def __init__(self, frame: Any) -> None:
        super().__init__("data frame", "data", None)
        # pandas would convert all columns, or none if one cannot be.
        self._by_column = hasattr(frame, "iloc")
        self._frame = frame if self._by_column else self.pa.table(frame)
        names = frame.columns if self._by_column else self._frame.column_names
        self.columns = unique([str(name) for name in names])
        if not self.columns:
            raise ValueError("data has no columns: give rows of numbers")
        kinds = {name: self._column(j, 1000)[1] for j, name in enumerate(self.columns)}
        self.unusable = {name: kind for name, kind in kinds.items() if kind}

    def batches(self, use: Sequence[int], target: int | None) -> Iterator[Any]:
        """Give all rows at once."""
        columns = [self._column(j, None) for j in use]
        odd = {self.columns[j]: kind for j, (_, kind) in zip(use, columns) if kind}
        if odd:
            raise NotNumbers(odd)
        if target is not None:
            columns.append(self._column(target, None))
            if columns[-1][0] is None:
                name, kind = self.columns[target], columns[-1][1]
                raise ValueError(f"the target {name!r} holds {kind}: give labels")
        yield self.pa.table([each for each, _ in columns], names=[*map(str, range(len(columns)))])

    def _column(self, j: int, stop: int | None) -> tuple[Any, str | None]:
        """Return the first rows of a column, None if Arrow has no type for it, and its kind."""
        if not self._by_column:
            column = self._frame.column(j)[:stop]
            return column, self.described(column)
        column = self._frame.iloc[:stop, j]
        try:
            array = self.pa.array(column, from_pandas=True)
            return array, self.described(array)
        except (self.pa.ArrowException, TypeError, ValueError):
            odd = next((value for value in column if not isinstance(value, int | float)), "")
            return None, f"{column.dtype}, not numbers ({short(odd)})"
