"""Change arguments of public calls, many times: ``python -m tests.package.fuzz --calls 50000``."""

import argparse
import math
import os
import random
import resource
import sys
import tempfile
from collections import Counter

from tests.package.fuzz.calls import Call, modules, recorded
from tests.package.fuzz.hostile import Change, changes
from tests.package.fuzz.judge import FINE, WRONG, judge

MEMORY = 7 * 2**30  # what asks for more gets a MemoryError, not all of the machine's


def drawn(calls: list[Call], n_calls: int, seed: int) -> list[tuple[Call, str, Change]]:
    """Changes of calls, spread evenly over the public callables."""
    rng = random.Random(seed)
    by_name: dict[str, list[Call]] = {}
    for call in calls:
        if call.parameters():
            by_name.setdefault(call.name, []).append(call)
    cases: list[tuple[Call, str, Change]] = []
    while len(cases) < n_calls:
        for name in sorted(by_name):
            call = rng.choice(by_name[name])
            argument = rng.choice(call.parameters())
            cases.append((call, argument, rng.choice(changes(call.arguments[argument]))))
    return cases[:n_calls]


def main() -> int:
    """Print a table of outcomes and what is wrong; return 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m tests.package.fuzz", description=__doc__)
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--modules", default="", help="examples of modules that begin so")
    parser.add_argument("--slowest", type=float, default=math.inf, help="seconds of an example")
    options = parser.parse_args()
    names = [name for name in modules() if name.startswith(tuple(options.modules.split(",")))]
    calls = recorded(names, options.slowest)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    os.chdir(tempfile.mkdtemp())
    outcomes = []
    for case in drawn(calls, options.calls, options.seed):
        outcomes.append(judge(*case))
        if outcomes[-1].kind in WRONG:
            print(outcomes[-1], file=sys.stderr, flush=True)
    print("| outcome | calls | callables |", "| --- | ---: | ---: |", sep="\n")
    for kind in (*FINE, *WRONG):
        names = [outcome.call for outcome in outcomes if outcome.kind == kind]
        print(f"| {kind} | {len(names)} | {len(set(names))} |")
        errors = Counter(o.error for o in outcomes if o.kind == kind and o.error and kind in FINE)
        for error, n in errors.most_common():
            print(f"| - by {error} | {n} | |")
    return int(any(outcome.kind in WRONG for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
