"""How often the check that is told nothing refutes correct maps, whatever their tails.

No rate may be exceeded: the count of mistakes stays below what a binomial law of the stated rate
exceeds with probability 1e-9. The last column is no calibration but power: the same map with
products a fifth too small, which only a bounded kurtosis can refute. Run:
python benchmarks/calibration.py [REPEATS]
"""

from __future__ import annotations

import sys

import _harness
from _told_nothing import alarms
from _unknown_laws import LAWS
from scipy.stats import binom

RATES = (0.05, 1e-3)
POWER = 100


def main(repeats: int) -> None:
    rows, raw = [], []
    for law in LAWS:
        for m in law.sizes:
            n = repeats if m == 1 else max(1000, repeats // 5)
            found = {rate: int(alarms(law, m, rate, n, seed=1).sum()) for rate in RATES}
            seen = int(alarms(law, m, 1e-3, POWER, seed=2, scale=0.8).sum())
            most = {rate: int(binom.isf(1e-9, n, rate)) for rate in RATES}
            right = all(found[rate] <= most[rate] for rate in RATES)
            rows.append(
                [
                    law.name,
                    str(m),
                    f"{n:,}",
                    *(f"{100 * found[rate] / n:.2f} %" for rate in RATES),
                    "yes" if right else "NO",
                    f"{100 * seen / POWER:.0f} %",
                ]
            )
            raw.append({"law": law.name, "m": m, "repeats": n, "alarms": found, "power": seen})
            sys.stderr.write(" | ".join(rows[-1]) + "\n")
    _harness.save(
        "calibration",
        "Correct maps refuted by `check_kernel` told nothing",
        ["map", "m", "repetitions", "at 5 %", "at 0.1 %", "within", "0.8 of it refuted"],
        rows,
        raw,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
