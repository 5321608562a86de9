"""Findings of structural checks: cause, place, notes, and the verdict that lists them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mehler._plural import counted
from mehler.verify._verdict import Verdict


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
        """Note a skipped test; values with one reason, whatever its numbers, share a line."""
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


@dataclass(frozen=True, kw_only=True)
class StructureVerdict(Verdict):
    """A `Verdict` on how a map is built.

    ``observed`` is the number of defects found and ``exact`` 0; ``reason`` begins with the first of
    ``causes``, which are sorted by how much they explain.
    """

    causes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return one paragraph: the causes, the tests, error rates and reservations."""
        place = ", ".join(f"{key}={value}" for key, value in self.where.items())
        sentences = [self.reason] if self.reason else []
        sentences.append(f"{self.check}: {self.status}" + (f", at {place}." if place else "."))
        sentences.append(f"Claimed: {self.claim}.")
        sentences.append(
            f"Looked at {self.amount_text()}; false alarm {self.false_alarm:.3g} ({self.method})."
        )
        if self.seeds:
            sentences.append(f"Replay with seed={self.seeds['seed']}.")
        if self.assumptions:
            sentences.append(f"Assumes, and leaves out: {'; '.join(self.assumptions)}.")
        return " ".join(sentences)

    def cells(self) -> tuple[str, ...]:
        """Return nothing: a defect is no number."""
        return ()

    def amount_text(self) -> str:
        """Return the number of draws."""
        return counted(self.n_draws, "draw")

    def power_text(self) -> str:
        """Return nothing: smaller defects are named by the tests left out."""
        return ""
