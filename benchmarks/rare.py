"""How often a correct map is refuted that hides a quarter of its kernel in rare draws.

Nothing is declared. Draws of probability p are sqrt(1/(4 p)) times as long, 91 times at p = 3e-5,
and the others sqrt(3/4) times or so, so that the kernel is exact. No test can tell such a map
from one that is too small until a rare draw is seen; a refutation says how rare draws must be, and
what they must carry, for the claim to be right. Run: python benchmarks/rare.py [RUNS]
"""

from __future__ import annotations

import math
import re
import statistics
import sys

import _harness
import numpy as np

from mehler.verify import check_kernel

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


def main(runs: int) -> None:
    rows, raw = [], []
    for p in RATES:
        verdicts = [check_kernel(hiding(p, run), rbf, X, seed=run) for run in range(runs)]
        refuted = [v for v in verdicts if v.status == "refuted"]
        words = [UNLESS.search(v.reason).groups() for v in refuted]
        n = statistics.median(v.n_draws for v in verdicts)
        one_in = statistics.median([int(a.replace(",", "")) for a, _ in words] or [0])
        carried = statistics.median([float(b) for _, b in words] or [0.0])
        rows.append(
            [
                f"{p:g}",
                f"{len(refuted)} of {runs}",
                f"{n:,.0f}",
                f"{math.exp(-p * n):.2f}",
                f"{one_in:,.0f}" if words else "",
                f"{carried:.2g}" if words else "",
            ]
        )
        raw.append({"p": p, "runs": runs, "refuted": len(refuted), "draws": n, "words": words})
        sys.stderr.write(" | ".join(rows[-1]) + "\n")
    _harness.save(
        "rare",
        "Correct maps that hide a quarter of the kernel in draws of probability p, at 1e-9",
        [
            "p",
            "refuted",
            "draws, median",
            "chance of no rare draw among them",
            "unless draws rarer than 1 in",
            "carry at least",
        ],
        rows,
        raw,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
