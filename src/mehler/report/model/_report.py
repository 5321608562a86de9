"""The result model of a run of statements, rendered as page, JSON and summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from mehler.report.model._data_result import Comparison, DataResult
from mehler.statements import BoundCase, Evidence

SCHEMA = "mehler-report/3"


@dataclass(frozen=True, kw_only=True)
class StatementResult:
    """A statement with the evidence of its checks and the verdict.

    The texts are those of the statement, `sections` in Markdown. ``verdict`` is one of
    `EXPECTATIONS`, or ``"inconclusive"``, ``"error"`` or ``"proved form refuted"``.
    """

    id: str
    source: str
    title: str
    expected: str
    verdict: str
    printed: str
    proved: str
    sections: Mapping[str, str]
    note: str
    place: str
    hypotheses: str
    ground: str
    copy: str
    evidence: tuple[Evidence, ...]
    seconds: float

    @property
    def claimed(self) -> str:
        """The form as which the formula in ``printed`` was checked."""
        return "restored" if self.copy == "lost" else "printed"

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one."""
        return self.verdict == self.expected

    def spoken(self, form: str) -> str:
        """Return the display name of a form; our own statements are "stated", not "printed"."""
        return "stated" if form == "printed" and self.copy == "none" else form


@dataclass(frozen=True, kw_only=True)
class Report:
    """The results of a run; `mehler.report.write` renders them.

    Parameters
    ----------
    provenance : mapping
        Versions, backend, platform, date, command line, level, seed.
    ledger : mapping
        The false-alarm budget and its entries.
    statements : tuple of StatementResult
        One result per statement.
    data : DataResult, optional
        Results on the rows of data.
    compared : Comparison, optional
        What changed since an earlier report.

    See Also
    --------
    run : Makes a report.
    write : Renders it.
    """

    provenance: Mapping[str, Any]
    ledger: Mapping[str, Any]
    statements: tuple[StatementResult, ...]
    data: DataResult | None = None
    compared: Comparison | None = None
    schema: str = field(default=SCHEMA)

    @property
    def unexpected(self) -> tuple[StatementResult, ...]:
        """The statements whose verdict is not the expected one."""
        return tuple(one for one in self.statements if not one.as_expected)

    @property
    def data_status(self) -> str:
        """The worst status of the checks on the data; ``"holds"`` if there are none."""
        found = {one.status for one in self.data.evidence} if self.data else set()
        return next((s for s in ("error", "refuted", "inconclusive") if s in found), "holds")

    @property
    def exit_status(self) -> int:
        """0: all as expected. 1: unexpected verdict. 2: could not run. 3: inconclusive."""
        verdicts = {one.verdict for one in self.unexpected}
        if "error" in verdicts or self.data_status == "error":
            return 2
        if verdicts - {"inconclusive"} or self.data_status == "refuted":
            return 1
        return 3 if verdicts or self.data_status == "inconclusive" else 0

    @property
    def headline(self) -> str:
        """The verdict of the whole run in one line."""
        total, odd = len(self.statements), self.unexpected
        noun = "statement" if total == 1 else "statements"
        if odd:
            names = ", ".join(one.id for one in odd)
            line = f"{len(odd)} of {total} {noun} did not come out as expected: {names}"
        elif total == 1:
            line = "The statement came out as expected"
        else:
            line = f"All {total} {noun} came out as expected"
        tail = {
            "holds": "",
            "refuted": ", and a map on the data contradicts its kernel",
            "inconclusive": ", and a check on the data decided nothing",
            "error": ", and a check on the data could not run",
        }[self.data_status]
        return line + tail

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-able dictionaries, lists, strings and numbers.

        Numbers that JSON lacks become strings that ``float`` reads: ``"inf"``, ``"-inf"``,
        ``"nan"``.

        Returns
        -------
        dict
            With ``schema``, ``headline``, ``exit_status``, ``provenance``, ``ledger``, ``data``,
            ``compared``, ``statements``.
        """
        return {
            "schema": self.schema,
            "headline": self.headline,
            "exit_status": self.exit_status,
            "provenance": plain(self.provenance),
            "ledger": plain(self.ledger),
            "data": plain(self.data),
            "compared": plain(self.compared),
            "statements": plain(self.statements),
        }


def plain(value: Any) -> Any:
    """Return a value made of JSON types; see `Report.to_dict`."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else str(value)
    if isinstance(value, Evidence):
        return {**_fields(value), "margin": plain(value.margin)}
    if isinstance(value, BoundCase):
        return plain(value.to_dict())
    if isinstance(value, StatementResult):
        return {**_fields(value), "as_expected": value.as_expected}
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{value!r} of {type(value).__name__} has no place in a JSON report")


def _fields(value: Any) -> dict[str, Any]:
    return {one.name: plain(getattr(value, one.name)) for one in fields(value) if one.repr}
