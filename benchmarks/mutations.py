"""The table of mutations: every change is made, and what its check says is written down.

Each term of a bound is deleted and multiplied by 0.7, each claimed value by a factor near 1; the
rows are declared in tests/proofs_checks/mutations. A minute. Run: python benchmarks/mutations.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from mehler.proofs_checks import STATEMENTS
from tests.proofs_checks.mutations import DEFECTS, ROWS, described
from tests.verify.faults.__main__ import table
from tests.verify.faults.systems import FAULTS

SYSTEMS = ("terms of bounds", "checks of statements")
PAGE = ROOT / "docs" / "mutations.md"
HEAD = """# Mutation tests

For each term and constant of every [statement](theorems/index.md), this table lists a mutation and
the check that fails under it, at the quick level of the report; or the reason why no check can
detect it: *only proved, because ...*. In a bound every term is deleted, and multiplied by 0.7;
where 0.7 is not detected, the largest detected factor, to two digits. A claimed value is multiplied
by the smallest detected factor, 1.01 where the features of the quick level are enough for it.

Where draws are far below a bound, its terms are tested in
[extremal instances](theorems/theorem-2.md#extremal-instances) that are computed and in which the
bound is nearly tight. Below the terms are the faults injected into the check itself: the replaced
argument, and the resulting verdict (a check that refutes a published form *holds* with the correct
form in its place).

{red} mutations of terms and values make a check fail, {proved} are only proved. Made by
`python benchmarks/mutations.py`, which makes every change; so do the tests
(`pytest tests/verify/faults`, all rows with `-m full`).

These are two of the systems of injected faults; `python -m tests.verify.faults` counts all of them.

{table}

"""


def main() -> None:
    """Make every change, and write the page."""
    lines, counts = [], {"red": 0, "proved": 0}
    # Both tables in their order, as `tests.verify.faults` runs them.
    run = dict(zip(map(id, ROWS), (one for one in FAULTS if one.system == "terms of bounds")))
    for statement in (one for one in STATEMENTS if one.checks):
        names = {check.run: check.name for check in statement.checks}
        found = [row for row in ROWS if row.statement == statement.id]
        lines += [f"## {statement.id}\n", "| term | change | check | result |", "|---|---|---|---|"]
        for row in found:
            fault = run[id(row)]
            said = f"only proved, because {row.because}"
            if fault.run is not None:
                if fault.run()[0] != fault.status:
                    raise SystemExit(f"{fault.name} is not seen")
                said = "red"
            counts["red" if row.check else "proved"] += 1
            name = "none" if row.check is None else names[row.check]
            lines.append(f"| {row.term} | {row.change} | {name} | {said} |")
        for check, defect, verdict in DEFECTS:
            if check in names:
                change, name = described(defect), names[check]
                lines.append(
                    f"| the check itself | {change} | {name} | verdict becomes {verdict} |"
                )
        lines.append("")
    head = HEAD.format(red=counts["red"], proved=counts["proved"], table=table(*SYSTEMS))
    PAGE.write_text(head + "\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
