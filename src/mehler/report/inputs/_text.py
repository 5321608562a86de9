"""Text in columns, read by pyarrow in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mehler.report.inputs._layout import MISSING, NOT_UTF_8, layout_of, number, short
from mehler.report.inputs._source import NotNumbers
from mehler.report.inputs._tables import TableSource

# Rows of a wrong length that are told one by one.
_FIRST = 3
_BLOCK = 1 << 22


class TextSource(TableSource):
    """A text file; rows of separators only are left out."""

    def __init__(self, path: Path, label: str, header: bool | None) -> None:
        super().__init__(path.name, label, str(path))
        self._layout = layout_of(path, label, header)
        self.columns, self.index = self._layout.columns, self._layout.index
        self.choices = self._layout.choices
        # The first rows say which columns are numbers; later ones may contradict them.
        batch = next(self._read({}), None)
        first = {} if batch is None else dict(zip(self.columns, batch.columns))
        if any(self.pa.types.is_binary(column.type) for column in first.values()):
            raise ValueError(NOT_UTF_8.format(label=label, error="below its first lines"))
        kinds = {name: self._described(column) for name, column in first.items()}
        self.unusable = {name: kind for name, kind in kinds.items() if kind}
        self._boolean = {n for n, one in first.items() if self.pa.types.is_boolean(one.type)}

    def batches(self, use: Sequence[int], target: int | None) -> Iterator[Any]:
        """Read numbers where they are expected, and anything elsewhere."""
        pa = self.pa
        kinds = dict.fromkeys(self.columns, pa.binary())
        for j in use:
            name = self.columns[j]
            kinds[name] = pa.bool_() if name in self._boolean else pa.float64()
        if target is not None:
            kinds[self.columns[target]] = pa.string()
        yield from self._filled(kinds, [*use, *([] if target is None else [target])])

    def joined(self, targets: list[Any]) -> Any:
        """Return integers or floats if all entries are, else strings."""
        column = self.pa.compute.utf8_trim_whitespace(self._chunked(targets))
        for kind in (self.pa.int64(), self.pa.float64()):
            try:
                return super().joined([self._converted(column, kind)])
            except self.pa.ArrowInvalid:
                continue
        return super().joined([column])

    def find_unusable(self, use: Sequence[int]) -> dict[str, str]:
        """Read text, and convert it batch by batch to find the first cell that is no number."""
        found: dict[str, str] = {}
        kinds = dict.fromkeys(self.columns, self.pa.binary())
        kinds |= {self.columns[j]: self.pa.string() for j in use}
        for batch in self._filled(kinds, use):
            for j, column in zip(use, batch.columns):
                name = self.columns[j]
                kind = self.pa.bool_() if name in self._boolean else self.pa.float64()
                try:
                    if name not in found:
                        self._converted(self.pa.compute.utf8_trim_whitespace(column), kind)
                except self.pa.ArrowInvalid:
                    found[name] = self._text(column)
        return found

    def _described(self, column: Any) -> str | None:
        text = self.pa.types.is_string(column.type)
        return self._text(column) if text else super()._described(column)

    def _text(self, column: Any) -> str:
        """Quote the first cell that is no number."""
        cells = (str(cell).strip() for cell in column.drop_null())
        return f"text ({short(next((cell for cell in cells if not number(cell)), ''))})"

    def _converted(self, column: Any, kind: Any) -> Any:
        if self._layout.decimal == ",":
            column = self.pa.compute.replace_substring(column, ",", ".")
        return column.cast(kind)

    def _filled(self, kinds: dict[str, Any], use: Sequence[int]) -> Iterator[Any]:
        """Yield some columns of the rows that are not empty."""
        n_empty = 0
        for batch in self._read(kinds):
            if all(column.null_count for column in batch.columns):
                filled = batch.columns[0].is_valid()
                for column in batch.columns[1:]:
                    filled = self.pa.compute.or_(filled, column.is_valid())
                n_empty += batch.num_rows - (filled.true_count if len(filled) else 0)
                batch = batch.filter(filled)
            yield self.pa.RecordBatch.from_arrays(
                [batch.column(j) for j in use], names=[self.columns[j] for j in use]
            )
        rows = "row" if n_empty == 1 else "rows"
        left_out = (f"{n_empty} empty {rows} left out",) if n_empty else ()
        self.choices = self._layout.choices + left_out

    def _read(self, kinds: dict[str, Any]) -> Iterator[Any]:
        from pyarrow import csv

        ragged: list[Any] = []

        def skip(row: Any) -> str:
            ragged.append((row.number, row.actual_columns))
            return "skip"

        layout = self._layout
        try:
            with csv.open_csv(
                self.path,
                read_options=csv.ReadOptions(
                    column_names=list(layout.columns),
                    skip_rows=layout.n_lines,
                    block_size=max(_BLOCK, 64 * layout.longest),
                    use_threads=False,  # else rows of a wrong length have no number
                ),
                parse_options=csv.ParseOptions(
                    delimiter=layout.separator, newlines_in_values=True, invalid_row_handler=skip
                ),
                convert_options=csv.ConvertOptions(
                    column_types=kinds,
                    null_values=list(MISSING),
                    strings_can_be_null=True,
                    decimal_point=layout.decimal,
                ),
            ) as reader:
                yield from reader
        except self.pa.ArrowInvalid as error:
            if "invalid UTF8" in str(error):
                raise ValueError(NOT_UTF_8.format(label=self.label, error=error)) from error
            if "conversion error" in str(error):
                raise NotNumbers(str(error)) from error
            first = str(error).splitlines()[0]
            raise ValueError(f"{self.label} is not a text file in columns ({first})") from error
        if ragged:
            some = ", ".join(
                f"row {line - 1 - layout.n_lines} has {cells} {'cell' if cells == 1 else 'cells'}"
                for line, cells in ragged[:_FIRST]
            )
            count = f"; {len(ragged)} rows differ in all" if len(ragged) > _FIRST else ""
            raise ValueError(
                f"{self.label}: {some} and the first line {len(layout.columns)}{count}; give every "
                "row as many, separated alike"
            )
