"""Text in columns, read by pyarrow in batches; options settle a layout that is in doubt."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mehler._validate import require_choice, require_flag, require_instance, require_integer
from mehler.report.inputs._out_of_core import NotNumbers
from mehler.report.inputs._tables import TableSource, short, unique

# Missing values, as pandas and pyarrow write and read them.
MISSING = ("", "NA", "N/A", "n/a", "nan", "NaN", "-nan", "-NaN", "NULL", "null", "#N/A")
_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces", ",": "commas"}
# Bytes that pyarrow reads together, of which no row may have more; and lines that are tried.
_BLOCK, _TRIED = 1 << 23, 50
_TOO_LONG = f"a line is longer than {_BLOCK >> 20} MiB; save the rows as .npy or .parquet"
# How files of gzip, zip (and so of spreadsheets), xz, bzip2 and zstd begin.
_PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"\xfd7zXZ", b"BZh", b"\x28\xb5\x2f\xfd")
_NOT_A_NUMBER = re.compile(r"In CSV column #(\d+).*?invalid value '(.*)'", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Options on how text is read; those of `load_rows`."""

    header: bool | None = None
    delimiter: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    skip_lines: int = 0

    def __post_init__(self) -> None:
        if self.header is not None:
            require_flag("header", self.header)
        mark = self.delimiter
        if mark is not None and (
            len(require_instance("delimiter", mark, str)) != 1
            or not mark.isascii()
            or not (mark.isprintable() or mark == "\t")
            or mark == '"'
        ):
            raise ValueError(
                f"delimiter={mark!r} must be one character of ASCII, such as ';' or a tab"
            )
        require_choice("decimal", self.decimal, (".", ","))
        require_integer("skip_lines", self.skip_lines, least=0)
        try:
            "".encode(require_instance("encoding", self.encoding, str))
        except (LookupError, ValueError):
            raise ValueError(
                f"encoding={self.encoding!r} is not known to Python: as in utf-8, utf-16, latin-1"
            ) from None


