"""The layout of a text file, told from its beginning: separator, decimal mark, header, index."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Missing values, as pandas and pyarrow write and read them.
MISSING = ("", "NA", "N/A", "n/a", "nan", "NaN", "-nan", "-NaN", "NULL", "null", "#N/A")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|-?inf(inity)?", re.IGNORECASE)
_COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+(e[+-]?\d+)?", re.IGNORECASE)
_THOUSANDS = re.compile(r"-?\d{1,3}((\.\d{3})+,\d+|(,\d{3})+\.\d+)")
# A number whose comma can only be a decimal one: no group of three digits behind it.
_SURELY_DECIMAL = re.compile(r"-?(0\d*|\d{4,}),\d+.*|-?\d+,(\d{1,2}|\d{4,})(e.*)?", re.IGNORECASE)
_SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", " ": "spaces"}
NOT_UTF_8 = (
    "{label} is not a text file of UTF-8 ({error}): save it as CSV UTF-8; from Latin-1, iconv -f "
    "LATIN1 -t UTF-8 FILE does so"
)
_SAMPLE = 1 << 20
_MOST = 1 << 28


@dataclass(frozen=True)
class Layout:
    """How a text file is to be read; `n_lines` come before the first row."""

    separator: str
    decimal: str
    columns: tuple[str, ...]
    n_lines: int
    longest: int
    index: tuple[str, ...]
    choices: tuple[str, ...]


def layout_of(path: Path, label: str, header: bool | None) -> Layout:
    """Tell the layout of a text file; ValueError where that would be a guess."""
    text = _beginning(path, label)
    separator = _separator(text)
    try:
        records = _records(text, separator)
    except ValueError as error:
        raise ValueError(f"{label} cannot be read: {error}") from error
    if not records:
        raise ValueError(f"{label} is empty: give a file with rows of numbers")
    first = records[0][1]
    width = len(records[1][1]) if len(records) > 1 else len(first)
    named = _is_header(records, label) if header is None else header
    columns = _names(first, width, named)
    choice = _decided(first, named, given=header is not None)
    if named and len(records) == 1:
        raise ValueError(f"{label} is empty but for a header: give a file with rows of numbers")
    body = [cells for _, cells in records[named:]]
    decimal = _decimal(body, label) if separator != "," else "."
    choices = [choice]
    if len(columns) > 1:
        choices.insert(0, f"separated by {_SEPARATORS[separator]}")
    if decimal == ",":
        choices.append("decimal commas")
    index = columns[:1] if named and _is_unnamed(first, width) and len(columns) > 1 else ()
    return Layout(
        separator=separator,
        decimal=decimal,
        columns=columns,
        n_lines=records[0][0] if named else 0,
        longest=max(map(len, text.splitlines()), default=0),
        index=index,
        choices=tuple(choices),
    )


def number(cell: str) -> bool:
    """Whether a cell reads as a number with a decimal point."""
    return bool(_NUMBER.fullmatch(cell.strip()))


def _beginning(path: Path, label: str) -> str:
    """Return whole lines from the beginning, three at least if there are as many."""
    raw = b""
    with path.open("rb") as file:
        while raw.count(b"\n") + raw.count(b"\r") < 6 and len(raw) < _MOST:
            more = file.read(_SAMPLE)
            raw += more
            if not more:
                break
        complete = not file.read(1)
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ValueError(f"{label} is a text file of UTF-16, not of UTF-8: save it as CSV UTF-8")
    if b"\0" in raw:
        raise ValueError(f"{label} is not a text file, as it holds zero bytes: save it as CSV")
    if not complete:
        raw = raw[: max(raw.rfind(b"\n"), raw.rfind(b"\r")) + 1]
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(NOT_UTF_8.format(label=label, error=error)) from error


def _records(text: str, separator: str) -> list[tuple[int, list[str]]]:
    """Return the records that are not empty, each with the number of lines up to its end."""
    lines = csv.reader(text.splitlines(keepends=True), delimiter=separator)
    try:
        return [
            (lines.line_num, [cell.strip() for cell in cells])
            for cells in lines
            if any(cell.strip() for cell in cells)
        ]
    except csv.Error as error:
        raise ValueError(f"it is not text in columns ({error}): save it as CSV") from error


def _separator(text: str) -> str:
    """Choose the separator that splits all lines alike, into cells of which most are numbers."""
    sample = "".join(text.splitlines(keepends=True)[:50])
    shares = {}
    for separator in _SEPARATORS:
        try:
            body = [cells for _, cells in _records(sample, separator)]
        except ValueError:  # without it thousands of columns are one cell, too long
            continue
        widths = {len(cells) for cells in body[1:]} or {len(body[0]) if body else 1}
        cells = [cell for cells in body[1:] or body for cell in cells if cell not in MISSING]
        good = sum(
            number(cell) or (separator != "," and bool(_COMMA_NUMBER.fullmatch(cell)))
            for cell in cells
        )
        share = good / max(1, len(cells))
        if max(widths) > 1 and (share > 0.5 or separator != " "):
            shares[separator] = (len(widths) == 1, share)
    if not shares:
        return ","
    return max(shares, key=lambda one: shares[one])


def _is_header(records: list[tuple[int, list[str]]], label: str) -> bool:
    """Tell whether the first line holds names."""
    first = records[0][1]
    filled = {cell for cell in first if cell not in MISSING}
    numbers = {cell for cell in filled if number(cell) or _COMMA_NUMBER.fullmatch(cell)}
    if not numbers:
        return bool(filled)
    if len(numbers) == len(filled):
        counted = first[1:] if not first[0] else first
        return counted == [str(j) for j in range(len(counted))]
    second = records[1][1] if len(records) > 1 else []
    words = filled - numbers
    below = second[len(second) - len(first) :]
    if any(a in words and number(b) for a, b in zip(first, below)):
        return True
    raise ValueError(
        f"{label}: the first line holds numbers and text ({short(','.join(first))}), and may be "
        "a header or a row: say --header or --no-header"
    )


def _names(first: Sequence[str], width: int, named: bool) -> tuple[str, ...]:
    """Return the names of the columns."""
    if not named:
        return tuple(f"x{j}" for j in range(len(first)))
    names = [cell.strip() for cell in first]
    names[0] = names[0].removeprefix("#").strip()
    if _is_unnamed(first, width) and len(first) == width - 1:
        names.insert(0, "")
    return unique([name or f"Unnamed: {j}" for j, name in enumerate(names)])


def _decided(first: Sequence[str], named: bool, *, given: bool) -> str:
    """Say what was decided about the first line, and how to overrule a guess."""
    if named:
        numbers = not given and all(map(number, first))
        hint = " of numbers (--no-header if it is a row)" if numbers else ""
        return f"the first line is the header{hint}"
    consecutive = all(cell.isdecimal() for cell in first) and len(first) > 1
    if consecutive and not given:
        start = int(first[0])
        consecutive = [int(cell) for cell in first] == list(range(start, start + len(first)))
    hint = " (--header if not)" if consecutive and not given else ""
    return f"no header: the first line is a row{hint}"


def unique(names: Sequence[str]) -> tuple[str, ...]:
    """Number repeated names, as pandas does: a, a.1, a.2."""
    seen: dict[str, None] = {}
    for name in names:
        tries = (f"{name}.{k}" if k else name for k in range(len(names) + 1))
        seen[next(one for one in tries if one not in seen)] = None
    return tuple(seen)


def _is_unnamed(first: Sequence[str], width: int) -> bool:
    """Whether the first column has no name, as pandas and R write the index."""
    short = len(first) == width - 1 and len(first) > 1
    return short or first[0] in ("", "Unnamed: 0")


def _decimal(body: Sequence[Sequence[str]], label: str) -> str:
    """Tell decimal commas from points."""
    cells = [cell for cells in body for cell in cells]
    commas = [cell for cell in cells if _COMMA_NUMBER.fullmatch(cell)]
    grouped = next((cell for cell in cells if _THOUSANDS.fullmatch(cell)), None)
    if grouped is not None:
        raise ValueError(
            f"{label}: numbers such as {grouped!r} have separated thousands: save them without"
        )
    if not commas:
        return "."
    point = next((cell for cell in cells if number(cell) and "." in cell), None)
    if point is not None:
        raise ValueError(
            f"{label}: some numbers have a decimal point, such as {point!r}, and some a comma, "
            f"such as {commas[0]!r}: save them alike"
        )
    if not any(_SURELY_DECIMAL.fullmatch(cell) for cell in commas):
        raise ValueError(
            f"{label}: the comma in numbers such as {commas[0]!r} may separate decimals or "
            "thousands: save them with a decimal point"
        )
    return ","


def short(value: Any) -> str:
    """Quote a value in at most 30 characters."""
    text = str(value)
    return repr(text if len(text) <= 30 else text[:29] + "…")
