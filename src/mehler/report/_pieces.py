"""Pieces of a run: each has settings, and a ledger of its own that the run's then pays for.

What a piece measures so depends on nothing that others do, whichever process it runs in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mehler.statements import Context, Evidence, Level
from mehler.verify import BudgetExceeded, Entry, Ledger

# Tests that the budget of a run covers, several times those of all statements. The false-alarm
# probability of a run is at most this many times that of one test.
TESTS = 1000


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A context without its ledger; see `mehler.statements.Context`."""

    level: Level
    seed: int
    backend: str
    false_alarm: float
    statement: str = ""

    @classmethod
    def of(cls, context: Context) -> Settings:
        """Return the settings of a context."""
        return cls(**{name: getattr(context, name) for name in cls.__dataclass_fields__})

    def context(self) -> Context:
        """Return a context with a fresh ledger."""
        rate = self.false_alarm
        # The context refuses other rates.
        ledger = Ledger(budget=min(0.5, TESTS * rate)) if 0 < rate < 1 else Ledger()
        return Context(ledger=ledger, **vars(self))


def pay(ledger: Ledger, evidence: Sequence[Evidence], entries: Sequence[Entry]) -> list[Evidence]:
    """Pay for what a piece has spent; evidence that the budget does not cover is an error."""
    try:
        for entry in entries:
            ledger.spend(entry.label, entry.false_alarm, entry.looks)
    except BudgetExceeded as error:
        return [replace(failed(one.form, one.check, error), seed=one.seed) for one in evidence]
    return list(evidence)


def failed(form: Any, check: str, error: Exception) -> Evidence:
    """Return the evidence of a check that raised, which is reported, never hidden."""
    return Evidence(
        form=form,
        check=check,
        status="error",
        claim=f"could not be checked: {type(error).__name__}: {error}",
        method="none: the check raised",
    )
