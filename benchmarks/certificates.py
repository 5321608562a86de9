"""Certificates of every kind, decided again and altered: ``python benchmarks/certificates.py``.

Per kind of `tests/verify/test_certificates.py`: how many are confirmed, or cannot be decided; how
many of the altered decisions are contradicted; how many alterations of the statistics that move
the decision are contradicted, cannot be decided any more, or are confirmed; size and seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mehler.recheck import decide
from tests.verify.test_certificates import KINDS, STATUSES, moved, sealed, written

OUTCOMES = ("confirmed", "contradicted", "", "undecided")
HEAD = ("kind", "n", "confirmed", "undecided", "decision", "moved", "open", "kB", "ms")


def row(name: str, numbers: range) -> tuple[object, ...]:
    """Return the counts of one kind."""
    count: Counter[str] = Counter()
    size, seconds = 0, 0.0
    for number in numbers:
        certificate = written(KINDS[name](np.random.default_rng([28, number])))
        size += len(json.dumps(certificate))
        start = process_time()
        outcome = OUTCOMES[decide(certificate)[0]]
        seconds += process_time() - start
        count[outcome] += 1
        if outcome != "confirmed":
            continue
        for status in STATUSES:
            if status != certificate["status"]:
                altered = sealed({**certificate, "status": status})
                count["decision " + OUTCOMES[decide(altered)[0]]] += 1
        for altered in moved(certificate):
            count["moved " + OUTCOMES[decide(altered)[0]]] += 1
    n = len(numbers)
    decisions = sum(k for key, k in count.items() if key.startswith("decision "))
    moves = sum(k for key, k in count.items() if key.startswith("moved "))
    return (
        *(name, n, count["confirmed"], count["undecided"]),
        f"{count['decision contradicted']}/{decisions}",
        f"{count['moved contradicted']}/{moves}",
        count["moved undecided"],
        f"{size / n / 1e3:.1f}",
        f"{1e3 * seconds / n:.0f}",
    )


def main() -> None:
    """Print one row a kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=23, help="certificates of each kind")
    each = parser.parse_args().each
    rows = [HEAD]
    for index, name in enumerate(KINDS):
        rows.append(row(name, range(index, index + each * len(KINDS), len(KINDS))))
        print("  ".join(f"{cell!s:>12}" for cell in rows[-1]), flush=True)
    totals = [sum(int(one[k]) for one in rows[1:]) for k in (1, 2, 3)]
    print(*zip(HEAD[1:4], totals))


if __name__ == "__main__":
    main()
