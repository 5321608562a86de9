"""The false-alarm budget of a run, spent by union bound over its evaluations."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from mehler._plural import counted
from mehler._validate import require_integer, require_probability
from mehler.verify._verdict import Verdict
from mehler.verify.budget._allotment import Allotment


class BudgetExceeded(RuntimeError):
    """Raised when an evaluation would overdraw the run's false-alarm budget."""


@dataclass(frozen=True)
class Entry:
    """One purchase: `looks` evaluations at `false_alarm` each."""

    label: str
    false_alarm: float
    looks: int

    @property
    def total(self) -> float:
        """Cost of the entry, false_alarm * looks."""
        return self.false_alarm * self.looks


class Ledger:
    """The false-alarm budget of a run.

    By the union bound the probability of any false alarm is at most the sum of those of the
    evaluations, whatever their dependence. An evaluation that would overdraw the budget is refused
    before it is made, so a run of correct code raises an alarm with probability at most `budget`.

    Parameters
    ----------
    budget : float
        Largest total false-alarm probability, in (0, 1).
    on_verdict : callable, optional
        Called with the verdict of each check that was given this ledger, to keep certificates.

    See Also
    --------
    Allotment : Evaluations paid for in advance, for property tests.
    BudgetExceeded : Raised when the budget does not cover an evaluation.

    Notes
    -----
    Thread-safe: entries are added under a lock.

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
        """Return the budget plus room for rounding: a thousand tests at 1e-9 fit into 1e-6."""
        return budget * (1 + 1e-9)

    def __init__(
        self, budget: float = 1e-6, *, on_verdict: Callable[[Verdict], None] | None = None
    ) -> None:
        self._budget = require_probability("budget", budget)
        self.on_verdict = on_verdict
        self._bought: list[Entry | Allotment] = []
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        """Return the amount spent and the budget, since test runners print their fixtures."""
        return (
            f"<Ledger: {counted(self.looks, 'look')}, {self.spent:.3g} of {self._budget:.3g} spent>"
        )

    @property
    def budget(self) -> float:
        """Largest total false-alarm probability of the run."""
        return self._budget

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The purchases so far, in order.

        An allotment counts the evaluations it took, if they are more than it bought.
        """
        with self._lock:
            return tuple(self._entry(bought) for bought in self._bought)

    @property
    def looks(self) -> int:
        """Number of evaluations paid for."""
        return sum(entry.looks for entry in self.entries)

    @property
    def spent(self) -> float:
        """Sum of false_alarm * looks over the entries."""
        return math.fsum(entry.total for entry in self.entries)

    @property
    def left(self) -> float:
        """Unspent part of the budget, never negative."""
        return max(0.0, self._budget - self.spent)

    def spend(self, label: str, false_alarm: float, looks: int = 1) -> None:
        """Pay for `looks` evaluations at `false_alarm` each, before they are made.

        Parameters
        ----------
        label : str
            Name of the evaluation, printed with the ledger.
        false_alarm : float
            False-alarm probability of one evaluation, in (0, 1).
        looks : int
            Number of evaluations.

        Raises
        ------
        BudgetExceeded
            If the rest of the budget does not cover it; nothing is spent then.
        """
        entry = Entry(
            str(label),
            require_probability("false_alarm", false_alarm),
            require_integer("looks", looks),
        )
        with self._lock:
            self._buy(entry, entry)

    def allot(self, label: str, *, examples: int, false_alarm: float = 1e-9) -> Allotment:
        """Pay in advance for the evaluations of a test that runs many examples.

        The first call with a label pays ``examples * false_alarm``; later ones, as a test body
        makes once per example, return the same allotment. Hypothesis reruns a failing test hundreds
        of times to shrink it, and an evaluation refused in between would change the outcome. An
        `Allotment` therefore never refuses one.

        Parameters
        ----------
        label : str
            Unique to the test and its parameters.
        examples : int
            The test's ``max_examples`` plus its explicit examples.
        false_alarm : float
            False-alarm probability of one example, both stages together.

        Returns
        -------
        Allotment
            The evaluations paid for, the same object for the same label.

        Raises
        ------
        BudgetExceeded
            If the rest of the budget does not cover them all; nothing is spent then.
        TypeError, ValueError
            If the label was allotted other numbers before.

        Examples
        --------
        >>> ledger = Ledger(budget=1e-6)
        >>> looks = ledger.allot("my map", examples=50)
        >>> looks is ledger.allot("my map", examples=50), ledger.looks
        (True, 50)
        """
        wanted = Allotment(
            str(label),
            require_probability("false_alarm", false_alarm),
            require_integer("examples", examples),
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
        """Add a purchase; the caller holds the lock."""
        spent = math.fsum(self._entry(old).total for old in self._bought)
        before = f"{len(self._bought)} entr{'y' if len(self._bought) == 1 else 'ies'}"
        if spent + price.total > self.limit(self._budget):
            raise BudgetExceeded(
                f"{price.label!r} would spend {price.total:.3g} but only "
                f"{max(0.0, self._budget - spent):.3g} of the false-alarm budget "
                f"{self._budget:.3g} is left after {before}: "
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


Check = TypeVar("Check", bound=Callable[..., Verdict])


def passed_to_ledger(check: Check) -> Check:
    """Pass the verdict of a public check on to ``ledger.on_verdict``, if it was given a ledger."""

    @functools.wraps(check)
    def checked(*args: Any, **options: Any) -> Verdict:
        verdict = check(*args, **options)
        ledger = options.get("ledger")
        if isinstance(ledger, Ledger) and ledger.on_verdict is not None:
            ledger.on_verdict(verdict)
        return verdict

    return checked  # type: ignore[return-value]  # of the same signature
