"""The maps against the bare matrix product of the same operations, and against the naive version.

The product runs over row blocks into memory that stays resident: the floor. The maps write a
fresh output, as a user gets it. Run: python benchmarks/transform.py
"""

from __future__ import annotations

import _harness
import numpy as np

import mehler

# rows, d, m, q: the paper's MNIST and TIMIT shapes.
SETTINGS = {
    "d=784 m=1000 q=4": (4096, 784, 1000, 4),
    "d=784 m=5000 q=4": (1024, 784, 5000, 4),
    "d=40 m=2000 q=16": (8192, 40, 2000, 16),
}


def contenders(n, d, m, q):
    x = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    maxout = mehler.MaxoutFeatures.draw(d, m, q, seed=0, like=x)
    decoupled = mehler.DecoupledMaxoutFeatures.draw(d, m, q, seed=0, like=x)
    codes = mehler.MaxoutCodes.draw(d, m, q, seed=0, like=x)
    shared = mehler.MaxoutFeatures.draw(d, m, q, seed=0, like=x, n_projections=m)
    flat = np.ascontiguousarray(np.moveaxis(maxout._weights("float32")[0], 0, -1)).reshape(d, m * q)
    block = 1024
    resident = np.empty((block, m * q), np.float32)

    def product():
        for start in range(0, n, block):
            rows = x[start : start + block]
            np.matmul(rows, flat, out=resident[: rows.shape[0]])

    def fresh():
        return x @ flat

    def naive():
        return (x @ flat).reshape(n, m, q).max(-1) / np.sqrt(m)

    return {
        "bare product, resident": product,
        "MaxoutFeatures": lambda: maxout(x),
        "bare product, fresh output": fresh,
        "naive reshape and max": naive,
        "DecoupledMaxoutFeatures": lambda: decoupled(x),
        "MaxoutCodes": lambda: codes(x),
        "shared projections, P = m": lambda: shared(x),
    }


def main():
    rows, raw = [], []
    for label, (n, d, m, q) in SETTINGS.items():
        runs = contenders(n, d, m, q)
        found = _harness.ratios(runs)
        for name, values in found.items():
            output = n * m * (1 if name == "MaxoutCodes" else 4) / 2**20
            memory = _harness.added_memory(runs[name])
            extra = memory if name.startswith("bare") else memory - output
            rows.append([label, name, _harness.spread(values), f"{max(0.0, extra):.0f}"])
            raw.append({"setting": label, "contender": name, "ratios": values, "extra_mib": extra})
    # Memory beyond the output must not grow with the rows.
    d, m, q = 784, 1000, 4
    for n in (4096, 16384):
        x = np.ones((n, d), np.float32)
        phi = mehler.MaxoutFeatures.draw(d, m, q, seed=0, like=x)
        phi(x[:1])
        extra = _harness.added_memory(lambda phi=phi, x=x: phi(x)) - n * m * 4 / 2**20
        label = f"d=784 m=1000 q=4, {n} rows"
        rows.append([label, "MaxoutFeatures", "", f"{max(0.0, extra):.0f}"])
        raw.append({"setting": label, "contender": "MaxoutFeatures", "extra_mib": extra})
    _harness.save(
        "transform",
        "CPU time over that of the bare product, float32; memory beyond the output",
        ["setting", "contender", "ratio, median (least to largest)", "MiB beyond the output"],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
