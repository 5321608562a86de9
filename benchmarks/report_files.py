"""CPU seconds and peak memory of `mehler report` on large files, which neighbours do not change.

Each run is a process of its own; its user and system time and its peak of resident memory are those
that the system counts. With one fast statement, what is left is reading the file and the sections
on its data; with all of them, it is the whole report. The rows are stand-ins: normal numbers and a
target that is a function of three of them.

    python benchmarks/report_files.py FOLDER [--all] [file ...]

FOLDER takes the files, up to 1 GB each. With files named, their rows of the table are measured
again. `--all` measures with all statements.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import _harness
import numpy as np

FILES = {
    "500 x 20,000, .npy": (500, 20_000, "npy"),
    "500 x 20,000, CSV": (500, 20_000, "csv"),
    "200,000 x 100, .npy": (200_000, 100, "npy"),
    "1,000,000 x 100, .npy": (1_000_000, 100, "npy"),
    "1,000,000 x 100, CSV": (1_000_000, 100, "csv"),
}
ONE = "maxout.h1-growth"
KEY = ("file", "statements")
# Goals: CPU seconds of one core, and GiB, of whole processes.
SECONDS, GIB = 60.0, 1.5


def written(folder, name):
    """Write a file of stand-in rows once; the last column of text is the target."""
    n, d, kind = FILES[name]
    path = Path(folder) / f"rows-{n}-{d}.{kind}"
    if path.exists():
        return path
    rng = np.random.default_rng(0)
    if kind == "npy":
        np.save(path, rng.standard_normal((n, d), dtype=np.float32))
        return path
    with path.open("w") as out:
        out.write(",".join([f"c{j}" for j in range(d)] + ["target"]) + "\n")
        for _ in range(0, n, 100):
            rows = rng.standard_normal((100, d))
            target = np.sin(rows[:, :1]) + rows[:, 1:2] * rows[:, 2:3]
            np.savetxt(out, np.hstack([rows, target]), fmt="%.6g", delimiter=",")
    return path


def measured(path, statements, folder):
    """Run a report; return CPU seconds, GiB at the peak and the exit status."""
    out = Path(folder) / "report"
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "mehler", "report", str(path), "--out", str(out)]
    command += ["--statements", statements]
    if path.suffix == ".csv":
        command += ["--target", "target"]
    with (Path(folder) / "report.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20, code


def main():
    folder, *names = sys.argv[1:]
    everything = "--all" in names
    label, statements = ("all", "*") if everything else ("one", ONE)
    for name in [name for name in names if name != "--all"] or list(FILES):
        seconds, gib, code = measured(written(folder, name), statements, folder)
        date = time.strftime("%Y-%m-%d")
        row = {"file": name, "statements": label, "seconds": seconds, "gib": gib}
        keep(row | {"status": code, "date": date})


def keep(row):
    """Write the table with that row in the place of an older one, so that no run is lost."""
    before = _harness.RESULTS / "report_files.json"
    rows = json.loads(before.read_text())["rows"] if before.exists() else []
    rows = [one for one in rows if any(one[key] != row[key] for key in KEY)] + [row]
    order = list(FILES)
    rows.sort(key=lambda one: (one["statements"] == "all", order.index(one["file"])))
    _harness.save(
        "report_files",
        "mehler report at the quick level: CPU seconds and memory of whole processes",
        ["file", "statements", "CPU seconds", "GiB at the peak", "exit status", "goals"],
        list(map(cells, rows)),
        rows,
    )


def cells(row):
    missed = [
        f"{value:.3g} {unit} is over {most:g}: **missed**"
        for value, most, unit in ((row["seconds"], SECONDS, "s"), (row["gib"], GIB, "GiB"))
        if value > most
    ]
    counts = [f"{row['seconds']:.0f}", f"{row['gib']:.2f}", f"{row['status']}"]
    return [row["file"], row["statements"], *counts, "; ".join(missed) or "reached"]


if __name__ == "__main__":
    main()
