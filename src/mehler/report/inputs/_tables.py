"""Tables of Arrow columns, converted to floats in blocks of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mehler.report.inputs import _out_of_core
from mehler.report.inputs._source import Block, Source


def arrow(label: str) -> Any:
    """Import pyarrow, or say what to install."""
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError as error:
        raise ValueError(
            f"{label} needs pyarrow, which is not installed: pip install 'mehler[parquet]', "
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


def short(value: Any, limit: int = 30) -> str:
    """Quote a value in at most 30 characters."""
    text = str(value)
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
