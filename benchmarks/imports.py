"""Cost of `import mehler` in a fresh process, compared with NumPy alone.

CPU time of child processes, interleaved, after one that fills the cache of compiled files. Wall
time of a machine that does nothing else is about the same: an import runs on one core.
Run: python benchmarks/imports.py
"""

from __future__ import annotations

import os
import statistics
import sys

import _harness

CODE = {
    "an empty program": "pass",
    "NumPy": "import numpy",
    "mehler": "import mehler",
    "mehler, first map of 1000 features": (
        "import mehler; mehler.MaxoutFeatures.draw(10, 1000, 4, seed=0)"
    ),
    "mehler, first exact kernel": "import mehler; mehler.exact.maxout_kernel(0.5, 4)",
    "mehler.verify": "import mehler.verify",
    "scikit-learn": "import sklearn.kernel_approximation",
}
ROUNDS = 7


def cpu_of_child(code):
    """CPU seconds, user and system, of an interpreter that runs `code`."""
    before = os.times()
    status = os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code])
    after = os.times()
    assert status == 0, code
    used = after.children_user - before.children_user
    return used + after.children_system - before.children_system


def main():
    # Compiled files are kept by every installation; without them the first import is slower.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for code in CODE.values():
        cpu_of_child(code)
    found = {name: [] for name in CODE}
    for _ in range(ROUNDS):
        for name, code in CODE.items():
            found[name].append(cpu_of_child(code))
    rows = [
        [name, f"{statistics.median(times):.2f} s ({min(times):.2f} to {max(times):.2f})"]
        for name, times in found.items()
    ]
    raw = [{"what": name, "seconds": times} for name, times in found.items()]
    _harness.save(
        "imports",
        "CPU time of a fresh process",
        ["what it does", "CPU time, median (least to largest)"],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
