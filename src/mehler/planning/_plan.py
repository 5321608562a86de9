"""What a plan is: rows that say how many features something needs, grouped by what they bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["measured", "asymptotic", "proved", "printed"]
KINDS = ("measured", "asymptotic", "proved", "printed")
# Beyond this a count of features is read as a power of ten.
_LONGEST = 10**9


@dataclass(frozen=True, kw_only=True)
class Row:
    """How many features one bound, one limit or one measurement asks for.

    Parameters
    ----------
    quantity : str
        What stays below eps; rows of one quantity are a group.
    name : str
        By what: a theorem and its route, the central limit, a measurement.
    kind : {"measured", "asymptotic", "proved", "printed"}
        A measurement on draws, a limit that promises nothing at finite m, a bound that is proved
        with every constant, or a paper's formula with the caller's constants.
    features : int or None
        The least number of features; None where no number is enough, or none could be found.
    interval : (int, int), optional
        Of a measurement: it contains the true number at the confidence that `note` says, up to
        the scaling that it says; `features` is its upper end.
    statement : str
        Id of the statement that the row evaluates; empty for a measurement.
    probability : float
        The quantity stays below eps with at least this probability.
    vacuous : bool
        Whether nothing is promised: no number of features is enough, an assumption fails, or eps
        is not below what the quantity can never exceed.
    assumptions : tuple of str
    note : str
        How it was measured, or why there is no number.
    """

    quantity: str
    name: str
    kind: Kind
    features: int | None
    interval: tuple[int, int] | None = None
    statement: str = ""
    probability: float
    vacuous: bool = False
    assumptions: tuple[str, ...] = ()
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return everything in it as JSON-able values."""
        return {
            "quantity": self.quantity,
            "name": self.name,
            "kind": self.kind,
            "features": self.features,
            "interval": None if self.interval is None else list(self.interval),
            "statement": self.statement,
            "probability": self.probability,
            "vacuous": self.vacuous,
            "assumptions": list(self.assumptions),
            "note": self.note,
        }

    @property
    def order(self) -> tuple[int, float]:
        """Measured first, then the limit, then what is proved from small to large, then printed."""
        return KINDS.index(self.kind), float("inf") if self.features is None else self.features


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The features that an accuracy needs, by measurement, in the limit, and by each bound.

    Parameters
    ----------
    setting : mapping
        eps, delta, pool_size and the rest that went in or was found in the data.
    rows : tuple of Row
        In groups of one quantity; in each measured, asymptotic, proved from small to large.
    notes : tuple of str
        What was done to the data, and what was taken for granted.
    """

    setting: Mapping[str, Any]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        quantities = list(dict.fromkeys(row.quantity for row in self.rows))
        ordered = sorted(self.rows, key=lambda row: (quantities.index(row.quantity), row.order))
        object.__setattr__(self, "setting", dict(self.setting))
        object.__setattr__(self, "rows", tuple(ordered))
        object.__setattr__(self, "notes", tuple(self.notes))

    @property
    def groups(self) -> dict[str, tuple[Row, ...]]:
        """Rows by what they bound, in order."""
        found: dict[str, tuple[Row, ...]] = {}
        for row in self.rows:
            found[row.quantity] = (*found.get(row.quantity, ()), row)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return everything in it as JSON-able values.

        Returns
        -------
        dict
            Keys "setting", "notes" and "rows".
        """
        return {
            "setting": dict(self.setting),
            "notes": list(self.notes),
            "rows": [row.to_dict() for row in self.rows],
        }

    def __str__(self) -> str:
        """Draw the table: a block for each quantity, then the notes."""
        eps, delta = self.setting["eps"], self.setting["delta"]
        lines = [
            f"features for eps = {eps:g} at confidence {100 * (1 - delta):g} %, "
            f"pool size {self.setting['pool_size']}"
        ]
        widths = [max((len(text(row)) for row in self.rows), default=0) for text in (_count, _kind)]
        for quantity, rows in self.groups.items():
            lines += ["", quantity]
            for row in rows:
                line = f"  {_count(row):>{widths[0]}}  {_kind(row):<{widths[1]}}  {row.name}"
                lines.append(line + (f" ({row.note})" if row.note else ""))
        return "\n".join([*lines, "", *self.notes])


def _kind(row: Row) -> str:
    return f"{row.kind}, vacuous" if row.vacuous else row.kind


def _count(row: Row) -> str:
    if row.features is None:
        return "none"
    return f"{row.features:,}" if row.features < _LONGEST else f"{row.features:.2e}"
