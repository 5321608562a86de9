"""The pairs of a verdict on a kernel, the worst ones first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mehler._words import counted
from mehler.verify._numbers import interval_text, short

# Rows kept: what a reader looks through.
MOST_ROWS = 12
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
