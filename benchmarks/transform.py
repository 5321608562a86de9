"""Every map against the bare matrix product of its operations, and against what else there is.

Ratios of CPU time, one thread, interleaved. Goals are ratios, too: those that are missed say so in
the table. Memory is what a call adds beyond its output, for N rows and for 4 N: it must not grow.

    python benchmarks/transform.py [family ...]

Without a family all are measured; with some, their rows of the table are measured again.
"""

from __future__ import annotations

import json
import statistics
import sys

import _contenders
import _harness
from _contenders import FLOOR, TORCH_FLOOR

MAXOUT, SHARED = "MaxoutFeatures", "MaxoutFeatures, shared, P = m"
PAIRS, INVARIANT = "FourierFeatures, pairs", "GroupInvariantFeatures"
NAIVE, AT_ONCE = "naive, NumPy", "all comparisons at once"
# family: setting: (arguments, goals). A goal: who, against whom, and the ratio to reach.
OWN_FLOOR = ("MaxoutFeatures on torch", TORCH_FLOOR, 1.25)
WIDE = (OWN_FLOOR, (MAXOUT, FLOOR, 1.15), (MAXOUT, NAIVE, 0.75), (SHARED, MAXOUT, 0.45))
NARROW = (OWN_FLOOR, (MAXOUT, FLOOR, 1.30), (MAXOUT, NAIVE, 0.40), (SHARED, MAXOUT, 0.55))
SETTINGS = {
    "pools": {
        "d=784 m=1000 q=4": ((1024, 784, 1000, 4), (*WIDE, ("MaxoutCodes", FLOOR, 1.20))),
        "d=784 m=5000 q=4": ((512, 784, 5000, 4), (*WIDE, ("MaxoutCodes", FLOOR, 1.20))),
        "d=40 m=2000 q=16": ((2048, 40, 2000, 16), (*NARROW, ("MaxoutCodes", FLOOR, 1.70))),
    },
    "fourier": {
        "d=784 m=4000": ((1024, 784, 4000, "float32"), ((PAIRS, "RBFSampler", 0.75),)),
        "d=784 m=4000, float64": ((1024, 784, 4000, "float64"), ((PAIRS, "RBFSampler", 0.75),)),
        "d=40 m=2000": ((4096, 40, 2000, "float32"), ()),
        "d=40 m=2000, float64": ((4096, 40, 2000, "float64"), ((PAIRS, "RBFSampler", 0.65),)),
    },
    "invariants": {
        "d=784 m=200 r=16 K=10": (
            (1024, 784, 200, 16, 10),
            ((INVARIANT, FLOOR, 1.4), (INVARIANT, AT_ONCE, 0.2)),
        ),
        "d=64 m=200 r=16 K=10": (
            (2048, 64, 200, 16, 10),
            ((INVARIANT, FLOOR, 4.0), (INVARIANT, AT_ONCE, 0.2)),
        ),
    },
    "structured": {
        "m=d=256": ((256,), (("Walsh-Hadamard transform", FLOOR, 0.7),)),
        "m=d=1024": (
            (1024,),
            (("Walsh-Hadamard transform", FLOOR, 0.3), ("projections='hadamard'", FLOOR, 0.6)),
        ),
    },
    # 5000 rows stand for 20,000, of which drawing may take 5 %.
    "weights": {
        "d=784 m=1000 q=4": (
            (5000, 784, 1000, 4),
            (
                ("drawing its weights", "MaxoutFeatures of 5000 rows", 0.20),
                ("drawing its weights", "one stream of NumPy", 1.2),
            ),
        )
    },
}
# Beyond the output, whatever N and q are.
MOST_MIB = 64


def verdicts(name, found, goals):
    """What a contender's goals say: the median of the rounds' ratios, and the most it may be."""
    for who, against, most in goals:
        if who != name:
            continue
        ratio = over(found, who, against)
        word = "reached"
        if ratio > most:
            word = "**missed**"
            if (
                against != TORCH_FLOOR
                and who != SHARED
                and FLOOR in found
                and (least := over(found, FLOOR, against)) > most
            ):
                word += f", as any map would: the bare product is {least:.2f} of it"
        yield f"{ratio:.2f} of {against}, at most {most}: {word}"


def over(found, one, other):
    """Median of the rounds' ratios."""
    return statistics.median(a / b for a, b in zip(found[one], found[other], strict=True))


def extra_memory(family, arguments, names):
    """MiB beyond the output, by name, for N rows and for 4 N."""
    n, *others = arguments
    found = {name: [] for name in names}
    for rows in (n, 4 * n):
        runs = getattr(_contenders, family)(rows, *others)
        for name in names:
            found[name].append(_harness.extra_memory(runs[name])[0])
    return found


def ours(name):
    """Maps on NumPy, whose memory is counted."""
    return ("Features" in name and not name.endswith(("torch", "rows"))) or name == "MaxoutCodes"


def measure(family):
    """Rows of one family."""
    for label, (arguments, goals) in SETTINGS[family].items():
        runs = getattr(_contenders, family)(*arguments)
        found = _harness.ratios(runs, rounds=5)
        memory = extra_memory(family, arguments, list(filter(ours, runs)))
        for name, values in found.items():
            said = list(verdicts(name, found, goals))
            if max(memory.get(name, (0,))) > MOST_MIB:
                said.append(f"more than {MOST_MIB} MiB: **missed**")
            row = {"family": family, "setting": label, "contender": name, "ratios": values}
            yield row | {"goals": said, "extra_mib": memory.get(name)}
            print(label, name, _harness.spread(values), *said, sep=" | ", flush=True)


def cells(row):
    mib = " / ".join(f"{one:.0f}" for one in row["extra_mib"] or ())
    ratio = _harness.spread(row["ratios"])
    return [row["setting"], row["contender"], ratio, "; ".join(row["goals"]), mib]


def main():
    before = _harness.RESULTS / "transform.json"
    kept = json.loads(before.read_text())["rows"] if sys.argv[1:] else []
    raw = []
    for family in SETTINGS:
        if family in sys.argv[1:] or not kept:
            raw += measure(family)
        else:
            raw += [row for row in kept if row["family"] == family]
    _harness.save(
        "transform",
        "CPU time over that of the first of its setting, float32 unless it says float64",
        ["setting", "contender", "ratio, median (least to largest)", "goal", "MiB, N / 4 N rows"],
        list(map(cells, raw)),
        raw,
    )


if __name__ == "__main__":
    main()
