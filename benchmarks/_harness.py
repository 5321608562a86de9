"""Side by side in one process, interleaved: ratios of CPU time, and the memory that a call adds.

One thread everywhere, because a shared machine's wall time is not repeatable: the metric is the
process's CPU time. Contenders run in turn, A B C A B C ...; a ratio is taken within a round, and
the median over rounds is quoted with the least and the largest.
"""

from __future__ import annotations

import os

# Before NumPy loads its BLAS.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import json
import platform
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results"


def ratios(
    contenders: dict[str, Callable[[], Any]], *, rounds: int = 7, warm: bool = True
) -> dict[str, list[float]]:
    """CPU time of each contender over that of the first, round by round, after one warm-up."""
    for run in contenders.values() if warm else ():
        run()
    found: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        seconds = {}
        for name, run in contenders.items():
            start = time.process_time()
            run()
            seconds[name] = time.process_time() - start
        first = next(iter(seconds.values()))
        for name, value in seconds.items():
            found[name].append(value / first)
    return found


def spread(values: list[float]) -> str:
    """Median, with the least and the largest."""
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def extra_memory(run: Callable[[], Any]) -> tuple[float, Any]:
    """MiB of NumPy arrays at the peak of one call beyond its result, and the result."""
    tracemalloc.start()
    result = run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return max(0, peak - getattr(result, "nbytes", 0)) / 2**20, result


def machine() -> str:
    """What a reader needs to place the figures."""
    return (
        f"{platform.machine()}, {os.cpu_count()} cores shared, one thread; "
        f"Python {platform.python_version()}, NumPy {np.__version__}"
    )


def save(name: str, title: str, header: list[str], rows: list[list[str]], raw: Any) -> None:
    """Print a Markdown table for the documentation, and write it and its JSON twin."""
    print(title, *table(name, title, header, rows, raw)[2:], sep="\n")


def table(name: str, title: str, header: list[str], rows: list[list[str]], raw: Any) -> list[str]:
    """Write a Markdown table and its JSON twin; return its lines."""
    date = time.strftime("%Y-%m-%d")
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
    lines = [
        f"Measured {date} by `python benchmarks/{command}` ({machine()}).",
        "",
        "| " + " | ".join(header) + " |",
        "|" + "---|" * len(header),
        *("| " + " | ".join(row) + " |" for row in rows),
        "",
    ]
    save_text(
        name, "\n".join(lines), {"title": title, "date": date, "machine": machine(), "rows": raw}
    )
    return lines


def save_text(name: str, text: str, raw: Any) -> None:
    """Markdown for the documentation and its JSON twin."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text)
    (RESULTS / f"{name}.json").write_text(json.dumps(raw, indent=1) + "\n")
