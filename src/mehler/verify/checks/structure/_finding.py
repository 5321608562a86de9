"""What the bundle finds: a cause in a few words, and what was not looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A defect of how a map is built.

    Parameters
    ----------
    cause : str
        For a headline.
    check : str
        Name of the check.
    where : mapping
        The place: rows, columns, seeds, sizes.
    assumes : tuple of str
        What this finding rests on beyond the maps' own values.
    late : bool
        Whether other findings explain more.
    last : bool
        Whether nothing can be compared after this.
    """

    cause: str
    check: str
    where: Mapping[str, Any] = field(default_factory=dict)
    assumes: tuple[str, ...] = ()
    late: bool = False
    last: bool = False


class Notes:
    """What was not looked at and why, and what is no defect but worth a word; each said once."""

    def __init__(self) -> None:
        self._skipped: dict[tuple[str, str], tuple[str, list[str]]] = {}
        self.remarks: list[str] = []

    def skip(self, what: str, why: str, value: Any = None) -> None:
        """Say that something was not looked at; values of one kind share a line.

        Parameters
        ----------
        what : str
        why : str
            Reasons that differ in numbers only count for one.
        value : object, optional
            Which one.
        """
        listed = self._skipped.setdefault((what, re.sub(r"\d+", "#", why)), (why, []))[1]
        if value is not None and str(value) not in listed:
            listed.append(str(value))

    def remark(self, text: str) -> None:
        """Say something that is no defect."""
        if text not in self.remarks:
            self.remarks.append(text)

    def lines(self) -> tuple[str, ...]:
        """Return everything, a line for each reason."""
        return (
            *self.remarks,
            *(
                f"not looked at: {what}{' = ' + ', '.join(values) if values else ''} ({why})"
                for (what, _), (why, values) in self._skipped.items()
            ),
        )


def reason_of(error: Exception) -> str:
    """Return type and first line of an exception."""
    text = str(error).strip().partition("\n")[0]
    short = text if len(text) <= 100 else text[:97] + "..."
    return f"{type(error).__name__}: {short}" if short else type(error).__name__
