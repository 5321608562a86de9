"""Change arguments of public calls, many times: ``python -m tests.fuzz --calls 50000``."""

from __future__ import annotations

import argparse
import datetime
import math
import platform
import random
import signal
import sys
from collections import Counter

import numpy as np
import scipy

from tests.fuzz.calls import Call, modules, recorded
from tests.fuzz.hostile import changes
from tests.fuzz.judge import FINE, WRONG, Outcome
from tests.fuzz.workers import Case, run
from tests.places import CPU


def drawn(calls: list[Call], n_calls: int, seed: int) -> list[Case]:
    """Changes of calls, spread evenly over the public callables."""
    rng = random.Random(seed)
    by_name: dict[str, list[Call]] = {}
    for call in calls:
        if call.parameters():
            by_name.setdefault(call.name, []).append(call)
    found: list[Case] = []
    while len(found) < n_calls:
        for name in sorted(by_name):
            call = rng.choice(by_name[name])
            argument = rng.choice(call.parameters())
            found.append((call, argument, rng.choice(changes(call.arguments[argument]))))
    return found[:n_calls]


def table(outcomes: list[Outcome]) -> list[str]:
    """Rows of a Markdown table: how many calls came to what, and of how many callables."""
    rows: list[tuple[str, list[Outcome]]] = []
    for kind in (*FINE, *WRONG):
        of_kind = [one for one in outcomes if one.kind == kind]
        errors = Counter(one.error for one in of_kind if one.error) if kind in FINE else {}
        rows.append((kind, of_kind))
        rows += [
            (f"- by {error}", [one for one in of_kind if one.error == error])
            for error, _ in Counter(errors).most_common()
        ]
    rows.append(("all", outcomes))
    lines = ["| outcome | calls | callables |", "| --- | ---: | ---: |"]
    return lines + [
        f"| {name} | {len(of)} | {len({one.call for one in of})} |" for name, of in rows
    ]


def versions() -> str:
    """What the calls were made with."""
    libraries = ", ".join(sorted(place.name for place in CPU))
    return (
        f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}; "
        f"array libraries: {libraries}; {datetime.datetime.now(datetime.UTC):%Y-%m-%d}"
    )


def main() -> int:
    """Print the outcomes by kind and what is wrong; return 1 if anything is."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--modules", default="", help="examples of modules that begin so")
    parser.add_argument("--names", default="", help="callables with one of these in the name")
    parser.add_argument(
        "--slowest", type=float, default=math.inf, help="seconds that an example may take"
    )
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    names = [name for name in modules() if name.startswith(tuple(given.modules.split(",")))]
    calls = recorded(names, given.slowest)
    calls = [call for call in calls if any(part in call.name for part in given.names.split(","))]
    outcomes: list[Outcome] = []
    try:
        for one in run(drawn(calls, given.calls, given.seed), given.processes):
            outcomes.append(one)
            if one.kind in WRONG:
                print(one, file=sys.stderr, flush=True)
            if len(outcomes) % 1000 == 0:
                print(len(outcomes), "calls", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print(f"stopped after {len(outcomes)} of {given.calls} calls")
    print(versions(), *table(outcomes), sep="\n")
    bad = Counter(str(outcome)[:300] for outcome in outcomes if outcome.kind in WRONG)
    for text, n in sorted(bad.items()):
        print(f"{n:5d}  {text}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
