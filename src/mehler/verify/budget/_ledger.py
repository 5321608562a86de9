"""Ledger: one false-alarm budget per run, spent by union bound over every look."""

from __future__ import annotations

import math
import threading
from dataclasses import asdict, dataclass
from typing import Any

from mehler._validate import integer, probability
from mehler.verify.budget._allotment import Allotment


class BudgetExceeded(RuntimeError):
    """A look would have spent more than what is left of the run's false-alarm budget."""


@dataclass(frozen=True)
class Entry:
    """One purchase: `looks` looks at `false_alarm` each."""

    label: str
    false_alarm: float
    looks: int

    @property
    def total(self) -> float:
        """What the entry costs: false_alarm * looks."""
        return self.false_alarm * self.looks


class Ledger:
    """Keeps the chance that a run of correct code raises any alarm below `budget`.

    By the union bound the chance of any false alarm is at most the sum of those of the looks,
    whatever their dependence; a look that the sum cannot pay for is refused before it is taken.

    Parameters
    ----------
    budget : float
        Largest total false-alarm probability, in (0, 1).

    Notes
    -----
    Thread-safe: entries are added under a lock, so two threads cannot spend the same rest.

    Examples
    --------
    >>> ledger = Ledger(budget=1e-6)
    >>> ledger.spend("kernel of A", 1e-9)
    >>> ledger.spend("kernel of B", 1e-9, looks=20)
    >>> f"{ledger.spent:.3g} of {ledger.budget:.3g}"
    '2.1e-08 of 1e-06'
    """

    @staticmethod
    def limit(budget: float) -> float:
        """Return what a budget allows: a thousand looks at 1e-9 fit into 1e-6, rounding or not."""
        return budget * (1 + 1e-9)

    def __init__(self, budget: float = 1e-6) -> None:
        self._budget = probability("budget", budget)
        self._bought: list[Entry | Allotment] = []
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        """Return what is spent and what there is: test runners print their fixtures."""
        return f"<Ledger: {self.looks} looks, {self.spent:.3g} of {self._budget:.3g} spent>"

    @property
    def budget(self) -> float:
        """Largest total false-alarm probability of the run."""
        return self._budget

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The purchases so far, in order; an allotment counts what it bought, or took if more."""
        with self._lock:
            return tuple(self._entry(bought) for bought in self._bought)

    @property
    def looks(self) -> int:
        """Number of looks paid for."""
        return sum(entry.looks for entry in self.entries)

    @property
    def spent(self) -> float:
        """Sum of false_alarm * looks over the entries."""
        return math.fsum(entry.total for entry in self.entries)

    @property
    def left(self) -> float:
        """Rest of the budget, never negative."""
        return max(0.0, self._budget - self.spent)

    def spend(self, label: str, false_alarm: float, looks: int = 1) -> None:
        """Pay for `looks` looks at `false_alarm` each, before they are taken.

        Parameters
        ----------
        label : str
            What is looked at; printed with the ledger.
        false_alarm : float
            Of one look, in (0, 1).
        looks : int
            How many.

        Raises
        ------
        BudgetExceeded
            If the rest of the budget does not cover it; nothing is spent then.
        """
        entry = Entry(str(label), probability("false_alarm", false_alarm), integer("looks", looks))
        with self._lock:
            self._buy(entry, entry)

    def allot(self, label: str, *, examples: int, false_alarm: float = 1e-9) -> Allotment:
        """Pay beforehand for the looks of a test that runs many examples.

        The first call with a label pays ``examples * false_alarm``; later ones, which a test body
        makes once an example, return the same allotment. Hypothesis runs a failing test hundreds
        of times more to shrink it, and a ledger that refused one of those looks would change the
        test's outcome under its feet: an allotment refuses none, see `Allotment`.

        Parameters
        ----------
        label : str
            One of its own for each test, its parameters included.
        examples : int
            The test's ``max_examples``, explicit examples added.
        false_alarm : float
            Of one example, both of its stages together.

        Returns
        -------
        Allotment

        Raises
        ------
        BudgetExceeded
            If the rest of the budget does not cover them all; nothing is spent then.
        ValueError
            If the label was allotted other numbers before.

        Examples
        --------
        >>> ledger = Ledger(budget=1e-6)
        >>> looks = ledger.allot("my map", examples=50)
        >>> looks is ledger.allot("my map", examples=50), ledger.looks
        (True, 50)
        """
        wanted = Allotment(
            str(label), probability("false_alarm", false_alarm), integer("examples", examples)
        )
        with self._lock:
            for old in self._bought:
                if isinstance(old, Allotment) and old.label == wanted.label:
                    old.require_same(wanted)
                    return old
            self._buy(wanted, self._entry(wanted))
        return wanted

    @staticmethod
    def _entry(bought: Entry | Allotment) -> Entry:
        if isinstance(bought, Entry):
            return bought
        return Entry(bought.label, bought.false_alarm, bought.looks)

    def _buy(self, bought: Entry | Allotment, price: Entry) -> None:
        """Add a purchase; the lock is held by the caller."""
        spent = math.fsum(self._entry(old).total for old in self._bought)
        if spent + price.total > self.limit(self._budget):
            raise BudgetExceeded(
                f"{price.label!r} would spend {price.total:.3g} but only "
                f"{max(0.0, self._budget - spent):.3g} of the false-alarm budget "
                f"{self._budget:.3g} is left after {len(self._bought)} entries: "
                "raise the budget or lower false_alarm"
            )
        self._bought.append(bought)

    def to_dict(self) -> dict[str, Any]:
        """Return budget, spent, left and the entries, for `json.dumps`."""
        entries = self.entries
        spent = math.fsum(entry.total for entry in entries)
        return {
            "budget": self._budget,
            "spent": spent,
            "left": max(0.0, self._budget - spent),
            "entries": [asdict(entry) for entry in entries],
        }
