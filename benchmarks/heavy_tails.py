"""How often the check without declarations refutes correct maps, whatever their tails.

No rate may be exceeded: the count of mistakes stays below what a binomial law of the stated rate
exceeds with probability 1e-9. The last column is no calibration but power: the same map with
products a fifth too small, which only a bounded kurtosis can refute.
Run: python benchmarks/heavy_tails.py [REPETITIONS AT ONE FEATURE, A FIFTH OF THEM AT MORE]
"""

from __future__ import annotations

import sys
from typing import Any

import _harness
from _undeclared import alarms
from _unknown_laws import LAWS, Law
from calibration import RATES, limit

POWER = 20


def row_of(law: Law, m: int, n: int) -> dict[str, Any]:
    return {
        "law": law.name,
        "m": m,
        "repeats": n,
        "alarms": {str(rate): int(alarms(law, m, rate, n, seed=1).sum()) for rate in RATES},
        "power": int(alarms(law, m, RATES[1], POWER, seed=2, scale=0.8).sum()),
    }


def cells(row: dict[str, Any]) -> list[str]:
    n, counts = row["repeats"], row["alarms"]
    within = all(counts[str(rate)] <= limit(n, rate) for rate in RATES)
    return [
        row["law"],
        str(row["m"]),
        f"{n:,}",
        *(f"{100 * counts[str(rate)] / n:.2f} %" for rate in RATES),
        "yes" if within else "NO",
        f"{100 * row['power'] / POWER:.0f} %",
    ]


def main(repeats: int) -> None:
    raw = []
    for law in LAWS:
        for m in law.sizes:
            raw.append(row_of(law, m, repeats if m == 1 else max(1, repeats // 5)))
            sys.stderr.write(" | ".join(cells(raw[-1])) + "\n")
    _harness.save(
        "heavy_tails",
        "Refutations of correct maps without declarations, by the law of their features",
        ["map", "m", "repetitions", "at 5 %", "at 0.1 %", "within", "0.8 of it refuted"],
        [cells(row) for row in raw],
        raw,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
