"""Change arguments of public calls, many times: ``python -m tests.fuzz --calls 50000``."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import sys
import tempfile
from collections import Counter
from multiprocessing.connection import Connection

from tests.fuzz.calls import Call, modules, recorded
from tests.fuzz.hostile import Change, changes
from tests.fuzz.judge import FINE, Outcome, judge

# Seconds for one call; what cannot be interrupted after them is killed.
_LIMIT, _GRACE = 20.0, 10.0
_MEMORY = 12 * 2**30


def drawn(calls: list[Call], n_calls: int, seed: int) -> list[tuple[Call, str, Change]]:
    """Changes of calls, spread evenly over the public callables."""
    rng = random.Random(seed)
    by_name: dict[str, list[Call]] = {}
    for call in calls:
        if call.parameters():
            by_name.setdefault(call.name, []).append(call)
    found: list[tuple[Call, str, Change]] = []
    while len(found) < n_calls:
        for name in sorted(by_name):
            call = rng.choice(by_name[name])
            argument = rng.choice(call.parameters())
            found.append((call, argument, rng.choice(changes(call.arguments[argument]))))
    return found[:n_calls]


def run(cases: list[tuple[Call, str, Change]]) -> list[Outcome]:
    """Judge all cases in a process that can be killed, and begun again after the case."""
    context = multiprocessing.get_context("fork")  # the cases are not sent, only their outcomes
    found: list[Outcome] = []
    while len(found) < len(cases):
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=_work, args=(cases[len(found) :], theirs), daemon=True)
        worker.start()
        theirs.close()
        while len(found) < len(cases):
            call, argument, change = cases[len(found)]
            try:
                if ours.poll(_LIMIT + _GRACE):
                    found.append(ours.recv())
                    continue
                what = "hang", "cannot be interrupted"
            except EOFError:
                what = "crash", "the process ended"
            found.append(Outcome(what[0], call.name, argument, change.label, what[1]))
            break
        worker.kill()
        worker.join()
    return found


def _work(cases: list[tuple[Call, str, Change]], out: Connection) -> None:
    # What asks for too much memory gets a MemoryError, not all of the machine's.
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.RLIM_INFINITY))
    os.chdir(tempfile.mkdtemp())
    for call, argument, change in cases:
        out.send(judge(call, argument, change, _LIMIT))


def main() -> int:
    """Print the outcomes by kind and what is wrong; return 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--modules", default="", help="names begin with one of these")
    given = parser.parse_args()
    calls = recorded(name for name in modules() if name.startswith(tuple(given.modules.split(","))))
    outcomes = run(drawn(calls, given.calls, given.seed))
    for kind, n in Counter(outcome.kind for outcome in outcomes).most_common():
        print(f"{n:8d}  {kind}")
    bad = Counter(str(outcome)[:300] for outcome in outcomes if outcome.kind not in FINE)
    for text, n in sorted(bad.items()):
        print(f"{n:5d}  {text}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
