"""Data frames of Python: pandas, and all that pass their columns on by Arrow's interface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mehler.report.inputs import _out_of_core
from mehler.report.inputs._layout import unique
from mehler.report.inputs._source import NotNumbers
from mehler.report.inputs._tables import TableSource, short


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
