"""Total: the evaluations of all processes of a run, against one budget."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mehler._words import counted
from mehler.verify import Ledger


@dataclass(frozen=True)
class Total:
    """The evaluations of a run, over all processes.

    Parameters
    ----------
    budget : float
        False-alarm budget of the run.
    entries : tuple of dict
        ``label``, ``false_alarm``, ``looks`` and ``test`` of each purchase.
    lost : int
        Number of xdist workers that stopped before reporting their entries.

    See Also
    --------
    Record : The ledger of one process.

    Examples
    --------
    >>> entry = {"label": "kernel", "false_alarm": 1e-9, "looks": 20, "test": "test_map.py::test"}
    >>> print(Total.of(1e-6, [{"entries": [entry]}, {"entries": [entry]}]))
    mehler: 40 looks, spent 4e-08 of 1e-06
    """

    budget: float
    entries: tuple[dict[str, Any], ...]
    lost: int = 0

    @classmethod
    def of(cls, budget: float, parts: Iterable[Mapping[str, Any]], *, lost: int = 0) -> Total:
        """Merge the dicts of `Record.to_dict` from all processes."""
        entries = (entry for part in parts for entry in part["entries"])
        # Sort, since workers end in any order.
        ordered = sorted(entries, key=lambda entry: (entry["test"], entry["label"]))
        return cls(budget, tuple(ordered), lost)

    @property
    def looks(self) -> int:
        """Number of evaluations."""
        return sum(entry["looks"] for entry in self.entries)

    @property
    def spent(self) -> float:
        """Sum of false_alarm * looks over the entries."""
        return math.fsum(entry["false_alarm"] * entry["looks"] for entry in self.entries)

    @property
    def overdrawn(self) -> bool:
        """Whether the budget is overdrawn, beyond rounding."""
        return self.spent > Ledger.limit(self.budget)

    def __str__(self) -> str:
        """Return the summary line of a run."""
        line = f"mehler: {counted(self.looks, 'look')}, spent {self.spent:.3g} of {self.budget:.3g}"
        if self.overdrawn:
            line += "; over budget: raise --mehler-budget or lower false_alarm"
        if self.lost:
            line += f"; nothing is known of the looks of {counted(self.lost, 'stopped worker')}"
        return line

    def to_dict(self) -> dict[str, Any]:
        """Return the content of mehler.json."""
        return {
            "budget": self.budget,
            "looks": self.looks,
            "spent": self.spent,
            "left": max(0.0, self.budget - self.spent),
            "overdrawn": self.overdrawn,
            "lost_workers": self.lost,
            "entries": list(self.entries),
        }
