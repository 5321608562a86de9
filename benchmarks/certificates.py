"""Certificates of every kind, decided again and altered: ``python benchmarks/certificates.py``.

Per kind of `tests/verify/test_certificates.py`: how many are confirmed, or undecided; how many of
the altered decisions are contradicted; how many alterations of the statistics that move the
decision are contradicted, or undecided; size and seconds.
"""

from __future__ import annotations

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
HEAD = ("n", "confirmed", "undecided", "decision contradicted", "decision confirmed")
HEAD += ("moved contradicted", "moved undecided", "moved confirmed", "bytes", "milliseconds")
EACH = 24


def row(index: int, name: str) -> Counter[str]:
    """Return the counts of one kind."""
    count: Counter[str] = Counter()
    for case in range(index, EACH * len(KINDS), len(KINDS)):
        certificate = written(KINDS[name](np.random.default_rng([28, case])))
        start = process_time()
        outcome = OUTCOMES[decide(certificate)[0]]
        milliseconds = round(1e3 * (process_time() - start))
        size = len(json.dumps(certificate))
        count.update({"n": 1, outcome: 1, "bytes": size, "milliseconds": milliseconds})
        if outcome != "confirmed":
            continue
        for status in set(STATUSES) - {certificate["status"]}:
            altered = sealed({**certificate, "status": status})
            count["decision " + OUTCOMES[decide(altered)[0]]] += 1
        count.update("moved " + OUTCOMES[decide(altered)[0]] for altered in moved(certificate))
    return count


if __name__ == "__main__":
    total: Counter[str] = Counter()
    print("kind", *HEAD, sep=" | ")
    for index, name in enumerate(KINDS):
        counts = row(index, name)
        total += counts
        print(name, *(counts[key] for key in HEAD), sep=" | ", flush=True)
    print("all", *(total[key] for key in HEAD), sep=" | ")
