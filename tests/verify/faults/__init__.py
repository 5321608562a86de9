"""The registry of injected faults: what each changes, and the check that must see it.

A system of faults is a table of its own, kept where its maps or claims are: terms of bounds and
arguments of checks in `tests/proofs_checks`, maps in `tests/verify/corpus`, `tests/cli` and
`tests/verify`, the estimator in `tests/learn`. Here each of their rows is a `Fault`, with one way
to run it. `test_faults.py` runs them, ``python -m tests.verify.faults`` counts them, and
``docs/mutations.md`` and ``benchmarks/defects.py`` are views of the same tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# The status of the check with the fault, and its words.
Outcome = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault.

    Parameters
    ----------
    system : str
        The table that it stands in.
    name : str
        What it changes, once in its system.
    seen_by : str
        The check or the audit that must see it.
    run : callable, optional
        Inject it and run that check; none where no check can see it.
    status : str
        What the check must say then.
    words : str
        What its cause must hold.
    because : str
        Why no check sees it.
    slow : bool
        Whether the full level alone runs it.
    """

    system: str
    name: str
    seen_by: str
    run: Callable[[], Outcome] | None = None
    status: str = "refuted"
    words: str = ""
    because: str = ""
    slow: bool = False

    def __post_init__(self) -> None:
        if (self.run is None) != bool(self.because):
            raise ValueError(f"{self.system}, {self.name}: give a check or a reason, not both")


# How many faults of a system the default level runs, chosen by a hash of their names.
DEFAULT = {
    "terms of bounds": 20,
    "checks of statements": 20,
    "maps": 20,
    "construction": 4,
    "declarations": 8,
    "estimator": 10,
    "command": 1,
}
