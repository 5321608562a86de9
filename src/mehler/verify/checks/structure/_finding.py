"""Findings of the structural checks, and notes on skipped ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A defect of how a map is built.

    `cause` is a headline and `where` the rows, columns, seeds or sizes; `assumes` lists assumptions
    beyond the map's own values; `late` findings sort last; `last` makes further comparisons void.
    """

    cause: str
    check: str
    where: Mapping[str, Any] = field(default_factory=dict)
    assumes: tuple[str, ...] = ()
    late: bool = False
    last: bool = False


class Notes:
    """Skipped tests with the reason, and remarks that are no defects; each listed once."""

    def __init__(self) -> None:
        self._skipped: dict[tuple[str, str], tuple[str, list[str]]] = {}
        self.remarks: list[str] = []

    def skip(self, what: str, why: str, value: Any = None) -> None:
        """Note a skipped test; values skipped for one reason share a line.

        Reasons that differ in numbers only count as one.
        """
        listed = self._skipped.setdefault((what, re.sub(r"\d+", "#", why)), (why, []))[1]
        if value is not None and str(value) not in listed:
            listed.append(str(value))

    def remark(self, text: str) -> None:
        """Note an observation that is no defect."""
        if text not in self.remarks:
            self.remarks.append(text)

    def lines(self) -> tuple[str, ...]:
        """Return all notes, one line per reason."""
        return (
            *self.remarks,
            *(
                f"not looked at: {what}{' = ' + ', '.join(values) if values else ''} ({why})"
                for (what, _), (why, values) in self._skipped.items()
            ),
        )


def reason_of(error: Exception) -> str:
    """Return the type and first line of an exception."""
    text = str(error).strip().partition("\n")[0]
    short = text if len(text) <= 100 else text[:97] + "..."
    return f"{type(error).__name__}: {short}" if short else type(error).__name__
