"""Find what changed since an earlier report, read from its JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from mehler._plural import counted
from mehler.report._model import SCHEMA, Change, Comparison, Report

# Changed columns that are listed, and bytes of a report.
_MOST_COLUMNS, _LARGEST = 20, 1 << 26


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
    label = f"--compare={str(path)!r}"
    if not path.is_file():  # a folder, a pipe or a device, or a link to one or to nothing
        wrong = "is not a file" if path.exists() else "does not exist"
        raise ValueError(f"{label} {wrong}: give the report.json of an earlier run")
    if path.stat().st_size > _LARGEST:
        raise ValueError(f"{label} is larger than {_LARGEST >> 20} MiB: give a report.json")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{label} cannot be read ({error.strerror or error})") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{label} is not JSON ({error}): give the report.json of an earlier run"
        ) from error
    schema = content.get("schema") if isinstance(content, dict) else None
    if not isinstance(schema, str) or not schema.startswith("mehler-report/"):
        kind = f"of schema {schema!r}" if schema else "no report"
        raise ValueError(f"{label} is {kind}: give the report.json of an earlier `mehler report`")
    if schema != SCHEMA:
        raise ValueError(
            f"{label} is of schema {schema!r}, and this version reads {SCHEMA}: make it again, by "
            "the same version"
        )
    try:
        _checked(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f"{label} is damaged ({type(error).__name__}: {error}): make it again"
        ) from error
    return {**content, "file": str(path)}


def _checked(old: Mapping[str, Any]) -> None:
    """Run the comparison with itself, which meets whatever is missing."""
    data = old["data"]
    _ = old["provenance"]["date"], old["headline"], old["provenance"].items()
    list(_changes(old, old))
    if data is not None:
        _ = data["name"], data["n_rows"]


def compare(report: Report, old: Mapping[str, Any]) -> Comparison:
    """Compare a report with the content of an earlier one, as `read_report` gives it."""
    new = report.to_dict()
    notes = []
    for side, which in ((old, "The earlier run"), (new, "This run")):
        if side["statements"] and _is_partial(side):
            notes.append(f"{which} checked some of the statements only.")
    return Comparison(
        file=str(old["file"]),
        date=str(old["provenance"]["date"]),
        headline=str(old["headline"]),
        changes=tuple(_changes(old, new)),
        notes=tuple(notes),
    )


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for key in ("mehler", "level", "backend", "seed", "false_alarm"):
        yield from _differ("setting", key, old["provenance"][key], new["provenance"][key])
    alike = old["provenance"]["seed"] == new["provenance"]["seed"]
    yield from _of_data(old["data"], new["data"], alike)
    before, after = ({one["id"]: one for one in side["statements"]} for side in (old, new))
    for name in before | after:
        one, other = before.get(name), after.get(name)
        if one and other:
            yield from _of_outcome("statement", name, one, other, "verdict")
            for text in ("printed", "proved"):
                yield from _differ("text", f"{name}, {text} form", one[text], other[text])
            yield from _of_evidence(name, one["evidence"], other["evidence"])
        elif not _is_partial(new if one else old):
            yield from _of_outcome("statement", name, one, other, "verdict")


def _is_partial(side: Mapping[str, Any]) -> bool:
    """Whether a run was about data, or asked for some statements: the others are not gone."""
    return not side["statements"] or "--statements" in str(side["provenance"]["command"])


def _of_data(old: Mapping[str, Any], new: Mapping[str, Any], alike: bool) -> Iterator[Change]:
    if old is None or new is None:
        names = [one["name"] if one else "none" for one in (old, new)]
        yield from _differ("data", "rows", *names)
        return
    for key in ("name", "n_rows", "n_columns", "n_zero_rows", "target"):
        yield from _differ("data", key.replace("_", " "), old[key], new[key])
    digests = [side["digest"][:12] for side in (old, new)]
    yield from _differ("data", "digest of the values", *digests)
    yield from _of_columns(old["columns"], new["columns"])
    yield from _of_evidence("data", old["evidence"], new["evidence"])
    if alike and old["digest"] == new["digest"]:
        # Another seed draws other rows; the finest error alone says it for all.
        counts = [{row["map"]: row for row in side["plan"]} for side in (old, new)]
        for label, row in counts[0].items():
            if label in counts[1]:
                what = f"{label}, features for {row['error']:g}"
                numbers = [side[label]["n_features"] for side in counts]
                yield from _differ("number", what, *numbers)
    scored = [{f"{s['map']}, {s['n_features']}": s for s in side["scores"]} for side in (old, new)]
    for name, one in scored[0].items():
        if name in scored[1] and old["target"] == new["target"]:
            yield from _apart(f"{name}, score", one, scored[1][name], "value")


def _of_columns(old: Any, new: Any) -> Iterator[Change]:
    before, after = ({one["name"]: one for one in side} for side in (old, new))
    changes = [
        Change(kind="data", what=f"column {name}", before=_range(before, name), after=now)
        for name in before | after
        if (now := _range(after, name)) != _range(before, name)
    ]
    yield from changes[:_MOST_COLUMNS]
    if len(changes) > _MOST_COLUMNS:
        more = counted(len(changes) - _MOST_COLUMNS, "more column")
        yield Change(kind="data", what=more, before="", after="changed")


def _range(columns: Mapping[str, Any], name: str) -> str:
    if name not in columns:
        return "absent"
    one = columns[name]
    return f"{float(one['low']):.6g} to {float(one['high']):.6g}"


def _of_evidence(owner: str, old: Any, new: Any) -> Iterator[Change]:
    """Compare checks of one name: outcomes, and numbers at the same place."""
    before, after = ({(one["form"], one["check"]): one for one in side} for side in (old, new))
    for key in before | after:
        what, one, other = f"{owner}: {key[1]}", before.get(key), after.get(key)
        yield from _of_outcome("check", what, one, other, "status")
        if one and other and (one["where"], one["exact"]) == (other["where"], other["exact"]):
            yield from _apart(what, one, other, "observed")


def _of_outcome(kind: str, what: str, one: Any, other: Any, outcome: str) -> Iterator[Change]:
    """Yield a change of outcome; `kind` is of what is new, None before, or gone, None after."""
    before, after = one[outcome] if one else "new", other[outcome] if other else "gone"
    yield from _differ("verdict" if one and other else kind, what, before, after)


def _apart(what: str, one: Any, other: Any, value: str) -> Iterator[Change]:
    """Yield a change of number if the two intervals do not meet."""
    if not one["interval"] or not other["interval"]:
        return
    (low, high), (low2, high2) = (map(float, side["interval"]) for side in (one, other))
    if high < low2 or high2 < low:
        values = [f"{float(side[value]):.6g}" for side in (one, other)]
        yield Change(kind="number", what=what, before=values[0], after=values[1])


def _differ(kind: str, what: str, before: Any, after: Any) -> Iterator[Change]:
    if before != after:
        yield Change(kind=kind, what=what, before=str(before), after=str(after))
