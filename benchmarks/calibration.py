"""How often the check without declarations refutes correct maps, whatever their tails.

No rate may be exceeded: the count of mistakes stays below what a binomial law of the stated rate
exceeds with probability 1e-9. The last column is no calibration but power: the same map with
products a fifth too small, which only a bounded kurtosis can refute. Rows that the last run has
finished, with as many repetitions, are kept: it goes on where it stopped. Run:
python benchmarks/calibration.py [REPETITIONS OF CHEAP ROWS]
"""

from __future__ import annotations

import json
import sys
from typing import Any

import _harness
from _undeclared import alarms
from _unknown_laws import LAWS, Law
from scipy.stats import binom

RATES = (0.05, 1e-3)
POWER = 100


def row_of(law: Law, m: int, n: int) -> dict[str, Any]:
    return {
        "law": law.name,
        "m": m,
        "repeats": n,
        "alarms": {str(rate): int(alarms(law, m, rate, n, seed=1).sum()) for rate in RATES},
        "power": int(alarms(law, m, 1e-3, POWER, seed=2, scale=0.8).sum()),
    }


def cells(row: dict[str, Any]) -> list[str]:
    n, found = row["repeats"], row["alarms"]
    right = all(found[str(rate)] <= int(binom.isf(1e-9, n, rate)) for rate in RATES)
    return [
        row["law"],
        str(row["m"]),
        f"{n:,}",
        *(f"{100 * found[str(rate)] / n:.2f} %" for rate in RATES),
        "yes" if right else "NO",
        f"{100 * row['power'] / POWER:.0f} %",
    ]


def kept() -> dict[tuple[str, int], dict[str, Any]]:
    path = _harness.RESULTS / "calibration.json"
    if not path.exists():
        return {}
    return {(row["law"], row["m"]): row for row in json.loads(path.read_text())["rows"]}


def main(repeats: int) -> None:
    done, raw = kept(), []
    for law in LAWS:
        for m in law.sizes:
            n = repeats if m == 1 else max(1000, repeats // 10)
            row = done.get((law.name, m))
            if row is None or row["repeats"] < n:
                row = row_of(law, m, n)
                sys.stderr.write(" | ".join(cells(row)) + "\n")
            raw.append(row)
            found = {(each["law"], each["m"]): each for each in raw}
            raw_now = [*found.values(), *(row for key, row in done.items() if key not in found)]
            _harness.save_text("calibration", table(raw_now), {"rows": raw_now})


def table(rows: list[dict[str, Any]]) -> str:
    header = ["map", "m", "repetitions", "at 5 %", "at 0.1 %", "within", "0.8 of it refuted"]
    return "\n".join(
        [
            f"Correct maps refuted by `check_kernel` without declarations, by "
            f"`python benchmarks/calibration.py` ({_harness.machine()}).",
            "",
            "| " + " | ".join(header) + " |",
            "|" + "---|" * len(header),
            *("| " + " | ".join(cells(row)) + " |" for row in rows),
            "",
        ]
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
