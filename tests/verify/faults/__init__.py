"""The registry of injected faults: what each changes, and the check that must see it.

A system of faults is a table of its own, kept where its maps or claims are: terms of bounds and
arguments of checks in `tests/proofs_checks`, maps and causes in `tests/verify`, the learners in
`tests/learn`, maps on the user's rows in `tests/report`. Here each of their rows is a `Fault`, with
one way to run it. `test_faults.py` runs them, ``python -m tests.verify.faults`` counts them, and
``docs/mutations.md`` and ``benchmarks/defects.py`` are views of the same tables.
"""

from collections.abc import Callable
from typing import NamedTuple

# The status of the check with the fault, and its words.
Outcome = tuple[str, str]


class Fault(NamedTuple):
    """One fault: what `name` changes, and `seen_by`, the check or the audit that must see it.

    `run` injects it and runs that check, which has `status` and `words` then; None where no check
    can see it, and `because` says why. `slow` ones are run at the full level alone.
    """

    system: str
    name: str
    seen_by: str
    run: Callable[[], Outcome] | None = None
    status: str = "refuted"
    words: str = ""
    because: str = ""
    slow: bool = False


# How many faults of a system the default level runs, chosen by a hash of their names.
DEFAULT = {
    "terms of bounds": 20,
    "checks of statements": 20,
    "maps": 20,
    "learners": 14,
    "command": 1,
    "maps of the report": 3,
    "causes": 12,
}
