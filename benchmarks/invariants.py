"""Group-invariant features against the bare matrix product with all moved templates.

The product runs over row blocks into memory that stays resident: the floor of a map that keeps
moved templates; shifts by FFT and permuted blocks may do with less. Broadcasting compares all
projections with all thresholds at once, blocked by rows, as a first draft would.
Run: python benchmarks/invariants.py
"""

from __future__ import annotations

import _harness
import numpy as np

import mehler
from mehler.features import groups

# label: rows, group, elements drawn (None: all), templates m, thresholds.
SETTINGS = {
    "d=784 m=200 r=16 K=10": (1024, groups.CyclicShifts(784).drawn(16, seed=0), 200, 10),
    "d=64 m=200 r=16 K=10": (2048, groups.CyclicShifts(64).drawn(16, seed=0), 200, 10),
    "d=784 m=64 r=64 K=30": (1024, groups.CyclicShifts(784).drawn(64, seed=0), 64, 30),
    "d=64 m=200 r=16 K=100": (1024, groups.CyclicShifts(64).drawn(16, seed=0), 200, 100),
    "permutations of 5 blocks of 8, m=25 K=24": (2048, groups.BlockPermutations(40, 5), 25, 24),
    "all shifts of 28 x 28, m=16 K=10": (256, groups.ImageShifts(28, 28), 16, 10),
    "all shifts of 256, m=64 K=10": (512, groups.CyclicShifts(256), 64, 10),
}
BROADCAST_ROWS = 16


def contenders(n, group, m, columns):
    d = group.n_inputs
    x = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    draw = mehler.GroupInvariantFeatures.draw
    phi = draw(d, group=group, n_templates=m, n_bins=columns // 2, seed=0, like=x)
    moved = np.ascontiguousarray(phi.group.apply(phi._weights("float32")[2]))  # (r, m, d)
    flat = moved.reshape(-1, d).T.copy()
    block = 1024
    resident = np.empty((min(block, n), flat.shape[1]), np.float32)
    thresholds = phi.bins.thresholds.astype(np.float32)

    def product():
        for start in range(0, n, block):
            rows = x[start : start + block]
            np.matmul(rows, flat, out=resident[: rows.shape[0]])

    def broadcast():
        for start in range(0, n, BROADCAST_ROWS):
            rows = x[start : start + BROADCAST_ROWS]
            values = (rows @ flat).reshape(len(rows), group.order, m, 1)
            (values <= thresholds).mean(axis=1, dtype=np.float32)

    return {
        "bare product, resident": product,
        "GroupInvariantFeatures": lambda: phi(x),
        "broadcast comparisons": broadcast,
    }


def main():
    rows, raw = [], []
    for label, (n, group, m, columns) in SETTINGS.items():
        runs = contenders(n, group, m, columns)
        # Broadcasting is slow and quoted for scale: fewer rounds suffice.
        found = _harness.ratios(runs, rounds=5)
        for name, values in found.items():
            memory = _harness.added_memory(runs[name])
            output = n * m * columns * 4 / 2**20 if name == "GroupInvariantFeatures" else 0.0
            rows.append([label, name, _harness.spread(values), f"{max(0.0, memory - output):.0f}"])
            raw.append(
                {
                    "setting": label,
                    "contender": name,
                    "ratios": values,
                    "extra_mib": memory - output,
                }
            )
    # Memory beyond the output must not grow with the rows.
    group = groups.BlockPermutations(40, 5)
    phi = mehler.GroupInvariantFeatures.draw(40, group=group, n_templates=25, n_bins=12, seed=0)
    for n in (2048, 16384):
        x = np.ones((n, 40), np.float32)
        phi(x[:1])
        extra = _harness.added_memory(lambda x=x: phi(x)) - n * phi.n_features * 4 / 2**20
        label = f"permutations of 5 blocks of 8, m=25 K=24, {n} rows"
        rows.append([label, "GroupInvariantFeatures", "", f"{max(0.0, extra):.0f}"])
        raw.append({"setting": label, "contender": "GroupInvariantFeatures", "extra_mib": extra})
    _harness.save(
        "invariants",
        "CPU time over that of the product with all moved templates; memory beyond the output",
        ["setting", "contender", "ratio, median (least to largest)", "MiB beyond the output"],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
