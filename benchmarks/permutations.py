"""The permutation experiment of the group-invariant paper, on features of mehler, draw by draw.

All sequences of 5 tokens out of 8; positive are those with both of two random target tokens.
Least squares learns from 2000 sequences of each class, lambda by leaving one out; all 28,768
others are the test. Each draw has its own targets, split and templates; cells are mean and standard
deviation over draws. Writes the tables of the documentation; `python docs/_gallery.py` draws
the figure.

    python benchmarks/permutations.py [DRAWS]
"""

from __future__ import annotations

import sys
import time

import _harness
import numpy as np
from mehler.proofs_checks.group_invariant.permutations import curves
from mehler.proofs_checks.group_invariant.permutations._task import PAPER

TEMPLATES = (1, 5, 10, 25, 50, 100)
BINS = (2, 5, 12, 25, 50)
ELEMENTS = (2, 5, 10, 30, 60, 90, 120)
SIZES = (10, 50, 100, 500, 2000)


def cell(values):
    return f"{np.mean(values):.4f} ± {np.std(values, ddof=1):.4f}"


def lists(found):
    return {str(key): rows.tolist() for key, rows in found.items()}


def table(title, header, rows):
    lines = [f"**{title}**", "", "| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows), ""])


def over_rows(title, found, columns, first):
    rows = [[name, *map(cell, values.T)] for name, values in found.items()]
    return table(title, [first, *map(str, columns)], rows)


def main():
    n_draws = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    seeds = range(n_draws)
    start = time.process_time()
    by_templates = curves.over_templates(PAPER, seeds, 2000, TEMPLATES, BINS)
    print(f"templates {time.process_time() - start:.0f} s", flush=True)
    by_size = curves.over_training(PAPER, seeds, SIZES, (10, 25, 100), 25)
    print(f"training {time.process_time() - start:.0f} s", flush=True)
    neighbours = curves.over_neighbours(PAPER, seeds, SIZES, (10, 25), 25)
    print(f"neighbours {time.process_time() - start:.0f} s", flush=True)
    by_elements = {
        name: curves.over_elements(
            PAPER, seeds, 2000, ELEMENTS, (25, 25), replacement=replacement, n_test=10_000
        )
        for name, replacement in (("distinct", False), ("independent", True))
    }
    seconds = time.process_time() - start
    header = f"Mean ± standard deviation over {n_draws} draws; {_harness.machine()}; "
    text = "\n".join(
        [
            f"Measured {time.strftime('%Y-%m-%d')} by `python benchmarks/permutations.py "
            f"{n_draws}`. {header}{seconds:.0f} s of CPU.",
            "",
            over_rows(
                "Accuracy over templates m, at n bins on each side of 0 (2n + 1 thresholds)",
                {f"n = {n}": rows for n, rows in by_templates.items()},
                TEMPLATES,
                "bins",
            ),
            over_rows(
                "Accuracy over the number r of random permutations, n = m = 25 (10,000 test rows)",
                by_elements,
                ELEMENTS,
                "drawn",
            ),
            over_rows("Least squares: accuracy over rows a class", by_size, SIZES, "features"),
            over_rows(
                "Nearest neighbour: accuracy over rows a class", neighbours, SIZES, "features"
            ),
        ]
    )
    raw = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": _harness.machine(),
        "draws": n_draws,
        "cpu_seconds": seconds,
        "templates": {"m": TEMPLATES, "n": lists(by_templates)},
        "elements": {"r": ELEMENTS, "drawn": lists(by_elements)},
        "training": {"per_class": SIZES, "features": lists(by_size)},
        "neighbours": {"per_class": SIZES, "features": lists(neighbours)},
    }
    _harness.save_text("permutations", text, raw)


if __name__ == "__main__":
    main()
