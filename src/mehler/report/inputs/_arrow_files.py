"""Parquet files, and Arrow's own: Feather and IPC."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mehler.report.inputs import _out_of_core
from mehler.report.inputs._layout import unique
from mehler.report.inputs._tables import TableSource


class _FileSource(TableSource):
    """A file with a schema, and in it perhaps which columns were pandas' index."""

    kind: str

    def __init__(self, path: Path, label: str) -> None:
        super().__init__(path.name, label, str(path))
        with self._checked():
            schema = self._schema()
            first = next(self._batches(range(len(schema.names))), None)
        if not schema.names:
            raise ValueError(f"{label} has no columns: give a file with rows of numbers")
        self.columns = unique([str(name) for name in schema.names])
        of_pandas = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
        listed = {name for name in of_pandas.get("index_columns", []) if isinstance(name, str)}
        self.index = tuple(name for name in self.columns if name in listed)
        columns = [self.pa.nulls(0, kind) for kind in schema.types] if first is None else first
        described = {name: self._described(one) for name, one in zip(self.columns, columns)}
        self.unusable = {name: kind for name, kind in described.items() if kind}

    def batches(self, use: Sequence[int], target: int | None) -> Iterator[Any]:
        """Read the columns in question only, where the format allows."""
        with self._checked():
            yield from self._batches([*use, *([] if target is None else [target])])

    def _schema(self) -> Any:
        raise NotImplementedError

    def _batches(self, use: Sequence[int]) -> Iterator[Any]:
        raise NotImplementedError

    @contextmanager
    def _checked(self) -> Iterator[None]:
        try:
            yield
        except (self.pa.ArrowException, OSError) as error:
            first = (str(error).splitlines() or ["no message"])[0]
            raise ValueError(
                f"{self.label} is not {self.kind} file or is damaged ({first})"
            ) from error


class ParquetSource(_FileSource):
    """A Parquet file."""

    kind = "a parquet"

    def _schema(self) -> Any:
        from pyarrow import parquet

        self._file = parquet.ParquetFile(self.path, pre_buffer=False, buffer_size=1 << 16)
        return self._file.schema_arrow

    def _batches(self, use: Sequence[int]) -> Iterator[Any]:
        names = self._file.schema_arrow.names
        chosen = [names[j] for j in use]
        alone = len(set(names)) == len(names)
        for batch in self._file.iter_batches(
            batch_size=_out_of_core.rows_per_block(len(use)), columns=chosen if alone else None
        ):
            # Asking for a brings a.b as well, and in the file's order.
            place = {name: j for j, name in enumerate(batch.schema.names)}
            positions = [place[name] for name in chosen] if alone else use
            yield self.pa.RecordBatch.from_arrays(
                [batch.column(j) for j in positions], names=chosen
            )


class ArrowSource(_FileSource):
    """A Feather or Arrow IPC file, as a file or a stream."""

    kind = "an Arrow or Feather"

    def _schema(self) -> Any:
        from pyarrow import ipc

        self._map = self.pa.OSFile(self.path)
        try:
            self._stream = False
            return ipc.open_file(self._map).schema
        except self.pa.ArrowInvalid:
            self._stream = True
            self._map.seek(0)
            return ipc.open_stream(self._map).schema

    def _batches(self, use: Sequence[int]) -> Iterator[Any]:
        from pyarrow import ipc

        if self._stream:
            self._map.seek(0)
            found: Any = ipc.open_stream(self._map)
        else:
            file = ipc.open_file(self._map)
            found = (file.get_batch(i) for i in range(file.num_record_batches))
        for batch in found:
            columns = [batch.column(j) for j in use]
            yield self.pa.RecordBatch.from_arrays(columns, names=[str(j) for j in use])
