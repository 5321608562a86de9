"""How often a correct map is refuted that hides a quarter of its kernel in rare draws.

Nothing is declared. Draws of probability p are sqrt(1/(4 p)) times as long, 91 times at p = 3e-5,
and the others sqrt(3/4) times or so, so that the kernel is exact. No test can tell such a map
from one that is too small until a rare draw is seen; a refutation says how rare draws must be, and
what they must carry, for the claim to be right. One probability alone takes the other rows from
the last run. Run: python benchmarks/rare.py [RUNS] [PROBABILITY]
"""

from __future__ import annotations

import json
import math
import re
import statistics
import sys

import _harness
import numpy as np

from mehler.verify import check_kernel
from mehler.verify.intervals._undeclared import LEAST

RATES = (1e-3, 1e-4, 3e-5, 1e-6)
CARRIED, M = 0.25, 16
X = np.random.default_rng(0).standard_normal((2, 3))
UNLESS = re.compile(r"Unless draws rarer than 1 in ([\d,]+) carry at least ([\d.]+)")


def rbf(x, y):
    return np.exp(-0.5 * ((x[:, None] - y[None]) ** 2).sum(axis=2))


def hiding(p, run):
    def draw(seed):
        rng = np.random.default_rng([seed, run])
        w, b = rng.standard_normal((3, M)), rng.uniform(0.0, 2.0 * math.pi, M)
        square = CARRIED / p if rng.random() < p else (1.0 - CARRIED) / (1.0 - p)
        return lambda x: math.sqrt(2.0 * square / M) * np.cos(x @ w + b)

    return draw


def row_of(p, runs):
    verdicts = [check_kernel(hiding(p, run), rbf, X, seed=run) for run in range(runs)]
    reasons = [v.reason for v in verdicts if v.status == "refuted"]
    words = [UNLESS.search(reason).groups() for reason in reasons]
    n = statistics.median(v.n_draws for v in verdicts)
    return {"p": p, "runs": runs, "refuted": len(reasons), "draws": n, "words": words}


def cells(row):
    one_in = statistics.median(int(a.replace(",", "")) for a, _ in row["words"] or [("0", "0")])
    carried = statistics.median(float(b) for _, b in row["words"] or [("0", "0")])
    return [
        f"{row['p']:g}",
        f"{row['refuted']} of {row['runs']}",
        f"{row['draws']:,.0f}",
        f"{math.exp(-row['p'] * LEAST):.2f}",
        *([f"{one_in:,.0f}", f"{carried:.2g}"] if row["words"] else ["", ""]),
    ]


def main(runs: int, only: float | None) -> None:
    path = _harness.RESULTS / "rare.json"
    before = json.loads(path.read_text())["rows"] if only and path.exists() else []
    rows = {row["p"]: row for row in before}
    rows |= {p: row_of(p, runs) for p in RATES if only in (None, p)}
    raw = [rows[p] for p in RATES if p in rows]
    _harness.save(
        "rare",
        "Correct maps that hide a quarter of the kernel in draws of probability p, at 1e-9",
        [
            *("p", "refuted", "draws, median", f"chance of none in {LEAST:,} draws"),
            *("unless draws rarer than 1 in", "carry at least"),
        ],
        [cells(row) for row in raw],
        raw,
    )


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 20,
        float(sys.argv[2]) if len(sys.argv) > 2 else None,
    )