class TextSource(TableSource):
    """A text file of rows that a delimiter splits."""

    def __init__(self, path: Path, label: str, layout: Layout) -> None:
        super().__init__(path.name, label, str(path))
        self._layout = layout
        self._delimiter = layout.delimiter or ("\t" if path.suffix.lower() == ".tsv" else ",")
        if self._delimiter == layout.decimal:
            raise ValueError(
                f"{label}: {layout.decimal!r} cannot be both delimiter and decimal mark: give "
                "--delimiter too, as in --delimiter ';'"
            )
        lines = self._first_lines(path)
        if layout.delimiter is None:
            self._require_one_delimiter(lines)
        try:
            records = _records(lines, self._delimiter)
        except csv.Error as error:
            raise ValueError(f"{label} is not text in columns ({error}): save it as CSV") from error
        if not records:
            raise ValueError(f"{label} is empty: give a file with rows of numbers")
        first = records[0][1]
        second = records[1][1] if len(records) > 1 else first
        named = self._is_header(first) if layout.header is None else layout.header
        if named and len(records) == 1:
            raise ValueError(f"{label} is empty but for a header: give a file with rows of numbers")
        unnamed = tuple(f"x{j}" for j in range(len(first)))
        self.columns, self.index = _names(first, second) if named else (unnamed, ())
        self._n_lines = layout.skip_lines + (records[0][0] if named else 0)
        self.choices = self._choices(first, named)
        batch = next(self._read(None), None)
        columns = {} if batch is None else dict(zip(self.columns, batch.columns))
        if any(self.pa.types.is_binary(column.type) for column in columns.values()):
            raise self._not_decoded()
        kinds = {name: self.described(column) for name, column in columns.items()}
        # The first rows say which columns are numbers; later ones may contradict them.
        self.unusable = {name: kind for name, kind in kinds.items() if kind}
        self._booleans = {n for n, one in columns.items() if self.pa.types.is_boolean(one.type)}

    def batches(self, use: Sequence[int], target: int | None) -> Iterator[Any]:
        """Read columns as numbers, and the target as text."""
        pa, names = self.pa, [self.columns[j] for j in use]
        kinds = {name: pa.bool_() if name in self._booleans else pa.float64() for name in names}
        if target is not None:
            kinds[self.columns[target]] = pa.string()
        yield from self._read(kinds)

    def labels(self, entries: np.ndarray) -> np.ndarray:
        """Return integers or floats if all entries are, else strings."""
        texts = np.array([text.strip() for text in entries])
        for kind in (np.int64, np.float64):
            try:
                marks = [text.replace(self._layout.decimal, ".") for text in texts]
                return np.array(marks).astype(kind)
            except (ValueError, OverflowError):
                continue
        return texts

    def described(self, column: Any) -> str | None:
        """Quote the first cell of text that is no number."""
        if not self.pa.types.is_string(column.type):
            return super().described(column)
        cells = [cell for cell in column.drop_null().to_pylist() if not self._is_number(cell)]
        comma = any(re.fullmatch(r"[+-]?\d+,\d+", cell) for cell in cells)
        hint = (
            "; --decimal , if commas are decimal" if comma and self._layout.decimal == "." else ""
        )
        return f"text ({short(cells[0].strip() if cells else '')}{hint})"

    def _is_number(self, cell: str) -> bool:
        try:
            float(cell.replace(self._layout.decimal, "."))
        except ValueError:
            return False
        return cell.isascii() and "_" not in cell

    def _first_lines(self, path: Path) -> list[str]:
        """Decode the first lines; refuse what is no text."""
        with path.open("rb") as file:
            raw = file.read(_BLOCK)
        encoding = self._layout.encoding
        if raw[:2] in (b"\xff\xfe", b"\xfe\xff") and encoding == "utf-8":
            wide = "32" if raw[2:4] == b"\0\0" else "16"
            raise ValueError(
                f"{self.label} is a text file of UTF-{wide}, not of UTF-8: give --encoding "
                f"utf-{wide}"
            )
        if raw.startswith(_PACKED):
            raise ValueError(
                f"{self.label} is compressed, or a spreadsheet, and no text: unpack it, or save it "
                "as CSV"
            )
        if encoding == "utf-8" and b"\0" in raw:
            raise ValueError(
                f"{self.label} is not a text file, as it holds zero bytes: save it as CSV"
            )
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            text = decoder.decode(raw, final=len(raw) < _BLOCK)
        except UnicodeError as error:
            raise self._not_decoded() from error
        # Not splitlines, which splits at form feeds and separators of Unicode too.
        lines = list(io.StringIO(text.removeprefix("\ufeff"), newline=""))
        if len(raw) == _BLOCK:
            lines.pop()  # which may be cut
            if not lines:
                raise ValueError(f"{self.label} is not text in columns: {_TOO_LONG}")
        return lines[self._layout.skip_lines :]

    def _not_decoded(self) -> ValueError:
        return ValueError(
            f"{self.label} is not text of {self._layout.encoding.upper()}: give the encoding, as "
            "in --encoding latin-1, or save it as CSV UTF-8"
        )

    def _require_one_delimiter(self, lines: Sequence[str]) -> None:
        """Refuse a file whose first lines another delimiter splits evenly too."""
        alone = _width(lines, self._delimiter) <= 1
        for other, name in _DELIMITERS.items():
            # Words are separated by spaces, and decimals by commas, in any file.
            if other == self._delimiter or (other in " ," and not alone):
                continue
            if _width(lines, other) > 1:
                raise ValueError(
                    f"{self.label}: its first lines are split evenly by {name}: give --delimiter "
                    f"{_quoted(other)}, or --delimiter {_quoted(self._delimiter)} if they are not "
                    "meant"
                )

    def _is_header(self, first: Sequence[str]) -> bool:
        """Whether the first line holds names: no number, or 0, 1, 2, ... as pandas writes them."""
        filled = [cell for cell in first if cell not in MISSING]
        numbers = [cell for cell in filled if self._is_number(cell)]
        if numbers and len(numbers) < len(filled):
            raise ValueError(
                f"{self.label}: the first line holds numbers and text ({short(','.join(first))}), "
                "and may be a header or a row: say --header or --no-header"
            )
        counted = first[1:] if not first[0] else first
        return bool(filled) and (not numbers or counted == [str(j) for j in range(len(counted))])

    def _choices(self, first: Sequence[str], named: bool) -> tuple[str, ...]:
        """Say what was decided, and how to overrule it."""
        header = "the first line is the header" if named else "no header: the first line is a row"
        if named and self._layout.header is None and all(map(self._is_number, first)):
            header += " of numbers (--no-header if it is a row)"
        several = len(self.columns) > 1
        split = (f"separated by {_DELIMITERS.get(self._delimiter, self._delimiter)}",) * several
        return (*split, header, *(("decimal commas",) if self._layout.decimal == "," else ()))

    def _read(self, kinds: dict[str, Any] | None) -> Iterator[Any]:
        from pyarrow import csv as arrow_csv

        layout = self._layout
        try:
            with arrow_csv.open_csv(
                self.path,
                read_options=arrow_csv.ReadOptions(
                    column_names=list(self.columns),
                    skip_rows=self._n_lines,
                    block_size=_BLOCK,
                    encoding=layout.encoding,
                    use_threads=False,  # else rows of a wrong length have no number
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=self._delimiter, newlines_in_values=True
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=kinds,
                    include_columns=None if kinds is None else list(kinds),
                    null_values=list(MISSING),
                    strings_can_be_null=True,
                    decimal_point=layout.decimal,
                ),
            ) as reader:
                yield from reader
        except (self.pa.ArrowInvalid, UnicodeError) as error:
            raise self._refusal(str(error)) from error

    def _refusal(self, message: str) -> Exception:
        invalid = _NOT_A_NUMBER.search(message)
        if "invalid UTF8" in message or (invalid and "\ufffd" in invalid[2]) or "codec" in message:
            return self._not_decoded()
        if invalid:
            cell = self.pa.array([invalid[2]])
            return NotNumbers({self.columns[int(invalid[1])]: str(self.described(cell))})
        first = message.splitlines()[0]
        remedy = "give every row as many cells, separated alike"
        if "straddl" in message:
            remedy = _TOO_LONG
        row = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", message)
        if row:
            number = int(row[1]) - 1 - self._n_lines
            cells = "1 cell" if row[3] == "1" else f"{row[3]} cells"
            first = f"row {number} has {cells} and the first line {row[2]}"
        return ValueError(f"{self.label} is not text in columns ({first}): {remedy}")


