"""Tables of Arrow columns, converted to floats in blocks of rows, and data frames."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mehler._text import install_command
from mehler.report.inputs import _out_of_core
from mehler.report.inputs._layout import short, unique
from mehler.report.inputs._source import Block, NotNumbers, Source


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


class TableSource(Source):
    """Columns of Arrow types, in batches of rows."""

    def __init__(self, name: str, label: str, path: str | None) -> None:
        self.name, self.label, self.path = name, label, path
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
                yield values, None if target is None else piece.column(len(use))

    def missing(self, target: Any) -> np.ndarray:
        """Return where entries are null, or floats that are NaN."""
        return np.asarray(self.pa.compute.is_null(target, nan_is_null=True))

    def at(self, target: Any, rows: np.ndarray) -> Any:
        """Take entries."""
        try:
            return target.take(self.pa.array(rows))
        except self.pa.ArrowNotImplementedError:
            values = target.to_pylist()
            return self.pa.array([values[i] for i in rows])

    def joined(self, targets: list[Any]) -> np.ndarray:
        """Return floats, integers or booleans, and strings for anything else."""
        column = self._chunked(targets)
        if self._is_numeric(column.type):
            return np.asarray(self._plain(column))
        labels = column.to_pylist()
        numbers = all(isinstance(label, int | float) for label in labels)
        return np.asarray(labels if numbers else list(map(str, labels)))

    def _chunked(self, parts: list[Any]) -> Any:
        chunks = [chunk for part in parts for chunk in getattr(part, "chunks", [part])]
        return self.pa.chunked_array(chunks)

    def _floats(self, column: Any) -> np.ndarray:
        if self.pa.types.is_boolean(column.type):
            column = column.cast(self.pa.int8())
        return np.asarray(self._plain(column).to_numpy(zero_copy_only=False), dtype=np.float64)

    def _plain(self, column: Any) -> Any:
        decimal = self.pa.types.is_decimal(column.type)
        return column.cast(self.pa.float64()) if decimal else column

    def _is_numeric(self, kind: Any) -> bool:
        t = self.pa.types
        tests = (t.is_integer, t.is_floating, t.is_boolean, t.is_decimal, t.is_null)
        return any(test(kind) for test in tests)

    def _described(self, column: Any) -> str | None:
        """Say what a column holds unless it is numbers, with an example."""
        kind, t = column.type, self.pa.types
        if self._is_numeric(kind):
            return None
        fits = {
            "text": t.is_string(kind) or t.is_large_string(kind) or str(kind) == "string_view",
            "categories": t.is_dictionary(kind),
            "dates": t.is_date(kind),
            "times": t.is_timestamp(kind) or t.is_time(kind),
            "durations": t.is_duration(kind),
        }
        word = next((word for word, fit in fits.items() if fit), f"{kind}, not numbers")
        # By Python's values, since pyarrow lacks functions for some kinds, as polars' strings.
        example = next((one for one in column[:1000].to_pylist() if one is not None), None)
        return word if example is None else f"{word} ({short(example)})"


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
        for j, name in enumerate(self.columns):
            kind = self._kind(j, 0, 1000)
            if kind:
                self.unusable[name] = kind

    def batches(self, use: Sequence[int], target: int | None) -> Iterator[Any]:
        """Convert some rows at a time."""
        chosen = [*use, *([] if target is None else [target])]
        n, size = len(self._frame), _out_of_core.rows_per_block(len(chosen))
        for start in range(0, n, size):
            try:
                columns = [self._column(j, start, start + size) for j in chosen]
            except (self.pa.ArrowException, TypeError, ValueError) as error:
                raise NotNumbers(str(error)) from error
            if any(self._described(column) for column in columns[: len(use)]):
                raise NotNumbers("other rows hold other kinds")
            yield self.pa.table(columns, names=[str(j) for j in range(len(chosen))])

    def find_unusable(self, use: Sequence[int]) -> dict[str, str]:
        """Convert each column as a whole."""
        kinds = {self.columns[j]: self._kind(j, 0, len(self._frame)) for j in use}
        return {name: kind for name, kind in kinds.items() if kind}

    def _column(self, j: int, start: int, stop: int) -> Any:
        if not self._by_column:
            return self._frame.column(j).slice(start, stop - start)
        return self.pa.array(self._frame.iloc[start:stop, j], from_pandas=True)

    def _kind(self, j: int, start: int, stop: int) -> str | None:
        try:
            return self._described(self._column(j, start, stop))
        except (self.pa.ArrowException, TypeError, ValueError):
            column = self._frame.iloc[start:stop, j]
            odd = next((one for one in column if not isinstance(one, int | float)), "")
            return f"{column.dtype}, not numbers ({short(odd)})"
