"""A plan: rows of numbers of features, grouped by the quantity they bound."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from mehler._text import Listed

Kind = Literal["measured", "asymptotic", "proved"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Larger counts are written as powers of ten.
_LONGEST = 10**9


@dataclass(frozen=True, kw_only=True)
class Row:
    """The number of features by one bound, limit or measurement.

    Parameters
    ----------
    quantity : str
        The quantity kept below eps; rows of one quantity are a group.
    name : str
        Source: a theorem and its route, the central limit theorem, a measurement.
    kind : {"measured", "asymptotic", "proved"}
        A measurement on draws, a limit without guarantee, or a bound proved with all constants.
    features : int or None
        The least number of features; None if no number is enough, or none could be found.
    interval : (int, int), optional
        Of a measurement, as `note` says; `features` is its upper end.
    statement : str
        Id of the statement evaluated; empty for a measurement.
    probability : float
        The quantity stays below eps with at least this probability.
    vacuous : bool
        Whether no number is enough, or the quantity never exceeds eps.
    assumptions : tuple of str
        Assumptions of the row.
    note : str
        How it was measured, or why there is no number.
    """

    quantity: str
    name: str
    kind: Kind
    features: int | None = None
    interval: tuple[int, int] | None = None
    statement: str = ""
    probability: float
    vacuous: bool = False
    assumptions: tuple[str, ...] = ()
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON-able values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {key: list(v) if isinstance(v, tuple) else v for key, v in values.items()}

    @property
    def order(self) -> tuple[int, float]:
        """Sort key: measured, asymptotic, proved by increasing number."""
        return KINDS.index(self.kind), float("inf") if self.features is None else self.features


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan(Listed):
    """Numbers of features for an accuracy, by measurement, CLT and each bound.

    Parameters
    ----------
    setting : mapping
        The arguments, given or computed from the data.
    rows : tuple of Row
        In groups of one quantity; in each measured, asymptotic, proved by increasing number.
    notes : tuple of str
        Treatment of the data, and defaults assumed.
    """

    setting: Mapping[str, Any]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        places = {row.quantity: i for i, row in reversed(list(enumerate(self.rows)))}
        ordered = sorted(self.rows, key=lambda row: (places[row.quantity], row.order))
        object.__setattr__(self, "rows", tuple(ordered))

    @property
    def groups(self) -> dict[str, tuple[Row, ...]]:
        """Rows by the quantity they bound, in order."""
        grouped = itertools.groupby(self.rows, key=lambda row: row.quantity)
        return {quantity: tuple(rows) for quantity, rows in grouped}

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON-able values, with the keys "setting", "notes" and "rows"."""
        rows = [row.to_dict() for row in self.rows]
        return {"setting": dict(self.setting), "notes": list(self.notes), "rows": rows}

    def __str__(self) -> str:
        """Return the table, a block per quantity, and the notes."""
        lines = [self._heading()]
        widths = [max((len(text(row)) for row in self.rows), default=0) for text in (_count, _kind)]
        for quantity, rows in self.groups.items():
            lines += ["", quantity]
            for row in rows:
                line = f"  {_count(row):>{widths[0]}}  {_kind(row):<{widths[1]}}  {row.name}"
                lines.append(line + (f" ({row.note})" if row.note else ""))
        return "\n".join([*lines, "", *self.notes])

    def _heading(self) -> str:
        """Return the accuracy in a line."""
        facts = self.setting
        if facts.get("task") == "ridge":
            text = (
                "ridge regression on {n_samples} rows, noise {noise:g}, norm {norm:g}: features "
                "for {eps:.0%} above the exact kernel's risk"
            )
            return text.format_map(facts)
        of = facts.get("map") or f"pool size {facts['pool_size']}"
        confidence = 100 * (1 - facts["delta"])
        return f"features for eps = {facts['eps']:g} at confidence {confidence:g} %, {of}"


def _kind(row: Row) -> str:
    return f"{row.kind}, vacuous" if row.vacuous else row.kind


def _count(row: Row) -> str:
    if row.features is None:
        return "none"
    return f"{row.features:,}" if row.features < _LONGEST else f"{row.features:.2e}"
