"""The planted defects of the checks as lines of the table: what is put in another's place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mehler.statements import Statement
from tests.proofs_checks.test_planted_defects import DEFECTS


def planted(statement: Statement) -> Iterator[tuple[str, str, str]]:
    """Check, change and verdict of each defect; `test_planted_defects` makes them all."""
    names = {check.run: check.name for check in statement.checks}
    for check, defect, verdict in DEFECTS:
        if check in names:
            change = "; ".join(f"`{key}`: {_said(value)}" for key, value in defect.items())
            yield names[check], change, verdict


def _said(value: Any) -> str:
    """A number as it is; a function by the first line of its docstring, where it has one."""
    if isinstance(value, (bool, int, float, str)) or value is None:
        return repr(value)
    name = getattr(value, "__qualname__", "<lambda>").split(".<locals>")[0].split(".")[-1]
    doc = getattr(value, "__doc__", None) if name != "<lambda>" else None
    if doc:
        line = str(doc).strip().splitlines()[0].rstrip(".")
        return line[:1].lower() + line[1:]
    return "another" if name == "<lambda>" else name.replace("_", " ")