def _records(lines: Sequence[str], delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the first records with a cell, each with the number of lines up to its end."""
    reader = csv.reader(lines, delimiter=delimiter)
    filled = (
        (reader.line_num, [cell.strip() for cell in cells])
        for cells in reader
        if any(cell.strip() for cell in cells)
    )
    return list(itertools.islice(filled, _TRIED))


def _width(lines: Sequence[str], delimiter: str) -> int:
    """Return the number of cells in each of the first records; 0 if it differs."""
    try:
        widths = {len(cells) for _, cells in _records(lines[:_TRIED], delimiter)}
    except csv.Error:  # without it thousands of columns are one cell, too long
        return 0
    return widths.pop() if len(widths) == 1 else 0


def _quoted(delimiter: str) -> str:
    return {"\t": "$'\\t'"}.get(delimiter, f"'{delimiter}'")


def _names(first: Sequence[str], second: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of columns, and that of the index, which pandas and R leave without one."""
    names = [first[0].removeprefix("#").strip(), *first[1:]]
    # A row with a delimiter at its end is longer too, and has no name in front.
    short_by_one = 1 < len(first) == len(second) - 1 and second[-1] != ""
    columns = unique(
        [name or f"Unnamed: {j}" for j, name in enumerate(["", *names] if short_by_one else names)]
    )
    unnamed = short_by_one or first[0] in ("", "Unnamed: 0")
    return columns, columns[:1] if unnamed and len(columns) > 1 else ()
