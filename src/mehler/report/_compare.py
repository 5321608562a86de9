"""Find what changed since an earlier report, read from its JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from mehler.report._model import SCHEMA, Change, Comparison, Report
from mehler.report._tables import require_file

_LARGEST = 1 << 26  # bytes of a report


def read_report(file: str | PathLike[str]) -> dict[str, Any]:
    """Read the JSON of an earlier report, to be compared with.

    Parameters
    ----------
    file : path
        A ``report.json`` of `write`.

    Returns
    -------
    dict
        Its content, and the path as ``"file"``.

    Raises
    ------
    ValueError
        If it cannot be read, or is no report of this version's schema.
    """
    path = Path(file)
    label, wanted = f"--compare={str(path)!r}", "the report.json of an earlier `mehler report`"
    require_file(path, label, wanted)
    if path.stat().st_size > _LARGEST:
        raise ValueError(f"{label} is larger than {_LARGEST >> 20} MiB: give {wanted}")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        schema = content.get("schema") if isinstance(content, dict) else None
        if schema == SCHEMA:
            dict(_facts(content))
            _ = content["provenance"]["date"], content["headline"]
    except (OSError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        wrong = f"{label} is no report ({type(error).__name__}: {str(error)[:80]})"
        raise ValueError(f"{wrong}: give {wanted}") from error
    if schema != SCHEMA:
        kind = f"of schema {schema!r}" if schema else "no report"
        raise ValueError(f"{label} is {kind}, and this version reads {SCHEMA}: give {wanted}")
    return {**content, "file": str(path)}


def compare(report: Report, old: Mapping[str, Any]) -> Comparison:
    """Compare a report with the content of an earlier one, as `read_report` gives it."""
    new = report.to_dict()
    sides = {"The earlier run": old, "This run": new}
    notes = [
        f"{which} checked some of the statements only."
        for which, side in sides.items()
        if side["statements"] and _is_partial(side)
    ]
    return Comparison(
        file=str(old["file"]),
        date=str(old["provenance"]["date"]),
        headline=str(old["headline"]),
        changes=tuple(_changes(old, new)),
        notes=tuple(notes),
    )


def _is_partial(side: Mapping[str, Any]) -> bool:
    """Whether a run was about data, or asked for some statements: the others are not gone."""
    return not side["statements"] or "--statements" in str(side["provenance"]["command"])


def _facts(side: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield what a report says by kind and name: texts, and numbers as (where, value, interval)."""
    for key in ("mehler", "level", "backend", "seed", "false_alarm"):
        yield ("setting", key), side["provenance"][key]
    data = side["data"]
    yield ("data", "rows"), data["name"] if data else "none"
    if data is not None:
        for key in ("n_rows", "n_columns", "n_zero_rows", "target"):
            yield ("data", key.replace("_", " ")), data[key]
        yield ("data", "digest of the values"), data["digest"][:12]
        for one in data["scores"]:
            place = (data["name"], data["target"])
            what = f"{one['map']}, {one['n_features']}, score"
            yield ("number", what), (place, one["value"], one["interval"])
    checked = [(one["id"], one["evidence"]) for one in side["statements"]]
    for name, evidence in [*checked, *([("data", data["evidence"])] if data else [])]:
        for one in evidence:
            what = f"{name}: {one['check']}"
            place = (one["where"], one["exact"])
            yield ("check", f"{what}, {one['form']} form"), one["status"]
            yield ("number", what), (place, one["observed"], one["interval"])
    for one in side["statements"]:
        yield ("statement", one["id"]), one["verdict"]
        for text in ("printed", "proved"):
            yield ("text", f"{one['id']}, {text} form"), one[text]


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    before, after = dict(_facts(old)), dict(_facts(new))
    for key in before | after:
        kind, what = key
        one, other = before.get(key), after.get(key)
        if kind == "number":
            if one and other and one[0] == other[0] and _apart(one[2], other[2]):
                values = [f"{float(value):.6g}" for _, value, _ in (one, other)]
                yield Change(kind=kind, what=what, before=values[0], after=values[1])
        elif key in before and key in after:
            if one != other:
                kind = "verdict" if kind in ("statement", "check") else kind
                yield Change(kind=kind, what=what, before=str(one), after=str(other))
        elif kind == "statement" and not _is_partial(new if key in before else old):
            ends = (one, "gone") if key in before else ("new", other)
            yield Change(kind=kind, what=what, before=str(ends[0]), after=str(ends[1]))


def _apart(one: Any, other: Any) -> bool:
    """Whether two intervals do not meet."""
    if not one or not other:
        return False
    (low, high), (low2, high2) = (map(float, interval) for interval in (one, other))
    return high < low2 or high2 < low
