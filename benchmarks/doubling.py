"""How long an interval for the doubling dimension takes, and what it comes to.

Points of the sphere of R^3, as they are and in a subspace of R^10, where the number of columns
says less; and the 1,797 digits of scikit-learn. Run: python benchmarks/doubling.py
"""

from __future__ import annotations

import time
import tracemalloc
from functools import partial

import _harness
import numpy as np
from sklearn.datasets import load_digits

from mehler.doubling import diameter, doubling_dimension


def sphere(n: int) -> np.ndarray:
    rows = np.random.default_rng(3).standard_normal((n, 3))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def in_space(points: np.ndarray) -> np.ndarray:
    basis = np.linalg.qr(np.random.default_rng(4).standard_normal((10, 10)))[0]
    return points @ basis[: points.shape[1]]


def sets():
    for n in (1_000, 10_000):
        yield f"sphere, {n:,} points, 3 columns", sphere(n)
        yield f"sphere, {n:,} points, 10 columns", in_space(sphere(n))
    yield "digits, 1,797 points, 64 columns", load_digits().data


def main():
    rows, raw = [], []
    for name, points in sets():
        seconds = _harness.seconds(partial(diameter, points), rounds=1)
        rows.append([name, "diameter", f"{diameter(points).high:.4g}", f"{seconds:.1f}", ""])
        for centres in ("anywhere", "in the set"):
            start, wall = time.process_time(), time.perf_counter()
            found = doubling_dimension(points, centres=centres)
            seconds, wall = time.process_time() - start, time.perf_counter() - wall
            tracemalloc.start()
            doubling_dimension(points, centres=centres)
            peak = tracemalloc.get_traced_memory()[1] / 2**20
            tracemalloc.stop()
            rows.append(
                [name, centres, f"{found.low} to {found.high}", f"{seconds:.1f}", f"{peak:.0f}"]
            )
            raw.append(
                {
                    "set": name,
                    "centres": centres,
                    "low": found.low,
                    "high": found.high,
                    "packing": found.witness.count,
                    "cpu_seconds": seconds,
                    "wall_seconds": wall,
                    "peak_mib": peak,
                }
            )
    _harness.save(
        "doubling",
        "Interval for the doubling dimension",
        ["set", "centres", "found", "CPU seconds", "MiB of arrays"],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
