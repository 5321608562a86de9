"""Print how many faults each system has, and which level sees them: python -m tests.verify.faults.

With ``--unseen``, also print what no check sees, and why.
"""

import sys

from tests.verify.faults import DEFAULT
from tests.verify.faults.systems import FAULTS


def counts() -> list[tuple[str, int, int, int, int]]:
    """Return system, faults, seen by default, by the full level alone, by none."""
    rows = []
    for system, most in DEFAULT.items():
        every = [fault for fault in FAULTS if fault.system == system]
        unseen = sum(fault.run is None for fault in every)
        quick = sum(fault.run is not None and not fault.slow for fault in every)
        default = min(most, quick)
        rows.append((system, len(every), default, len(every) - unseen - default, unseen))
    return [*rows, ("all", *map(sum, zip(*(row[1:] for row in rows))))]


def table(*systems: str) -> str:
    """Return the counts in Markdown, of all systems or of those that are named."""
    head = ["| system | faults | by default | full level alone | unseen |", "|---|---|---|---|---|"]
    rows = [row for row in counts() if not systems or row[0] in systems]
    return "\n".join([*head, *("| " + " | ".join(map(str, row)) + " |" for row in rows)])


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
    for fault in FAULTS:
        if "--unseen" in sys.argv and fault.run is None:
            sys.stdout.write(f"{fault.name}: {fault.because}\n")
