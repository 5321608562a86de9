"""Pay for an evaluation before it is taken."""

from __future__ import annotations

from typing import Any


def pay(ledger: Any, label: str, false_alarm: float) -> None:
    """Pay for one evaluation from the ledger of a check's caller, if there is one."""
    if ledger is None:
        return
    if not callable(getattr(ledger, "spend", None)):
        raise TypeError(f"ledger={ledger!r} must be a verify.Ledger")
    ledger.spend(label, false_alarm)
