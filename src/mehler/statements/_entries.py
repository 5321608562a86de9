"""Printed statements with their parts, and whose verdict each is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mehler.statements._statement import Statement

# Whose the verdict is, by the state of the print in the copy that was read.
_OF = {
    "printed": "the print",
    "lost": "a restored form: the formula is not in our copy",
    "none": "our own form: there is no print",
}
_NUMBERED = re.compile(
    r"(?P<paper>.*?\(\d{4}\)), (?P<label>(?:Theorem|Lemma|Corollary|Proposition|Definition|"
    r"Remark|Algorithm|Example) \d+)"
)


def verdict_is_of(statement: Statement) -> str:
    """Return whose the verdict is: the print's, a restored form's, or our own form's."""
    return _OF[statement.copy]


def printed_statement(statement: Statement) -> str:
    """Return the printed statement that it is, or is a part of: paper, name and number."""
    found = None if statement.copy == "none" else _NUMBERED.match(statement.source)
    return f"{found['paper']}, {found['label']}" if found else statement.source


def entries(statements: Sequence[Statement]) -> list[dict[str, Any]]:
    """Return one entry a printed statement, with its parts in order and the bounds checked.

    Each part has its id, title, verdict, whose verdict that is, and the checks by their form.
    """
    found: dict[str, list[Statement]] = {}
    for one in statements:
        found.setdefault(printed_statement(one), []).append(one)
    return [
        {"statement": name, "parts": [_part(one) for one in parts]} for name, parts in found.items()
    ]


def _part(statement: Statement) -> dict[str, Any]:
    checks: dict[str, list[str]] = {}
    for check in statement.checks:
        checks.setdefault(check.form, []).append(check.name)
    return {
        "id": statement.id,
        "title": statement.title,
        "expected": statement.expected,
        "of": verdict_is_of(statement),
        "place": statement.place,
        "checks": checks,
    }


def listing(statements: Sequence[Statement]) -> str:
    """Return the entries as indented lines."""
    lines = []
    for entry in entries(statements):
        lines.append(entry["statement"])
        for part in entry["parts"]:
            lines += [
                f"  {part['id']}: {part['title']}",
                f"    {part['expected']}; the verdict is of {part['of']}",
                *(f"    {form}: {'; '.join(names)}" for form, names in part["checks"].items()),
            ]
    return "\n".join(lines)
