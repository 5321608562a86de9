"""Numbers, intervals and tables of pairs as verdicts print them, the worst pairs first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mehler._plural import counted


def short(value: object) -> str:
    """Return a float to six digits, anything else as it is."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def interval_text(low: float, high: float) -> str:
    """Return an interval; one whose ends print alike says how wide it is."""
    text = f"[{short(low)}, {short(high)}]"
    if short(low) != short(high) or not math.isfinite(low):
        return text
    if low == high:
        return f"{text} of width 0 (no sample varied)"
    return f"{text}, {high - low:.2g} wide"


# Rows kept: what a reader looks through.
MOST_ROWS = 6
_HEAD = ("pair", "exact", "measured", "interval", "off by", "verdict")


@dataclass(frozen=True)
class PairRow:
    """One pair of rows: claim, estimate, interval, deviation in units of the resolution's scale."""

    pair: tuple[int, int]
    exact: float
    measured: float
    interval: tuple[float, float]
    off: float
    status: str

    def cells(self) -> tuple[str, ...]:
        """Return the columns as text."""
        return (
            f"{self.pair[0]}, {self.pair[1]}",
            short(self.exact),
            short(self.measured),
            interval_text(*self.interval),
            f"{self.off:+.3g}",
            self.status,
        )


@dataclass(frozen=True)
class PairTable:
    """At most `MOST_ROWS` rows, and how many pairs have each status."""

    rows: tuple[PairRow, ...]
    counts: dict[str, int]

    @property
    def n(self) -> int:
        """Number of pairs, those without a row included."""
        return sum(self.counts.values())

    def lines(self) -> list[str]:
        """Return the aligned lines of a table, its head first."""
        listed = aligned([_HEAD, *(row.cells() for row in self.rows)])
        left = self.n - len(self.rows)
        if left:
            shown = [row.status for row in self.rows]
            more = {name: n - shown.count(name) for name, n in self.counts.items()}
            kinds = ", ".join(f"{n} {name}" for name, n in more.items() if n)
            listed.append(f"and {counted(left, 'pair')} more: {kinds}")
        return listed


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of text in columns, two blanks apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
