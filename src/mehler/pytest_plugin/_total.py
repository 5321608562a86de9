"""The evaluations of one process and of all, against one budget, and their file mehler.json."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mehler._plural import counted
from mehler._version import __version__
from mehler.verify import Ledger, Verdict, certificates_text


class Record:
    """The ledger of one process, with the test of each entry.

    Each xdist worker has one, with the whole budget: tests go to workers by timing, so a part of
    the budget each would make a suite fail at random. `Total` compares the sum over the workers
    with the budget.
    """

    def __init__(self, budget: float, *, certify: bool = False) -> None:
        self.ledger = Ledger(budget, on_verdict=self._certify if certify else None)
        self._tests: list[str] = []
        self._certificates: list[tuple[str, dict[str, Any]]] = []
        self._new: list[dict[str, Any]] = []

    def _certify(self, verdict: Verdict) -> None:
        self._new.append(verdict.certificate())

    def finished(self, test: str) -> None:
        """Assign the entries without an owner to the test that ends."""
        self._tests += [test] * (len(self.ledger.entries) - len(self._tests))
        self._certificates += [(test, each) for each in self._new]
        self._new = []

    def to_dict(self) -> dict[str, Any]:
        """Return the ledger's dict, each entry with the id of its test."""
        self.finished("")  # entries outside any test
        content = self.ledger.to_dict()
        for entry, test in zip(content["entries"], self._tests, strict=True):
            entry["test"] = test
        return {**content, "certificates": self._certificates}


@dataclass(frozen=True)
class Total:
    """The evaluations of a run over all processes, `lost` of them without a report.

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


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write `content` as JSON, with the version of mehler; parent folders are created."""
    from mehler._files import write_whole

    text = json.dumps({"mehler": __version__, **content}, indent=2, allow_nan=False) + "\n"
    write_whole(path, text)


def write_certificates(path: Path, parts: Iterable[Mapping[str, Any]]) -> None:
    """Write the certificates of all processes, each with the id of its test."""
    from mehler._files import write_whole

    listed = [each for part in parts for each in part["certificates"]]
    write_whole(path, certificates_text(sorted(listed, key=lambda each: each[0])))
